"""What a click on Make hands to the act of publishing: all that was decided, and by whom."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from privlab.checks import ParameterError
from privlab.releases.accounts import AccountWish
from privlab.ui.publish import release_job


def started(monkeypatch: pytest.MonkeyPatch, folder: Path, *, may_release: bool = True) -> dict[str, Any]:
    """Return what publish_release is called with; each thing that was decided is a word of its own."""
    called: dict[str, Any] = {}

    def publish_release(folder: Path, book: Any, **said: Any) -> Any:
        called.update(folder=folder, book=book, **said)
        return SimpleNamespace(entry=SimpleNamespace(number=1), certificate={}, verdict=None, digest="d")

    class Done:
        def __init__(self, work: Any, keeping: Any) -> None:
            work("progress")

    state: dict[str, Any] = {}
    monkeypatch.setattr(release_job, "st", SimpleNamespace(session_state=state))
    monkeypatch.setattr(release_job, "publish_release", publish_release)
    monkeypatch.setattr(release_job, "Job", Done)
    monkeypatch.setattr(release_job, "session_folder", lambda: SimpleNamespace(path=folder))
    monkeypatch.setattr(release_job.access, "may_release", lambda: may_release)
    monkeypatch.setattr(release_job.access, "visitor", lambda: "anna")
    prepared: Any = SimpleNamespace(name="cards.csv", source_digest="digest")
    words: Any = ("data", "release", "book", "accepted", "said")
    release_job.start(prepared, *words, AccountWish(title="cards"), n_seen=2)
    return called


def test_all_that_was_decided_is_published_and_charged_where_it_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = started(monkeypatch, tmp_path)
    assert (called["data"], called["plan"], called["book"]) == ("data", "release", "book")
    assert (called["accepted"], called["said"], called["who"]) == ("accepted", "said", "anna")
    assert (called["expected_digest"], called["wish"]) == ("digest", AccountWish(title="cards"))
    assert called["n_seen"] == 2
    assert called["folder"].parent == tmp_path


def test_who_may_only_look_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="visitor must be one who may release"):
        started(monkeypatch, tmp_path, may_release=False)
