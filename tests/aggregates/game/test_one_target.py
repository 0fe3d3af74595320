"""The game: what it must read where the answer is known, and that nothing leaks from test to training."""

import json
from dataclasses import replace

import numpy as np
import pytest

from privlab.aggregates.defences.defence import NoDefence, relative_errors_from_aggregates
from privlab.aggregates.factors import FactorSource
from privlab.aggregates.findings.outcomes import TargetOutcome, target_outcome_from_dict
from privlab.aggregates.findings.summaries import GameResult, summaries_from_result
from privlab.aggregates.game import one_target as game_module
from privlab.aggregates.game.one_target import Game
from privlab.aggregates.game.play import outcomes_from_traces
from privlab.aggregates.game.released_groups import Weeks, training_from_groups
from privlab.aggregates.game_rules.game_plan import plan_from_parameters
from privlab.aggregates.game_rules.groups import split_from_traces, targets_from_traces
from privlab.aggregates.game_rules.parameters import ARMS, PRIORS, ClassifierSettings, GameParameters
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import Traces, window_from_traces
from privlab.checks import ParameterError
from tests.aggregates.worlds import habitual_traces, traces_of_sets

QUICK = {"targets": 6, "train_groups": 60, "settings": ClassifierSettings(trees=10, hidden_units=10)}
FALSE_ALARM = 4.9  # standard deviations: one in a million either way


def played(traces: Traces, **options: object) -> list[TargetOutcome]:
    parameters = GameParameters(**(QUICK | options))
    targets = targets_from_traces(traces, parameters.targets, seed=parameters.seed)
    return list(outcomes_from_traces(traces, parameters, targets))


def aucs(outcomes: list[TargetOutcome], **setting: object) -> np.ndarray:
    return np.array(
        [
            score.auc
            for outcome in outcomes
            for score in outcome.scores
            if all(getattr(score.setting, name) == value for name, value in setting.items())
        ]
    )


def deviation(outcomes: list[TargetOutcome]) -> float:
    """Standard deviation of a mean AUC of so many targets if scores say nothing."""
    n_in, n_out = len(outcomes[0].scores[0].inside), len(outcomes[0].scores[0].outside)
    return float(np.sqrt((n_in + n_out + 1) / (12 * n_in * n_out) / len(outcomes)))


def test_groups_of_one_give_the_target_away() -> None:
    outcomes = played(
        habitual_traces(90),
        group_size=1,
        prior_share=0.5,
        train_groups=40,
        test_groups=20,
        arms=ARMS,
        classifiers=("lr", "rf"),
    )
    for arm in ("cells+rule", "likelihood"):
        assert (aucs(outcomes, arm=arm) == 1).all()
    assert aucs(outcomes, arm="cells", classifier="lr").min() > 0.99
    assert aucs(outcomes, arm="statistics").mean() > 0.95


def test_random_labels_cannot_be_told() -> None:
    outcomes = played(
        habitual_traces(60),
        group_size=3,
        prior_share=0.5,
        random_labels=True,
        targets=30,
        classifiers=("lr",),
    )
    assert abs(aucs(outcomes).mean() - 0.5) < FALSE_ALARM * deviation(outcomes)


class Noise(NoDefence):
    """Noise that drowns everything."""

    def defended(self, aggregates, rng):
        return aggregates + rng.normal(scale=1e6, size=aggregates.shape)


def test_noise_alone_cannot_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_module, "defence_from_spec", lambda spec, *, epsilon, facts: Noise(name=spec))
    outcomes = played(
        habitual_traces(60),
        prior="perfect",
        group_size=3,
        targets=30,
        arms=("statistics", "likelihood"),
        classifiers=("lr",),
        defence="noise",
        epsilons=(0.5, 1.0),
    )
    assert (aucs(outcomes, adversary=None, arm="statistics") > 0.8).all()
    for adversary in ("passive", "strategic"):
        for epsilon in (0.5, 1.0):
            found = aucs(outcomes, adversary=adversary, epsilon=epsilon, arm="statistics")
            assert found.size == 30
            assert abs(found.mean() - 0.5) < FALSE_ALARM * deviation(outcomes)
    assert all(error > 1 for outcome in outcomes for _, error in outcome.errors)
    summaries = summaries_from_result(
        GameResult(parameters=GameParameters(), outcomes=tuple(outcomes), n_left=0)
    )
    strategic = next(one for one in summaries if one.setting.adversary == "strategic")
    assert strategic.pg_mean > 0.8
    assert strategic.pg_literal < strategic.pg_mean  # half of the targets have an AUC below one half
    assert summaries[0].pg_mean is None


