"""Work in a process of its own: who waits for it, who does it, and work on a workspace.

Uses engines, folders.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.processes.own_process import (
        READY,
        OwnProcess,
        ProcessEnded,
        own_processes,
        words_of_end,
    )
    from privlab.datasets.processes.work_process import (
        OwnProgress,
    )
    from privlab.datasets.processes.workspace_work import (
        WorkspaceWork,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "READY",
    "OwnProcess",
    "OwnProgress",
    "ProcessEnded",
    "WorkspaceWork",
    "own_processes",
    "words_of_end",
]
