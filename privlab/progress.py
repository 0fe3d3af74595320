"""How far long work is: one object that the work tells, and that who waits for it reads and may cancel."""

from collections.abc import Callable

Heard = Callable[[float, str], None]


class Cancelled(Exception):
    """Raised in work that was cancelled, where it next tells how far it is."""


class Progress:
    """How far work is: `share` in [0, 1], `words`, and whether it was `cancelled`.

    The work tells it as it goes on. `heard(share, words)` is called each time, in the thread of the work,
    and may end the work by raising. `until` is the share at which the present step ends, None where the work did not say;
    `within()` is the share of that step that is done, where the work lets itself be watched.
    """

    def __init__(self, heard: Heard | None = None, *, words: str = "") -> None:
        self.share, self.words = 0.0, words
        self.until: float | None = None
        self.within: Callable[[], float] = float
        self._heard, self._cancelled = heard, False

    @property
    def cancelled(self) -> bool:
        """Whether the work was asked to end."""
        return self._cancelled

    def cancel(self) -> None:
        """Ask the work to end."""
        self._cancelled = True

    def require_running(self) -> None:
        """Raise Cancelled if the work was asked to end."""
        if self.cancelled:
            raise Cancelled

    def tell(self, share: float, words: str | None = None, *, until: float | None = None) -> None:
        """Say how far the work is, what is being done if that has changed, and where this step ends, if known. Raises Cancelled."""
        self.require_running()
        self.share, self.until = share, until
        if words is not None:
            self.words = words
        if self._heard is not None:
            self._heard(self.share, self.words)

    def watch(self, within: Callable[[], float]) -> None:
        """Say who knows, from now on, what share of each step is done; `float` if nobody does any more."""
        self.within = within

    def part(self, low: float, high: float, suffix: str = "") -> "Progress":
        """Return the progress of work that is the part from `low` to `high` of this; its words end in `suffix`."""
        return _Part(self, low, high, suffix)


class _Part(Progress):
    """The progress of a part, which the whole hears and which ends with the whole."""

    def __init__(self, whole: Progress, low: float, high: float, suffix: str) -> None:
        super().__init__()
        self._whole, self._low, self._high, self._suffix = whole, low, high, suffix

    @property
    def cancelled(self) -> bool:
        return self._cancelled or self._whole.cancelled

    def tell(self, share: float, words: str | None = None, *, until: float | None = None) -> None:
        super().tell(share, words, until=until)
        end = None if until is None else self._of_whole(until)
        self._whole.tell(self._of_whole(share), None if words is None else words + self._suffix, until=end)

    def watch(self, within: Callable[[], float]) -> None:
        self._whole.watch(within)

    def _of_whole(self, share: float) -> float:
        return self._low + (self._high - self._low) * share


class _Unheard(Progress):
    """Told by work that nobody watches: shared by all such work, so it keeps nothing."""

    def tell(self, share: float, words: str | None = None, *, until: float | None = None) -> None:
        pass

    def watch(self, within: Callable[[], float]) -> None:
        pass

    def cancel(self) -> None:
        raise NotImplementedError("Work that nobody watches cannot be cancelled.")


UNHEARD = _Unheard()
