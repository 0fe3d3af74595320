"""Files and archives of any kind -> tables as they are written.

Uses layouts, engines. What a column means is not known here.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.files.added_rows import (
        AddedRow,
        write_with_added_rows,
    )
    from privlab.datasets.files.grown_files import (
        grows_beyond,
        workbook_grows_beyond,
    )
    from privlab.datasets.files.sources import (
        source_from_path,
    )
    from privlab.datasets.files.timelines import (
        timeline_export_from_bytes,
        timeline_from_path,
    )
    from privlab.datasets.files.unpacked_sizes import (
        parquet_bytes,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "AddedRow",
    "grows_beyond",
    "parquet_bytes",
    "source_from_path",
    "timeline_export_from_bytes",
    "timeline_from_path",
    "workbook_grows_beyond",
    "write_with_added_rows",
]
