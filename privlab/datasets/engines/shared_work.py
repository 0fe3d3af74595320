"""What all parts of one piece of work on a cluster need, prepared once per process of a worker.

Knows no engine: it is pickled, sent to the workers (`SparkWorkspace.spread`), and asked there.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast
from uuid import uuid4

Prepared = TypeVar("Prepared")

_prepared: dict[str, Any] = {}  # of a worker's process: what the work that it is at needs, and no other


class SharedWork(Generic[Prepared]):
    """What `prepare` makes of some things: worked out where it is asked for, once per process.

    `prepare` and the things travel, so they must be picklable; what is made of them stays where it was made, until another
    work is asked for there.
    """

    def __init__(self, prepare: Callable[..., Prepared], *things: Any) -> None:
        """Give the work a name of its own, by which a process knows again what it has made for it."""
        self.name, self.prepare, self.things = uuid4().hex, prepare, things

    def prepared(self) -> Prepared:
        """Return what `prepare` makes, made when it is first asked for in this process."""
        if self.name not in _prepared:
            _prepared.clear()  # before the next is made: two at once may be more than there is room for
            _prepared[self.name] = self.prepare(*self.things)
        return cast(Prepared, _prepared[self.name])
