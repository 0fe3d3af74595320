"""The example that pages show: a group with the target in it, as counted and as a defence publishes it."""

import numpy as np
import pytest

from privlab.aggregates.classifiers import ClassifierSettings
from privlab.aggregates.example import Example, example_from_traces
from privlab.aggregates.parameters import GameParameters
from privlab.checks import ParameterError
from tests.aggregates.worlds import habitual_traces

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
