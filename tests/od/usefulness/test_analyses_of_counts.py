"""Analyses of flows by hand on small worlds, by brute force, and against scipy and scikit-learn."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from sklearn.linear_model import PoissonRegressor

from privlab.figures.flows.analyses_table import analyses_in_words, analyses_rows
from privlab.od.distances import great_circle_km
from privlab.od.usefulness.analyses_of_counts import (
    ANALYSES,
    Analysis,
    analyses_from_flow_comparison,
    districts_from_positions,
    pairs_in_the_other_order,
)
from privlab.od.usefulness.flow_models import arrivals_from_flows, gravity_from_flows
from privlab.od.usefulness.utility import FlowComparison

NAN = float("nan")


def analysed(
    true: dict[tuple[int, int], float], published: dict[tuple[int, int], float], n_zones: int, **more: object
) -> dict[str, Analysis]:
    """Return the analyses by name of counts by pair of zones; zones lie on a line to the east, unless said otherwise."""
    cells = sorted({*true, *published})
    flows = FlowComparison(
        flow=np.array([a * n_zones + b for a, b in cells]),
        true=np.array([true.get(cell, 0.0) for cell in cells]),
        bounded=np.array([true.get(cell, 0.0) for cell in cells]),
        published=np.array([published.get(cell, NAN) for cell in cells]),
    )
    lat = more.get("lat", np.zeros(n_zones))
    lon = more.get("lon", np.arange(n_zones, dtype=float))
    found = analyses_from_flow_comparison(flows, lat, lon, more.get("districts"))  # type: ignore[arg-type]
    assert tuple(one.name for one in found) == ANALYSES
    return {one.name: one for one in found}


def test_sums_by_hand() -> None:
    """Zone 0 sends 10 and 6, published 12 and nothing; zone 2 sends 4, published 7; made up: 3 from zone 1."""
    true = {(0, 1): 10.0, (0, 2): 6.0, (2, 3): 4.0}
    published = {(0, 1): 12.0, (2, 3): 7.0, (1, 0): 3.0}
    found = analysed(true, published, 4, districts=np.array([0, 0, 1, 1]))
    origin, district = found["total_by_origin"], found["district_to_district"]
    # 16 → 12, 0 → 3, 4 → 7: 10 of 20.
    assert (origin.before, origin.after, origin.error) == (20, 22, 0.5)
    # Within the first 10 → 15, from it to the other 6 → 0, within the other 4 → 7: 14 of 20, and 22 published. The figures are of
    # the same trips as the error: those within a district too (docs/science.md, 5.6).
    assert (district.before, district.after, district.error) == (20, 22, 14 / 20)


def test_errors_of_many_times_the_truth_are_said_as_times() -> None:
    """One trip, and 12 published: off by 11. Of two, 3 and 1: off by half, in per cent."""
    found = tuple(analysed({(0, 1): 1.0}, {(0, 1): 12.0}, 3).values())
    assert analyses_in_words(found).startswith("Trips by origin are off by 11 times their number in all;")
    assert analyses_rows(found)[0]["error"] == "11 times"
    found = tuple(analysed({(0, 1): 2.0}, {(0, 1): 3.0}, 3).values())
    assert analyses_in_words(found).startswith("Trips by origin are off by 50.0% in all;")


def test_zones_in_no_district_take_no_part() -> None:
    found = analysed({(0, 1): 10.0, (0, 2): 6.0}, {(0, 1): 8.0}, 3, districts=np.array([0, 1, -1]))
    district = found["district_to_district"]
    assert (district.before, district.after, district.error) == (10, 8, 2 / 10)
    none = analysed({(0, 1): 10.0}, {(0, 1): 8.0}, 3, districts=np.array([-1, -1, -1]))
    assert math.isnan(none["district_to_district"].error)


def test_largest_flows_and_their_order_by_hand() -> None:
    """Of three flows the published largest three hold two and a made-up one; of three pairs one is turned round."""
    true = {(0, 1): 30.0, (0, 2): 20.0, (1, 2): 10.0}
    published = {(0, 1): 15.0, (0, 2): 25.0, (2, 0): 12.0, (1, 2): 4.0}
    found = analysed(true, published, 3)
    assert (found["largest_flows"].before, found["largest_flows"].after) == (3, 2)
    assert found["largest_flows"].error == pytest.approx(1 / 3)
    assert (found["order_of_largest"].before, found["order_of_largest"].after) == (3, 2)


def test_nothing_published_is_all_lost_and_only_fifty_flows_are_looked_at() -> None:
    true = {(a, b): float(10 * a + b + 1) for a in range(9) for b in range(9) if a != b}
    found = analysed(true, {}, 9)
    assert (found["largest_flows"].before, found["largest_flows"].after) == (50, 0)
    assert found["order_of_largest"].error == 0.5  # all are tied: as good as a coin
    assert found["total_by_origin"].error == 1
    assert math.isnan(found["gravity_distance"].after)
    same = analysed(true, true, 9)
    assert all(one.error == pytest.approx(0, abs=1e-12) for one in same.values())


def test_pairs_in_the_other_order_by_brute_force() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        n = int(rng.integers(0, 9))
        true, seen = rng.integers(0, 4, n).astype(float), rng.integers(0, 4, n).astype(float)
        seen[rng.random(n) < 0.2] = np.inf
        wrong, pairs = 0.0, 0
        for i, j in itertools.combinations(range(n), 2):
            if true[i] != true[j]:
                pairs += 1
                right = (true[i] < true[j]) == (seen[i] < seen[j])
                wrong += 0.5 if seen[i] == seen[j] else 0 if right else 1
        assert pairs_in_the_other_order(true, seen) == (wrong, pairs)
    one, other = rng.permutation(40.0 + np.arange(40)), rng.permutation(np.arange(40.0))
    wrong, pairs = pairs_in_the_other_order(one, other)
    assert wrong / pairs == pytest.approx((1 - scipy.stats.kendalltau(one, other).statistic) / 2)


def test_mean_distance_by_hand() -> None:
    """On the equator 1 degree is a 360th of the circumference; all trips over 1, then half of them over 2."""
    degree = 2 * math.pi * 6371.0088 / 360
    found = analysed({(0, 1): 10.0}, {(0, 1): 5.0, (0, 2): 5.0}, 3)["distance"]
    assert found.before == pytest.approx(degree, rel=1e-4)
    assert found.after == pytest.approx(1.5 * degree, rel=1e-4)
    assert found.error == pytest.approx(0.5)


def test_published_counts_below_0_are_trips_of_no_length() -> None:
    """One degree is as long as before: what noise takes below 0 over two degrees is read as 0, and lengthens or shortens no trip."""
    found = analysed({(0, 1): 10.0}, {(0, 1): 5.0, (0, 2): -4.0}, 3)["distance"]
    assert found.after == pytest.approx(found.before)
    assert found.error == pytest.approx(0)


def line_of_zones(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    lat, lon = rng.uniform(45, 46, n), rng.uniform(9, 10, n)
    return lat, lon, great_circle_km(lat[:, None], lon[:, None], lat[None, :], lon[None, :])


def test_gravity_exponents_are_those_of_scikit_learn() -> None:
    n = 12
    *_, km = line_of_zones(n, 5)
    rng = np.random.default_rng(6)
    apart = ~np.eye(n, dtype=bool)
    mass = rng.uniform(1, 9, n)
    mean = 40 * mass[:, None] * mass[None, :] ** 0.7 / np.where(apart, km, 1)
    counts = np.where(apart, rng.poisson(mean), 0).astype(float)
    found = gravity_from_flows(np.flatnonzero(apart), counts[apart], km)
    start, end = np.nonzero(apart)
    told = np.log(np.column_stack([counts.sum(axis=1)[start], counts.sum(axis=0)[end], km[apart]]))
    other = PoissonRegressor(alpha=0, tol=1e-12, max_iter=10_000, solver="newton-cholesky").fit(
        told, counts[apart]
    )
    assert (found.origin, found.destination, found.distance) == pytest.approx(other.coef_, abs=1e-6)


@pytest.mark.parametrize(
    "km",
    [np.full((3, 3), NAN), np.ones((3, 3)), np.zeros((3, 3))],
    ids=["unknown", "all alike", "all in one place"],
)
def test_no_gravity_model_where_distance_tells_nothing(km: np.ndarray) -> None:
    found = gravity_from_flows(np.array([1, 2, 3]), np.array([5.0, 6.0, 7.0]), km)
    assert math.isnan(found.distance)


def test_arrivals_by_brute_force_over_all_ways() -> None:
    rng = np.random.default_rng(11)
    n = 6
    flow = np.flatnonzero((rng.random((n, n)) < 0.5) & ~np.eye(n, dtype=bool))
    count = rng.integers(-1, 9, flow.size).astype(float)
    found = arrivals_from_flows(flow, count, n, np.arange(n))
    matrix = np.zeros((n, n))
    matrix.flat[flow] = np.maximum(count, 0)
    leaving = matrix.sum(axis=1)
    for source, end in itertools.permutations(range(n), 2):
        ways = [np.inf]
        others = [zone for zone in range(n) if zone not in (source, end)]
        for size in range(n - 1):
            for middle in itertools.permutations(others, size):
                way = list(itertools.pairwise((source, *middle, end)))
                if all(matrix[step] > 0 for step in way):
                    ways.append(sum(1 - math.log(matrix[a, b] / leaving[a]) for a, b in way))
        assert found[source, end] == pytest.approx(min(ways))


def test_an_epidemic_that_loses_its_way_by_hand() -> None:
    """From 0 it reaches 1, the largest flow, then 2, and last 15: 105 pairs. Published the flows are turned round, so that of the first
    ten it reaches first 15, 14, …, 6. Where only the flow to 1 is published, 91 pairs of the others are ties. Zones but 0 send nothing.
    """
    true = {(0, zone): 16.0 - zone for zone in range(1, 16)}
    found = analysed(true, {(0, zone): float(zone) for zone in range(1, 16)}, 16)["epidemic_order"]
    assert (found.before, found.after, found.error) == (10, 5, 1)
    lost = analysed(true, {(0, 1): 1.0}, 16)["epidemic_order"]
    assert (lost.before, lost.after) == (10, 1)
    assert lost.error == pytest.approx(91 / 2 / 105)


def test_few_true_flows_say_nothing_of_a_model_or_an_order() -> None:
    """Pure noise on every pair of ten zones, of which five have one trip: it is right by chance. A star of 14 zones has 91 pairs."""
    noise = np.random.default_rng(1).normal(0, 30, (10, 10))
    published = {(a, b): float(noise[a, b]) for a in range(10) for b in range(10) if a != b}
    true = {(0, 1): 1.0, (1, 2): 1.0, (3, 2): 1.0, (4, 1): 2.0, (0, 5): 2.0}
    found = analysed(true, published, 10)
    told = [found[name] for name in ("gravity_distance", "gravity_origin", "epidemic_order")]
    assert all(math.isnan(value) for one in told for value in (one.before, one.after, one.error))
    said = analyses_in_words(tuple(found.values()))
    assert "5 largest flows" in said
    assert "gravity" not in said
    rows = {row["analysis"]: row for row in analyses_rows(tuple(found.values()))}
    for name in ("gravity model: distance", "order in which an epidemic arrives"):
        assert {rows[name][column] for column in ("error", "true", "published")} == {"unknown"}
    star = {(0, zone): float(zone) for zone in range(1, 15)}
    assert math.isnan(analysed(star, star, 15)["epidemic_order"].error)


def test_a_table_and_a_sentence_say_which_figure_is_true_and_which_is_published() -> None:
    found = {
        name: Analysis(name=name, before=before, after=after, error=error)
        for name, before, after, error in (
            ("total_by_origin", 1200.0, 1100.0, 0.25),
            ("district_to_district", 1000.0, 900.0, 0.125),
            ("largest_flows", 50.0, 41.0, 0.18),
            ("gravity_distance", -2.0, -1.25, 0.75),
        )
    }
    rows = analyses_rows(tuple(found.values()))
    assert [(row["true"], row["published"], row["error"]) for row in rows] == [
        ("1,200", "1,100", "25.0%"), ("1,000", "900", "12.5%"), ("50", "41", "18.0%"), ("−2", "−1.25", "0.750")
    ]  # fmt: skip
    assert analyses_in_words(tuple(found.values())) == (
        "Trips by origin are off by 25.0% in all; those from district to district by 12.5%; 41 of the 50 largest flows are among the largest "
        "published; a gravity model finds the exponent −1.25 of distance in place of −2.00."
    )


@pytest.mark.parametrize(("n_flows", "fitted"), [(39, False), (40, True)])
def test_a_gravity_model_is_fitted_to_ten_flows_for_each_of_four_coefficients(
    n_flows: int, fitted: bool
) -> None:
    pairs = [(a, b) for a in range(9) for b in range(9) if a != b]
    true = {pair: float(1 + sum(pair) % 7) for pair in pairs[:n_flows]}
    found = analysed({**true, (0, 0): 5.0}, true, 9)["gravity_distance"]  # trips within a zone are none of it
    assert math.isfinite(found.before) is fitted
    assert math.isfinite(found.error) is fitted


def test_districts_are_bands_of_equal_number() -> None:
    lat, lon = (axis.ravel().astype(float) for axis in np.mgrid[0:6, 0:6])
    found = districts_from_positions(lat, lon)
    assert found.tolist() == [3 * (int(a) // 2) + int(b) // 2 for a, b in zip(lat, lon, strict=True)]
    lat[0] = NAN
    assert districts_from_positions(lat, lon)[0] == -1
    assert set(districts_from_positions(lat[:3], lon[:3]).tolist()) == {-1}


@pytest.mark.parametrize(("n_zones", "n_districts"), [(4, 4), (26, 4), (27, 9)])
def test_three_zones_for_each_of_nine_districts_are_27(n_zones: int, n_districts: int) -> None:
    lat, lon = np.random.default_rng(4).random((2, n_zones))
    assert set(districts_from_positions(lat, lon).tolist()) == set(range(n_districts))


def test_sums_take_published_counts_below_0_as_they_are_by_hand() -> None:
    """From zone 0 go 10 and nothing, published as 12 and −2: the noise of a sum is that of its parts, and here it is none."""
    found = analysed(
        {(0, 1): 10.0, (2, 3): 4.0},
        {(0, 1): 12.0, (0, 2): -2.0, (2, 3): 4.0},
        4,
        districts=np.zeros(4, dtype=int),
    )
    for name in ("total_by_origin", "district_to_district"):
        assert (found[name].before, found[name].after, found[name].error) == (14, 14, 0)
