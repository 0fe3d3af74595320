"""What everything tabular runs on, and the embedded database that does so on one machine.

Knows where intermediate tables live (a private temporary folder, gone with the object), how much
memory they may take, and how to stop a query. Knows nothing of mobility.
"""

import errno
import itertools
import shutil
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import duckdb
import ibis
import ibis.expr.operations as ops
import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.parquet as pq
from ibis.backends.duckdb import Backend

from privlab.datasets.folders.private_folders import PrivateFolder, no_room
from privlab.progress import UNHEARD, Progress

DEFAULT_MEMORY_GB = 2.0
_BLOCK_ROWS = 500_000
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
Interrupted = duckdb.InterruptException  # raised by the work that `Workspace.interrupt` stopped

Change = Callable[[pa.RecordBatch], pa.Table]


class Engine(Protocol):
    """What the expressions of this program need of a database: one machine's or a cluster's."""

    @property
    def connection(self) -> Any:
        """The Ibis backend that queries the tables."""
        ...

    def materialise(self, name: str, table: ir.Table) -> ir.Table:
        """Store the rows of an expression; return the stored table."""
        ...

    def mapped(
        self,
        name: str,
        table: ir.Table,
        change: Change,
        *,
        n_rows: int = ...,
        progress: Progress = ...,
    ) -> ir.Table:
        """Store what `change` makes of the rows of an expression, block by block; return the stored table.

        `progress` is told where the engine can tell how many of the `n_rows` were changed.
        """
        ...

    def clustered(self, table: ir.Table, by: str) -> ir.Table:
        """Return the rows so arranged that those with one value of a column are on one machine."""
        ...

    def forget(self, table: ir.Table) -> None:
        """Remove a stored table."""
        ...

    def interrupt(self) -> None:
        """Stop the running query, which raises `Interrupted`."""
        ...

    def query_share(self) -> float:
        """Return the share of the running query that is done, in [0, 1]; 0 where unknown."""
        ...

    def close(self) -> None:
        """Remove everything that was stored."""
        ...


