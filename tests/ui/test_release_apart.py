"""A release whose file is read by a process of its own: the same counts, one entry; nothing is charged if the process dies."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from privlab.checks import DataError
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.processes import READY, own_process
from privlab.lab.judging.refusals import Accepted, ReleaseRefused
from privlab.lab.publishing import release_data
from privlab.lab.publishing.publish import publish_release
from privlab.lab.publishing.release_data import ReleaseData, settled_data_from_release_data
from privlab.od.releases.release_plan import (
    ReleasePlan,
    SecureReleaseParameters,
    release_plan_from_parameters,
)
from privlab.progress import Progress
from privlab.releases.ledger.ledger import Ledger
from privlab.ui.work import heavy_work
from tests.datasets.processes import work_by_hand

MONDAY = "2026-03-02"


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have work done in processes, as a server has."""
    monkeypatch.delenv(heavy_work.APART_VARIABLE, raising=False)
    monkeypatch.setattr(heavy_work, "_load", work_by_hand.nothing)
    heavy_work.work_apart()
    yield
    READY.end()


@pytest.fixture
def data(tmp_path: Path) -> ReleaseData:
    """Sixty people who go from 1 to 2 on one morning."""
    path = tmp_path / "trips.csv"
    rows = "".join(f"p{one},{MONDAY} 08:00,1,2\n" for one in range(60))
    path.write_text("user_id,time,origin,destination\n" + rows)
    mapping = ColumnMapping(user_id="user_id", timestamp="time", origin="origin", destination="destination")
    form = FileForm(mapping=mapping, ids="number")
    return ReleaseData(
        path=path, form=form, zones="column", geography=None, lookup=None, timezone=None, cleaning=Cleaning()
    )


def plan(threshold: int = 10) -> ReleasePlan:
    parameters = SecureReleaseParameters(
        epsilon=2, max_trips_per_user=1, threshold=threshold, cells="discovered"
    )
    return release_plan_from_parameters(parameters, weeks=[MONDAY], zones_spec="column", public_zones=None)


def accepted() -> Accepted:
    return Accepted(delta="a test of few people", made_up="a test of few people")


def test_what_is_read_elsewhere_is_what_is_read_here(data: ReleaseData) -> None:
    key = "ab" * 16
    here = settled_data_from_release_data(data, plan(), key)
    there = heavy_work.apart(settled_data_from_release_data, data, plan(), key)(Progress())
    for name in ("user", "flow", "week_starts", "zones"):
        np.testing.assert_array_equal(getattr(here.trips, name), getattr(there.trips, name))
    assert (here.digest, here.earlier_digest, here.people) == (
        there.digest,
        there.earlier_digest,
        there.people,
    )
    assert here.people is not None
    assert here.trips.user.size == 60


def test_a_release_is_made_and_its_people_are_known_again(data: ReleaseData, tmp_path: Path) -> None:
    ledger, readers = Ledger(tmp_path / "ledger.sqlite"), list[str]()

    def reads(work, *things):  # type: ignore[no-untyped-def]
        readers.append(work.__name__)
        return heavy_work.apart(work, *things)

    for number in (1, 2):
        made = publish_release(
            tmp_path / f"out-{number}", ledger, data=data, plan=plan(), accepted=accepted(), reads=reads
        )
        assert made.entry.number == number
    # A new ledger has no key yet with which people could be looked up while the file is read.
    once = "settled_data_from_release_data"
    assert readers == [once, "people_of_release_data", once]
    other = data.path.with_name("renamed.csv")
    other.write_text(data.path.read_text() + f"p60,{MONDAY} 08:00,1,2\n")
    key = ledger.keys().people_key()
    again = release_data.people_of_release_data(
        ReleaseData(
            path=other,
            form=data.form,
            zones="column",
            geography=None,
            lookup=None,
            timezone=None,
            cleaning=Cleaning(),
        ),
        key,
    )
    assert len(set(again.by_id) & set(made_people(data, key))) == 60
    chosen, _ = ledger.chosen_account("f" * 32, people=again)
    assert chosen.account == ledger.account(made.digest).name


def test_a_file_that_changes_while_its_people_are_looked_up_is_not_released(
    data: ReleaseData, tmp_path: Path
) -> None:
    """The first release of a ledger reads the file twice: for its counts, and once there is a key for its people."""

    def reads(work, *things):  # type: ignore[no-untyped-def]
        done = heavy_work.apart(work, *things)(Progress())
        data.path.write_text(data.path.read_text() + f"p99,{MONDAY} 08:00,1,2\n")
        return lambda progress: done

    ledger = Ledger(tmp_path / "ledger.sqlite")
    with pytest.raises(DataError, match="has changed since it was loaded"):
        publish_release(
            tmp_path / "out",
            ledger,
            data=data,
            plan=plan(),
            accepted=accepted(),
            reads=reads,
        )
    assert not [entry for account in ledger.accounts() for entry in account.entries]
    assert not (tmp_path / "out").exists()


def made_people(data: ReleaseData, key: str) -> tuple[str, ...]:
    return release_data.people_of_release_data(data, key).by_id


def test_a_reading_process_that_dies_costs_nothing(data: ReleaseData, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    first = publish_release(
        tmp_path / "first", ledger, data=data, plan=plan(), accepted=accepted(), reads=heavy_work.apart
    )

    def killed(share: float, words: str) -> None:
        for pid in list(own_process._living):
            os.kill(pid, signal.SIGKILL)

    with pytest.raises(DataError, match=r"its process ended \(code -9\)"):
        publish_release(
            tmp_path / "second",
            ledger,
            data=data,
            plan=plan(),
            accepted=accepted(),
            reads=heavy_work.apart,
            progress=Progress(killed),
        )
    assert [entry.number for entry in ledger.account(first.digest).entries] == [1]
    assert not (tmp_path / "second").exists()


def test_a_refused_release_begins_no_ledger(data: ReleaseData, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    with pytest.raises(ReleaseRefused):
        publish_release(
            tmp_path / "out", ledger, data=data, plan=plan(2), accepted=Accepted(), reads=heavy_work.apart
        )
    assert not ledger.is_there
