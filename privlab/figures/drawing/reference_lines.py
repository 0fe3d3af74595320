"""Straight lines across a figure, with their names: what plotly's own add_vline says, without its cost.

Plotly works through the whole layout anew for each line that is added to a figure, which takes longer than all
the rest of a chart. Here a line is a part of the layout that a figure is given once.
"""

from typing import Any, Literal


def reference_line(
    at: float,
    line: dict[str, Any],
    *,
    across: Literal["x", "y"] = "x",
    name: dict[str, Any] | None = None,
    named_at: float | None = None,
) -> dict[str, Any]:
    """Return the layout of a line through one value of an axis, from end to end of the other.

    Parameters
    ----------
    at : float
        Where on the axis `across`, as its data are written.
    line : dict
        Its colour, width and dash.
    name : dict, optional
        An annotation, at the top of a vertical and the right end of a horizontal line.
    named_at : float, optional
        Where the name stands: the logarithm of `at` on a logarithmic axis.

    >>> reference_line(2.5, {"color": "red"})["shapes"][0]["yref"]
    'y domain'
    """
    other = "y" if across == "x" else "x"
    place = {f"{across}ref": across, f"{other}ref": f"{other} domain"}
    ends = {f"{across}0": at, f"{across}1": at, f"{other}0": 0, f"{other}1": 1}
    layout: dict[str, Any] = {"shapes": [{"type": "line", **place, **ends, "line": line}]}
    if name is not None:
        anchors = (
            {"yanchor": "top", "xanchor": "left"}
            if across == "x"
            else {"xanchor": "right", "yanchor": "bottom"}
        )
        where = {across: at if named_at is None else named_at, other: 1}
        layout["annotations"] = [{"showarrow": False, **place, **where, **anchors, **name}]
    return layout
