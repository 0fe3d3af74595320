"""What stands in and around a figure can be read: 12 px at least, and the contrast that WCAG asks for (4.5:1)."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots

from privlab.figures.drawing.distributions import cumulative_figure
from privlab.figures.drawing.palette import DARK, LIGHT, Palette, rgb
from privlab.figures.drawing.titles import enlarge, rules_without_parameters, set_title

PAGES = {"#ffffff": LIGHT, "#181715": DARK}


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, by the definition of WCAG 2.1."""
    parts = np.array(rgb(colour)) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize(("page", "palette"), PAGES.items())
def test_captions_are_large_and_dark_enough(page: str, palette: Palette) -> None:
    figure = cumulative_figure({"a": [1.0, 2.0]}, palette, x_title="x", references={"here": 1.5})
    figure.add_bar(x=[1.0], y=[0.5], text=["50%"])
    set_title(figure, "Title", "city; seed 1", true_data=True, palette=palette)
    sizes = [int(size) for size in re.findall(r"'size': (\d+)", str(figure.layout))]
    assert sizes
    assert min(sizes) >= 12
    layout: go.Layout = figure.layout
    bar = next(one for one in figure.data if one.type == "bar")
    # The theme's own pale grey, which axes have in a picture if nobody names another, has 3.7 on white.
    axes = [font for one in (layout.xaxis, layout.yaxis) for font in (one.tickfont, one.title.font)]
    for written in (
        layout.title.subtitle.font,
        *(one.font for one in layout.annotations),
        bar.textfont,
        *axes,
    ):
        low, high = sorted((luminance(written.color), luminance(page)))
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_scales_of_colour_are_lettered_like_axes() -> None:
    figure = go.Figure(go.Heatmap(z=[[1]], colorbar={"title": "people"}))
    set_title(figure, "Title", "city", true_data=False, palette=DARK)
    scale = figure.data[0].colorbar
    assert (scale.title.text, scale.title.font.color, scale.tickfont.color) == (
        "people",
        DARK.true,
        DARK.true,
    )


def test_axes_and_scales_write_numbers_as_words_do_not_as_20k() -> None:
    """Of 4000, 20,000 and 20k on one page, the first two by plotly itself: one way, that of the sentences. An axis named by nobody, too."""
    figure = make_subplots(rows=1, cols=2)
    figure.add_bar(x=[1, 2], y=[4_000, 20_000], row=1, col=1)
    figure.add_heatmap(z=[[0, 50_000]], row=1, col=2)
    alone = go.Figure(go.Scatter(x=[1, 20_000], y=[1, 4_000]))
    for one in (figure, alone):
        set_title(one, "Title", "", true_data=False)
    layout = figure.layout
    (scale,) = [one.colorbar for one in figure.data if one.type == "heatmap"]
    axes = (
        layout.xaxis,
        layout.yaxis,
        layout.xaxis2,
        layout.yaxis2,
        scale,
        alone.layout.xaxis,
        alone.layout.yaxis,
    )
    assert {(one.separatethousands, one.exponentformat) for one in axes} == {(True, "none")}


def test_no_name_of_a_panel_is_larger_than_the_title_above_it() -> None:
    figure = make_subplots(rows=1, cols=2, subplot_titles=("where", "when"))
    set_title(figure, "One person", "", true_data=False)
    assert [one.text for one in figure.layout.annotations] == ["where", "when"]
    assert all(12 <= one.font.size < figure.layout.title.font.size for one in figure.layout.annotations)


def test_what_is_written_in_a_colour_keeps_it_by_hand() -> None:
    figure = go.Figure()
    figure.add_annotation(text="proven", font={"color": LIGHT.proven})
    set_title(figure, "Title", "", true_data=False, palette=DARK)
    assert figure.layout.annotations[0].font.color == LIGHT.proven


@pytest.mark.parametrize(("titles", "kept"), [(True, 0), (False, 4)])
def test_where_titles_are_hidden_the_mark_below_is_not_clipped_whatever_the_type(
    titles: bool, kept: int
) -> None:
    rules = rules_without_parameters("div", ".chart", titles=titles)
    moved, clipped = (
        int(re.findall(rule, rules)[0]) for rule in (r"margin-top: -(\d+)px", r"inset\((\d+)px")
    )
    assert moved - clipped == kept


def test_a_figure_drawn_to_scale_grows_more_in_a_presentation() -> None:
    """What is as far to the side as upwards has the width that its height allows: 1.6 times, and others 1.25 times, as high."""
    plain, to_scale = (go.Figure(go.Scatter(x=[0, 1], y=[0, 1])).update_layout(height=400) for _ in range(2))
    to_scale.update_yaxes(scaleanchor="x")
    for figure in (plain, to_scale):
        enlarge(figure)
    assert (plain.layout.height, to_scale.layout.height) == (540, 680)
