"""Names of lines, written beside the lines themselves in place of a legend, where there is room for them.

The room is sought as if the figure were as narrow as on a telephone. A wider one has more of it between the same
lines, so that a name clear of all lines there is clear of them everywhere.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

_WIDTH_PX, _CELL_PX = 285, 3
_LINE_PX = 22  # that a line of names above a figure takes
_CHARACTER_PX, _TEXT_PX = 6.3, 15  # of type of 12 pixels
_GAP = 2  # cells between a line and its name
_MOST_NAMES = 4
_FURTHER = range(_GAP, 15, 2)  # cells between a mark on lines and its name, which may stand beyond them
_MARK = 3  # cells that a mark reaches to each side
_STEP = 2  # cells between two places that are tried

# What is nearest to the line of each kind of place: above it, below it, and beside it.
_HELD = (
    *((x, "bottom") for x in ("right", "center", "left")),
    *((x, "top") for x in ("right", "center", "left")),
    ("left", "middle"),
    ("right", "middle"),
)

_Rows = npt.NDArray[np.float64]
_Whole = npt.NDArray[np.int64]
_Places = tuple[_Whole, _Whole, _Whole, _Whole]


def name_lines(figure: go.Figure, *, towards_end: bool = True) -> None:
    """Write the name of each line of a figure beside it in place of the legend, if there is room for all of them.

    Both axes need ranges, as they are drawn (logarithms where they are logarithmic). Names are sought from the right
    end of a line backwards, or `towards_end=False` from its middle. Where the names are too long, all but the first
    lose the words that all begin with: "k = 2", "5", "10". Lines that are not in the legend get no name, but no name
    is written across them.
    """
    drawn = [one for one in figure.data if one.type == "scatter" and _is_named_here(one)]
    named = [one for one in drawn if one.showlegend is not False and one.name]
    if len(named) < sum(one.showlegend is not False for one in figure.data) or len(named) > _MOST_NAMES:
        return  # areas and clouds have no side to write a name on; of many names one does not see whose each is
    layout = figure.layout
    shape = _shape(figure)
    extents = [_extent(one, figure, shape) for one in drawn]
    taken = np.zeros(shape, dtype=np.int64)
    rows = np.arange(shape[0])[:, None]
    to_name = []
    for line, (low, high) in zip(drawn, extents, strict=True):
        room = 3 if len(line.x) == 1 else 2 if "markers" in line.mode else 1
        own = ((rows >= low - room) & (rows <= high + room)).astype(np.int64)
        taken += own
        if line in named:
            to_name.append((line, (low, high), own))
    _take_written(taken, figure)
    for words in (_full, _short):
        names = _names(to_name, words([line.name for line in named]), taken.copy(), towards_end)
        if names is not None:
            layout.annotations = [*layout.annotations, *names]
            layout.showlegend = False
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name to write in a figure, beside the trace of this name.

    `texts` are tried in turn, the longest first. `along` names traces that the trace lies on, as a mark does on its curve: the name is
    clear of them, but may stand on any side. `near` is where along the axis it is sought first, from 0 to 1.
    """

    trace: str
    texts: tuple[str, ...]
    colour: str
    near: float = 1.0
    along: tuple[str, ...] = ()


def names_beside(figure: go.Figure, names: Sequence[Name]) -> list[dict[str, Any]]:
    """Return annotations for names beside lines, marks and clouds of a figure, clear of all that is drawn and of one another.

    Those that come first have the first choice; one that finds no room is left out. Both axes need ranges, as they are drawn.
    """
    shape = _shape(figure)
    cells = {one.name: _cells(one, figure, shape) for one in figure.data}
    taken = np.zeros(shape, dtype=np.int64)
    for _, covered in cells.values():
        taken += covered
    found = []
    for name in names:
        (low, high), own = cells[name.trace]
        own = own + sum(cells[one][1] for one in name.along if one in cells)
        of_mark = int(np.isfinite(low).sum()) <= 2 * _MARK + 1
        gaps = _FURTHER if of_mark else (_GAP,)
        for gap, text in itertools.product(gaps, name.texts):
            size = _size(text)
            free = _room(taken, own, low, high, size, gap, of_mark=of_mark)
            if free[0].size:
                best = int(np.argmin(np.abs(free[3] - name.near * (shape[1] - 1))))
                row, column, kind, at = (int(one[best]) for one in free)
                taken[row : row + size[0], column : column + size[1]] += 1
                place = _place((row, column, kind, at), shape, size)
                found.append({"text": text, **place, "font": {"size": 12, "color": name.colour}})
                break
    return found


