"""Raw rows -> checked rows, with an account of those that cannot be used; a second file beside the first.

Uses files, columns, times, engines.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.rows.kept_rows import (
        KeptRows,
    )
    from privlab.datasets.rows.second_files import (
        Lookup,
        guessed_lookup,
        pair_from_paths,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "KeptRows",
    "Lookup",
    "guessed_lookup",
    "pair_from_paths",
]
