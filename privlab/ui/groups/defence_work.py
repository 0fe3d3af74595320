"""Games against defended counts, one after the other, as another process plays them for the page: no page is known here."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from privlab.aggregates import Traces
from privlab.aggregates.findings import TargetOutcome, TradeoffPoint, tradeoff_from_result
from privlab.aggregates.game_rules import GameParameters
from privlab.figures.groups import defence_words as words
from privlab.kept import Runs
from privlab.lab.attacking import PlayedGame, play_game, seen_of_played
from privlab.progress import Cancelled, Progress

Found = list[tuple[TradeoffPoint, str]]
"""Points of the trade-off, each with the bound on its AUC in words."""


def attack_defences(
    traces: Traces,
    games: Sequence[GameParameters],
    *,
    runs: Runs,
    progress: Progress,
    heard: Callable[[Found, str], None],
) -> Found:
    """Play all games; if it is stopped, say what was finished and how far that is, the targets of the last defence among it."""
    points: Found = []
    for number, game in enumerate(games):
        played_targets: list[TargetOutcome] = []
        part = progress.part(number / len(games), (number + 1) / len(games))
        try:
            part.tell(0.0, f"Attacking the counts under: {words.defence_name(game.defence)}")
            played = play_game(traces, game, runs=runs, progress=part, heard=played_targets.append)
        except Cancelled:
            n, says = len(played_targets), f"{number} of {len(games)} defences"
            if n:  # all of them are kept: nothing is played again
                points += _points_of(play_game(traces, replace(game, targets=n), runs=runs))
                says += f", and {n} of {game.targets} targets under: {words.defence_name(game.defence)}"
            heard(points, says)
            raise
        points += _points_of(played)
    return points


def _points_of(played: PlayedGame) -> Found:
    """Return the points of a game, of the targets whom the released period sees."""
    played = seen_of_played(played)
    return [(one, _bound_in_words(one, played)) for one in tradeoff_from_result(played.result)]


def _bound_in_words(point: TradeoffPoint, played: PlayedGame) -> str:
    """Return the mean of what the mechanism allows on each target, beside which the mean AUC stands."""
    found = played.mean_bound(point.setting)
    if found is None:
        return "none"
    bound, proven = found
    return f"{bound:.3f}{'' if proven else ' (not proven)'}"
