"""What every query runs on: DuckDB on one machine, Spark on many, and private folders for what they keep.

Uses the ground floor only.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.engines.memory_workspace import (
        MemoryWorkspace,
    )
    from privlab.datasets.engines.own_process import (
        READY,
        OwnProcess,
        ProcessEnded,
        own_processes,
        words_of_end,
    )
    from privlab.datasets.engines.private_folders import (
        PrivateFolder,
        private_folders_there,
        remove_left_behind,
        system_figures_mb,
    )
    from privlab.datasets.engines.shared_work import SharedWork
    from privlab.datasets.engines.shipped_code import unpacked
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
    from privlab.datasets.engines.work_process import (
        OwnProgress,
    )
    from privlab.datasets.engines.workspace import (
        Interrupted,
        Workspace,
        row_count,
    )
    from privlab.datasets.engines.workspace_work import (
        WorkspaceWork,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "READY",
    "Interrupted",
    "MemoryWorkspace",
    "OwnProcess",
    "OwnProgress",
    "PrivateFolder",
    "ProcessEnded",
    "SharedWork",
    "SparkWorkspace",
    "Workspace",
    "WorkspaceWork",
    "array_on_disk",
    "columns_from_location",
    "content_digest_on_spark",
    "own_processes",
    "private_folders_there",
    "read_dataset_on_spark",
    "remove_left_behind",
    "require_parquet",
    "row_count",
    "system_figures_mb",
    "unpacked",
    "words_of_end",
]
