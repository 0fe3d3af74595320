"""Nothing but a release: estimates by hand, invented people against the laws they are drawn by, and games whose end is known."""

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from privlab.aggregates.defences.noisy_defences import LaplaceDefence
from privlab.aggregates.defences.plain_defences import SampleDefence, SuppressDefence
from privlab.aggregates.findings.outcomes import TargetOutcome, target_outcome_from_dict
from privlab.aggregates.game.classifiers import scores_from_features
from privlab.aggregates.game.estimates import Estimate, apart, estimate_from_counts, estimate_from_release
from privlab.aggregates.game.invented_people import neighbours_from_positions, window_from_estimate
from privlab.aggregates.game.play import outcomes_from_traces
from privlab.aggregates.game.released_groups import blocks_from_groups
from privlab.aggregates.game.zero_knowledge import ZeroKnowledge, published_pairs
from privlab.aggregates.game_rules.groups import Groups, targets_from_traces
from privlab.aggregates.game_rules.known_traces import known_from_spec, known_visits_from_presence
from privlab.aggregates.game_rules.parameters import ClassifierSettings, GameParameters
from privlab.aggregates.traces import Traces, presence_from_window, reports_from_window
from privlab.checks import ParameterError
from tests.aggregates.worlds import habitual_traces, traces_of_sets

SPACE, TIME = np.array([0.5, 0.3, 0.2, 0.0]), np.repeat([1.0, 3.0], 12) / 48
FALSE_ALARM = 4.9  # standard deviations: one in a million either way


def game(**options: object) -> GameParameters:
    given = {"group_size": 4, "targets": 6, "train_groups": 100, "arms": ("cells",), "classifiers": ("lr",)}
    return GameParameters(**{"prior": "zero-knowledge"} | given | options)


def played(traces: Traces, **options: object) -> list[TargetOutcome]:
    parameters = game(**options)
    targets = targets_from_traces(traces, parameters.targets, seed=parameters.seed)
    return list(outcomes_from_traces(traces, parameters, targets))


def aucs(outcomes: list[TargetOutcome], adversary: str | None = None) -> np.ndarray:
    scores = [score for outcome in outcomes for score in outcome.scores]
    return np.array([score.auc for score in scores if score.setting.adversary == adversary])


def test_estimates_of_an_aggregate_by_hand() -> None:
    found = estimate_from_counts(np.array([[1, 2, 0], [3, 0, 0], [0, 0, 0]]), group_size=4)
    np.testing.assert_allclose(found.space, [0.5, 0.5, 0])
    np.testing.assert_allclose(found.time, [2 / 3, 1 / 3, 0])
    assert found.visits == 1.5
    nothing = estimate_from_counts(np.array([[-1.0, -2.0], [0.0, 0.0]]), group_size=4)
    assert (nothing.space.tolist(), nothing.time.tolist(), nothing.visits) == ([0.5, 0.5], [0.5, 0.5], 0)
    assert apart(np.array([0.5, 0.5, 0]), np.array([0, 0.5, 0.5])) == 0.5


def test_invented_people_have_the_marginals_and_the_mean_asked_for() -> None:
    asked, n = Estimate(space=SPACE, time=TIME, visits=3.0), 10_000
    window = window_from_estimate(asked, n, None, np.random.default_rng(1))
    visits = reports_from_window(window)
    # An exponential number rounded up or down by chance: the mean stays, the variance is 9 and at most ¼ more.
    assert abs(visits.mean() - 3) < FALSE_ALARM * np.sqrt(9.25 / n) + 0.03
    assert visits.var() == pytest.approx(9, rel=0.1)
    counts = np.bincount(window.cell, minlength=4 * 24).reshape(4, 24)
    found = estimate_from_counts(counts, n)
    np.testing.assert_allclose(
        found.space, SPACE, atol=0.02
    )  # of some visits without return a little less even
    np.testing.assert_allclose(found.time, TIME, atol=0.006)
    assert counts[3].sum() == 0


def delaunay_edges(places: np.ndarray) -> np.ndarray:
    """Return who is whose neighbour, by definition: a circle through both and a third place holds no other."""
    n, found = len(places), np.zeros((len(places), len(places)), dtype=bool)
    squares = (places**2).sum(axis=1)
    for i, j, k in itertools.combinations(range(n), 3):
        three = [i, j, k]
        system = 2 * (places[three[1:]] - places[i])
        centre = np.linalg.solve(system, squares[three[1:]] - squares[i])
        distance = ((places - centre) ** 2).sum(axis=1)
        if np.delete(distance, three).min() > distance[i]:
            for one, other in itertools.permutations(three, 2):
                found[one, other] = True
    return found


