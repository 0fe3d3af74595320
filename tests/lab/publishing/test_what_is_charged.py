"""What the act of publishing hands on of data that is read elsewhere: under which names the ledger looks for it, of whom it is, and when it stops."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privlab.checks import DataError, ParameterError
from privlab.lab.judging.refusals import Accepted
from privlab.lab.publishing.publish import publish_release, release_parameters_from_wishes
from privlab.lab.publishing.release_data import SettledData, people_of_release_data
from privlab.lab.publishing.settled_plan import release_plan_from_release_data
from privlab.od.settled import SettledCells
from privlab.od.settled.counted_people import unique_trips_from_settled_trips
from privlab.releases.ledger.ledger import Ledger
from tests.lab.publishing.test_settled_plan import AS_NUMBERS, ASKED, WEEK, data
from tests.releases.accounts.test_shared_people import people

NOW, BEFORE = "b" * 32, "a" * 32
TRIPS = SettledCells(
    zones=np.array([5, 9, 10]),
    weeks=(WEEK,),
    week_starts=np.array([0, 60]),
    user=np.arange(60, dtype=np.int32),
    flow=np.ones(60, dtype=np.int64),
)
EVERYBODY = people(range(60))


def reads(*_: object) -> Callable[..., SettledData]:
    """Hand over what another process has read: sixty people who go 5 → 9."""
    return lambda progress: SettledData(trips=TRIPS, digest=NOW, earlier_digest=BEFORE, people=EVERYBODY)


def published(folder: Path, ledger: Ledger, **more: Any) -> None:
    source = data(folder, "number", AS_NUMBERS)
    publish_release(
        folder / "out",
        ledger,
        data=source,
        plan=release_plan_from_release_data(ASKED, source, weeks=[WEEK]),
        accepted=Accepted(made_up="a test"),
        who="anna",
        **({"reads": reads} | more),
    )


def test_what_an_older_program_charged_the_same_data_counts_against_its_budget(tmp_path: Path) -> None:
    """It knew the file by another digest; the people are noted too, and who has made the release."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.reserve_budget(BEFORE, epsilon=0.5, delta=0, what="")
    published(tmp_path, ledger)
    account = ledger.account(NOW)
    assert [(one.epsilon, one.who) for one in account.entries] == [(0.5, None), (1.0, "anna")]
    assert ledger.people_of_accounts() == {account.name: [EVERYBODY]}


def test_the_first_release_of_a_ledger_notes_its_people_too(tmp_path: Path) -> None:
    """Before it there is no key to name them by: the file is read once more, for them alone."""
    asked: list[str] = []

    def twice(work: Callable[..., object], *things: object) -> Callable[..., object]:
        asked.append(work.__name__)
        if work is people_of_release_data:
            return lambda progress: EVERYBODY
        return lambda progress: replace(reads()(progress), people=None)

    ledger = Ledger(tmp_path / "ledger.sqlite")
    published(tmp_path, ledger, reads=twice)
    assert asked == ["settled_data_from_release_data", "people_of_release_data"]
    assert list(ledger.people_of_accounts().values()) == [[EVERYBODY]]


def test_data_that_is_another_than_was_seen_costs_nothing_iv(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.reserve_budget(BEFORE, epsilon=0.5, delta=0, what="")
    with pytest.raises(DataError, match=r"^week\.csv has changed since it was loaded\. Load it again\.$"):
        published(tmp_path, ledger, expected_digest="c" * 32)
    assert ledger.account(NOW, BEFORE).epsilon == 0.5
    assert not (tmp_path / "out").exists()


def test_a_delta_of_0_is_not_taken_for_none_said_iv() -> None:
    """Gaussian noise promises nothing without one: who says 0 is told so, and is not given a millionth."""
    wished = {"epsilon": 1.0, "max_trips_per_user": 2, "threshold": 0, "cells": "public", "noise": "gaussian"}
    assert release_parameters_from_wishes(**wished).delta == 1e-6  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"^delta must be between"):
        release_parameters_from_wishes(delta=0.0, **wished)  # type: ignore[arg-type]


def test_the_order_of_a_person_s_trips_is_drawn_anew_for_each_week_and_each_order_comes() -> None:
    """Three trips of each of 600 people: each of the six orders a hundred times, give or take five times the deviation of 9.1."""
    n_people = 600
    trips = SettledCells(
        zones=np.array([5, 9, 10]),
        weeks=(WEEK,),
        week_starts=np.array([0, 3 * n_people]),
        user=np.repeat(np.arange(n_people, dtype=np.int32), 3),
        flow=np.tile([1, 2, 3], n_people),
        n_users=700,
    )
    found = unique_trips_from_settled_trips(trips, np.random.default_rng(1))
    _, times = np.unique(found.trip_rank.reshape(-1, 3), axis=0, return_counts=True)
    assert times.size == 6
    assert 54 < times.min() <= times.max() < 146
    # Whoever has no trip in these weeks is there too.
    assert sorted(found.user_rank.tolist()) == list(range(700))