def names_in_a_line(figure: go.Figure, names: Sequence[tuple[str, str, str]], before: str = "") -> None:
    """Write in one line above a figure what its lines and marks are, in place of a legend that would take many below it.

    Each name is a sign, the colour of the sign, and the word behind it; `before` begins the line.
    """
    line = "&#160; ".join(
        f'<span style="color:{colour}">{sign}</span>&#160;{word}' for sign, colour, word in names
    )
    layout = figure.layout
    figure.add_annotation(
        text=f"{before}&#160; {line}" if before else line, showarrow=False, font={"size": 12},
        xref="paper", x=0, xanchor="left", xshift=10 - (layout.margin.l or 0),
        yref="paper", y=1, yanchor="bottom", yshift=2, borderpad=0,
    )  # fmt: skip
    layout.showlegend = False
    layout.margin.t = (layout.margin.t or 0) + _LINE_PX


def _cells(trace: Any, figure: go.Figure, shape: tuple[int, int]) -> tuple[tuple[_Rows, _Rows], _Whole]:
    """Return the lowest and highest row of a trace in each column, and the cells it covers: marks by their size, clouds by their bars."""
    low, high = _extent(trace, figure, shape)
    room = 1.0
    if len(trace.x) == 1:
        room = 0.0
        for at in np.flatnonzero(np.isfinite(low)).tolist():  # one, or none where it lies outside
            around = slice(max(0, at - _MARK), at + _MARK + 1)
            low[around], high[around] = low[at] - _MARK, high[at] + _MARK
    elif "markers" in trace.mode:
        y, bars, room = np.asarray(trace.y, dtype=np.float64), trace.error_y, 1.5
        for error, sign in ((bars.array, 1), (bars.arrayminus, -1)):
            if error is not None:
                ends = go.Scatter(x=trace.x, y=y + sign * np.asarray(error))
                one, other = _extent(ends, figure, shape)
                low, high = np.fmin(low, one), np.fmax(high, other)
    rows = np.arange(shape[0])[:, None]
    return (low, high), ((rows >= low - room) & (rows <= high + room)).astype(np.int64)


