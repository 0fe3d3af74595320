"""A column of a table of a million rows, of which few values differ: each different one is looked at once.

The tables are those of releases: weeks, zones and slots repeat in them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

if TYPE_CHECKING:
    import pandas as pd

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NumberedColumn:
    """Per row, shape (P,), the `number` of its value among the `different` ones, in the order in which they come first."""

    number: Ints
    different: list[Any]

    @property
    def values(self) -> npt.NDArray[Any]:
        """The column itself, shape (P,)."""
        return np.asarray(self.different)[self.number]

    def rows(self, text: str) -> npt.NDArray[np.bool_]:
        """Return which rows say this, as text: a week."""
        return np.array([str(one) == text for one in self.different], dtype=bool)[self.number]

    def places_in(self, known: "pd.Index[Any]") -> Ints:
        """Return the place of each row's value among those known, −1 for one that is none of them."""
        import pandas as pd

        return known.get_indexer(pd.Index(self.different)).astype(np.int64)[self.number]


def numbered(column: pa.ChunkedArray) -> NumberedColumn:
    """Return a column by its different values.

    >>> numbered(pa.chunked_array([["b", "a", "b"]])).number.tolist()
    [0, 1, 0]
    """
    coded = column.combine_chunks().dictionary_encode()
    return NumberedColumn(
        number=coded.indices.to_numpy().astype(np.int64), different=coded.dictionary.to_pylist()
    )


def column_from_values(values: npt.NDArray[Any]) -> pa.Array:
    """Return numbers or zone ids as a column; ids in text stay text where there is none of them, which arrow cannot know.

    >>> column_from_values(np.array([], dtype=object)).type, column_from_values(np.array([3])).type
    (DataType(string), DataType(int64))
    """
    nothing = values.dtype == object and not values.size
    return pa.array(values, pa.string() if nothing else None)
