"""The marks of an axis of counts: whole numbers only, of which plotly writes halves and fifths where counts are small, and room for them."""

_FEW = 8  # up to which every whole number has room for a mark of its own; beyond it plotly's own are whole
_ROOM = 64  # pixels, of a title and numbers up to 9,999
_DIGIT = 8  # pixels, of each digit more in type of 12 pixels, the widest there is: a picture is not drawn in the page's own


def whole_ticks(most: float) -> dict[str, int]:
    """Return what an axis or a colour bar of counts up to `most` needs beside its title.

    >>> whole_ticks(3), whole_ticks(400)
    ({'tick0': 0, 'dtick': 1}, {})
    """
    return {"tick0": 0, "dtick": 1} if most <= _FEW else {}


def room_of_counts(most: float) -> int:
    """Return how many pixels an upright axis of counts up to `most` needs on its left: its numbers are written in full.

    >>> room_of_counts(900), room_of_counts(20_000), room_of_counts(400_000)
    (64, 72, 80)
    """
    return _ROOM + _DIGIT * max(0, len(f"{most:,.0f}") - len("5,000"))
