"""Utility figures by hand on four cells, and against scipy and pyproj."""

import math

import numpy as np
import pyproj
import pytest
import scipy.spatial.distance
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privlab.checks import ParameterError
from privlab.od.matrix import ODMatrix
from privlab.od.simulating.simulated_release import ReleaseParameters, SimulatedRelease
from privlab.od.simulating.simulated_review import flow_comparison_from_release
from privlab.od.usefulness.utility import (
    FlowComparison,
    common_part_of_commuters,
    distance_decay_from_flow_comparison,
    great_circle_km,
    jensen_shannon,
    kendall_tau_of_top,
    utility_from_flow_comparison,
)

NAN = float("nan")
counts = arrays(np.float64, 8, elements=st.integers(0, 50).map(float))


def comparison(true, bounded, published, flow=None):
    return FlowComparison(
        flow=np.arange(len(true)) if flow is None else np.asarray(flow, dtype=np.int64),
        true=np.array(true, dtype=float),
        bounded=np.array(bounded, dtype=float),
        published=np.array(published, dtype=float),
    )


def test_four_cells_by_hand():
    """Kept 100 (clipped to 90, published 96), lost 20 (clipped to 15), kept 40 as 40 − 4, spurious 8."""
    utility = utility_from_flow_comparison(
        comparison([100, 20, 40, 0], [90, 15, 40, 0], [96, NAN, 36, 8]), mre_floor=10
    )
    assert (utility.cells_kept, utility.cells_lost, utility.cells_spurious) == (2, 1, 1)
    assert utility.flow_kept == pytest.approx(140 / 160)
    assert utility.within_10_percent == pytest.approx(140 / 160)  # 96 of 100, and 36 of 40 just so
    assert utility.mre == pytest.approx((4 / 100 + 20 / 20 + 4 / 40) / 3)
    assert utility.rmse == pytest.approx(math.sqrt((4**2 + 20**2 + 4**2 + 8**2) / 4))
    assert utility.cpc == pytest.approx(2 * (96 + 36) / (160 + 140))
    assert utility.clipping == 15
    assert utility.noise == 6 + 4
    assert utility.suppression == 15
    assert utility.spurious == 8
    assert utility.total_true == 160
    # Order of the true flows 100, 40, 20; published 96, 36, 0: in agreement.
    assert utility.kendall_tau == 1


def test_cells_of_a_box_by_hand():
    flows = FlowComparison(
        flow=np.array([1, 2, 3, 4]),
        true=np.array([10.0, 0.0, 30.0, 5.0]),
        bounded=np.array([9.0, 0.0, 30.0, 5.0]),
        published=np.array([12.0, 7.0, 29.0, np.nan]),
    )
    part = flows.between(published=(7, 12))
    assert (part.flow.tolist(), part.true.tolist(), part.bounded.tolist()) == ([1, 2], [10, 0], [9, 0])
    assert flows.between(published=(7, 29), true=(10, 30)).flow.tolist() == [1, 3]
    assert not flows.between(published=(13, 20)).flow.size  # the suppressed cell is in no box


def test_sanity_bound_by_hand():
    flows = comparison([4, 100], [4, 100], [9, 50])
    assert utility_from_flow_comparison(flows, mre_floor=10).mre == pytest.approx((5 / 10 + 50 / 100) / 2)
    assert utility_from_flow_comparison(flows, mre_floor=1).mre == pytest.approx((5 / 4 + 50 / 100) / 2)
    assert utility_from_flow_comparison(flows, mre_floor=200).mre == pytest.approx((5 / 200 + 50 / 200) / 2)
    for value in (0, 0.5, NAN, -1, "10"):
        with pytest.raises(ParameterError, match=r"^mre_floor must be .*, got .*\.$"):
            utility_from_flow_comparison(flows, mre_floor=value)


def test_negative_published_counts_by_hand():
    """Without a threshold −6 is published: an error of 16 on a flow of 10, and nothing for the shares."""
    utility = utility_from_flow_comparison(
        comparison([10, 30, 0, 0], [10, 30, 0, 0], [-6, 30, -2, 5]), mre_floor=10
    )
    assert (utility.cells_kept, utility.cells_lost, utility.cells_spurious) == (2, 0, 2)
    assert utility.mre == pytest.approx((16 / 10 + 0) / 2)
    assert utility.cpc == pytest.approx(2 * 30 / (40 + 35))
    assert utility.noise == 16
    assert utility.spurious == 7
    assert utility.jensen_shannon == pytest.approx(
        scipy.spatial.distance.jensenshannon([10, 30, 0, 0], [0, 30, 0, 5], base=2) ** 2
    )


def test_perfect_release_degenerate():
    utility = utility_from_flow_comparison(comparison([5, 9, 1], [5, 9, 1], [5, 9, 1]))
    assert (utility.flow_kept, utility.cpc, utility.kendall_tau) == pytest.approx((1, 1, 1))
    assert (utility.mre, utility.rmse, utility.noise, utility.clipping) == (0, 0, 0, 0)
    assert utility.jensen_shannon == pytest.approx(0, abs=1e-12)


