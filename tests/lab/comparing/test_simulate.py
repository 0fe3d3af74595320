"""One mechanism, drawn with a seed: a group against a file of the group, means against draws one by one, analyses against counts by hand."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privlab.checks import DataError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.dp.gaussian import GaussianParameters
from privlab.lab.comparing.analyses_of_release import (
    analyses_from_released_counts,
    simulated_analyses_from_trips,
)
from privlab.lab.comparing.simulate import (
    compared_step_from_rows,
    counted_step_from_trips,
    simulated_step_from_trips,
    steps_of_trips,
)
from privlab.lab.loading.load import prepared_trips_from_rows, rows_in_zones
from privlab.od.comparing import StepRequest
from privlab.od.matrix import UniqueTrips
from privlab.od.usefulness.utility import FlowComparison
from privlab.od.weighing import AGREED, FOUND_STEPS, GAUSSIAN, STEPS, TOTAL, WEIGHTED
from privlab.releases import reading
from tests.lab.comparing.test_compare import GROUP, alone, map_of, people, trips
from tests.od.by_hand import WEEK, nobody_named, trips_of

__all__ = ["alone", "people", "trips"]  # the fixtures

REQUEST = StepRequest(name=WEIGHTED, epsilon=5.0, max_trips_per_user=5, threshold=2)


def prepared_of(trips: Any, *, public: bool = True) -> Any:
    """Return what a page has of trips between zones on the map; known from the data only unless they are `public`."""
    n_zones = trips.zones.size
    zones = tuple(range(n_zones)) if public else None
    return SimpleNamespace(trips=trips, zone_map=map_of(n_zones), public_zones=zones)


def test_of_which_mechanisms_there_is_a_draw_by_hand(trips: UniqueTrips) -> None:
    """Sums of districts need 27 public zones; flows found in the data have no total, and need no public zones."""
    assert steps_of_trips(prepared_of(trips)) == STEPS
    few = prepared_of(trips_of([[1]], range(26)))
    assert steps_of_trips(few) == tuple(name for name in STEPS if name != AGREED)
    assert steps_of_trips(prepared_of(trips, public=False)) == ()
    assert steps_of_trips(prepared_of(trips, public=False), "discovered") == FOUND_STEPS
    assert (
        steps_of_trips(prepared_of(nobody_named()))
        == steps_of_trips(prepared_of(nobody_named()), "discovered")
        == ()
    )


@pytest.mark.parametrize("name", [WEIGHTED, AGREED])
def test_a_group_is_counted_as_if_nobody_else_were_in_the_file(
    name: str, trips: UniqueTrips, alone: UniqueTrips
) -> None:
    request = replace(REQUEST, name=name)
    counted = counted_step_from_trips(prepared_of(trips), request, week=WEEK, group_size=GROUP, seed=3)
    drawn = simulated_step_from_trips(prepared_of(trips), request, week=WEEK, group_size=GROUP, seed=3)
    of_file = simulated_step_from_trips(prepared_of(alone), request, week=WEEK, seed=3)
    of_counted = simulated_step_from_trips(prepared_of(trips), request, week=WEEK, counted=counted)
    for one in (drawn, of_counted):
        assert one.review.flows.flow.tolist() == of_file.review.flows.flow.tolist()
        assert one.review.flows.published == pytest.approx(of_file.review.flows.published, nan_ok=True)
        assert one.expected == of_file.expected
    other_seed = simulated_step_from_trips(prepared_of(alone), request, week=WEEK, seed=4)
    assert not np.array_equal(
        other_seed.review.flows.published, of_file.review.flows.published, equal_nan=True
    )


def test_flows_found_in_the_data_need_no_public_zones_and_all_flows_do_iv(alone: UniqueTrips) -> None:
    found = prepared_of(alone, public=False)
    counted = counted_step_from_trips(found, replace(REQUEST, cells="discovered"), week=WEEK)
    assert counted.found.size == np.unique(alone.flow).size
    with pytest.raises(DataError, match="zones"):
        counted_step_from_trips(found, REQUEST, week=WEEK)
    with pytest.raises(DataError, match="does not say whose trips"):
        counted_step_from_trips(prepared_of(nobody_named()), replace(REQUEST, cells="discovered"), week=WEEK)


def test_means_of_draws_are_those_of_each_seed_drawn_by_itself(tmp_path: Path) -> None:
    """From the seed on, one number after another; the first is that of the page Release. The second week is the busiest."""
    path = tmp_path / "weeks.csv"
    rows = ["p0,2026-03-03 08:00,a", "p0,2026-03-03 09:00,b"]
    for person in range(12):
        ends = "abc"[person % 3], "abc"[(person + 1) % 3]
        rows += [f"p{person},2026-03-10 0{8 + i}:00,{ends[i % 2]}" for i in range(2)]
    path.write_text("user,time,zone\n" + "\n".join(rows) + "\n")
    request = replace(REQUEST, cells="discovered")
    with Workspace(threads=1) as workspace:
        dataset, zoning = rows_in_zones(read_dataset(path, workspace=workspace), "column")
        week, means = compared_step_from_rows(dataset, zoning, request, seed=7, draws=3)
        _, of_five = compared_step_from_rows(dataset, zoning, request, seed=7, group_size=5)
        prepared = prepared_trips_from_rows(dataset, zoning)
    assert week == "2026-03-09"
    each = [simulated_step_from_trips(prepared, request, week=week, seed=seed) for seed in (7, 8, 9)]
    assert means.within == pytest.approx(np.mean([one.within for one in each]))
    assert means.rmse == pytest.approx(np.mean([one.review.utility.rmse for one in each]))
    totals = [one.review.release.count.sum() / 12 - 1 for one in each]  # twelve people, a trip each
    assert means.bias == pytest.approx(np.mean(totals))
    assert len(set(totals)) > 1
    five = simulated_step_from_trips(prepared, request, week=week, seed=7, group_size=5)
    assert of_five.within == five.within
    assert of_five.rmse == five.review.utility.rmse


@pytest.mark.parametrize(
    ("wishes", "name"),
    [({"clip": "keep"}, GAUSSIAN), ({}, WEIGHTED), ({"total_share": 0.03}, TOTAL)],
)
def test_analyses_of_gaussian_noise_are_those_of_the_mechanism_of_that_name(
    wishes: dict[str, Any], name: str, trips: UniqueTrips, alone: UniqueTrips
) -> None:
    """At the same ε, δ, limit and threshold, of a group as if nobody else were in the file."""
    asked = GaussianParameters(epsilon=4.0, delta=1e-5, max_trips_per_user=6, threshold=3, **wishes)
    found = simulated_analyses_from_trips(prepared_of(trips), asked, week=WEEK, group_size=GROUP, seed=5)
    request = StepRequest(name=name, epsilon=4.0, delta=1e-5, max_trips_per_user=6, threshold=3)
    assert (found.week, found.counts) == (WEEK, "simulated")
    expected = simulated_analyses_from_trips(prepared_of(alone), request, week=WEEK, seed=5)
    flows = simulated_step_from_trips(prepared_of(alone), request, week=WEEK, seed=5).review.flows
    for analyses in (found.analyses, expected.analyses):
        by_name = {one.name: one for one in analyses}
        total = by_name["total_by_origin"]
        assert total.before == alone.flow.size  # a unique trip is one of a person
        assert total.after == pytest.approx(np.nansum(flows.published))
        assert by_name["distance"].before > 0  # the zones lie somewhere
    assert not any(
        abs(one.after - other.after) > 1e-9
        for one, other in zip(found.analyses, expected.analyses, strict=True)
    )


def test_what_no_analyses_are_simulated_of_is_refused_iv(alone: UniqueTrips) -> None:
    asked = GaussianParameters(epsilon=4.0, delta=1e-5, max_trips_per_user=6)
    for wishes in (replace(asked, levels=1), replace(asked, cells="discovered")):
        with pytest.raises(DataError, match="levels and discovered cells"):
            simulated_analyses_from_trips(prepared_of(alone), wishes, week=WEEK)
    with pytest.raises(DataError, match="laplace or integer"):
        simulated_analyses_from_trips(prepared_of(nobody_named()), asked, week=WEEK)


def test_each_kind_of_published_counts_is_analysed_by_itself_against_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One flow of 40 trips: published as 10, unbiased as 20, agreed as 30, smoothed as 35; in the second week nothing but published."""

    def flows(published: float) -> FlowComparison:
        return FlowComparison(
            flow=np.array([1]),
            true=np.array([40.0]),
            bounded=np.array([40.0]),
            published=np.array([published]),
        )

    places = SimpleNamespace(lat=np.array([45.0, 45.1]), lon=np.array([9.0, 9.0]))
    kinds = {"unbiased": flows(20), "agreed": flows(30), "smoothed": flows(35)}
    nothing = dict.fromkeys(kinds)
    weeks = [
        SimpleNamespace(week="2026-03-02", flows=flows(10), places=places, **kinds),
        SimpleNamespace(week="2026-03-09", flows=flows(12), places=places, **nothing),
    ]
    monkeypatch.setattr(
        reading, "released_flows_from_counts", lambda prepared, released: weeks, raising=False
    )
    nobody: Any = None
    found = analyses_from_released_counts(nobody, nobody)
    said = [(one.week, one.counts, one.analyses[0].before, one.analyses[0].after) for one in found]
    assert said == [
        ("2026-03-02", "published", 40, 10),
        ("2026-03-02", "unbiased", 40, 20),
        ("2026-03-02", "agreed", 40, 30),
        ("2026-03-02", "smoothed", 40, 35),
        ("2026-03-09", "published", 40, 12),
    ]
    distance = next(one for one in found[0].analyses if one.name == "distance")
    assert distance.before == pytest.approx(11.1, abs=0.05)  # a tenth of a degree of latitude
