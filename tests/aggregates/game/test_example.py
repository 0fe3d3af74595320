"""The example that pages show: a group with the target in it, as counted and as a defence publishes it."""

import numpy as np
import pytest

from privlab.aggregates.game.example import Example, defences_from_traces, example_from_traces
from privlab.aggregates.game.one_target import Game
from privlab.aggregates.game_rules.parameters import ClassifierSettings, GameParameters
from privlab.checks import ParameterError
from tests.aggregates.worlds import habitual_traces, traces_of_sets

TRACES = habitual_traces(60)


def example(defence: str = "none", *, turn: int = 0, epsilon: float | None = None) -> Example:
    parameters = GameParameters(
        targets=6,
        train_groups=60,
        settings=ClassifierSettings(trees=10, hidden_units=10),
        group_size=4,
        prior_share=0.5,
        defence=defence,
        epsilons=() if epsilon is None else (epsilon,),
    )
    return example_from_traces(TRACES, parameters, turn=turn, epsilon=epsilon)


def test_without_a_defence_it_is_the_counts_of_a_group_with_the_target() -> None:
    plain = example()
    assert plain.counts.shape == plain.published.shape == plain.visited.shape == (6, 168)  # no null zone
    assert plain.visited.any()
    assert (plain.counts[plain.visited] >= 1).all()
    assert plain.counts.max() <= 4
    np.testing.assert_array_equal(plain.published, plain.counts)


def test_noise_is_on_what_is_published_and_not_on_the_counts() -> None:
    plain, noisy = example(), example("lpa", epsilon=0.01)
    np.testing.assert_array_equal(noisy.counts, plain.counts)
    np.testing.assert_array_equal(noisy.visited, plain.visited)
    # Laplace noise of scale 168/0.01: its mean size over a thousand entries is not below a tenth of that.
    assert np.abs(noisy.published - noisy.counts).mean() > 1_680
    again = example("lpa", epsilon=0.01)
    np.testing.assert_array_equal(again.published, noisy.published)


def test_a_sample_of_the_group_counts_no_more_than_the_group() -> None:
    sampled = example("sample:0.5")
    assert (sampled.published / 2 <= sampled.counts).all()


def test_turns_are_those_of_the_game_iv() -> None:
    assert [example(turn=turn).mobility for turn in range(3)] == ["low", "middle", "high"]
    assert example(turn=2).turn == 2
    with pytest.raises(ParameterError, match="turn must be between 0 and 59, got 60"):
        example(turn=60)


@pytest.mark.parametrize(("prior", "most"), [("subset", 2), ("same-groups", 5)])
def test_promises_are_those_of_the_week_that_the_game_releases(prior: str, most: int) -> None:
    # The group priors are asked about the last week, where a person reports 5 times; the subset prior about
    # the first, where nobody reports more than twice.
    busy = {(hour, 0) for hour in (8, 18)} | {(336 + hour, 0) for hour in (8, 10, 12, 14, 18)}
    traces = traces_of_sets([busy] + [{(9, 0), (345, 0)}] * 19, n_zones=2, n_weeks=3, null_zone=False)
    parameters = GameParameters(
        prior=prior, group_size=4, prior_share=0.5, targets=1, defence="lpa-event", epsilons=(0.1, 1.0)
    )
    facts, defences = defences_from_traces(traces, parameters)
    assert facts.max_reports == most
    assert [one.epsilon_user for one in defences] == [0.1 * most, 1.0 * most]
    assert defences == tuple(Game(traces, parameters).defences.values())
