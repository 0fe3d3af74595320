"""Several group sizes asked for at once: those that the data holds are played, the others named."""

from dataclasses import replace

import pytest

from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.checks import ParameterError
from privlab.lab.attacking.play import games_that_fit
from tests.aggregates.worlds import habitual_traces

GAME = GameParameters(prior="subset", prior_share=0.5, classifiers=("lr",), targets=3)


def games(*sizes: int) -> list[GameParameters]:
    return [replace(GAME, group_size=size) for size in sizes]


def test_sizes_beyond_the_data_are_named() -> None:
    """60 people, half of them known: 29 without the target on one side, 30 on the other."""
    fitting, complaints = games_that_fit(habitual_traces(60), games(5, 29, 30))
    assert [game.group_size for game in fitting] == [5, 29]
    (complaint,) = complaints
    assert complaint.startswith("subset, groups of 30, left out: group_size must be at most 29 ")


def test_where_no_size_fits_the_first_complains_iv() -> None:
    with pytest.raises(ParameterError, match=r"group_size must be at most 29 .* got 500"):
        games_that_fit(habitual_traces(60), games(500, 1000))


def test_controls_come_first() -> None:
    """Of 60 people the control leaves 20, 10 of them known."""
    few = [replace(game, controls=("users:20",)) for game in games(9, 10)]
    fitting, _ = games_that_fit(habitual_traces(60), few)
    assert [game.group_size for game in fitting] == [9]
