"""Several games played in turns, a few targets at a time, so that a first answer to all of them is there soon."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from privlab.aggregates.parameters import GameParameters
from privlab.aggregates.results import GameResult
from privlab.aggregates.traces import Traces
from privlab.progress import Report
from privlab.runs import Runs, game_result_from_traces

_STEPS = (3, 6, 12, 24, 45, 90, 150, 300, 600)


def refined_results_from_traces(
    traces: Traces,
    games: Sequence[GameParameters],
    *,
    runs: Runs,
    heard: Callable[[int, GameResult], None],
    report: Report,
) -> list[GameResult]:
    """Return the result of every game. `heard(number, result)` is given each game's result as it grows.

    The targets of a smaller step are the first of a larger one, and `runs` keeps them: nothing is
    played twice. `report(share, words)` may end it by raising; what was played stays.
    """
    results: list[GameResult] = []
    most = max(game.targets for game in games)
    steps = [*(step for step in _STEPS if step < most), most]
    for before, step in zip([0, *steps], steps, strict=False):
        results = []
        for number, game in enumerate(games):

            def told(
                share: float, words: str, number: int = number, before: int = before, step: int = step
            ) -> None:
                done = before + (step - before) * (number + max(0.0, share)) / len(games)
                report(min(done / most, 1.0), f"{words} in groups of {games[number].group_size:,}")

            part = replace(game, targets=min(step, game.targets))
            result = game_result_from_traces(traces, part, runs=runs, report=told)
            whole = GameResult(
                parameters=game, outcomes=result.outcomes, n_left=game.targets - len(result.outcomes)
            )
            results.append(whole)
            heard(number, whole)
    return results
