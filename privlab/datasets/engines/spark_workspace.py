"""The engine beyond one machine: one Spark application, with the face of `Workspace`.

Knows where stored tables live (on the workers, gone with the application) and how to stop a query.
Nothing of a table comes to this process but what a caller asks for as Arrow.
"""

import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cached_property
from types import TracebackType
from typing import Any

import ibis.expr.types as ir
import pyarrow as pa

from privlab.datasets.engines.shipped_code import write_compiled, write_program
from privlab.datasets.engines.spark_session import session_from_master, unwarned
from privlab.datasets.folders.private_folders import PrivateFolder
from privlab.progress import UNHEARD, Progress

_LOOK_S = 0.5  # how often a caller is heard while workers work
_PART_BYTES = 32 << 20  # of the files read, compressed


class SparkWorkspace:
    """One Spark application, started when first used; its tables lie on the workers, on disk where too large.

    A lost worker's part of a table is worked out again from the files. `close`, or the end of the
    object, ends the application and removes the driver's private folder.

    Parameters
    ----------
    master
        Where Spark runs: "spark://host:port", "local[4]", "yarn", "k8s://…"; None takes what
        spark-defaults.conf says, else all cores of this machine.
    """

    def __init__(self, master: str | None = None) -> None:
        private = PrivateFolder()
        self.folder = private.path
        self.master = master
        self._program = self.folder / "privlab.zip"
        self._numbers = itertools.count()
        self._stored: dict[str, Any] = {}
        self._running: list[Any] = []
        self._is_shipped = False
        self._finalizer = weakref.finalize(self, _remove, self._running, private)

    @cached_property
    def connection(self) -> Any:
        """The Ibis backend. Raises ParameterError where Spark cannot be started."""
        with unwarned():
            session = session_from_master(self.master, self.folder)
            self._running.append(session)
            from privlab.datasets.engines.spark_backend import SparkBackend

            backend = SparkBackend().connect(session)
        backend.define_functions()
        return backend

    @property
    def session(self) -> Any:
        """The Spark session behind the connection."""
        return self.connection._session

    def materialise(self, name: str, table: ir.Table) -> ir.Table:
        """Store the rows of an expression on the workers; return the stored table, under a name of its own."""
        with self.connection.complaints():
            return self._kept(name, self.connection.frame(table))

    def mapped(
        self,
        name: str,
        table: ir.Table,
        change: Callable[[pa.RecordBatch], pa.Table],
        *,
        n_rows: int = 0,
        progress: Progress = UNHEARD,
    ) -> ir.Table:
        """Store what `change` makes of the rows of an expression, block by block, on the workers.

        `change` travels there, so it must be picklable. Each worker runs it in the one thread of a
        Python process of its own, where PROJ is safe. How far it is can only be asked of `query_share`.
        """
        self._ship()
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

        with self.connection.complaints(), unwarned():
            frame = self.connection.frame(table)
            empty = pa.RecordBatch.from_pylist([], schema=to_arrow_schema(frame.schema, timezone="UTC"))
            schema = from_arrow_schema(change(empty).schema, prefer_timestamp_ntz=True)

            def changed(blocks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                for block in blocks:
                    yield from change(block).to_batches()

            return self._kept(name, frame.mapInArrow(changed, schema))

    def over(self, values: list[str], change: Callable[[str], str]) -> list[str]:
        """Return what `change` makes of each of some texts, on the workers, one task each, in their order."""
        self._ship()
        with self.connection.complaints():
            parts = self.session.sparkContext.parallelize(values, max(1, len(values)))
            return list(parts.map(change).collect())

    def spread(self, shared: Any, change: Callable[[Any, Any], Any]) -> "Spread":
        """Send an object to every worker once; return what applies `change` to it and to each of some parts, there."""
        self._ship()
        with self.connection.complaints():
            self._ship_compiled()
            return Spread(self, self.session.sparkContext.broadcast(shared), change)

    def blocks(self, table: ir.Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows of an expression in blocks, in its order; all of them come to this process."""
        yield from table.to_pyarrow().to_batches()

    def require_running(self) -> None:
        """Do nothing: a query that was stopped raises where it is waited for."""

    def files_told(self, location: str, told: Callable[[pa.Buffer], str]) -> dict[str, str]:
        """Return what `told` says of the bytes of every file at an address that Spark reaches, by path, in the paths' order."""
        self._ship()
        setting = "spark.sql.execution.arrow.maxRecordsPerBatch"
        before = self.session.conf.get(setting)
        self.session.conf.set(setting, "1")  # one file at a time in a worker's memory
        try:
            with self.connection.complaints(), unwarned():
                files = self.session.read.format("binaryFile").load(location).select("path", "content")

                def texts(blocks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                    for block in blocks:
                        said = [told(content.as_buffer()) for content in block["content"]]
                        yield pa.RecordBatch.from_pydict({"path": block["path"].to_pylist(), "told": said})

                found = files.mapInArrow(texts, "path string, told string").collect()
        finally:
            self.session.conf.set(setting, before)
        return {row["path"]: row["told"] for row in sorted(found)}

    def clustered(self, table: ir.Table, by: str) -> ir.Table:
        """Return the rows so arranged that those with one value of a column are on one worker.

        Each row crosses the network once; windows and groups within that column then move none.
        """
        return self.viewed("clustered", self.connection.frame(table).repartition(by))

    def fit_partitions(self, n_bytes: int) -> None:
        """Cut what is shuffled into parts that suit the data and the cores, unless a steward has set it."""
        context = self.session.sparkContext
        if "spark.sql.shuffle.partitions" not in dict(context.getConf().getAll()):
            n_parts = max(2 * context.defaultParallelism, -(-n_bytes // _PART_BYTES))
            self.session.conf.set("spark.sql.shuffle.partitions", str(n_parts))

    def _kept(self, name: str, frame: Any) -> ir.Table:
        kept = frame.persist()  # in memory, the rest on the workers' disks
        kept.count()
        return self.viewed(name, kept)

    def viewed(self, name: str, frame: Any) -> ir.Table:
        """Return a DataFrame as a table that expressions can use, under a name of its own."""
        view = f"{name}_{next(self._numbers)}"
        frame.createOrReplaceTempView(view)
        self._stored[view] = frame
        return self.connection.table(view)

    def _ship(self) -> None:
        """Send this package to the workers, which then need only the packages it builds on."""
        if self._is_shipped:
            return
        write_program(self._program)
        self.session.sparkContext.addPyFile(str(self._program))
        self._is_shipped = True

    def _ship_compiled(self) -> None:
        """Send the workers the machine code that is here, once, so that they need not compile it."""
        if not self._program.with_suffix(".compiled").exists():
            self.session.sparkContext.addFile(str(write_compiled(self._program)))

    def forget(self, table: ir.Table) -> None:
        """Remove a stored table."""
        name = table.op().name
        with self.connection.complaints():
            self.session.catalog.dropTempView(name)
            self._stored.pop(name).unpersist()

    def interrupt(self) -> None:
        """Stop the running queries; each raises `Interrupted` in its own thread."""
        if self._running:
            self.connection.interrupted = True
            self.session.sparkContext.cancelAllJobs()  # the application is this workspace's alone

    def query_share(self) -> float:
        """Return the share of the running stages' tasks that are done, in [0, 1]; 0 where unknown."""
        if not self._running:
            return 0.0
        tracker = self.session.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        n_tasks = sum(stage.numTasks for stage in stages if stage is not None)
        n_done = sum(stage.numCompletedTasks for stage in stages if stage is not None)
        return n_done / n_tasks if n_tasks else 0.0

    def close(self) -> None:
        """End the application and remove the private folder."""
        self._finalizer()

    def __enter__(self) -> "SparkWorkspace":
        """Return the workspace itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the workspace."""
        self.close()


class Spread:
    """Work in parts on the workers of a cluster, with one object that all parts need."""

    def __init__(self, workspace: SparkWorkspace, shared: Any, change: Callable[[Any, Any], Any]) -> None:
        """Keep the object, which is on its way to the workers already."""
        self._workspace, self._shared, self._change = workspace, shared, change

    @property
    def n_cores(self) -> int:
        """Parts that can be worked on at once."""
        return int(self._workspace.session.sparkContext.defaultParallelism)

    def results(self, parts: Sequence[Any], progress: Progress = UNHEARD) -> list[Any]:
        """Return what `change(object, part)` makes of each part, one task each, in their order.

        Parts, object and results are pickled. `progress` is told the share of tasks that are done; what it raises
        stops the work. Raises DataError where Spark cannot finish.
        """
        with ThreadPoolExecutor(max_workers=1) as waiting:
            future = waiting.submit(self._collected, parts)
            try:
                while not wait([future], timeout=_LOOK_S).done:
                    progress.tell(self._workspace.query_share())
                return future.result()
            except BaseException:
                if not future.done():
                    self._workspace.interrupt()
                raise

    def _collected(self, parts: Sequence[Any]) -> list[Any]:
        shared, change = self._shared, self._change
        with self._workspace.connection.complaints():
            spread = self._workspace.session.sparkContext.parallelize(parts, max(1, len(parts)))
            return list(spread.map(lambda part: change(shared.value, part)).collect())

    def close(self) -> None:
        """Take the object from the workers again."""
        self._shared.unpersist()

    def __enter__(self) -> "Spread":
        """Return the work itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Forget the object."""
        self.close()


def _remove(running: list[Any], private: PrivateFolder) -> None:
    for session in running:
        session.stop()
    running.clear()
    private.remove()
