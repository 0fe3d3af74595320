"""Traces + games that are refused → why, in a sentence, and which game this data can be played with instead.

The page Groups and the command game say it in these words.
"""

from collections.abc import Sequence
from dataclasses import replace

from privlab.aggregates import Traces
from privlab.aggregates.game import example_from_traces
from privlab.aggregates.game_rules import (
    ARMS,
    HALF,
    GameParameters,
    TooFewGroups,
    first_split_from_traces,
    plan_from_parameters,
    traces_of_game,
)
from privlab.checks import DataError, ParameterError
from privlab.figures.wording import people
from privlab.limits import MAX_GROUP_SIZE

PEOPLE_NEEDED = 11
"""With fewer there are not 200 different groups without the target, and 200 with, of any one size (docs/science.md, 3.2)."""
_SMALL_SIZE = 5
_PRIORS = ("subset", "perfect")  # tried in this order, after the one that was asked for


def largest_group(game: GameParameters, traces: Traces) -> int:
    """Return of how many people groups can be in such a game on data changed by its controls; 0 if it is refused at any size."""
    low, high = 0, min(MAX_GROUP_SIZE, traces.n_users) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _is_planned(replace(game, group_size=middle), traces) else (low, middle)
    return low


def playable_game(game: GameParameters, traces: Traces) -> GameParameters | None:
    """Return the game on unchanged data that is nearest to the one refused and can be played, None if there is none.

    Its groups are of five people or fewer. Each is tried as it is played: whether there are enough different groups shows then.
    """
    plain = replace(
        game,
        controls=(),
        balance=HALF,
        period="week",
        known="1",
        group_size=1,
        targets=min(game.targets, traces.n_users),
    )
    for prior in dict.fromkeys((game.prior, *_PRIORS)):
        tested = game.test_groups if prior == game.prior else None  # another prior need not have any to test
        for arm in dict.fromkeys((*game.arms, ARMS[0])):
            one = replace(plain, prior=prior, arms=(arm,), test_groups=tested)
            for size in range(min(_SMALL_SIZE, largest_group(one, traces)), 0, -1):
                found = replace(one, group_size=size)
                if is_played(found, traces):
                    return found
    return None


def refusal_in_words(error: Exception, games: Sequence[GameParameters], traces: Traces) -> str:
    """Return why games are refused, in words that name no option."""
    try:
        changed = traces_of_game(traces, games[0])  # the same controls for all of them
    except (DataError, ParameterError):
        return str(error)
    too_large = [
        one.group_size for one in games if one.group_size > (largest_group(one, changed) or one.group_size)
    ]
    if too_large and isinstance(error, ParameterError):
        return f"{_most_in_words(games[0], changed)} You asked for {_groups_of(too_large)}."
    if isinstance(error, TooFewGroups):
        return (
            f"There are too few different groups of such a size among the {people(changed.n_users)} here: a game draws each group "
            "once only, with the target or without."
        )
    return str(error)


def left_out_in_words(
    games: Sequence[GameParameters], kept: Sequence[GameParameters], traces: Traces
) -> tuple[str, ...]:
    """Return which group sizes are left out, and why, where it is for the number of people; nothing where it is not."""
    sizes = list(dict.fromkeys(one.group_size for one in games if one not in kept))
    changed = traces_of_game(traces, games[0])
    if not sizes or not all(size > (largest_group(games[0], changed) or size) for size in sizes):
        return ()
    said = _groups_of(sizes)
    return (f"{said[0].upper()}{said[1:]} are left out. {_most_in_words(games[0], changed)}",)


def nothing_playable_in_words(traces: Traces) -> str:
    """Return what a game needs at least, and what there is; nothing where there is enough of both, and something else is in the way."""
    weeks = len(traces.mondays)
    if weeks and traces.n_users >= PEOPLE_NEEDED:
        return ""
    whole = "no whole week" if not weeks else "1 whole week" if weeks == 1 else f"{weeks:,} whole weeks"
    return (
        f"A game needs at least {PEOPLE_NEEDED} people, and a whole week from Monday to Sunday. Here there "
        f"{'is' if traces.n_users == 1 else 'are'} {people(traces.n_users)} and {whole}."
    )


def _most_in_words(game: GameParameters, traces: Traces) -> str:
    most = largest_group(game, traces)
    n_known = plan_from_parameters(replace(game, group_size=most), traces).n_known
    of = (
        f"There are {people(traces.n_users)}, and some groups are without the target."
        if n_known is None
        else f"Of {people(traces.n_users)} the attacker knows {n_known:,}. Groups are of those known or of the others, and some are "
        "without the target."
    )
    return f"Groups can have at most {people(most)} here. {of}"


def _groups_of(sizes: Sequence[int]) -> str:
    *first, last = [f"{one:,}" for one in dict.fromkeys(sizes)]
    return f"groups of {', '.join(first)} and {last}" if first else f"groups of {last}"


def _is_planned(game: GameParameters, traces: Traces) -> bool:
    try:
        plan_from_parameters(game, traces)
    except (DataError, ParameterError):
        return False
    return True


def is_played(game: GameParameters, traces: Traces) -> bool:
    """Return whether the data holds such a game: enough people and weeks, and enough different groups of them."""
    try:
        if game.is_defended:
            example_from_traces(traces, game, turn=0)
        else:  # to draw the groups is enough, and leaves the counts of every week unmade
            first_split_from_traces(traces, game)
    except (DataError, ParameterError):
        return False
    return True
