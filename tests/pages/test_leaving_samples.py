"""Samples that a reader waits for, stops to wait for, or leaves for another: what is worked on, and what the page says."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from privlab.ui import samples
from privlab.ui.state import SAMPLE_JOBS, begun_of_sample, sample_job
from privlab.ui.work.jobs import Job
from tests.pages.test_all_pages import opened, until


class Work:
    """Stands in for what prepares samples: goes on until it is let go of, and does the same then."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.jobs = defaultdict[str, list[Job[Any]]](list)

    def begun(self, name: str, what: str, making: Any) -> Job[Any]:
        def held(dataset: Any, zoning: Any, progress: Any) -> Any:
            assert self.let_go.wait(600)
            return making(dataset, zoning, progress)

        self.jobs[name].append(begun_of_sample(name, f"held {what}", held))
        return self.jobs[name][-1]

    def stopped(self, name: str) -> list[bool]:
        return [job.cancelled for job in self.jobs[name]]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    held = Work()
    monkeypatch.setattr(SAMPLE_JOBS, "_jobs", {})
    monkeypatch.setattr(samples, "begun_of_sample", held.begun)
    monkeypatch.setenv("PRIVLAB_CACHE", "off")
    yield held
    held.let_go.set()
    for job in [one for jobs in held.jobs.values() for one in jobs]:
        job.wait(600)


def keys(at: AppTest) -> set[str]:
    return {str(one.key) for one in at.button}


def test_a_sample_that_is_stopped_is_taken_up_again_by_a_button(work: Work) -> None:
    at = opened("attack", data="commuters")
    at.button(key="cancel_trips_commuters").click().run()
    assert not at.exception
    assert work.stopped("commuters") == [True]
    assert [one.value for one in at.info] == ["Stopped. The sample commuters is not made ready."]
    assert "cancel_trips_commuters" not in keys(at)
    at.run()
    assert len(work.jobs["commuters"]) == 1  # nothing begins by itself
    at.button(key="again_trips_commuters").click().run()
    assert work.stopped("commuters") == [True, False]
    work.let_go.set()
    until(at, lambda at: len(at.table) > 0)
    assert not at.info


def test_a_sample_that_is_stopped_leads_on_to_another(work: Work) -> None:
    at = opened("home", data="commuters")
    at.button(key="cancel_trips_commuters").click().run()
    assert {"other_city", "other_cabs", "other_subscribers"} <= keys(at)
    at.button(key="other_subscribers").click().run()
    assert at.selectbox(key="data").value == "subscribers"
    assert work.stopped("subscribers") == [False]
    at.selectbox(key="data").set_value("commuters").run()
    assert work.stopped("subscribers") == [True]
    assert work.stopped("commuters") == [True, False]  # chosen anew, it is made ready


def test_another_sample_stops_the_first_unless_another_reader_waits_for_it(work: Work) -> None:
    one, other = opened("attack", data="commuters"), opened("plan", data="commuters")
    assert work.stopped("commuters") == [False]
    one.selectbox(key="data").set_value("subscribers").run()
    assert work.stopped("commuters") == [False]
    other.selectbox(key="data").set_value("subscribers").run()
    assert work.stopped("commuters") == [True]
    assert work.stopped("subscribers") == [False]


def test_who_stops_waits_no_longer_though_another_reader_does(work: Work) -> None:
    one, other = opened("attack", data="commuters"), opened("attack", data="commuters")
    one.button(key="cancel_trips_commuters").click().run()
    assert work.stopped("commuters") == [False]
    assert [info.value for info in one.info] == ["Stopped. The sample commuters is not made ready."]
    work.let_go.set()
    until(other, lambda at: len(at.table) > 0)
    one.run()
    assert len(one.table) > 0  # it is there now, made for the other


def test_traces_of_a_sample_are_stopped_and_taken_up_again(work: Work) -> None:
    work.let_go.set()
    SAMPLE_JOBS.job(
        ("commuters", "trips"),
        lambda: begun_of_sample("commuters", "trips", samples.prepared_trips_from_rows),
    ).result(600)
    work.let_go.clear()
    at = until(
        opened("groups", data="commuters", targets="3"),
        lambda at: "cancel_traces_commuters" in keys(at),
    )
    at.button(key="cancel_traces_commuters").click().run()
    assert not at.exception
    assert work.stopped("commuters") == [True]
    assert [one.value for one in at.info] == ["Stopped. The sample commuters is not made ready."]
    assert "use_cabs_here" not in keys(at)
    at.button(key="again_traces_commuters").click().run()
    assert work.stopped("commuters") == [True, False]


def test_the_tour_waits_for_its_own_sample_beside_the_chosen_one(work: Work) -> None:
    at = opened("tour", data="cabs")
    assert "cancel_trips_city" in keys(at)
    at.run()
    assert (work.stopped("city"), work.stopped("cabs")) == ([False], [False])
    at.button(key="cancel_trips_city").click().run()
    assert (work.stopped("city"), work.stopped("cabs")) == ([True], [False])
    assert "other_cabs" not in keys(at)  # another sample is none of the tour's
    at.button(key="again_trips_city").click().run()
    assert work.stopped("city") == [True, False]


@pytest.mark.parametrize(("page", "what"), [("attack", "trips"), ("groups", "traces")])
def test_a_fault_of_the_moment_is_none_of_the_next_visit(
    page: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stayed until the server ended: every page on the sample showed it, to everyone."""
    sample_job("commuters").result(timeout=900)

    def fails(progress: Any) -> None:
        raise MemoryError("Not now.")

    kept = {} if what == "trips" else {("commuters", "trips"): sample_job("commuters")}
    monkeypatch.setattr(SAMPLE_JOBS, "_jobs", {("commuters", what): Job(fails), **kept})
    at = opened(page, data="commuters", targets="3")
    assert len(at.exception) == 1
    at = opened(page, data="commuters", targets="3")
    assert not at.exception
