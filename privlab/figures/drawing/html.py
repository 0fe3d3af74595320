"""A figure → HTML that works offline, without the script that all figures of a document share."""

from typing import Any, TypeAlias

import plotly.graph_objects as go

from privlab.figures.drawing.titles import PICTURE_WIDTH, set_title
from privlab.figures.drawing.true_data_marks import marked_name

Figure: TypeAlias = go.Figure

# CSS pixels of a figure without its title: above and below it half a page of A4 has room for a heading, a plan, some lines and a source.
_HALF_A_PAGE, _NEARLY_HALF = 325, 480
_MAPS_HALF = 340  # of maps side by side, which are as much smaller as they are lower: what the other figure of the page leaves
_LETTER = 7  # pixels of a letter beside an axis
_CONFIG = {"showSendToCloud": False, "displaylogo": False, "plotlyServerURL": "", "responsive": True}


def picture_options(name: str) -> dict[str, Any]:
    """Return what plotly's camera makes of a figure: a PNG file of this name, as wide from every screen."""
    return {"format": "png", "filename": name, "width": PICTURE_WIDTH, "scale": 2}


def html_from_figure(
    figure: Figure,
    *,
    name: str,
    title: str,
    parameters: str,
    true_data: bool,
    still: bool = False,
    paper: bool = False,
    width: int = PICTURE_WIDTH,
) -> str:
    """Return a figure on white, whatever theme it was made under, as a div with the id `name`.

    It carries its title and parameters, and the mark where it shows true data; so does a picture of it. What can be played
    opens at rest; where it stays `still`, as on paper and in a picture, there is nothing to play. On `paper` one that nearly fits in half
    a page, with the words about it, is as high as fits. `width` is that of the picture
    that is made of it, in pixels.
    """
    printed = go.Figure(figure).update_layout(template="plotly_white", paper_bgcolor="white")
    if still:
        printed.frames = ()
        printed.layout.updatemenus = [menu for menu in printed.layout.updatemenus if not _plays(menu)]
    if paper:
        _fit_in_half_a_page(printed)
    set_title(printed, title, parameters, true_data=true_data, width=width)
    picture = marked_name(f"privlab_{name}", true_data=true_data)
    config = {**_CONFIG, "toImageButtonOptions": picture_options(picture)}
    html: str = printed.to_html(
        full_html=False, include_plotlyjs=False, div_id=name, config=config, auto_play=False
    )
    return html


def _fit_in_half_a_page(figure: Figure) -> None:
    """Make a figure lower that is hardly higher than half a page has room for: two parts of a report then share a page of paper."""
    layout = figure.layout
    half = (
        _MAPS_HALF if sum(one.scaleanchor is not None for one in figure.select_yaxes()) > 1 else _HALF_A_PAGE
    )
    height, beside = layout.height or 450, (layout.margin.t or 0) + (layout.margin.b or 0)
    longest = max((len(axis.title.text or "") for axis in figure.select_yaxes()), default=0)
    if not half < height <= _NEARLY_HALF or longest * _LETTER > half - beside:
        return
    if layout.legend.y is not None and layout.legend.y < 0:  # as far below the axis as it was, in pixels
        layout.legend.y *= (height - beside) / (half - beside)
    layout.height = half


def _plays(menu: go.layout.Updatemenu) -> bool:
    return all(button.method == "animate" for button in menu.buttons)
