"""Lines across figures, against those that plotly itself adds."""

import plotly.graph_objects as go
import pytest

from privlab.figures.drawing.reference_lines import reference_line

LINE = {"color": "#d55e00", "width": 2, "dash": "dash"}


@pytest.mark.parametrize("name", [None, {"text": "the claim"}])
def test_a_vertical_line_is_plotly_s_own(name: dict[str, str] | None) -> None:
    theirs = go.Figure()
    named = (
        {} if name is None else {"annotation": {**name, "xanchor": "left"}, "annotation_position": "top left"}
    )
    theirs.add_vline(x=2.5, line=LINE, **named)
    assert go.Figure(layout=reference_line(2.5, LINE, name=name)).to_dict() == theirs.to_dict()


def test_a_horizontal_line_is_plotly_s_own() -> None:
    theirs = go.Figure()
    theirs.add_hline(y=0.5, line=LINE, annotation={"text": "a coin"}, annotation_position="top right")
    ours = go.Figure(layout=reference_line(0.5, LINE, across="y", name={"text": "a coin"}))
    assert ours.to_dict() == theirs.to_dict()


def test_on_a_logarithmic_axis_the_name_stands_at_the_line() -> None:
    """Plotly takes shapes there as data, and annotations as logarithms."""
    layout = reference_line(100, LINE, across="y", name={"text": "threshold"}, named_at=2)
    assert (layout["shapes"][0]["y0"], layout["annotations"][0]["y"]) == (100, 2)
