"""The marks of an axis of counts: whole numbers only, of which plotly writes halves and fifths where counts are small."""

_FEW = 8  # up to which every whole number has room for a mark of its own; beyond it plotly's own are whole


def whole_ticks(most: float) -> dict[str, int]:
    """Return what an axis or a colour bar of counts up to `most` needs beside its title.

    >>> whole_ticks(3), whole_ticks(400)
    ({'tick0': 0, 'dtick': 1}, {})
    """
    return {"tick0": 0, "dtick": 1} if most <= _FEW else {}
