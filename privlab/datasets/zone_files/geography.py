"""What a zone file says: positions, names and outlines of zones by id.

Knows no database, so that a process that only reads a zone file starts at once.
"""

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import shapely

from privlab.checks import DataError
from privlab.limits import MAX_ZONE_WORDS

MOST_COLUMNS = 20  # of a zone file, beside ids, positions and names
_CANONICAL = re.compile(r"0|-?[1-9][0-9]{0,17}")


class FurtherColumns:
    """What a zone file says of zones beside ids, positions and names, as it is read: no more than can be kept."""

    def __init__(self) -> None:
        self.found: dict[str, dict[Any, str]] = {}
        self._n_words = 0

    def keep(self, name: str, zone: Any, said: str) -> None:
        """Take up what stands in a column, unless the file has too many columns, or too much in them."""
        if self._n_words > MAX_ZONE_WORDS or (name not in self.found and len(self.found) == MOST_COLUMNS):
            return
        self.found.setdefault(name, {})[zone] = sys.intern(said)
        self._n_words += 1
        if self._n_words > MAX_ZONE_WORDS:
            self.found.clear()


@dataclass(frozen=True, kw_only=True)
class Geography:
    """Positions, names and outlines of zones by id; the ids are all whole numbers or all text, ascending.

    `columns` are what else the file says of zones in words, by the name of the column.
    """

    zones: list[Any]
    centres: Mapping[Any, tuple[float, float]] = field(default_factory=dict)  # latitude, longitude
    names: Mapping[Any, str] = field(default_factory=dict)
    shapes: Mapping[Any, shapely.Geometry] = field(default_factory=dict)
    columns: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)


def ids_from_texts(texts: Sequence[str]) -> Sequence[int | str]:
    """Return ids as numbers if every one is written as a whole number is, else as the texts they are.

    >>> ids_from_texts(["10", "9"]), ids_from_texts(["01001", "9"])
    ([10, 9], ['01001', '9'])
    """
    return [int(text) for text in texts] if all(_CANONICAL.fullmatch(text) for text in texts) else texts


def are_numbers(ids: Collection[Any]) -> bool:
    """Return whether ids are whole numbers."""
    return all(isinstance(one, int) for one in ids)


def odd_ids(geography: Geography) -> list[str]:
    """Return the ids of a zone file that are no whole numbers, which geography_of_kind takes as texts alone.

    >>> odd_ids(Geography(zones=[1, 2])), odd_ids(Geography(zones=["07", "7", "S00"]))
    ([], ['07', 'S00'])
    """
    return [one for one in geography.zones if isinstance(one, str) and not _CANONICAL.fullmatch(one)]


def geography_of_kind(geography: Geography, kind: str) -> Geography:
    """Return a geography with ids of one kind, "number" or "text", as the data's are read.

    Raises DataError if numbers are wanted and an id is none.
    """

    def of_kind(zone: Any) -> Any:
        if kind == "text":
            return str(zone)
        if isinstance(zone, str) and _CANONICAL.fullmatch(zone):
            return int(zone)
        if isinstance(zone, int):
            return zone
        raise DataError(f"The zone file has the id {zone!r}, which is no whole number. Read ids as text.")

    return Geography(
        zones=sorted(of_kind(zone) for zone in geography.zones),
        centres={of_kind(zone): place for zone, place in geography.centres.items()},
        names={of_kind(zone): name for zone, name in geography.names.items()},
        shapes={of_kind(zone): shape for zone, shape in geography.shapes.items()},
        columns={
            name: {of_kind(zone): said for zone, said in column.items()}
            for name, column in geography.columns.items()
        },
    )