class Half(NoDefence):
    """Nobody but the even positions is counted."""

    def counted(self, member, rng):
        return member & (np.arange(member.shape[1]) % 2 == 0)


def test_a_defence_may_leave_users_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_module, "defence_from_spec", lambda spec, *, epsilon, facts: Half(name=spec))
    traces = habitual_traces(60)
    parameters = GameParameters(
        **(QUICK | {"targets": 12}), group_size=4, prior_share=0.5, defence="half", arms=("likelihood",)
    )
    targets = targets_from_traces(traces, 12, seed=1)
    outcomes = [Game(traces, parameters).outcome(target) for target in targets]
    even = np.array([target.position % 2 == 0 for target in targets])
    found = aucs(outcomes, adversary="strategic")
    assert found[even].mean() > 0.9 > 0.75 > found[~even].mean()


def test_perfect_prior_is_sure_of_true_counts() -> None:
    outcomes = played(
        habitual_traces(60), prior="perfect", group_size=3, arms=("cells",), classifiers=("lr",)
    )
    assert (aucs(outcomes) == 1).all()


def changed(traces: Traces, touched: np.ndarray) -> Traces:
    """Return the traces with all reports marked put into another zone."""
    zone = np.where(touched, (traces.zone + 1) % traces.zones.size, traces.zone).astype(np.int32)
    sets = [
        set(zip(traces.epoch[a:b].tolist(), zone[a:b].tolist(), strict=True))
        for a, b in zip(traces.starts[:-1], traces.starts[1:], strict=True)
    ]
    return traces_of_sets(sets, n_zones=traces.zones.size, n_weeks=3, null_zone=traces.null_zone)


def trained(traces: Traces, parameters: GameParameters) -> tuple[np.ndarray, np.ndarray]:
    plan = plan_from_parameters(parameters, traces)
    target = targets_from_traces(habitual_traces(60), 1, seed=1)[0]
    split = split_from_traces(traces, parameters, plan, target)
    weeks, rng = Weeks(traces, parameters, plan), np.random.default_rng(0)
    training = training_from_groups(split.train, weeks, plan, parameters, NoDefence(), rng)
    return training.features["statistics"], training.share


@pytest.mark.parametrize("prior", ["same-groups", "different-groups"])
def test_training_does_not_see_the_week_of_the_test(prior: str) -> None:
    traces = habitual_traces(60)
    parameters = GameParameters(prior=prior, group_size=3, targets=1, train_groups=20)
    plan = plan_from_parameters(parameters, traces)
    assert plan.test_week not in plan.train_weeks
    later, earlier = traces.epoch >= 2 * 168, traces.epoch < 2 * 168
    before = trained(traces, parameters)
    for one, other in zip(before, trained(changed(traces, later), parameters), strict=True):
        np.testing.assert_array_equal(one, other)
    assert (before[0] != trained(changed(traces, earlier), parameters)[0]).any()


def test_training_of_a_subset_prior_sees_known_users_alone() -> None:
    traces = habitual_traces(60)
    parameters = GameParameters(group_size=3, targets=1, train_groups=20, prior_share=0.4)
    target = targets_from_traces(traces, 1, seed=1)[0]
    known = split_from_traces(traces, parameters, plan_from_parameters(parameters, traces), target).known
    user = np.repeat(np.arange(60), np.diff(traces.starts))
    before = trained(traces, parameters)
    for one, other in zip(before, trained(changed(traces, ~known[user]), parameters), strict=True):
        np.testing.assert_array_equal(one, other)
    assert (before[0] != trained(changed(traces, known[user]), parameters)[0]).any()


@pytest.mark.parametrize("prior", PRIORS)
def test_every_prior_and_arm_beats_chance_on_habits(prior: str) -> None:
    share = {"prior_share": 0.5} if prior == "subset" else {}
    outcomes = played(
        habitual_traces(60), prior=prior, group_size=3, arms=ARMS, classifiers=("lr", "mlp"), **share
    )
    assert len(outcomes[0].scores) == 7
    for arm in ARMS:
        assert aucs(outcomes, arm=arm).mean() > 0.6, arm


def test_periods_and_targets_without_reports_are_played() -> None:
    traces = habitual_traces(60)
    outcomes = played(
        traces, prior="same-groups", group_size=3, period="hours:mon:3-5", arms=("statistics", "likelihood")
    )
    assert all(0 <= auc <= 1 for auc in aucs(outcomes))
    assert any(np.isnan(outcome.factors.particularity) for outcome in outcomes)


