"""A logarithmic axis whose marks are written in full: 0.01, 0.1, 1; never a lone 2 or 5 between them."""

import math
from typing import Any

_MOST = 7  # that stand beside one another on a telephone
# Parts of a power of ten that get a mark, and every how many powers: the first that gives few enough.
_MARKS = (
    ((1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9), 1),
    ((1, 2, 5), 1),
    *(((1,), every) for every in range(1, 100)),
)


def log_axis(title: str, low: float, high: float) -> dict[str, Any]:
    """Return a logarithmic axis from `low` to `high`, both above 0, with at most 7 marks.

    >>> log_axis("ε", 0.01, 20)["ticktext"]
    ['0.01', '0.1', '1', '10']
    >>> log_axis("km", 3, 60)["ticktext"]
    ['5', '10', '20', '50']
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for between, every in _MARKS:
        marks = [part * 10.0**power for power in range(first, last + 1, every) for part in between]
        shown = [one for one in marks if low * (1 - 1e-9) <= one <= high * (1 + 1e-9)]
        if len(shown) <= _MOST:
            break
    return {
        "title": title,
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickvals": shown,
        "ticktext": [f"{one:,.10g}" for one in shown],
    }
