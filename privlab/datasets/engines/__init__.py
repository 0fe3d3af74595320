"""What every query runs on: DuckDB on one machine, Spark on many.

Uses files, layouts, folders.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.engines.memory_workspace import (
        MemoryWorkspace,
    )
    from privlab.datasets.engines.shared_work import (
        SharedWork,
    )
    from privlab.datasets.engines.shipped_code import (
        compiled,
    )
    from privlab.datasets.engines.spark_reader import (
        columns_from_location,
        content_digest_on_spark,
        read_dataset_on_spark,
        require_parquet,
    )
    from privlab.datasets.engines.spark_workspace import (
        SparkWorkspace,
    )
    from privlab.datasets.engines.unnamed_files import array_on_disk
    from privlab.datasets.engines.workspace import (
        Interrupted,
        Workspace,
        row_count,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "Interrupted",
    "MemoryWorkspace",
    "SharedWork",
    "SparkWorkspace",
    "Workspace",
    "array_on_disk",
    "columns_from_location",
    "compiled",
    "content_digest_on_spark",
    "read_dataset_on_spark",
    "require_parquet",
    "row_count",
]
