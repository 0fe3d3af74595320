"""The database of a workspace held in memory alone: for what must not touch a disk.

Small tables only: nothing spills, and what is too large for the memory it may take fails.
"""

import itertools
import os
import threading
import weakref
from contextlib import ExitStack
from pathlib import Path

import ibis
import ibis.expr.types as ir
import pyarrow as pa

from privlab.datasets.engines.workspace import DEFAULT_MEMORY_GB, Change, Workspace
from privlab.progress import UNHEARD, Progress


class MemoryWorkspace(Workspace):
    """One DuckDB database in memory, with a memory limit and no folder to write to."""

    def __init__(self, *, memory_limit_gb: float = DEFAULT_MEMORY_GB) -> None:
        self.folder = Path(os.devnull)  # nothing can be made below it
        self.connection = ibis.duckdb.connect(
            ":memory:",
            memory_limit=f"{memory_limit_gb}GB",
            temp_directory="",
            autoinstall_known_extensions=False,
            autoload_known_extensions=False,
        )
        self.connection.raw_sql("SET TimeZone = 'UTC'")
        self._stopped = threading.Event()
        self._numbers = itertools.count()
        self._files: dict[str, Path] = {}
        self.held = ExitStack()
        self._finalizer = weakref.finalize(self, self.connection.disconnect)

    def table_from_arrow(self, name: str, rows: pa.Table) -> ir.Table:
        """Store rows that are in memory already; return the stored table."""
        return self.connection.create_table(f"{name}_{next(self._numbers)}", rows, temp=True)

    def mapped(
        self,
        name: str,
        table: ir.Table,
        change: Change,
        *,
        n_rows: int = 0,
        progress: Progress = UNHEARD,
    ) -> ir.Table:
        """Store what `change` makes of the rows of an expression; return the stored table."""
        empty = change(pa.RecordBatch.from_pylist([], schema=table.schema().to_pyarrow()))
        found = [empty]
        for block in self.blocks(table):
            self.require_running()
            found.append(change(block))
            progress.tell(sum(one.num_rows for one in found) / max(1, n_rows))
        return self.table_from_arrow(name, pa.concat_tables(found))
