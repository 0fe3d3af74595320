"""Keyed digests of some of the people of a dataset, by which a ledger sees that two datasets are of the same people.

They are worked out in people_query.py.
"""

import re
from dataclasses import dataclass

from privlab.checks import ParameterError

N_DIGESTS = 1_024  # of one dataset; with fewer people all of them
DIGEST_DIGITS = 16
_HEX = re.compile("[0-9a-f]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleDigests:
    """Keyed digests of the people of a dataset: the `N_DIGESTS` smallest, or all where there are fewer.

    Each is `DIGEST_DIGITS` hexadecimal digits, uniform over them, in ascending order. `by_id` are of the people's ids,
    `by_first_row` of their ids and the minute of their first row. `running` says that the ids are whole numbers with
    few gaps, such as those of rows: equal ids then name nobody, and equal first rows may.

    `by_id_as_written` and `by_first_row_as_written` are of ids with the zeros and spaces that the others leave out, by which
    earlier versions wrote people into a ledger; empty where no id has any.
    """

    by_id: tuple[str, ...]
    by_first_row: tuple[str, ...]
    running: bool
    by_id_as_written: tuple[str, ...] = ()
    by_first_row_as_written: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that digests are what they are said to be. Raises ParameterError."""
        as_written = (self.by_id_as_written, self.by_first_row_as_written)
        for digests in (self.by_id, self.by_first_row, *as_written):
            if len(digests) > N_DIGESTS or list(digests) != sorted(set(digests)):
                raise ParameterError(f"digests must be at most {N_DIGESTS}, ascending, got {len(digests)}.")
            if {len(one) for one in digests} - {DIGEST_DIGITS} or not _HEX.fullmatch("".join(digests)):
                raise ParameterError(f"digests must be of {DIGEST_DIGITS} hexadecimal digits, got others.")