def test_outcomes_do_not_depend_on_workers_or_order() -> None:
    traces = habitual_traces(60)
    parameters = GameParameters(**(QUICK | {"targets": 4}), group_size=3, prior_share=0.5)
    targets = targets_from_traces(traces, 4, seed=1)
    alone = [plain(one) for one in outcomes_from_traces(traces, parameters, targets)]
    backwards = [plain(one) for one in outcomes_from_traces(traces, parameters, targets[::-1])]
    assert alone == backwards[::-1]
    two = [plain(one) for one in outcomes_from_traces(traces, parameters, targets, workers=2)]
    assert sorted(two, key=lambda one: one["turn"]) == alone


def plain(outcome: TargetOutcome) -> dict:
    return json.loads(json.dumps(replace(outcome, seconds=0.0).as_dict(), allow_nan=False))


def test_outcomes_round_trip_through_json() -> None:
    outcome = played(habitual_traces(60), group_size=3, prior_share=0.5, targets=1)[0]
    again = target_outcome_from_dict(json.loads(json.dumps(outcome.as_dict())))
    assert again == outcome
    low, high = outcome.scores[0].interval
    assert low <= outcome.scores[0].auc <= high


def test_factors_by_hand() -> None:
    # User 0: hour 5 of Monday in zone 0 both weeks, with user 1 in the first; hour 6 once, alone.
    sets = [{(5, 0), (6, 1), (173, 0)}, {(5, 0)}, {(200, 1)}]
    traces = traces_of_sets(sets, n_zones=2, n_weeks=2, null_zone=True)
    released = window_from_traces(traces, week=0, period=period_from_spec("week"))
    source = FactorSource(traces, released)
    first = source.factors(0)
    assert (first.volume, first.regularity, first.particularity) == (3, 0.5, 0.75)
    third = source.factors(2)
    assert (third.volume, third.regularity) == (1, 0.0)
    assert np.isnan(third.particularity)


def test_relative_errors_by_hand() -> None:
    true, published = np.array([[[4.0, 0.0], [0.0, 0.0]]]), np.array([[[2.0, 1.0], [0.0, 0.0]]])
    errors = {
        sanity: relative_errors_from_aggregates(true, published, sanity=sanity, share=0.5)[0]
        for sanity in ("group", "zone", "one")
    }
    assert errors == {"group": 0.25, "zone": 0.25, "one": 0.375}
    lost = relative_errors_from_aggregates(true, published + 1, sanity="zone", share=0.5)
    assert np.isinf(lost[0])  # an empty zone has no scale of its own


def test_workers_iv() -> None:
    with pytest.raises(ParameterError, match="workers must be between"):
        list(outcomes_from_traces(habitual_traces(60), GameParameters(targets=1), [], workers=0))


def test_a_strategic_attacker_s_likelihood_knows_the_noise() -> None:
    """Of the same noisy releases, who knows that there is noise makes more than who takes it for counts."""
    parameters = GameParameters(
        prior="subset", group_size=4, targets=6, train_groups=60, arms=("likelihood",), classifiers=("lr",),
        defence="lpa", epsilons=(20.0,), prior_share=0.5,
    )  # fmt: skip
    traces = habitual_traces(60)
    targets = targets_from_traces(traces, 6, seed=1)
    found: dict[str | None, list[float]] = {}
    for outcome in outcomes_from_traces(traces, parameters, targets):
        for score in outcome.scores:
            found.setdefault(score.setting.adversary, []).append(score.auc)
    assert found["strategic"] != found["passive"]
    assert np.mean(found["strategic"]) > np.mean(found["passive"])


def test_the_share_of_others_is_over_all_weeks_that_were_seen() -> None:
    """Of two weeks of groups without the target: people counted in a zone and hour, over all who could be, half a person more on either side."""
    traces = habitual_traces(60, n_weeks=3)
    parameters = GameParameters(
        prior="different-groups",
        group_size=5,
        targets=1,
        arms=("likelihood",),
        train_groups=20,
        test_groups=4,
    )
    plan = plan_from_parameters(parameters, traces)
    assert len(plan.train_weeks) == 2
    (target,) = targets_from_traces(traces, 1, seed=1)
    groups = split_from_traces(traces, parameters, plan, target).train
    weeks = Weeks(traces, parameters, plan)
    found = training_from_groups(groups, weeks, plan, parameters, NoDefence(), np.random.default_rng(1)).share
    without = groups.member[~groups.inside]
    counted = sum(weeks.aggregates(without, week).sum(axis=0).astype(float) for week in plan.train_weeks)
    assert found == pytest.approx((counted + 0.5) / (2 * 5 * len(without) + 1))
