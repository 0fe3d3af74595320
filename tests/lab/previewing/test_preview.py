"""What a preview offers in place of a release: the same but for what it says; and what it tells of a small file, by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.zone_files.geography import Geography
from privlab.dp.gaussian import TOTAL_SHARE
from privlab.lab.judging import WANTED_DELTA
from privlab.lab.judging.refusals import Accepted
from privlab.lab.previewing import preview
from privlab.lab.previewing.noise_offer import (
    BOTH,
    BOUND,
    GAUSSIAN,
    LEVELS,
    TOTAL,
    BetterRelease,
    better_releases,
    gaussian_plan_from_release_plan,
    plan_with_total_from_release_plan,
)
from privlab.lab.previewing.preview import preview_from_release_data
from privlab.lab.publishing import release_parameters_from_wishes
from privlab.lab.publishing.release_data import ReleaseData, settled_data_from_release_data
from privlab.lab.publishing.settled_plan import release_plan_from_release_data
from privlab.od.expecting.level_outlook import LevelOutlook
from privlab.od.levels import Level
from privlab.od.releases import ReleasePlan, release_plan_from_parameters
from tests.lab.previewing.test_noise_offer import GAUSSIAN as EXPECTED
from tests.lab.previewing.test_noise_offer import ON_A_LINE, ZONES, gaussian_plan

WEEKS = ("2026-03-02", "2026-03-09", "2026-03-16")


def plan_of(levels: tuple[Level, ...] = (), **wishes: Any) -> ReleasePlan:
    asked = {
        "epsilon": 1.5,
        "max_trips_per_user": 7,
        "threshold": 70,
        "cells": "public",
        "levels": len(levels),
    } | wishes
    return release_plan_from_parameters(
        release_parameters_from_wishes(**asked),
        weeks=WEEKS,
        zones_spec="column",
        public_zones=range(ZONES) if asked["cells"] == "public" else None,
        levels=levels,
    )


@pytest.mark.parametrize("product", ["flows", "flows-by-slot", "visits"])
@pytest.mark.parametrize("cells", ["public", "discovered"])
def test_with_gaussian_noise_all_else_stays_as_it_was_asked_for(product: str, cells: str) -> None:
    """Its δ is that of each week, so that one over three weeks is no reason against it."""
    plan = plan_of(product=product, cells=cells)
    found = gaussian_plan_from_release_plan(plan)
    assert found is not None
    wanted = replace(plan.parameters, noise="gaussian", clip="l2", delta=WANTED_DELTA)
    assert found.parameters == wanted
    assert (found.weeks, found.zones, found.zones_spec) == (plan.weeks, plan.zones, plan.zones_spec)
    assert gaussian_plan_from_release_plan(found) is None


def test_of_found_cells_gaussian_noise_is_not_offered_where_a_low_threshold_shows_whoever_is_alone() -> None:
    assert gaussian_plan_from_release_plan(plan_of(cells="discovered", threshold=10)) is None


def test_with_a_total_all_else_stays_as_it_was_asked_for() -> None:
    """Sums of districts that were asked for stay; trips kept at random, visits and found cells can have no total."""
    level = Level(name="district", of=tuple(f"d{zone // 10}" for zone in range(ZONES)))
    for levels in ((), (level,)):
        plan = plan_of(levels, noise="gaussian")
        found = plan_with_total_from_release_plan(plan)
        assert found is not None
        assert found.parameters == replace(plan.parameters, total_share=TOTAL_SHARE)
        assert found.levels == levels
        assert found.weeks == WEEKS
    for wishes in (
        {"noise": "gaussian", "clip": "keep"},
        {"noise": "gaussian", "product": "visits"},
        {"noise": "gaussian", "cells": "discovered"},
        {"noise": "gaussian", "unbiased": True},
        {},
    ):
        assert plan_with_total_from_release_plan(plan_of(**wishes)) is None


def test_what_is_mostly_noise_is_neither_offered_nor_told_more_exactly() -> None:
    """Sums of districts are not offered for a release that is noise, nor another limit that leaves one."""
    helps = LevelOutlook(name="blocks:3", error=10.0, without_levels=100.0)
    worth, noise = replace(EXPECTED, levels=(helps,)), replace(EXPECTED, made_up=49.0)
    asked = gaussian_plan()
    assert [one.kind for one in better_releases(asked, EXPECTED, lambda other: worth, ON_A_LINE)] == [LEVELS]
    assert better_releases(asked, noise, lambda other: worth, ON_A_LINE) == ()
    visits = plan_of(noise="gaussian", product="visits")
    close = replace(EXPECTED, close_trips=400.0)
    (offer,) = better_releases(visits, EXPECTED, lambda other: close)
    assert (offer.kind, offer.plan.weeks, offer.plan.parameters.product) == (BOUND, visits.weeks, "visits")
    assert better_releases(visits, EXPECTED, lambda other: replace(close, made_up=49.0)) == ()
    # From a quarter more trips near the truth on.
    few = replace(EXPECTED, close_trips=330.0)
    assert better_releases(visits, few, lambda other: replace(close, close_trips=410.0)) == ()
    assert better_releases(visits, few, lambda other: replace(close, close_trips=415.0)) != ()


@pytest.mark.parametrize(
    ("kind", "wishes", "options"),
    [
        (GAUSSIAN, {"noise": "gaussian"}, "--noise gaussian"),
        (TOTAL, {"noise": "gaussian", "unbiased": True}, "--unbiased"),
        (BOTH, {"noise": "gaussian", "unbiased": True}, "--noise gaussian --unbiased"),
        (LEVELS, {"noise": "gaussian", "unbiased": True}, "--levels blocks:3"),
        (BOUND, {"noise": "gaussian", "product": "visits"}, "--max-trips-per-user 7"),
    ],
)
def test_the_options_that_are_named_lead_to_what_is_offered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, wishes: dict[str, Any], options: str
) -> None:
    """They are options of the command `release`, and go beside those that the release was asked for with."""
    sums = (LevelOutlook(name="blocks:3", error=10.0, without_levels=100.0),)
    outlook = replace(EXPECTED, given_back_half_width=9, counted_trips=800.0, close_trips=400.0, levels=sums)
    offered = BetterRelease(kind=kind, plan=plan_of(**wishes), outlook=outlook)
    monkeypatch.setattr(preview, "better_releases", lambda *_: (offered,))
    data = people_in_a_file(tmp_path)
    plan = release_plan_from_release_data(ASKED, data, weeks=WEEKS[:1])
    (offer,) = preview_from_release_data(data, plan, accepted=Accepted()).offers
    assert offer.options == options
    assert offer.says


ASKED = release_parameters_from_wishes(
    epsilon=10.0, max_trips_per_user=2, threshold=4, cells="public", noise="gaussian"
)


def people_in_a_file(folder: Path) -> ReleaseData:
    """Twelve people go from A to B, and one of them back; zones known from a list of positions."""
    path = folder / "rides.csv"
    rows = [f"u{n},2026-03-03 08:00,A,B" for n in range(12)] + ["u0,2026-03-04 08:00,B,A"]
    path.write_text("\n".join(["user,time,origin,destination", *rows]) + "\n")
    mapping = ColumnMapping(user_id="user", timestamp="time", origin="origin", destination="destination")
    return ReleaseData(
        path=path,
        form=FileForm(mapping=mapping, delimiter=",", ids="text"),
        zones="column",
        geography=Geography(
            zones=["A", "B", "C"], centres={"A": (0.0, 0.0), "B": (0.1, 0.0), "C": (0.2, 0.0)}
        ),
        lookup=None,
        timezone=None,
        cleaning=Cleaning(),
    )


def test_a_preview_counts_the_people_of_the_file_and_names_it_as_the_release_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in twelve people is far above a δ of a millionth. A, B and C make six flows, two with somebody in them."""
    data = people_in_a_file(tmp_path)
    plan = release_plan_from_release_data(ASKED, data, weeks=WEEKS[:1])
    found = preview_from_release_data(data, plan, accepted=Accepted(made_up="for a test"))
    assert (found.outlook.n_true_flows, found.outlook.true_trips) == (2, 13)
    assert found.refusals == ()
    assert found.people is None
    assert found.digest == settled_data_from_release_data(data, plan, None).digest

    def known_by_another_name(*told: Any, **named: Any) -> Any:
        return replace(settled_data_from_release_data(*told, **named), earlier_digest="in older ledgers")

    monkeypatch.setattr(preview, "settled_data_from_release_data", known_by_another_name)
    again = preview_from_release_data(data, plan, accepted=Accepted(made_up="for a test"))
    assert (again.digest, again.earlier_digest) == (found.digest, "in older ledgers")
