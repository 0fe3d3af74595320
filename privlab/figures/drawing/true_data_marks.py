"""Which figures hold true data, and the mark that their pictures and files carry.

The one place that decides: the title in a figure, the name and the first line of its file, and the name of its
picture ask here. A figure that is not named below is taken to hold true data.
"""

import re
from collections.abc import Sequence

from privlab.safe_text import csv_text, visible

MARK = "INTERNAL: true data, not for publication"
_PREFIX = "INTERNAL_"
_WITHOUT_TRUE_DATA = frozenset(
    {
        "tour_attack",
        "home_attack",
        "attack_curve",
        "attack_certainty",
        "attack_numbers",
        "practice_chart",
        "ledger_bar",
    }
)  # drawn from parameters, or from the ledger, alone


def holds_true_data(key: str) -> bool:
    """Return whether true data can be read from a figure or table of the pages, named by its key.

    >>> holds_true_data("release_scatter"), holds_true_data("attack_curve"), holds_true_data("a new one")
    (True, False, True)
    """
    return key not in _WITHOUT_TRUE_DATA


def marked_name(name: str, *, true_data: bool) -> str:
    """Return the name of a file, with a mark before it where the file holds true data.

    >>> marked_name("flows.csv", true_data=True), marked_name("curve.csv", true_data=False)
    ('INTERNAL_flows.csv', 'curve.csv')
    """
    return f"{_PREFIX}{name}" if true_data else name


def marked_csv(content: bytes, *, true_data: bool, about: Sequence[str] = ()) -> bytes:
    """Return the content of a CSV file, with comment lines before it: a mark where it holds true data, and what it is `about`.

    >>> marked_csv(b"a,b", true_data=True)
    b'# INTERNAL: true data, not for publication\\na,b'
    >>> marked_csv(b"a,b", true_data=False, about=["Unicity", "trips.csv: seed 1"])
    b'# Unicity\\n# trips.csv: seed 1\\na,b'
    """
    lines = [MARK, *about] if true_data else list(about)
    return "".join(f"# {_in_cells(line)}\n" for line in lines).encode() + content


def _in_cells(line: str) -> str:
    """Return a line that a spreadsheet may cut into cells where it will, which may be named by whoever made a file: none is a formula."""
    parts = re.split(r"([,;\t])", visible(line).replace('"', "'"))
    return parts[0] + "".join(
        part if at % 2 else csv_text(part) for at, part in enumerate(parts[1:], start=1)
    )