def test_everything_suppressed_degenerate():
    utility = utility_from_flow_comparison(comparison([5, 9], [5, 8], [NAN, NAN]), mre_floor=10)
    assert (utility.cells_kept, utility.cells_lost, utility.flow_kept, utility.cpc) == (0, 2, 0, 0)
    assert (utility.clipping, utility.suppression, utility.noise) == (1, 13, 0)
    assert utility.mre == pytest.approx((5 / 10 + 9 / 10) / 2)
    assert math.isnan(utility.jensen_shannon)
    assert math.isnan(utility.kendall_tau)


def test_nothing_at_all_degenerate():
    utility = utility_from_flow_comparison(comparison([], [], []))
    assert (utility.cells_kept, utility.cells_lost, utility.cells_spurious, utility.total_true) == (
        0,
        0,
        0,
        0,
    )
    for name in ("flow_kept", "within_10_percent", "mre", "rmse", "cpc", "jensen_shannon", "kendall_tau"):
        assert math.isnan(getattr(utility, name)), name


def od(flows, n_zones=3, week="2026-03-02", bound=None):
    ends = sorted(flows)
    return ODMatrix(
        zones=np.arange(n_zones),
        week=week,
        origin=np.array([o for o, _ in ends], dtype=np.int64),
        destination=np.array([d for _, d in ends], dtype=np.int64),
        count=np.array([flows[end] for end in ends], dtype=np.int64),
        n_users=9,
        max_trips_per_user=bound,
    )


def released(flow, count, n_zones=3, week="2026-03-02"):
    return SimulatedRelease(
        zones=np.arange(n_zones), week=week, parameters=ReleaseParameters(), flow=np.array(flow, dtype=np.int64),
        count=np.array(count, dtype=float), n_cells=n_zones * (n_zones - 1),
    )  # fmt: skip


def test_comparison_by_hand():
    true, bounded = od({(0, 1): 9, (1, 0): 4, (2, 1): 1}), od({(0, 1): 7, (1, 0): 4}, bound=1)
    flows = flow_comparison_from_release(true, bounded, released([1, 2], [8.5, 3.5]))
    assert flows.flow.tolist() == [1, 2, 3, 7]
    assert flows.true.tolist() == [9, 0, 4, 1]
    assert flows.bounded.tolist() == [7, 0, 4, 0]
    assert np.array_equal(flows.published, [8.5, 3.5, NAN, NAN], equal_nan=True)
    assert flows.kept.tolist() == [True, False, False, False]
    assert flows.lost.tolist() == [False, False, True, True]
    assert flows.spurious.tolist() == [False, True, False, False]


def test_comparison_iv():
    for release in (released([1], [1.0], week="2026-03-09"), released([1], [1.0], n_zones=4)):
        with pytest.raises(
            ParameterError, match=r"^release must be of the same zones and week as the true counts\.$"
        ):
            flow_comparison_from_release(od({(0, 1): 9}), od({(0, 1): 9}), release)


@given(counts, counts)
def test_jensen_shannon_against_scipy(p, q):
    got = jensen_shannon(p, q)
    if not p.sum() or not q.sum():
        assert math.isnan(got)
    else:
        assert got == pytest.approx(scipy.spatial.distance.jensenshannon(p, q, base=2) ** 2, abs=1e-9)
        assert -1e-12 <= got <= 1 + 1e-12


