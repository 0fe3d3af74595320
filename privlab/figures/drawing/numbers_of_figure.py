"""A figure → its numbers: what is drawn, as a table that a spreadsheet opens."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from privlab.safe_text import csv_text

_OTHERWISE = "columns"  # in the meta of a figure
_OF_CUSTOMDATA, _OF_TEXT = "customdata", "text"  # in the meta of a trace


def table_from_figure(figure: go.Figure) -> pd.DataFrame:
    """Return every point of every trace: columns `curve`, x and y named by their own axes, and z, low, high where drawn.

    >>> table_from_figure(go.Figure(go.Scatter(x=[1, 2], y=[3, 4], name="a"))).to_dict("list")
    {'curve': ['a', 'a'], 'x': [1, 2], 'y': [3, 4]}

    An axis whose ticks are in per cent stands there with its unit, as *guessed right (1: 100%)*: 64% of the figure is 0.64.

    A figure may give columns other names, in its meta under `columns`: an axis is called there as traces call it (x, y2), and a column
    named "" is left out. Axes of one scale share the name that one of them has. Where no trace has a name, there is no `curve`.

    What a trace has in its own meta becomes columns, with two exceptions. `customdata` names the parts of its customdata; a part named
    "" is no column. `text` names the column of its texts; where that is the name of an axis, texts replace the positions on it.
    An area around a line is left out: the line has the area's edges in its meta, as `low` and `high`.
    """
    drawn = [trace for trace in figure.data if getattr(trace, "fill", None) != "toself"]
    named = (figure.layout.meta or {}).get(_OTHERWISE, {})
    parts = [
        _points(trace, number, _names(figure, trace, named)) for number, trace in enumerate(drawn, start=1)
    ]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"curve": [], "x": [], "y": []})
    left_out = {axis for axis, name in named.items() if not name}
    if drawn and not any(trace.name for trace in drawn):
        left_out.add("curve")
    table = table.drop(columns=[column for column in left_out if column in table])
    return table.rename(columns={"curve": named.get("curve") or "curve"})


def csv_from_figure(figure: go.Figure) -> bytes:
    """Return the numbers of a figure as CSV; texts that a spreadsheet would run get a ' before them."""
    table = table_from_figure(figure)
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name]):
            table[name] = [
                csv_text(_plain(value)) if isinstance(value, str) else value for value in table[name]
            ]
    return table.to_csv(index=False).encode()


def _plain(text: str) -> str:
    """Return a text of a figure without the mark for a new line."""
    return text.replace("<br>", ", ")


def _names(figure: go.Figure, trace: Any, named: Mapping[str, str]) -> dict[str, str]:
    """Return what the columns of a trace are called: x and y by the axes that it is drawn on, z by its scale of colours.

    One that is left out keeps the name of its axis.
    """
    names = {}
    for axis in ("x", "y"):
        own = getattr(trace, f"{axis}axis", None) or axis
        alike = _alike(figure, own)
        told = [named[one] for one in alike if one in named] or [_title(figure, one) for one in alike]
        names[axis] = next((one for one in told if one), axis)
    if names["y"] == names["x"]:
        names["y"] = "y"
    if trace.type == "heatmap":
        title = trace.colorbar.title.text
        names["z"] = named.get("z") or (str(title) if title else "z")
    return names


def _alike(figure: go.Figure, axis: str) -> list[str]:
    """Return an axis and all others of its scale, itself first."""
    scales = {
        name.replace("axis", "", 1): figure.layout[name].matches
        for name in figure.layout
        if name.startswith(f"{axis[0]}axis")
    }
    scale = scales.get(axis) or axis
    return [axis, *(one for one, other in scales.items() if one != axis and scale in (one, other))]


def _title(figure: go.Figure, axis: str) -> str:
    """Return what an axis is called, and the unit of one that counts in per cent: a share has its own in its name.

    The numbers of a logarithmic axis are no logarithms.
    """
    drawn = figure.layout[f"{axis[0]}axis{axis[1:]}"]
    title = _plain(str(drawn.title.text or ""))
    if drawn.type == "log":
        title = title.removesuffix(" (log)")
    if not title or "share" in title or not str(drawn.tickformat or "").endswith("%"):
        return title
    return f"{title[:-1]}, 1: 100%)" if title.endswith(")") else f"{title} (1: 100%)"


def _points(trace: Any, number: int, names: Mapping[str, str]) -> pd.DataFrame:
    curve = trace.name or f"{trace.type} {number}"
    if trace.type == "heatmap":
        return _cells(trace, curve, names)
    columns: dict[str, Any] = {
        names[axis]: list(trace[axis]) for axis in ("x", "y") if trace[axis] is not None
    }
    own = dict(trace.meta or {})
    told = own.pop(_OF_CUSTOMDATA, ()), own.pop(_OF_TEXT, "")
    columns |= {edge: own.pop(edge) for edge in ("low", "high") if edge in own}
    columns |= _edges(trace)
    for at, name in enumerate(told[0]):
        if name:
            columns[name] = [one[at] for one in trace.customdata]
    if told[1]:
        columns[told[1]] = list(trace.text)
    return pd.DataFrame({"curve": curve, **own, **columns})


def _edges(trace: Any) -> dict[str, Any]:
    """Return the ends of a trace's intervals, whichever way they are drawn."""
    for axis in ("y", "x"):
        error = getattr(trace, f"error_{axis}", None)
        if error is not None and error.array is not None:
            middle, up = np.asarray(trace[axis], dtype=float), np.asarray(error.array, dtype=float)
            down = up if error.arrayminus is None else np.asarray(error.arrayminus, dtype=float)
            return {"low": middle - down, "high": middle + up}
    return {}


def _cells(trace: Any, curve: str, names: Mapping[str, str]) -> pd.DataFrame:
    z = np.asarray(trace.z)
    x = list(range(z.shape[1])) if trace.x is None else list(trace.x)
    y = list(range(z.shape[0])) if trace.y is None else list(trace.y)
    places = {names["x"]: np.tile(x, len(y)), names["y"]: np.repeat(y, len(x))}
    return pd.DataFrame({"curve": curve, **places, names["z"]: z.ravel()})
