"""Traces + games → what attackers reached, kept target by target, each held against its bound. True data.

Pages, reports and the command line play through here; runs.py only keeps what was played.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from privlab.aggregates import Traces
from privlab.aggregates.findings import GameResult, Setting, TargetOutcome, seen_from_result
from privlab.aggregates.game import BoundCheck, PreparedGame
from privlab.aggregates.game_rules import GameParameters, plan_from_parameters, traces_of_game
from privlab.checks import ParameterError
from privlab.datasets.engines import SparkWorkspace
from privlab.kept import Runs, runs_path_from_environment
from privlab.progress import UNHEARD, Progress

_STEPS = (3, 6, 12, 24, 45, 90, 150, 300, 600)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayedGame:
    """What came out of a game, and each AUC of a defended release beside its bound."""

    result: GameResult
    checks: tuple[BoundCheck, ...]

    def checks_of(self, setting: Setting) -> tuple[BoundCheck, ...]:
        """Return the checks of one adversary, one per target; none where the defence bounds no attack."""
        return tuple(one for one in self.checks if one.setting == setting)

    def mean_bound(self, setting: Setting) -> tuple[float, bool] | None:
        """Return what the defence allows an adversary on average over the targets, and whether that is proven.

        None where the defence bounds no attack.
        """
        own = self.checks_of(setting)
        if not own:
            return None
        return min(1.0, math.fsum(one.bound.auc for one in own) / len(own)), own[0].proven


def seen_of_played(played: PlayedGame) -> PlayedGame:
    """Return a game without the targets whom the released period does not see, as seen_from_result has it."""
    seen = seen_from_result(played.result)
    users = {one.user for one in seen.outcomes}
    return PlayedGame(result=seen, checks=tuple(one for one in played.checks if one.user in users))


def runs_of_data(folder: Path | None = None) -> Runs:
    """Return where games are kept: those of data of one's own in its folder, all others in the user's file."""
    return Runs(runs_path_from_environment() if folder is None else folder / "runs.sqlite")


def play_game(
    traces: Traces,
    parameters: GameParameters,
    *,
    runs: Runs | None = None,
    workers: int = 1,
    cluster: SparkWorkspace | None = None,
    progress: Progress = UNHEARD,
    heard: Callable[[TargetOutcome], None] = lambda outcome: None,
) -> PlayedGame:
    """Play a game, or go on with it, and hold it against its bounds.

    Raises BoundViolation if a proven bound is exceeded beyond sampling error. Targets that `runs` has
    already are not played again.

    `progress` is told how far the game is and how long it may still take. Where it ends the game, what was
    played stays in `runs`. `heard` is given each outcome as it is there. The result is the same for any
    number of `workers`, and however often the game was stopped on the way. A `cluster` plays instead, if there is one: its
    workers are sent all traces.
    """
    with runs.kept_open() if runs is not None else nullcontext():
        game = _GameUnderWay(traces, parameters, runs)
        return game.play(parameters.targets, workers=workers, cluster=cluster, progress=progress, heard=heard)


def games_that_fit(
    traces: Traces, games: Sequence[GameParameters]
) -> tuple[tuple[GameParameters, ...], tuple[str, ...]]:
    """Return the games that this data holds, and one complaint for each that it does not.

    For several group sizes asked for at once: those beyond the data are named, the others played. Raises
    ParameterError or DataError where no game is left.
    """
    changed = traces_of_game(traces, games[0])  # the same controls for all of them
    fitting, complaints = [], []
    first: ParameterError | None = None
    for game in games:
        try:
            plan_from_parameters(game, changed)
        except ParameterError as error:
            first = first or error
            complaints.append(f"{game.prior}, groups of {game.group_size:,}, left out: {error}")
        else:
            fitting.append(game)
    if first is not None and not fitting:
        raise first
    return tuple(fitting), tuple(complaints)


def play_games_in_turns(
    traces: Traces,
    games: Sequence[GameParameters],
    *,
    runs: Runs,
    heard: Callable[[int, GameResult], None],
    progress: Progress,
) -> list[GameResult]:
    """Play several games, a few targets of each at a time, so that a first answer to all of them is there soon.

    `heard(number, result)` is given each game's result as it grows. The targets of a smaller step are the
    first of a larger one, and `runs` keeps them: nothing is played twice. Where `progress` ends it, what was
    played stays.
    """
    with runs.kept_open():
        return _played_in_turns(traces, games, runs, heard, progress)


def _played_in_turns(
    traces: Traces,
    games: Sequence[GameParameters],
    runs: Runs,
    heard: Callable[[int, GameResult], None],
    progress: Progress,
) -> list[GameResult]:
    results: list[GameResult] = []
    under_way: dict[int, _GameUnderWay] = {}
    most = max(game.targets for game in games)
    steps = [*(step for step in _STEPS if step < most), most]
    for before, step in zip([0, *steps], steps, strict=False):
        results = []
        for number, game in enumerate(games):
            low, high = (before + (step - before) * (number + i) / len(games) for i in (0, 1))
            part = progress.part(low / most, high / most, suffix=f" in groups of {game.group_size:,}")
            if number not in under_way:
                under_way[number] = _GameUnderWay(traces, game, runs)
            result = under_way[number].play(min(step, game.targets), progress=part).result
            whole = GameResult(
                parameters=game, outcomes=result.outcomes, n_left=game.targets - len(result.outcomes)
            )
            results.append(whole)
            heard(number, whole)
    return results


class _GameUnderWay:
    """One game: what it needs is worked out once, however few targets are played at a time."""

    def __init__(self, traces: Traces, parameters: GameParameters, runs: Runs | None) -> None:
        self._prepared, self._runs = PreparedGame(traces, parameters), runs
        self._key = "" if runs is None else runs.begin_run(traces, parameters).key
        known = {} if runs is None else runs.outcomes(self._key)
        self._done = {
            target.user: known[str(target.user)]
            for target in self._prepared.targets
            if str(target.user) in known
        }

    def play(
        self,
        n_targets: int,
        *,
        workers: int = 1,
        cluster: SparkWorkspace | None = None,
        progress: Progress = UNHEARD,
        heard: Callable[[TargetOutcome], None] = lambda outcome: None,
    ) -> PlayedGame:
        """Play the first so many targets but for those that are there already, and check what came out."""
        targets, done = self._prepared.targets[:n_targets], self._done
        for target in targets:
            if target.user in done:
                heard(done[target.user])
        left = [target for target in targets if target.user not in done]
        if left:
            whole = len(self._prepared.targets)
            counted = _counted_targets(progress, len(targets) - len(left), len(targets), whole)
            played = self._prepared.outcomes(left, workers=workers, cluster=cluster, progress=counted)
            for outcome in played:
                if self._runs is not None:
                    self._runs.save_outcome(self._key, outcome)
                done[outcome.user] = outcome
                heard(outcome)
        result = GameResult(
            parameters=replace(self._prepared.parameters, targets=n_targets),
            outcomes=tuple(done[target.user] for target in targets),
            n_left=0,
        )
        return PlayedGame(result=result, checks=tuple(self._prepared.checks(result)))


def _counted_targets(progress: Progress, n_known: int, n_targets: int, n_whole: int) -> Progress:
    """Return what hears the share of the targets left of the first `n_targets`, and tells how many of all there are and the time left."""
    began = time.monotonic()

    def heard(share: float, _: str) -> None:
        n_played = round(share * (n_targets - n_known))
        n_done, words = n_known + n_played, f"{n_known + n_played} of {n_whole} targets"
        if n_played and n_done < n_targets:
            seconds = (time.monotonic() - began) / n_played * (n_targets - n_done)
            words += f", about {_span(seconds)} left"
        progress.tell(n_done / n_targets, words)

    return Progress(heard)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
