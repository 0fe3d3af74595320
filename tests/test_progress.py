"""The one object that tells how far work is: shares of parts by hand, words, and where cancelling ends the work."""

import pytest

from privlab.progress import UNHEARD, Cancelled, Progress


def test_shares_and_words_of_parts_against_hand() -> None:
    heard: list[tuple[float, str]] = []
    whole = Progress(lambda share, words: heard.append((share, words)), words="Starting")
    assert (whole.share, whole.words, whole.cancelled) == (0.0, "Starting", False)
    whole.tell(0.25, "Reading")
    second = whole.part(0.5, 1.0, suffix=" at 1-30")
    second.tell(0.5, "Searching")
    second.part(0.5, 1.0).tell(0.5)  # half of the second half of the second half; the words stay
    assert heard == [(0.25, "Reading"), (0.75, "Searching at 1-30"), (0.875, "Searching at 1-30")]
    assert (whole.share, whole.words) == (0.875, "Searching at 1-30")
    second.part(0.0, 1.0, suffix=", again").tell(1.0, "Sorting")
    assert heard[-1] == (1.0, "Sorting, again at 1-30")


def test_who_waits_cancels_and_every_part_hears_it_where_it_tells() -> None:
    whole = Progress()
    part = whole.part(0.0, 0.5).part(0.0, 0.5)
    part.tell(1.0, "Reading")
    whole.cancel()
    assert part.cancelled
    for work in (whole, part):
        with pytest.raises(Cancelled):
            work.require_running()
        with pytest.raises(Cancelled):
            work.tell(0.9, "Never")
    assert (whole.share, whole.words) == (0.25, "Reading")


def test_a_part_that_is_cancelled_does_not_end_the_whole() -> None:
    whole = Progress()
    part = whole.part(0.0, 0.5)
    part.cancel()
    with pytest.raises(Cancelled):
        part.tell(0.1, "Reading")
    whole.tell(0.5, "Going on without it")
    assert not whole.cancelled


def test_what_hears_it_may_end_the_work() -> None:
    def full(share: float, words: str) -> None:
        raise OSError(words)

    with pytest.raises(OSError, match="Reading"):
        Progress(full).part(0.2, 0.4).tell(0.5, "Reading")


def test_the_end_of_a_step_and_who_watches_it_are_the_wholes_by_hand() -> None:
    whole = Progress()
    part = whole.part(0.5, 1.0)
    part.tell(0.2, "Sorting", until=0.6)
    assert (whole.share, whole.until, whole.within()) == (0.6, 0.8, 0.0)
    part.watch(lambda: 0.25)
    assert whole.within() == 0.25
    part.tell(0.6)
    assert (whole.share, whole.until) == (0.8, None)


def test_what_nobody_watches_keeps_nothing() -> None:
    UNHEARD.part(0.0, 0.5).tell(0.5, "Reading", until=0.75)
    UNHEARD.part(0.0, 0.5).watch(lambda: 0.5)
    UNHEARD.tell(0.5, "Reading")
    assert (UNHEARD.share, UNHEARD.words, UNHEARD.cancelled) == (0.0, "", False)
    assert (UNHEARD.until, UNHEARD.within()) == (None, 0.0)
    with pytest.raises(NotImplementedError):
        UNHEARD.cancel()