def test_the_visits_of_one_person_hang_together_on_the_map() -> None:
    places = np.random.default_rng(3).random((25, 2))
    edges, neighbours = delaunay_edges(places), neighbours_from_positions(places)
    assert neighbours is not None
    assert [one.tolist() for one in neighbours] == [np.flatnonzero(row).tolist() for row in edges]
    asked = Estimate(space=np.full(25, 1 / 25), time=np.full(24, 1 / 24), visits=100.0)
    window = window_from_estimate(asked, 50, neighbours, np.random.default_rng(2))
    sizes = []
    for user, n_visits in enumerate(reports_from_window(window)):
        zones = np.flatnonzero(presence_from_window(window, user).any(axis=1))
        if n_visits > 90:  # else a zone between two others may go without a visit
            sizes.append(zones.size)
            assert connected_components(edges[np.ix_(zones, zones)])[0] == 1
    assert min(sizes) == 10
    assert len(sizes) > 10


@pytest.mark.parametrize("places", [None, np.full((5, 2), np.nan), np.arange(10.0).reshape(5, 2)])
def test_zones_without_a_map_are_all_neighbours(places: np.ndarray | None) -> None:
    assert neighbours_from_positions(places) is None


def test_suppression_is_undone_until_as_many_entries_are_shown() -> None:
    """People invented by a known law, small counts left out: how often they are seen is found again."""
    law, rng = (
        Estimate(space=np.full(6, 1 / 6), time=np.full(24, 1 / 24), visits=20.0),
        np.random.default_rng(5),
    )
    suppressed = SuppressDefence(threshold=140)

    def released(estimate: Estimate) -> np.ndarray:
        window = window_from_estimate(estimate, 1_000, None, rng)
        counts = np.bincount(window.cell, minlength=144).reshape(6, 24)
        return suppressed.defended(counts, rng)

    published = released(law)
    naive = estimate_from_counts(published, 1_000)
    found = estimate_from_release(published, 1_000, suppressed, lambda one: int((released(one) > 0).sum()))
    assert naive.visits < 15
    assert found.visits == pytest.approx(20, rel=0.15)


def test_noise_is_evened_out_to_the_spread_of_even_draws() -> None:
    traces = habitual_traces(60)
    facts = ZeroKnowledgeFacts(traces)
    noisy = LaplaceDefence(epsilon=1.0, facts=facts.facts, unit="report")
    counts = np.zeros((20, 30))
    counts[0], counts[1], counts[2:] = 100, 20, 1
    found = estimate_from_release(counts, 10, noisy, lambda one: 0)
    raw = estimate_from_counts(counts, 10)
    # Numbers evenly between 0 and 1 have the squared relative standard deviation (1/12)/(1/4).
    assert found.space.var() / found.space.mean() ** 2 == pytest.approx(1 / 3, rel=1e-6)
    assert found.visits == raw.visits
    np.testing.assert_array_equal(np.argsort(-found.space)[:2], [0, 1])
    np.testing.assert_allclose(found.time, raw.time)  # even already


class ZeroKnowledgeFacts:
    """Facts of a game, as the game itself reads them."""

    def __init__(self, traces: Traces) -> None:
        from privlab.aggregates.game.example import defences_from_traces

        self.facts, _ = defences_from_traces(traces, game())


def test_of_a_pair_of_groups_only_the_target_and_its_stand_in_differ_under_noise() -> None:
    law = Estimate(space=np.full(6, 1 / 6), time=np.full(168, 1 / 168), visits=4.0)
    beside = np.zeros((6, 168), dtype=bool)
    beside[2, 5:9] = True
    window = window_from_estimate(law, 10, None, np.random.default_rng(1), beside=beside)
    facts = ZeroKnowledgeFacts(habitual_traces(60, null_zone=False)).facts
    inside, outside = np.zeros((2, 1, 11), dtype=bool)
    inside[0, [1, 2, 10]] = outside[0, [1, 2, 3]] = True
    apart_by = beside.astype(int) - presence_from_window(window, 3)
    for defence in (LaplaceDefence(epsilon=0.1, facts=facts), SampleDefence(share=1.0)):
        [(with_target, without)] = published_pairs(inside, outside, window, defence, np.random.default_rng(2))
        np.testing.assert_allclose(with_target[0] - without[0], apart_by, atol=1e-9)


def test_who_alone_visits_a_zone_is_recognised_and_a_stranger_s_trace_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(4)
    sets = [{(int(hour), user % 5) for hour in rng.choice(168, 6, replace=False)} for user in range(60)]
    crowd = traces_of_sets(sets, n_zones=6, n_weeks=1, null_zone=True)
    target = targets_from_traces(crowd, 1, seed=1)[0].position
    sets[target] = {(hour, 5) for hour, _ in sets[target]}  # its own zone, alone
    traces = traces_of_sets(sets, n_zones=6, n_weeks=1, null_zone=True)
    assert targets_from_traces(traces, 1, seed=1)[0].position == target
    assert aucs(played(traces, targets=1, group_size=8)).min() > 0.95
    assert aucs(played(traces, targets=1, group_size=8, known="0.5")).min() > 0.9

    stranger = np.zeros((6, 168), dtype=bool)
    stranger[rng.integers(6, size=6), rng.choice(168, 6, replace=False)] = True
    monkeypatch.setattr(ZeroKnowledge, "known_visits", lambda self, target: stranger)
    found = aucs(played(traces, targets=12, group_size=8))
    assert abs(found.mean() - 0.5) < FALSE_ALARM * np.sqrt(101 / (12 * 50 * 50) / 12)


