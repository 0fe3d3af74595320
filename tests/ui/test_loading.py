"""What pages need is loaded in the background, once; a page waits for it, and says what the lab is for meanwhile."""

import importlib
import threading
from importlib.util import find_spec
from typing import Any

import pytest
import streamlit as st

from privlab.ui import state
from privlab.ui.shell import loading
from privlab.ui.work.heavy_work import APART_VARIABLE
from privlab.ui.work.jobs import Job


class Place:
    """Stands in for a part of the page, and keeps what it shows."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def container(self) -> "Place":
        return self

    def empty(self) -> None:
        self.shown.append("nothing")

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


@pytest.fixture(autouse=True)
def no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep these tests from having later ones work in processes."""
    monkeypatch.setenv(APART_VARIABLE, "off")


def test_all_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(loading, "_thread", None)
    monkeypatch.setattr(loading, "_QUIET_S", 0.0)  # nobody comes
    monkeypatch.setattr(loading, "_shown", threading.Event())
    monkeypatch.setattr(importlib, "import_module", loaded.append)
    for _ in range(2):
        loading.begin()
    assert loading._thread is not None
    loading._thread.join()
    assert loaded == list(loading._PARTS)
    assert all(find_spec(part) for part in loaded)


def test_nothing_is_loaded_before_the_first_visitor_has_something_to_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place, shown = Place(), threading.Event()
    monkeypatch.setattr(loading, "_thread", None)
    monkeypatch.setattr(loading, "_QUIET_S", 600.0)
    monkeypatch.setattr(loading, "_READING_S", 0.0)
    monkeypatch.setattr(loading, "_shown", shown)
    monkeypatch.setattr(importlib, "import_module", place.shown.append)
    monkeypatch.setattr(st, "empty", lambda: place)
    for name in ("title", "markdown", "caption"):
        monkeypatch.setattr(st, name, lambda words: place.shown.append(words[:10]))
    loading.begin()
    assert place.shown == []
    loading.wait()
    assert place.shown == ["privlab", "What does ", "The lab ha", *loading._PARTS, "nothing"]


def test_a_page_says_what_the_lab_is_for_until_all_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    place, go_on = Place(), threading.Event()
    monkeypatch.setattr(loading, "_shown", threading.Event())
    monkeypatch.setattr(loading, "_thread", None)
    monkeypatch.setattr(loading, "_load", go_on.wait)
    monkeypatch.setattr(st, "empty", lambda: place)

    def last(words: str) -> Any:
        place.shown.append(words)
        go_on.set()

    for name in ("title", "markdown"):
        monkeypatch.setattr(st, name, place.shown.append)
    monkeypatch.setattr(st, "caption", last)
    loading.begin()
    loading.wait()
    assert [words[:10] for words in place.shown] == ["privlab", "What does ", "The lab ha", "nothing"]
    loading.wait()  # all is there: nothing more is said
    assert len(place.shown) == 4


def test_what_games_learn_with_is_loaded_once_when_a_visitor_looks_around_issue_17(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    loaded = threading.Thread(target=lambda: None)
    loaded.start()
    loaded.join()
    monkeypatch.setattr(loading, "_thread", loaded)
    monkeypatch.setattr(loading, "_game", None)
    monkeypatch.setattr(loading, "_LOOKING_S", 0.0)
    monkeypatch.setattr("privlab.aggregates.game.load_game", lambda: asked.append("asked"))
    for _ in range(2):
        loading.wait()
    assert loading._game is not None
    loading._game.join()
    assert asked == ["asked"]


def test_no_process_begins_beside_the_preparation_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """It took the first visitor's cores and memory: two seconds of the processor, while their page waited for the sample."""
    order: list[str] = []
    answers = [True, True, False]
    monkeypatch.setattr(loading, "_LOOKING_S", 0.0)
    monkeypatch.setattr("privlab.ui.state.is_preparing", lambda: order.append("asked") or answers.pop(0))
    monkeypatch.setattr(loading, "begin_process", lambda: order.append("begun"))
    loading._load_game()
    assert order == ["asked", "asked", "asked", "begun"]


def test_a_sample_is_being_prepared_until_its_job_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    job = Job(lambda progress: go_on.wait(600))
    monkeypatch.setattr(state.SAMPLE_JOBS, "_jobs", {("city", state.TRIPS): job})
    assert state.is_preparing()
    go_on.set()
    job.result(600)
    assert not state.is_preparing()