class Workspace:
    """One DuckDB database on disk in a private folder, with a memory limit; works out of core.

    Tables larger than memory spill to the folder, which lies in `folder_in`, or where the system
    keeps temporary files. It is removed by `close`, when the object is collected, or at interpreter exit.
    """

    def __init__(
        self,
        *,
        memory_limit_gb: float = DEFAULT_MEMORY_GB,
        threads: int | None = None,
        folder_in: Path | None = None,
    ) -> None:
        private = PrivateFolder(folder_in=folder_in)
        self.folder = private.path
        try:
            self.connection: Backend = ibis.duckdb.connect(
                str(self.folder / "tables.duckdb"),
                memory_limit=f"{memory_limit_gb}GB",
                temp_directory=str(self.folder / "spill"),
                preserve_insertion_order=False,
                autoinstall_known_extensions=False,
                autoload_known_extensions=False,
                **({} if threads is None else {"threads": threads}),
            )
        except duckdb.IOException as error:
            raise no_room(error, self.folder) from None
        # Without the bar the database does not work out how far a query is; it is never printed.
        for setting in ("enable_progress_bar = true", "enable_progress_bar_print = false"):
            self.connection.raw_sql(f"SET {setting}")
        self.connection.raw_sql("SET progress_bar_time = 0")
        self._stopped = threading.Event()
        self.connection.raw_sql("SET TimeZone = 'UTC'")  # not the machine's
        self._numbers = itertools.count()
        self._files: dict[str, Path] = {}
        self.held = ExitStack()  # what tables are read from, let go of at the end
        self._finalizer: Callable[[], object] = weakref.finalize(
            self, _remove, self.connection, private, self.held
        )

    def materialise(self, name: str, table: ir.Table) -> ir.Table:
        """Store the rows of an expression; return the stored table.

        Its name begins with `name` and is its own, so that nothing stored earlier changes.
        """
        self.require_running()
        # Temporary tables spill like others, but are not compressed, which takes longer than the rest.
        own = f"{name}_{next(self._numbers)}"
        stored = self.connection.create_table(own, schema=table.schema(), temp=True)
        # Ibis copies a query three times on its way into a table, which takes longer than to store few rows.
        self.connection._run_pre_execute_hooks(table)
        columns = ", ".join(_quoted(column) for column in table.columns)
        rows = self.connection.compile(table)
        self.connection.con.execute(f"INSERT INTO temp.main.{_quoted(own)} ({columns}) {rows}")
        return stored

    def new_folder(self, name: str) -> Path:
        """Return a new empty folder for files that are read from here; its name begins with `name`."""
        folder = self.folder / "files" / f"{name}_{next(self._numbers)}"
        folder.mkdir(parents=True)
        return folder

    @contextmanager
    def tidied(self) -> Iterator[list[ir.Table]]:
        """Remove in the end what was stored within the block, but for what the listed tables read.

        The block appends the tables to keep to the list it is given; if it fails, nothing is kept.
        """
        before, folders, kept = self._stored(), self._folders(), list[ir.Table]()
        needed: set[str] = set()
        try:
            yield kept
            needed = {str(node.name) for table in kept for node in table.op().find(ops.DatabaseTable)}
        finally:
            left = {name: kind for name, kind in self._stored().items() if name not in before}
            for name in left.keys() - needed:
                self.connection.raw_sql(f'DROP {left[name]} IF EXISTS "{name}"')
            if not any(left.get(name) == "VIEW" for name in needed):  # a view reads its files again
                for folder in self._folders() - folders:
                    shutil.rmtree(folder, ignore_errors=True)

    def _stored(self) -> dict[str, str]:
        found = self.connection.con.execute(
            "SELECT table_name, 'TABLE' FROM duckdb_tables() "
            "UNION ALL SELECT view_name, 'VIEW' FROM duckdb_views() WHERE NOT internal"
        )
        return dict(found.fetchall())

    def _folders(self) -> set[Path]:
        return set((self.folder / "files").glob("*"))

    def mapped(
        self,
        name: str,
        table: ir.Table,
        change: Change,
        *,
        n_rows: int = 0,
        progress: Progress = UNHEARD,
    ) -> ir.Table:
        """Store what `change` makes of the rows of an expression, block by block; return the stored table.

        For work that no database function does; the rows never are in memory all at once. `progress` is
        told how many of the `n_rows` were changed.
        """
        n_done = 0
        path = self.folder / f"{name}_{next(self._numbers)}.parquet"
        empty = pa.RecordBatch.from_pylist([], schema=table.schema().to_pyarrow())
        with pq.ParquetWriter(path, change(empty).schema, compression="zstd") as writer:
            for block in self.blocks(table):
                self.require_running()
                writer.write_table(change(block))
                n_done += block.num_rows
                progress.tell(n_done / max(1, n_rows))
        stored = self.connection.read_parquet(path, table_name=path.stem)
        self._files[path.stem] = path
        return stored

    def clustered(self, table: ir.Table, by: str) -> ir.Table:
        """Return the table itself: there is only one machine."""
        return table

    def blocks(self, table: ir.Table) -> Iterator[pa.RecordBatch]:
        """Return the rows of an expression in its order, some at a time."""
        # Not Ibis' own batches: they call a method that DuckDB deprecates.
        query = self.connection.con.execute(str(ibis.to_sql(table, dialect="duckdb")))
        yield from query.to_arrow_reader(_BLOCK_ROWS)

    def forget(self, table: ir.Table) -> None:
        """Remove a stored table."""
        name = table.op().name
        if name in self._files:
            self.connection.drop_view(name)
            self._files.pop(name).unlink()
        else:
            self.connection.drop_table(name)

    def interrupt(self) -> None:
        """Stop the work under way for good; it raises `Interrupted` in its own thread.

        A query stops at once, work outside the database at its next `require_running`; where the
        workspace was closed meanwhile, there is nothing left to stop.
        """
        self._stopped.set()
        with suppress(duckdb.ConnectionException):
            self.connection.con.interrupt()

    def require_running(self) -> None:
        """Raise Interrupted if the workspace was told to stop."""
        if self._stopped.is_set():
            raise Interrupted("The work was stopped.")

    def query_share(self) -> float:
        """Return the share of the running query that is done, in [0, 1]; 0 where unknown.

        To be asked from another thread than the query's.
        """
        try:
            return min(1.0, max(0.0, float(self.connection.con.query_progress()) / 100.0))
        except duckdb.ConnectionException:  # closed meanwhile
            return 0.0

    def close(self) -> None:
        """Close the database and remove its folder."""
        self._finalizer()

    def __enter__(self) -> Self:
        """Return the workspace itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the workspace; raise DataError for work that ran out of room on disk or in memory."""
        self.close()
        full = isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException)
        if error is not None and (full or getattr(error, "errno", None) in _FULL):
            raise no_room(error, self.folder) from None


def row_count(table: ir.Table) -> int:
    """Return the number of rows of an expression."""
    # By way of Arrow: Ibis' own way to pandas touches an option that pandas 3 deprecates.
    return int(table.count().to_pyarrow().as_py())


def has_rows(table: ir.Table) -> bool:
    """Return whether an expression has any rows; it is worked out up to the first."""
    backend = table.get_backend()
    if not isinstance(backend, Backend):
        return row_count(table.limit(1)) > 0
    # Not Ibis' own limit, which copies the query.
    rows = backend.compile(table)
    return bool(backend.con.execute(f"SELECT 1 FROM ({rows}) LIMIT 1").fetchall())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _remove(connection: Backend, folder: PrivateFolder, held: ExitStack) -> None:
    connection.disconnect()
    held.close()
    folder.remove()
