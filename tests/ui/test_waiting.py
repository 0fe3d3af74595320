"""Work of a session: it stops when nobody holds it any more."""

import gc
import threading
import time
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from privlab.progress import Cancelled, Progress
from privlab.ui.sessions import sessions
from privlab.ui.work import waiting
from privlab.ui.work.jobs import Job
from privlab.ui.work.waiting import Held


def test_work_of_a_session_that_is_gone_stops() -> None:
    begun, let_go = threading.Event(), threading.Event()

    def work(progress: Progress) -> None:
        progress.tell(0.1, "Working")
        begun.set()
        assert let_go.wait(600)
        progress.tell(0.2, "Working on")

    job = Job(work)
    held = Held(key=1, job=job)
    assert begun.wait(600)
    assert not job.wait(0)
    assert not held.job.cancelled
    del held
    gc.collect()
    let_go.set()
    with pytest.raises(Cancelled):
        job.result(600)


def _page() -> None:
    import streamlit as st

    from privlab.ui.work.waiting import awaited

    number = st.number_input("n", 0, 9, 0, key="n")
    runs = st.session_state.setdefault("runs", [])

    def work(progress: object) -> str:
        runs.append(number)
        return f"of {number}"

    st.markdown(str(awaited("tested", number, work, seconds=60)))


def test_a_result_is_of_the_parameters_that_are_chosen() -> None:
    """Chosen anew, nothing of before is shown; chosen again, what was found then, without another run."""
    at = AppTest.from_function(_page, default_timeout=900).run()
    for number in (0, 3, 7, 3, 0, 7):
        at.number_input(key="n").set_value(number).run()
        assert [element.value for element in at.markdown] == [f"of {number}"]
    assert at.session_state["runs"] == [0, 3, 7]


def test_work_knows_whether_the_browser_of_its_session_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """By what the server says of the session that began it, whichever thread asks."""
    there = {"this one"}
    server = SimpleNamespace(is_active_session=there.__contains__)
    monkeypatch.setattr(
        sessions, "runtime", SimpleNamespace(exists=lambda: True, get_instance=lambda: server)
    )
    monkeypatch.setattr(sessions, "get_script_run_ctx", lambda: SimpleNamespace(session_id="this one"))
    gone = sessions.browser_gone()
    assert not gone()
    there.clear()
    assert gone()
    monkeypatch.setattr(waiting, "browser_gone", lambda: gone)
    at = AppTest.from_function(_page, default_timeout=900).run()
    assert at.session_state["work of tested"].job._away is gone


def _ahead() -> None:
    import streamlit as st

    from privlab.ui.work.waiting import any_is_running, awaited, begun_ahead

    runs, let_go = st.session_state.setdefault("runs", []), st.session_state["let_go"]

    def work(progress: object) -> str:
        runs.append(1)
        assert let_go.wait(600)
        return "found"

    if st.toggle("ask", key="ask"):
        st.markdown(str(awaited("tested", 1, work, seconds=60)))
    begun_ahead("tested", 1, work)
    st.caption(f"running: {any_is_running()}")


def test_work_that_was_begun_ahead_is_what_is_asked_for_then() -> None:
    at = AppTest.from_function(_ahead, default_timeout=900)
    at.session_state["let_go"] = threading.Event()
    for _ in range(2):
        at.run()
        assert at.caption[0].value == "running: True"
    at.session_state["let_go"].set()
    begun = time.monotonic()
    while at.run().caption[0].value == "running: True":
        assert time.monotonic() - begun < 600
    at.toggle(key="ask").set_value(True).run()
    assert at.markdown[0].value == "found"
    assert at.caption[0].value == "running: False"
    at.toggle(key="ask").set_value(False).run()
    assert at.session_state["runs"] == [1]


def _deaf() -> None:
    import streamlit as st

    from privlab.ui.work.waiting import awaited, results_of

    let_go = st.session_state["let_go"]

    def work(progress: object) -> str:
        assert let_go.wait(600)
        return "found all the same"

    st.markdown(str(awaited("tested", 1, work, seconds=0)))
    st.caption(str(results_of("tested")))


def test_work_that_ends_after_it_was_stopped_shows_and_keeps_no_result() -> None:
    """Whoever stopped it reads “Stopped”, and whoever asks again starts it anew: nothing of it lies in wait."""
    at = AppTest.from_function(_deaf, default_timeout=900)
    at.session_state["let_go"] = threading.Event()
    at.run()
    at.button(key="cancel_tested").click().run()
    at.session_state["let_go"].set()
    job = at.session_state["work of tested"].job
    assert job.wait(600)
    assert (job.error, job.result()) == (None, "found all the same")
    at.run()
    assert [element.value for element in at.info] == ["Stopped."]
    assert (at.markdown[0].value, at.caption[0].value) == ("None", "{}")


def _let_down() -> None:
    import streamlit as st

    from privlab.progress import Cancelled
    from privlab.ui.work.waiting import awaited

    runs = st.session_state.setdefault("runs", [])

    def work(progress: object) -> str:
        runs.append(1)
        if len(runs) == 1:
            raise Cancelled  # of the sample that it waited for, when its reader had left the tour
        return "found"

    st.markdown(str(awaited("tested", 1, work, seconds=60)))


def test_work_whose_sample_was_left_begins_anew_when_its_reader_is_back() -> None:
    """They did not stop it: “Stopped” would be said of what nobody pressed."""
    at = AppTest.from_function(_let_down, default_timeout=900).run()
    at.run()
    assert not at.info
    assert at.markdown[0].value == "found"


def _loading() -> None:
    import streamlit as st

    from privlab.ui.data.load_watch import watch_load
    from privlab.ui.work.jobs import Job
    from privlab.ui.work.waiting import Held

    let_go = st.session_state["let_go"]

    def work(progress: object) -> object:
        assert let_go.wait(600)
        return object()  # whoever took it up would find that it is no data

    if "job" not in st.session_state:
        st.session_state["job"] = Job(work)
        st.session_state["own_job"] = Held(key=1, job=st.session_state["job"])
    watch_load()


def test_a_load_that_ends_after_it_was_cancelled_changes_no_data() -> None:
    at = AppTest.from_function(_loading, default_timeout=900)
    at.session_state["let_go"] = threading.Event()
    at.run()
    at.button(key="cancel_load").click().run()
    at.session_state["let_go"].set()
    assert at.session_state["job"].wait(600)
    at.run()
    assert not at.exception
    assert [one.value for one in at.info] == ["Loading was cancelled; the data in use is unchanged."]
    assert "own_job" not in at.session_state
