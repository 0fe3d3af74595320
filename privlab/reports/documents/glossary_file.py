"""The words of the lab and what they mean, from the glossary in docs."""

from functools import cache
from pathlib import Path

_PATH = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"


@cache
def glossary() -> tuple[tuple[str, str], ...]:
    """Return each term with its meaning, in the order of the glossary; nothing if the file is not there."""
    if not _PATH.exists():
        return ()
    rows = (
        line.strip().strip("|").split("|", 1)
        for line in _PATH.read_text("utf-8").splitlines()
        if line.startswith("|")
    )
    found = [(row[0].strip(), row[1].strip()) for row in rows if len(row) == 2]
    return tuple(
        (term, meaning)
        for term, meaning in found
        if term != "word" and not set(term) <= {"-", ":", " "} and meaning
    )
