"""A figure → its numbers: what is drawn, as a table that a spreadsheet opens."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from privlab.safe_text import csv_text


def table_from_figure(figure: go.Figure) -> pd.DataFrame:
    """Return every point of every trace: columns `curve`, x and y named by their axes, and z, low, high where drawn.

    >>> table_from_figure(go.Figure(go.Scatter(x=[1, 2], y=[3, 4], name="a"))).to_dict("list")
    {'curve': ['a', 'a'], 'x': [1, 2], 'y': [3, 4]}

    A figure may name them otherwise in its meta, under `columns`; "" leaves one out. What a trace has in its own meta are
    columns too. An area around a line is left out: the line has its edges in its meta, as `low` and `high`.
    """
    drawn = [trace for trace in figure.data if getattr(trace, "fill", None) != "toself"]
    parts = [_points(trace, number) for number, trace in enumerate(drawn, start=1)]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"curve": [], "x": [], "y": []})
    named = (figure.layout.meta or {}).get("columns", {})
    table = table.drop(columns=[column for column, name in named.items() if not name])
    names = {axis: _title(figure, axis) for axis in ("x", "y")} | named
    return table.rename(columns={axis: name for axis, name in names.items() if name})


def csv_from_figure(figure: go.Figure) -> bytes:
    """Return the numbers of a figure as CSV; texts that a spreadsheet would run get a ' before them."""
    table = table_from_figure(figure)
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name]):
            table[name] = [csv_text(value) if isinstance(value, str) else value for value in table[name]]
    return table.to_csv(index=False).encode()


def _title(figure: go.Figure, axis: str) -> str:
    title = figure.layout[f"{axis}axis"].title.text
    return str(title) if title else ""


def _points(trace: Any, number: int) -> pd.DataFrame:
    name = trace.name or f"{trace.type} {number}"
    if trace.type == "heatmap":
        return _cells(trace, name)
    columns: dict[str, Any] = {axis: list(trace[axis]) for axis in ("x", "y") if trace[axis] is not None}
    own = dict(trace.meta or {})
    columns |= {edge: own.pop(edge) for edge in ("low", "high") if edge in own}
    error = getattr(trace, "error_y", None)
    if error is not None and error.array is not None:
        y, up = np.asarray(trace.y, dtype=float), np.asarray(error.array, dtype=float)
        down = up if error.arrayminus is None else np.asarray(error.arrayminus, dtype=float)
        columns |= {"low": y - down, "high": y + up}
    return pd.DataFrame({"curve": name, **own, **columns})


def _cells(trace: Any, name: str) -> pd.DataFrame:
    z = np.asarray(trace.z)
    x = list(range(z.shape[1])) if trace.x is None else list(trace.x)
    y = list(range(z.shape[0])) if trace.y is None else list(trace.y)
    return pd.DataFrame({"curve": name, "x": np.tile(x, len(y)), "y": np.repeat(y, len(x)), "z": z.ravel()})