def test_jensen_shannon_of_all_but_equal_shares_degenerate():
    """Rounding takes the sums below 0, of which scipy's own distance is not a number."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        p = rng.integers(1, 2000, 300).astype(float)
        assert 0 <= jensen_shannon(p, p * (1 + 1e-15 * rng.normal(size=300))) < 1e-12


@given(counts, counts, st.integers(1, 10))
def test_kendall_tau_against_scipy(true, published, n_top):
    got = kendall_tau_of_top(true, published, n_top)
    order = sorted(range(8), key=lambda cell: (-true[cell], cell))[:n_top]
    top = [cell for cell in order if true[cell] > 0]
    if len(top) < 2 or len({true[c] for c in top}) == 1 or len({published[c] for c in top}) == 1:
        assert math.isnan(got)
    else:
        assert got == pytest.approx(scipy.stats.kendalltau(true[top], published[top]).statistic, abs=1e-12)


@given(counts, counts)
def test_common_part_of_commuters_against_brute_force(true, published):
    got = common_part_of_commuters(true, published)
    both = true.sum() + published.sum()
    if not both:
        assert math.isnan(got)
    else:
        assert got == pytest.approx(2 * sum(map(min, true, published)) / both)
        assert 0 <= got <= 1


@given(counts, counts, arrays(np.bool_, 8))
def test_error_parts_against_brute_force(true, clipped, hidden):
    bounded = np.minimum(true, clipped)
    published = np.where(hidden, NAN, bounded + 2.5)
    utility = utility_from_flow_comparison(comparison(true, bounded, published))
    kept = sum(t > 0 and not h for t, h in zip(true, hidden, strict=True))
    assert utility.cells_kept == kept
    assert utility.cells_kept + utility.cells_lost == (true > 0).sum()
    assert utility.noise == pytest.approx(2.5 * kept)
    assert utility.clipping == pytest.approx(sum(true) - sum(bounded))
    assert utility.suppression == pytest.approx(
        sum(b for b, t, h in zip(bounded, true, hidden, strict=True) if t and h)
    )
    assert utility.spurious == pytest.approx(
        2.5 * sum(not t and not h for t, h in zip(true, hidden, strict=True))
    )


@given(st.lists(st.tuples(st.floats(-89, 89), st.floats(-180, 180)), min_size=2, max_size=2, unique=True))
def test_great_circle_against_pyproj(ends):
    (lat_a, lon_a), (lat_b, lon_b) = ends
    _, _, metres = pyproj.Geod(ellps="WGS84").inv(lon_a, lat_a, lon_b, lat_b)
    got = float(great_circle_km(*(np.array([v]) for v in (lat_a, lon_a, lat_b, lon_b)))[0])
    assert got == pytest.approx(metres / 1000, rel=0.006, abs=1e-3)


def test_great_circle_antipodes_degenerate():
    rng = np.random.default_rng(1)
    lat, lon = rng.uniform(-90, 90, 20_000), rng.uniform(-180, 0, 20_000)
    km = great_circle_km(lat, lon, -lat, lon + 180)
    assert km == pytest.approx(np.full(20_000, math.pi * 6371.0088), rel=1e-6)
    assert great_circle_km(lat, lon, lat, lon) == pytest.approx(np.zeros(20_000), abs=1e-6)


def test_distance_decay_by_hand():
    """Zones on the equator at 0°, 1°, 3°: distances of 1°, 2°, 3°; two bins up to 3° = 333.6 km."""
    lat, lon = np.zeros(3), np.array([0.0, 1.0, 3.0])
    flows = comparison([6, 2, 2], [6, 2, 2], [9, NAN, 1], flow=[1, 5, 2])  # 0→1, 1→2, 0→2
    decay = distance_decay_from_flow_comparison(flows, lat, lon, n_bins=2)
    assert decay.edge_km == pytest.approx(np.array([0, 1.5, 3]) * 111.195, rel=1e-4)
    assert decay.true == pytest.approx([0.6, 0.4])
    assert decay.published == pytest.approx([0.9, 0.1])


def test_distance_decay_degenerate():
    flows = comparison([6, 2], [6, 2], [NAN, NAN], flow=[1, 3])
    nowhere = np.full(2, NAN)
    assert distance_decay_from_flow_comparison(flows, nowhere, nowhere) is None
    decay = distance_decay_from_flow_comparison(flows, np.zeros(2), np.array([0.0, 1.0]))
    assert decay.true.sum() == pytest.approx(1)
    assert np.all(np.isnan(decay.published))
    empty = comparison([], [], [], flow=[])
    assert distance_decay_from_flow_comparison(empty, np.zeros(2), np.zeros(2)) is None
    partly = comparison([6, 2], [6, 2], [5, 2], flow=[1, 2])  # zone 2 of three is nowhere
    decay = distance_decay_from_flow_comparison(partly, np.zeros(3), np.array([0.0, 1.0, NAN]))
    assert decay.true.sum() == pytest.approx(1)


def test_what_a_total_gives_back_to_the_wrong_flow_is_off_too_by_hand():
    """10 and 10 trips, of which a limit times a total leaves 12 and 8: the sum is right, and 4 trips are misplaced."""
    utility = utility_from_flow_comparison(comparison([10, 10], [12, 8], [12, 8]))
    assert utility.clipping == 4
    assert utility.noise == 0


def test_a_share_off_is_met_whatever_binary_fractions_make_of_it():
    """29 of 100 are 29%, though 0.29 times 100 is a little less than 29 in a computer."""
    assert comparison([100], [100], [129]).share_within(0.29) == 1
    assert comparison([100], [100], [129]).share_within(0.28) == 0


def test_half_of_the_trips_near_the_truth_is_not_mostly_off():
    def found(*published):
        return utility_from_flow_comparison(comparison([10, 10], [10, 10], published))

    assert not found(10, 20).mostly_off
    assert found(20, 20).mostly_off
    assert not found(NAN, NAN).mostly_off  # nothing is published: that is said in other words


def test_flows_between_two_numbers_have_both_of_them():
    flows = comparison([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [10, 20, NAN, 30, 40])
    assert flows.between(published=(20, 40)).flow.tolist() == [1, 3, 4]
    assert flows.between(published=(20, 40), true=(2, 4)).flow.tolist() == [1, 3]
