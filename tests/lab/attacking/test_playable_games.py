"""What is said of data that is too small for a game, and which game is offered instead: one that can be played."""

import math
from dataclasses import replace

import pytest

from privlab.aggregates.game import example_from_traces
from privlab.aggregates.game_rules import GameParameters
from privlab.checks import ParameterError
from privlab.lab.attacking import games_that_fit
from privlab.lab.attacking.playable_games import (
    PEOPLE_NEEDED,
    left_out_in_words,
    nothing_playable_in_words,
    playable_game,
    refusal_in_words,
)
from tests.aggregates.worlds import habitual_traces

ASKED = GameParameters(group_size=10, targets=3, classifiers=("lr",))


def refusal(n_users: int, game: GameParameters = ASKED) -> str:
    traces = habitual_traces(n_users)
    with pytest.raises(ParameterError) as refused:
        example_from_traces(traces, game, turn=0)
    return refusal_in_words(refused.value, [game], traces)


def test_the_limit_is_said_as_a_sentence_of_the_page() -> None:
    """A fifth of 23 people is five, of whom one is the target: at most four others."""
    assert refusal(23) == (
        "Groups can have at most 4 people here. Of 23 people the attacker knows 5. Groups are of those known or of the others, and some "
        "are without the target. You asked for groups of 10."
    )
    assert refusal(8).startswith("Groups can have at most 1 person here. Of 8 people the attacker knows 2.")
    assert "There are 9 people, and some groups" in refusal(9, replace(ASKED, prior="perfect"))


def test_too_few_different_groups_are_said_without_names_of_parameters() -> None:
    said = refusal(23, replace(ASKED, group_size=4))  # 4 of 4 others: one group
    assert said.startswith("There are too few different groups of such a size among the 23 people here")


@pytest.mark.parametrize("n_users", [11, 12, 23, 30, 60])
def test_the_game_that_is_offered_can_be_played(n_users: int) -> None:
    """Of the group sizes that the limit allows, fours of 23 people would be refused for want of different groups."""
    traces = habitual_traces(n_users)
    found = playable_game(ASKED, traces)
    assert found is not None
    for turn in range(found.targets):
        example_from_traces(traces, found, turn=turn)
    assert found.prior == ("subset" if n_users == 60 else "perfect")


def test_groups_to_test_are_left_out_of_a_game_that_has_none() -> None:
    """Of 23 people a perfect attacker is offered, who tests the groups of the training: `docs/science.md`, 3.6."""
    asked = replace(ASKED, prior="zero-knowledge", group_size=40, arms=("cells",), test_groups=20)
    found = playable_game(replace(asked, prior="subset"), habitual_traces(23))
    assert found is not None
    assert (found.prior, found.test_groups) == ("perfect", None)
    kept = playable_game(asked, habitual_traces(60))
    assert kept is not None
    assert (kept.prior, kept.test_groups) == ("zero-knowledge", 20)


@pytest.mark.parametrize(("n_users", "n_weeks"), [(1, 1), (2, 1), (10, 3), (40, 0)])
def test_where_no_game_can_be_played_it_is_said_what_is_needed_and_what_there_is(
    n_users: int, n_weeks: int
) -> None:
    traces = habitual_traces(n_users, n_weeks=max(1, n_weeks))
    if not n_weeks:
        traces = replace(traces, n_days=6)
    assert playable_game(ASKED, traces) is None
    said = nothing_playable_in_words(traces)
    assert said.startswith("A game needs at least 11 people, and a whole week")
    there = "is 1 person" if n_users == 1 else f"are {n_users} people"
    whole = {0: "no whole week", 1: "1 whole week", 3: "3 whole weeks"}[n_weeks]
    assert said.endswith(f"Here there {there} and {whole}.")


def test_the_people_needed_against_counting_groups() -> None:
    """200 different groups without the target, 200 with it, of one size: the least number of people, by brute force."""

    def enough(n: int) -> bool:
        return any(min(math.comb(n - 1, m), math.comb(n - 1, m - 1)) >= 200 for m in range(1, n))

    assert min(n for n in range(2, 40) if enough(n)) == PEOPLE_NEEDED
    assert nothing_playable_in_words(habitual_traces(PEOPLE_NEEDED)) == ""


def test_sizes_that_are_left_out_are_named_in_one_sentence() -> None:
    traces = habitual_traces(60)  # 12 known
    games = [replace(ASKED, group_size=size) for size in (5, 20, 30)]
    kept, _ = games_that_fit(traces, games)
    (said,) = left_out_in_words(games, kept, traces)
    assert said.startswith(
        "Groups of 20 and 30 are left out. Groups can have at most 11 people here. Of 60 people"
    )
