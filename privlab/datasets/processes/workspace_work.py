"""Work in a workspace that is made for it and ends with it: in a thread, or apart, in a process of its own."""

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from privlab.checks import DataError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.processes.own_process import OwnProcess, ProcessEnded, words_of_end
from privlab.datasets.processes.work_process import OwnProgress
from privlab.progress import Progress

Result = TypeVar("Result")


class WorkspaceWork(Generic[Result]):
    """`work(workspace, progress)`, to be called once with a progress; `stop` may be called from any thread.

    Where `apart` returns True, which is asked when the work begins, it is done in a process of its own, which takes a second or two
    to begin: the work and its result are pickled then. `kept` is handed what does the work, and may have its result from an earlier time.
    """

    def __init__(
        self,
        work: Callable[[Workspace, Progress], Result],
        *,
        apart: Callable[[], bool] = bool,
        kept: Callable[[Callable[[], Result]], Result] = lambda make: make(),
    ) -> None:
        self._work, self._apart, self._kept = work, apart, kept
        self._process: OwnProcess[Result] | None = None
        self._workspace: Workspace | None = None

    def __call__(self, progress: Progress) -> Result:
        """Return what the work returned. Raises what it raised, and DataError if its process ended before it."""
        return self._kept(partial(self._made, progress))

    def _made(self, progress: Progress) -> Result:
        if not self._apart():
            with Workspace() as self._workspace:
                return self._work(self._workspace, progress)
        self._process = OwnProcess(partial(_in_workspace, work=self._work))
        try:
            return self._process.result(progress)
        except ProcessEnded as ended:
            raise DataError(words_of_end(ended)) from None

    def stop(self) -> None:
        """Stop a query that runs; a process of its own ends when its progress is cancelled."""
        if self._workspace is not None:
            self._workspace.interrupt()

    def within(self) -> float:
        """Return the share of the running query that is done, in [0, 1]; 0 where unknown."""
        if self._process is not None:
            return self._process.within()
        return 0.0 if self._workspace is None else self._workspace.query_share()


def _in_workspace(own: OwnProgress, work: Callable[[Workspace, Progress], Result]) -> Result:
    with Workspace() as workspace:
        own.within = workspace.query_share
        return work(workspace, own)
