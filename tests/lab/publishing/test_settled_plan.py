"""The zones of a release hang on what the steward said of the file, not on what one person's row looks like."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privlab.checks import DataError, ParameterError
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.rows.second_files import Lookup
from privlab.datasets.zone_files.geography import Geography
from privlab.dp.gaussian import TOTAL_SHARE
from privlab.lab.judging.refusals import Accepted
from privlab.lab.publishing.publish import n_users_of, publish_release, release_parameters_from_wishes
from privlab.lab.publishing.publish_on_cluster import settled_counts_from_release_data
from privlab.lab.publishing.release_data import (
    ReleaseData,
    settled_data_from_release_data,
    trips_of_release,
)
from privlab.lab.publishing.settled_plan import release_plan_from_release_data, require_settled_zones
from privlab.od.releases import SecureReleaseParameters
from privlab.od.settled import SettledCells
from privlab.releases.accounts.account_choice import AccountRefused, AccountWish
from privlab.releases.ledger.ledger import Ledger

WEEK = "2026-03-02"
ASKED = SecureReleaseParameters(epsilon=1.0, max_trips_per_user=10, threshold=5)
# Ids as a look at the rows takes them: numbers, or texts once one row has another.
AS_NUMBERS, AS_TEXTS = Geography(zones=[5, 9, 10]), Geography(zones=["10", "5", "9"])


def data(folder: Path, ids: str, geography: Geography, extra: str = "") -> ReleaseData:
    """Forty people go 5 → 9, and one person's row may say something else."""
    path = folder / "week.csv"
    rows = [f"u{n},2026-03-03 {hour}:00,{zone}" for n in range(40) for hour, zone in (("08", 5), ("09", 9))]
    path.write_text("\n".join(["user,time,zone", *rows]) + f"\n{extra}")
    form = FileForm(
        mapping=ColumnMapping(user_id="user", timestamp="time", zone="zone"),
        format="table",
        encoding="utf-8",
        delimiter=",",
        ids=ids,
    )
    return ReleaseData(
        path=path,
        form=form,
        zones="column",
        geography=geography,
        lookup=None,
        timezone=None,
        cleaning=Cleaning(),
    )


@pytest.mark.parametrize(("ids", "zones"), [("number", (5, 9, 10)), ("text", ("10", "5", "9"))])
def test_one_row_with_another_id_changes_no_zone_and_nobody_else_s_trips(
    tmp_path: Path, ids: str, zones: tuple[object, ...]
) -> None:
    counted = []
    for geography, extra in ((AS_NUMBERS, ""), (AS_TEXTS, "x,2026-03-03 08:00,A7\n")):
        release = data(tmp_path, ids, geography, extra)
        plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
        assert plan.zones == zones
        assert [type(one) for one in plan.zones or ()] == [type(one) for one in zones]
        counted.append(len(trips_of_release(release, plan).user))
    assert counted == [40, 40]


@pytest.mark.parametrize(("ids", "other"), [("number", "text"), ("text", "number")])
def test_a_plan_with_zones_of_the_other_kind_is_refused_before_anything_is_charged(
    tmp_path: Path, ids: str, other: str
) -> None:
    release = data(tmp_path, ids, AS_NUMBERS)
    plan = release_plan_from_release_data(ASKED, data(tmp_path, other, AS_NUMBERS), weeks=[WEEK])
    book = Ledger(tmp_path / "ledger.sqlite")
    with pytest.raises(ParameterError, match="zones must be those that the release reads its data in"):
        publish_release(tmp_path / "out", book, data=release, plan=plan, accepted=Accepted(made_up="a test"))
    assert not (tmp_path / "out").exists()
    assert not book.accounts()
    right = replace(plan, zones=release_plan_from_release_data(ASKED, release, weeks=[WEEK]).zones)
    publish_release(tmp_path / "out", book, data=release, plan=right, accepted=Accepted(made_up="a test"))
    assert len(book.accounts()) == 1


