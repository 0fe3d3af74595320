"""What was noted of late under a name: for a time only, and of so many names only."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """Values by name. Each is forgotten `seconds` after it was put; of more than `most` the one that was put first goes."""

    def __init__(self, *, seconds: float, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._most, self._clock = seconds, most, clock
        self._held: OrderedDict[str, tuple[float, Value]] = OrderedDict()  # the one put first comes first

    def __len__(self) -> int:
        """Return how many are held."""
        self._forget()
        return len(self._held)

    def get(self, name: str) -> Value | None:
        """Return the value of a name, None if there is none or it is too old."""
        self._forget()
        held = self._held.get(name)
        return None if held is None else held[1]

    def put(self, name: str, value: Value) -> None:
        """Hold a value under a name, from now on."""
        self._held[name] = (self._clock(), value)
        self._held.move_to_end(name)
        self._forget()

    def pop(self, name: str) -> Value | None:
        """Return the value of a name and forget it."""
        value = self.get(name)
        self._held.pop(name, None)
        return value

    def _forget(self) -> None:
        since = self._clock() - self._seconds
        while self._held and (len(self._held) > self._most or next(iter(self._held.values()))[0] <= since):
            self._held.popitem(last=False)
