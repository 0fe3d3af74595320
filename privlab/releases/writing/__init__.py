"""A secure release -> its certificate and files, and what tells a receiver how to use them.

Uses ledger, accounts, folders, datasets, od and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.releases.writing.cleaning_words import cleaning_in_words
    from privlab.releases.writing.level_files import levels_table
    from privlab.releases.writing.numbered_columns import column_from_values
    from privlab.releases.writing.secure_files import (
        archive_from_release_folder,
        content_from_release_folder,
        cost_from_plan,
        counts_as_published,
        what_from_plan,
        write_release,
    )
    from privlab.releases.writing.table_files import (
        csv_from_simulated_release,
        csv_from_table,
        parquet_from_table,
    )
    from privlab.releases.writing.uses_of_counts import factor_in_words, weeks_of_no_use
else:
    __getattr__ = door(__name__)

__all__ = [
    "archive_from_release_folder",
    "cleaning_in_words",
    "column_from_values",
    "content_from_release_folder",
    "cost_from_plan",
    "counts_as_published",
    "csv_from_simulated_release",
    "csv_from_table",
    "factor_in_words",
    "levels_table",
    "parquet_from_table",
    "weeks_of_no_use",
    "what_from_plan",
    "write_release",
]