def test_the_one_release_seen_holds_the_target_in_some_games_and_in_others_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a lot for each of twelve targets: an attacker who always saw the target in it would estimate from what is asked for."""
    seen: list[bool] = []

    def looked_at(groups: Groups, *rest: Any) -> Any:
        seen.extend(groups.inside.tolist())
        return blocks_from_groups(groups, *rest)

    monkeypatch.setattr("privlab.aggregates.game.zero_knowledge.blocks_from_groups", looked_at)
    played(habitual_traces(60), targets=12, train_groups=10, test_groups=4)
    assert len(seen) == 12
    assert set(seen) == {True, False}


def test_outcomes_are_the_same_on_two_workers_and_round_trip() -> None:
    traces, parameters = habitual_traces(60), game(defence="suppress:2", known="top:3")
    targets = targets_from_traces(traces, 3, seed=1)
    plain: Callable[[TargetOutcome], dict] = lambda one: replace(one, seconds=0.0).as_dict()  # noqa: E731
    alone = [plain(one) for one in outcomes_from_traces(traces, parameters, targets)]
    two = [plain(one) for one in outcomes_from_traces(traces, parameters, targets, workers=2)]
    assert sorted(two, key=lambda one: one["turn"]) == alone
    assert [target_outcome_from_dict(json.loads(json.dumps(one))).as_dict() for one in alone] == alone
    assert [one["adversary"] for one in alone[0]["estimates"]] == [None, "passive", "strategic"]


def test_a_defence_that_is_known_is_undone_and_one_that_is_not_is_believed() -> None:
    outcomes = played(habitual_traces(60), group_size=20, targets=3, defence="suppress:2", train_groups=20)
    by_who = {
        who: [one.estimates[at] for one in outcomes] for at, who in enumerate((None, "passive", "strategic"))
    }
    true = by_who[None][0].true_visits
    assert np.mean([one.visits for one in by_who[None]]) == pytest.approx(true, rel=0.1)
    believed, undone = (np.mean([one.visits for one in by_who[who]]) for who in ("passive", "strategic"))
    assert believed < 0.7 * true
    assert 2 * believed < undone < 1.2 * true


def test_known_visits_are_a_share_or_the_top_places() -> None:
    presence = np.zeros((4, 24), dtype=bool)
    presence[0, :2], presence[2, :6], presence[3, :12] = True, True, True

    def known(spec: str) -> np.ndarray:
        return known_visits_from_presence(presence, known_from_spec(spec), np.random.default_rng(7))

    np.testing.assert_array_equal(known("1.0"), presence)
    half, tenth = known("0.5"), known("0.1")
    assert (half.sum(), tenth.sum(), known("0.0001").sum()) == (10, 2, 1)
    assert not (half & ~presence).any()
    assert not (tenth & ~half).any()
    assert known("top:2").sum(axis=1).tolist() == [0, 0, 6, 12]


@pytest.mark.parametrize("spec", ["", "0", "1.5", "nan", "top", "top:0", "top:x", "half"])
def test_known_is_a_share_or_places(spec: str) -> None:
    with pytest.raises(ParameterError, match="known must be a share above 0 and at most 1, or top:N"):
        game(known=spec)


def test_known_is_for_who_knows_nothing_else() -> None:
    with pytest.raises(ParameterError, match="known must be left out under the prior subset"):
        GameParameters(known="0.5")
    assert "known" not in GameParameters().as_dict()  # else runs that were kept would be played again


def test_logistic_regression_in_the_span_of_its_training_is_logistic_regression() -> None:
    rng = np.random.default_rng(1)
    train, labels = rng.poisson(3.0, (40, 500)).astype(np.float32), np.arange(40) < 20
    train[labels, :10] += 1
    test = rng.poisson(3.0, (30, 500)).astype(np.float32)
    found = scores_from_features(
        "lr", ClassifierSettings(), train, labels, test, np.random.default_rng(0), in_span=True
    )
    exact = LogisticRegression(solver="liblinear", tol=1e-10, max_iter=10_000, random_state=0)
    expected = make_pipeline(StandardScaler(), exact).fit(train, labels).decision_function(test)
    np.testing.assert_allclose(found, expected, atol=5e-3)


@pytest.mark.parametrize(("spec", "n_known"), [("0.7", 3), ("0.6", 2), ("0.01", 1), ("1", 4)])
def test_of_a_share_the_nearest_number_of_visits_is_known_and_one_at_least(spec: str, n_known: int) -> None:
    presence = np.array([[True, False, True], [True, True, False]])
    found = known_visits_from_presence(presence, known_from_spec(spec), np.random.default_rng(1))
    assert found.sum() == n_known
    assert not (found & ~presence).any()
