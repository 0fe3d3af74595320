"""Which flows get noise, as parts of a report on data are told it: once, and as a part that is told of it later."""

import itertools
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from privlab.checks import DataError
from privlab.lab.reporting import (
    REPORTED_MECHANISMS,
    collect,
    options_with_cells,
    report_plan_from_data,
    require_of_data,
    together_from_ledger,
)
from privlab.od.planning import USUAL_WISHES
from privlab.od.simulating import ReleaseParameters
from privlab.reports import DataReference, ReleaseReference

RELEASE = ReleaseParameters(epsilon=1.0, max_trips_per_user=5, threshold=10)
DATA = DataReference(name="city", sample=True, digest="", zones="column")


@pytest.mark.parametrize(
    ("mechanism", "cells"), list(itertools.product((None, *REPORTED_MECHANISMS), ("public", "discovered")))
)
def test_no_part_is_told_twice_of_anything(mechanism: str | None, cells: str) -> None:
    def parts(cells: str) -> dict[str, tuple[tuple[str, object], ...]]:
        plan = report_plan_from_data(
            data=DATA, release=RELEASE, week="2026-03-02", mechanism=mechanism, cells=cells
        )
        return {item.exhibit: item.view.options for item in plan.items}

    found = parts(cells)
    assert {name: options for name, options in found.items() if len(dict(options)) < len(options)} == {}
    told = {name: dict(options_with_cells(name, options, cells)) for name, options in parts("public").items()}
    wished = ("wish_cells",)  # of wishes, which are kept as they were
    assert {name: {k: v for k, v in one.items() if k not in wished} for name, one in told.items()} == {
        name: {k: v for k, v in dict(one).items() if k not in wished} for name, one in found.items()
    }


@pytest.mark.parametrize("mechanism", REPORTED_MECHANISMS)
def test_limits_say_the_delta_of_all_weeks_that_are_wished_for(mechanism: str) -> None:
    """One in a million for each of four weekly releases."""
    plan = report_plan_from_data(
        data=DATA,
        release=RELEASE,
        week="2026-03-02",
        mechanism=mechanism,
        wishes=replace(USUAL_WISHES, weeks=4),
    )
    (limits,) = (dict(item.view.options) for item in plan.items if item.exhibit == "limits")
    assert (limits["weekly_releases"], limits["delta"]) == (4, pytest.approx(4e-6))


@pytest.mark.parametrize("has_users", [True, False])
def test_a_report_on_counts_that_name_nobody_has_no_part_on_people(has_users: bool) -> None:
    """No plan keeps a promise to people whom nobody names, and nobody can be judged."""
    plan = report_plan_from_data(data=DATA, release=RELEASE, week="2026-03-02", has_users=has_users)
    of_people = {"people", "plan", "person_risks"}
    assert {item.exhibit for item in plan.items} & of_people == (of_people if has_users else set())


def test_another_release_than_that_of_the_plan_is_not_reported_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its files hold together, and are of another release: a report would say of one what is true of the other."""
    other = SimpleNamespace(digest="b" * 64)
    monkeypatch.setattr(collect, "released_counts_from_folder", lambda folder: other)
    materials = collect.Materials(lambda reference: None, releases=lambda reference: tmp_path)  # type: ignore[arg-type,return-value]
    asked = ReleaseReference(certificate="a" * 64, made="2026-03-20T08:00:00+00:00", weeks="2026-03-02")
    with pytest.raises(DataError, match="is not that of the report plan, made 2026-03-20"):
        materials.release(asked)
    assert materials.release(replace(asked, certificate="b" * 64)) is other


def test_data_that_is_another_is_not_reported_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is called: its digest is not that of the plan."""
    found = replace(DATA, sample=False, digest="b" * 32)
    monkeypatch.setattr(collect.RowsMaterial, "reference", lambda self: found)
    monkeypatch.setattr(collect.RowsMaterial, "trips", lambda self: SimpleNamespace(key="of the other data"))
    materials = collect.Materials(lambda reference: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(DataError, match="The data is not that of the report plan"):
        materials(replace(found, digest="a" * 32))
    assert materials(found).reference() is found


def test_a_ledger_that_cannot_be_read_leaves_unsaid_what_it_would_say() -> None:
    class Unread:
        @property
        def is_there(self) -> bool:
            raise DataError("The ledger is empty.")

    book, released = Unread(), SimpleNamespace(certificate={})
    assert together_from_ledger(book, {}) is None  # type: ignore[arg-type]
    require_of_data(book, released, None)  # type: ignore[arg-type]
