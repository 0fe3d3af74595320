"""Pages in tests do their heavy work in the test's own process, and all of it takes the way to another process and back.

No control may lose its place in the address: of each run it is held where the controls stand that the address has.

A test waits for its page without looking at it a thousand times a second, which takes time from the page.

The releases that Plan can propose for a sample, which each test's sessions would work out anew, are worked out once.
"""

import pickle
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.element_tree import Block

from privlab.datasets import SAMPLES
from privlab.lab.planning import plan_points_from_trips
from privlab.od.planning import PlanPoint
from privlab.ui import state
from privlab.ui.work import heavy_work

_ASKED = ("tolerance", "max_made_up", "weeks", "cells", "noise")  # the wishes only choose among the points
_points: dict[tuple[Any, ...], tuple[Any, tuple[PlanPoint, ...]]] = {}


@pytest.fixture(autouse=True)
def _pickled_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pickle work, what it says and its result, as a server does, which hands them to another process."""

    def sent(what: Any) -> Any:
        return pickle.loads(pickle.dumps(what))

    def done(work: Any, progress: Any, *, hear: Any = None, grace_s: float = 0.0) -> Any:
        given: partial[Any] = work.keywords["work"]
        key = _key_of_sample(given)
        if key in _points:
            return _points[key][1]
        result = sent(sent(work)(progress, lambda said: hear(sent(said))))
        if key is not None:
            _points[key] = (given.args[0], result)
        return result

    monkeypatch.setattr(heavy_work, "_done", done)


@pytest.fixture(autouse=True)
def _waiting_for_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the end of a script's thread; only then, or when time is up, have Streamlit look whether it has ended."""
    looks = local_script_runner.require_widgets_deltas

    def waits(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
        assert runner._script_thread is not None
        runner._script_thread.join(timeout)
        looks(runner, 1 if runner.script_stopped() else 0)

    monkeypatch.setattr(local_script_runner, "require_widgets_deltas", waits)


@pytest.fixture(autouse=True)
def _controls_keep_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold that no part of a page without a key that has controls of the address moves up from one run to the next.

    Its controls are drawn anew in the new place, and what is left in the old place takes their names off the address when it goes: from then on the
    address does not follow them. (Streamlit 1.67; a part with a key is the same wherever it stands.)
    """
    runs = AppTest._run

    def run(self: AppTest, *given: Any, **named: Any) -> AppTest:
        before = _places(self._tree)
        runs(self, *given, **named)
        for control, (name, now) in _places(self._tree).items():
            was = before.get(control, (name, now))[1]
            at = next((i for i, (one, other) in enumerate(zip(was, now, strict=False)) if one != other), None)
            assert at is None or was[at][1] or now[at][1] or now[at][0] > was[at][0], (
                f"{name} moves from {was} to {now}: give the part of the page that holds it a key"
            )
        return self

    monkeypatch.setattr(AppTest, "_run", run)


Path = tuple[tuple[int, str], ...]


def _places(block: Block, path: Path = ()) -> dict[str, tuple[str, Path]]:
    """Return the controls that the address has, by their ids: their names there, and number and key of each part around them."""
    found: dict[str, tuple[str, Path]] = {}
    for number, inner in block.children.items():
        if isinstance(inner, Block):
            found |= _places(inner, (*path, (number, getattr(getattr(inner, "proto", None), "id", ""))))
        elif name := getattr(getattr(inner, "proto", None), "query_param_key", ""):
            found[inner.proto.id] = (name, path)
    return found


def _key_of_sample(given: "partial[Any]") -> tuple[Any, ...] | None:
    """Return what the points of a plan of a sample hang on; None of any other work."""
    if given.func is not plan_points_from_trips:
        return None
    trips, request = given.args
    jobs = [state.SAMPLE_JOBS.known((name, state.TRIPS)) for name in SAMPLES]
    if not any(
        job is not None and job.done and not job.error and job.result().trips is trips for job in jobs
    ):
        return None
    named = (given.keywords[name] for name in ("is_public", "week", "group_size"))
    return (id(trips), *named, *(getattr(request, name) for name in _ASKED))