def _shape(figure: go.Figure) -> tuple[int, int]:
    """Return rows and columns of cells of a figure's drawing area, as narrow as on a telephone."""
    layout = figure.layout
    height = (layout.height or 400) - (layout.margin.t or 0) - (layout.margin.b or 50)
    low, high = layout.yaxis.domain or (0, 1)
    return max(10, int(height * (high - low)) // _CELL_PX), _WIDTH_PX // _CELL_PX


def _full(names: Sequence[str]) -> list[str]:
    return list(names)


def _short(names: Sequence[str]) -> list[str]:
    """Return names without the words with which an earlier one begins as well, where all of these are alike.

    >>> _short(["a blind guess", "groups of 10", "groups of 100"])
    ['a blind guess', 'groups of 10', '100']
    """
    found = []
    for number, name in enumerate(names):
        alike = [one.split(" ") for one in names if one.split(" ")[0] == name.split(" ")[0]]
        same = 0
        while all(len(one) > same + 1 and one[same] == alike[0][same] for one in alike):
            same += 1
        first = name.split(" ") == alike[0] or number == 0
        found.append(name if first else " ".join(name.split(" ")[same:]))
    return found


def _names(
    lines: Sequence[tuple[Any, tuple[_Rows, _Rows], _Whole]],
    words: Sequence[str],
    taken: _Whole,
    towards_end: bool,
) -> list[dict[str, Any]] | None:
    """Return the name of every line at its place, None if one of them finds none. Where there is least room, first."""
    sizes = [_size(text) for text in words]
    left = list(range(len(lines)))
    names: dict[int, dict[str, Any]] = {}
    while left:
        free = [_room(taken, lines[i][2], *lines[i][1], sizes[i]) for i in left]
        at = min(range(len(left)), key=lambda one: free[one][0].size)
        i = left.pop(at)
        found = _best(free[at], lines[i][1][0], towards_end)
        if found is None:
            return None
        row, column = found[:2]
        taken[row : row + sizes[i][0], column : column + sizes[i][1]] += 1
        names[i] = {"text": words[i], **_annotation(lines[i][0], found, taken.shape, sizes[i])}
    return [names[i] for i in sorted(names)]


def _size(text: str) -> tuple[int, int]:
    return math.ceil(_TEXT_PX / _CELL_PX), math.ceil(_CHARACTER_PX * len(text) / _CELL_PX) + 1


def _is_named_here(one: Any) -> bool:
    """Return whether a part of a figure is a line, or a mark of one point, rather than a cloud, an area, or in another part below."""
    return (
        one.fill is None
        and one.yaxis in (None, "y")
        and ("lines" in (one.mode or "") or (one.x is not None and len(one.x) == 1))
    )


def _extent(line: Any, figure: go.Figure, shape: tuple[int, int]) -> tuple[_Rows, _Rows]:
    """Return the lowest and highest row that a line has in each column, NaN where it is not."""
    n_rows, n_columns = shape
    x = _shares(line.x, figure.layout.xaxis) * n_columns
    y = _shares(line.y, figure.layout.yaxis) * n_rows
    if line.line.shape == "hv" and x.size:
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    low, high = np.full(n_columns, np.nan), np.full(n_columns, np.nan)
    parts = max(2, 4 * n_columns // max(1, x.size - 1))
    steps = np.linspace(0, 1, parts)
    along = (x[:-1, None] + np.diff(x)[:, None] * steps).ravel() if x.size > 1 else x
    up = (y[:-1, None] + np.diff(y)[:, None] * steps).ravel() if x.size > 1 else y
    seen = np.isfinite(along) & np.isfinite(up) & (along >= 0) & (along <= n_columns)
    columns = np.minimum(along[seen].astype(int), n_columns - 1)
    np.fmin.at(low, columns, up[seen])
    np.fmax.at(high, columns, up[seen])
    return low, high


def _shares(values: Any, axis: Any) -> _Rows:
    """Return where values lie on an axis, from 0 to 1; those of a category axis by their order."""
    if axis.type == "category":
        values = np.arange(len(values))
    found = np.asarray([np.nan if one is None else one for one in values], dtype=np.float64)
    if axis.type == "log":
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log10(found)
    begin, end = (found.min() - 0.5, found.max() + 0.5) if axis.range is None else axis.range
    return np.asarray((found - begin) / (end - begin))


def _take_written(taken: _Whole, figure: go.Figure) -> None:
    """Keep off lines upright through the figure, what is written along them, and what is written left of a mark."""
    for one in figure.layout.annotations:
        if one.xanchor == "right" and one.yanchor == "middle" and one.xref == "x":
            column = int(
                _shares([10**one.x if figure.layout.xaxis.type == "log" else one.x], figure.layout.xaxis)[0]
                * taken.shape[1]
            )
            row = int(_shares([one.y], figure.layout.yaxis)[0] * taken.shape[0])
            high, wide = _size(one.text)
            taken[max(0, row - high) : row + high, max(0, column - wide - _GAP) : column + _GAP] += 1
        if one.textangle == -90 and one.x is not None:
            axis = figure.layout.xaxis
            share = (one.x - axis.range[0]) / (axis.range[1] - axis.range[0])  # logarithms, as the range is
            column = int(share * taken.shape[1])
            long = math.ceil(_CHARACTER_PX * len(one.text) / _CELL_PX) + 2
            rows = slice(-long, None) if one.yanchor == "top" else slice(0, long)
            taken[rows, max(0, column - 6) : max(0, column + 1)] += 1
            taken[:, max(0, column) : max(0, column + 1)] += 1


def _room(
    taken: _Whole,
    own: _Whole,
    low: _Rows,
    high: _Rows,
    size: tuple[int, int],
    gap: int = _GAP,
    *,
    of_mark: bool = False,
) -> _Places:
    """Return all free rooms beside a line: lowest row, first column, kind of place, and the column of the line.

    `taken` says what is in each cell, `own` what of it is the line itself. No other line is in a room, nor between
    it and the line; `of_mark`, nothing is straight between it and the mark.
    """
    n_rows, n_columns = taken.shape
    at = np.flatnonzero(np.isfinite(low))[::_STEP]
    top, bottom = np.ceil(high[at]).astype(int), np.floor(low[at]).astype(int)
    above, below = top + gap, bottom - gap - size[0] + 1
    middle = np.round((low[at] + high[at]) / 2).astype(int) - size[0] // 2
    left, centred, right = at - size[1] + 1, at - size[1] // 2, at
    row = np.concatenate([above] * 3 + [below] * 3 + [middle] * 2)
    column = np.concatenate([left, centred, right] * 2 + [right + 2, left - 2])
    kind = np.repeat(np.arange(len(_HELD)), at.size)
    line = np.tile(at, len(_HELD))
    first = np.minimum(row, np.concatenate([top] * 3 + [row[3 * at.size :]]))
    last = np.maximum(row + size[0], np.concatenate([row[: 3 * at.size]] + [bottom] * 3 + [middle] * 2) + 1)
    fits = (first >= 0) & (last <= n_rows) & (column >= 0) & (column + size[1] <= n_columns)
    row, column, kind, line = row[fits], column[fits], kind[fits], line[fits]
    inside = _sums(taken, row, row + size[0], column, column + size[1])
    begin, end = (
        (line, line + 1) if of_mark else (np.minimum(column, line), np.maximum(column + size[1], line))
    )
    between = _sums(taken - own, first[fits], last[fits], begin, end)
    free = (inside == 0) & (between == 0)
    return row[free], column[free], kind[free], line[free]


def _sums(cells: _Whole, first_row: _Whole, last_row: _Whole, first: _Whole, last: _Whole) -> _Whole:
    """Return the sum of the cells of rectangles, their ends left out."""
    sums = np.pad(cells.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    return np.asarray(
        sums[last_row, last] - sums[first_row, last] - sums[last_row, first] + sums[first_row, first]
    )


def _best(free: _Places, low: _Rows, towards_end: bool) -> tuple[int, int, int, int] | None:
    """Return the free room that is nearest to the line's end or middle, as `_room` does; None without any."""
    if not free[0].size:
        return None
    line = np.flatnonzero(np.isfinite(low))
    best = np.argmin(np.abs(free[3] - (line[-1] if towards_end else line[line.size // 2])))
    row, column, kind, at = (int(one[best]) for one in free)
    return row, column, kind, at


def _annotation(
    line: Any, place: tuple[int, int, int, int], shape: tuple[int, int], size: tuple[int, int]
) -> dict[str, Any]:
    """Return a name at its place, in the colour of its line."""
    return {**_place(place, shape, size), "font": {"size": 12, "color": line.line.color or line.marker.color}}


def _place(place: tuple[int, int, int, int], shape: tuple[int, int], size: tuple[int, int]) -> dict[str, Any]:
    """Return where a name is held: by the end that is nearer to its line, so that in a wider figure it takes less of it."""
    row, column, kind, _ = place
    xanchor, yanchor = _HELD[kind]
    end = column + {"left": 0, "center": 0.5, "right": 1}[xanchor] * size[1]
    return {
        "showarrow": False,
        "xref": "x domain",
        "yref": "y domain",
        "x": end / shape[1],
        "xshift": {"left": 2, "center": 0, "right": -2}[xanchor],
        "y": (row + {"bottom": 0, "middle": 0.5, "top": 1}[yanchor] * size[0]) / shape[0],
        "xanchor": xanchor,
        "yanchor": yanchor,
        "borderpad": 0,
    }
