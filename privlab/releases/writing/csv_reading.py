"""A CSV file that should say the same as a table → what it says, as long as it can be that.

Knows types and lengths; what the columns mean is not known here.
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv

_CELL_BYTES = 64  # more than any number, day or delimiter takes
_SPARE_BYTES = 1_000_000


def table_from_csv(path: Path, like: pa.Table) -> pa.Table | None:
    """Return what a CSV file says in the columns and types of `like`; None if it has others, or is longer than `like` can be written.

    Raises OSError if it cannot be read.
    """
    most = 2 * like.nbytes + _CELL_BYTES * like.num_rows * like.num_columns + _SPARE_BYTES
    if path.stat().st_size > most:
        return None
    try:
        with path.open("rb") as file:  # by its name Arrow opens no file whose name is not UTF-8
            said = pa_csv.read_csv(file, convert_options=pa_csv.ConvertOptions(column_types=like.schema))
        return said if said.column_names == like.column_names else None
    except (pa.ArrowInvalid, UnicodeDecodeError):  # the latter where a name is none
        return None