def test_trips_to_a_zone_on_no_list_are_none_of_the_release(tmp_path: Path) -> None:
    """One person goes 77 → 5 → 9: of the two trips the second lies between zones of the list."""
    extra = "".join(f"x,2026-03-03 {hour}:00,{zone}\n" for hour, zone in (("08", 77), ("09", 5), ("10", 9)))
    release = data(tmp_path, "number", AS_NUMBERS, extra)
    counted = trips_of_release(release, release_plan_from_release_data(ASKED, release, weeks=[WEEK]))
    ids = counted.zones.tolist()
    pairs = {(ids[one // len(ids)], ids[one % len(ids)]) for one in counted.flow.tolist()}
    assert (len(counted.user), pairs) == (41, {(5, 9)})


def test_a_release_is_charged_to_the_account_that_was_named_or_refused(tmp_path: Path) -> None:
    release = data(tmp_path, "number", AS_NUMBERS)
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    book, accepted = Ledger(tmp_path / "ledger.sqlite"), Accepted(made_up="a test")
    cards, phones = AccountWish(title="cards"), AccountWish(title="phones")
    publish_release(tmp_path / "one", book, data=release, plan=plan, accepted=accepted, wish=cards)
    with pytest.raises(AccountRefused, match="account must be “cards”, which this data is in already"):
        publish_release(tmp_path / "two", book, data=release, plan=plan, accepted=accepted, wish=phones)
    assert not (tmp_path / "two").exists()
    assert [(one.title, one.epsilon) for one in book.accounts()] == [("cards", 1.0)]


@pytest.mark.parametrize(
    "more",
    [
        {"cleaning": Cleaning(min_records=2)},
        {"cleaning": Cleaning(first_day=date(2026, 3, 3))},
        {"lookup": Lookup(path=Path("cells.csv"), on="zone", key="cell")},
    ],
)
def test_a_cluster_refuses_what_it_would_leave_undone_iv(tmp_path: Path, more: dict[str, Any]) -> None:
    """It leaves no row out: a certificate would say of rows that were counted that they were not."""
    release = data(tmp_path, "number", AS_NUMBERS)
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    with pytest.raises(ParameterError, match="A cluster takes the rows of Parquet as they are"):
        settled_counts_from_release_data(replace(release, **more), plan, None)  # type: ignore[arg-type]


def test_people_are_those_of_the_file_or_else_those_with_a_trip_by_hand() -> None:
    """Of three trips two are one person's; the file may know more people, who have none in the weeks."""
    trips = SettledCells(
        zones=np.array([5, 9]),
        weeks=(WEEK,),
        week_starts=np.array([0, 3]),
        user=np.array([0, 0, 4], dtype=np.int32),
        flow=np.array([1, 2, 1]),
    )
    assert n_users_of(trips) == 2
    assert n_users_of(replace(trips, n_users=9)) == 9


def test_what_an_older_ledger_has_of_the_same_data_is_charged_on(tmp_path: Path) -> None:
    """It knows the data with what a second file adds, and none of its people: what was spent then and now is one sum."""
    release = data(tmp_path, "number", AS_NUMBERS)
    owners = tmp_path / "owners.csv"
    owners.write_text("\n".join(["user,owner", *(f"u{n},o{n}" for n in range(40)), ""]))
    form = replace(release.form, mapping=ColumnMapping(user_id="owner", timestamp="time", zone="zone"))
    release = replace(release, form=form, lookup=Lookup(path=owners, on="user", key="user"))
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    found = settled_data_from_release_data(release, plan, None)
    assert found.digest != found.earlier_digest
    book = Ledger(tmp_path / "ledger.sqlite")
    book.reserve_budget(found.earlier_digest, epsilon=2, delta=0, what="")
    publish_release(tmp_path / "out", book, data=release, plan=plan, accepted=Accepted(made_up="a test"))
    assert [one.epsilon for one in book.accounts()] == [3.0]


def test_a_release_reads_nothing_outside_the_folder_that_it_must_stay_in_iv(tmp_path: Path) -> None:
    """A link in a server's folder leads to somebody else's file: nothing of it is read, and nothing charged."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    release = data(outside, "number", AS_NUMBERS)
    link = inside / "week.csv"
    link.symlink_to(release.path)
    release, book = replace(release, path=link, within=inside), Ledger(tmp_path / "ledger.sqlite")
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    with pytest.raises(DataError, match="leads out of the folders"):
        publish_release(tmp_path / "out", book, data=release, plan=plan, accepted=Accepted(made_up="a test"))
    assert not book.accounts()


def test_a_plan_whose_ids_only_equal_those_of_the_data_is_refused_iv(tmp_path: Path) -> None:
    """5.0 is 5 to a comparison, and another id in what is published."""
    release = data(tmp_path, "number", AS_NUMBERS)
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    require_settled_zones(plan, release)
    with pytest.raises(ParameterError, match="zones must be those that the release reads its data in"):
        require_settled_zones(replace(plan, zones=(5.0, 9.0, 10.0)), release)


@pytest.mark.parametrize(
    ("time_format", "said", "told"),
    [
        (None, None, None),
        (None, "Europe/Paris", "Europe/Paris"),
        ("seconds", None, "UTC"),
        ("milliseconds", "Europe/Paris", "Europe/Paris"),
    ],
)
def test_receivers_are_told_whose_hours_are_counted_by_hand(
    tmp_path: Path, time_format: str | None, said: str | None, told: str | None
) -> None:
    """Clocks in text are those of the file, and nothing is known of them; seconds since 1970 are of UTC until another is said."""
    release = data(tmp_path, "number", AS_NUMBERS)
    form = replace(release.form, mapping=replace(release.form.mapping, time_format=time_format))
    release = replace(release, form=form, timezone=said)
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    assert plan.rows is not None
    assert plan.rows.timezone == told


def test_receivers_are_told_that_a_ride_with_a_passenger_is_a_trip(tmp_path: Path) -> None:
    """A taxi's records say when it is hired: from where somebody gets in to where they get out is one trip, no hours are counted."""
    release = data(tmp_path, "number", AS_NUMBERS)
    for occupied, told in ((None, "records"), ("hired", "trips")):
        mapping = replace(release.form.mapping, occupied=occupied)
        taxis = replace(release, form=replace(release.form, mapping=mapping))
        plan = release_plan_from_release_data(ASKED, taxis, weeks=[WEEK])
        assert plan.rows is not None
        assert plan.rows.kind == told


@pytest.mark.parametrize(
    ("wishes", "made"),
    [
        ({}, {"noise": "integer", "clip": "keep", "delta": 0.0, "total_share": 0.0}),
        ({"noise": "gaussian"}, {"noise": "gaussian", "clip": "l2", "delta": 1e-6, "total_share": 0.0}),
        ({"noise": "gaussian", "clip": "keep"}, {"clip": "keep", "delta": 1e-6}),
        ({"noise": "gaussian", "delta": 1e-9}, {"clip": "l2", "delta": 1e-9}),
        ({"noise": "gaussian", "unbiased": True}, {"clip": "l2", "total_share": TOTAL_SHARE}),
    ],
)
def test_a_release_has_the_parameters_that_were_wished_for_and_no_others_by_hand(
    wishes: dict[str, Any], made: dict[str, Any]
) -> None:
    found = release_parameters_from_wishes(
        epsilon=1, max_trips_per_user=3, threshold=7, cells="public", **wishes
    )
    assert (found.epsilon, found.max_trips_per_user, found.threshold, found.cells) == (1, 3, 7, "public")
    assert {name: getattr(found, name) for name in made} == made


def test_a_zone_file_with_an_id_of_the_other_kind_is_one_sentence(tmp_path: Path) -> None:
    mixed = Geography(zones=["5", "9", "A7"])
    with pytest.raises(DataError, match=r"'A7', which is no whole number\. Read ids as text\."):
        release_plan_from_release_data(ASKED, data(tmp_path, "number", mixed), weeks=[WEEK])
