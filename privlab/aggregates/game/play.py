"""Targets → outcomes, one after another or on several processes; the same outcomes either way."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import cached_property

import numpy as np

from privlab.aggregates.defences.named_defences import takes_epsilon
from privlab.aggregates.findings.outcomes import TargetOutcome
from privlab.aggregates.findings.summaries import GameResult
from privlab.aggregates.findings.tradeoff import TradeoffPoint, tradeoff_from_result
from privlab.aggregates.game.bound_checks import BoundCheck, BoundChecks
from privlab.aggregates.game.one_target import Game
from privlab.aggregates.game_rules.changed_traces import traces_of_game
from privlab.aggregates.game_rules.game_plan import plan_from_parameters
from privlab.aggregates.game_rules.groups import Target, targets_from_traces
from privlab.aggregates.game_rules.parameters import CLASSIFIERS, GameParameters
from privlab.aggregates.traces import Traces
from privlab.checks import DataError, require_whole
from privlab.datasets.engines import SharedWork, SparkWorkspace
from privlab.limits import MAX_WORKERS
from privlab.progress import UNHEARD, Progress

_LOOK_S = 0.5  # how often a caller is heard while workers work

_TARGETS_PER_CORE = 2  # of a cluster at a time: who stops keeps those of earlier times

_game: Game | None = None  # of a worker process


def load_game() -> None:
    """Play a small game of made-up people, so that the first real one does not wait for classifiers and compiled counting to load."""
    n_users, n_days = 60, 14
    n = n_users * n_days
    traces = Traces(
        name="made up",
        digest="",
        zones_spec="",
        users=np.arange(n_users),
        zones=np.arange(2),
        starts=np.arange(0, n + 1, n_days),
        epoch=np.tile(np.arange(0, 24 * n_days, 24, dtype=np.int32), n_users),
        zone=(np.arange(n, dtype=np.int32) % 2),
        first_day=date(2026, 3, 2),
        n_days=n_days,
    )
    parameters = GameParameters(
        group_size=5, targets=1, classifiers=CLASSIFIERS[:1], train_groups=10, test_groups=4
    )
    game = PreparedGame(traces, parameters)
    for _ in game.outcomes(game.targets):
        pass


class PreparedGame:
    """One game on given traces, however many of its targets are played at a time: all is worked out once.

    Raises ParameterError or DataError if the traces do not hold such a game. `targets` are all of them.
    """

    def __init__(self, traces: Traces, parameters: GameParameters) -> None:
        traces = traces_of_game(traces, parameters)
        plan_from_parameters(parameters, traces)
        self.traces, self.parameters = traces, parameters
        self.targets = targets_from_traces(traces, parameters.targets, seed=parameters.seed)

    @cached_property
    def game(self) -> Game:
        """What all targets share; made when the first is played or checked."""
        return Game(self.traces, self.parameters)

    @cached_property
    def _checks(self) -> BoundChecks:
        return BoundChecks(self.game, self.targets)

    def outcomes(
        self,
        targets: Sequence[Target],
        *,
        workers: int = 1,
        cluster: SparkWorkspace | None = None,
        progress: Progress = UNHEARD,
    ) -> Iterator[TargetOutcome]:
        """Yield the outcome of some of the targets, as `outcomes_from_traces` does; on a cluster, if there is one."""
        if cluster is not None:
            return _outcomes_on_cluster(self.game, targets, cluster, progress)
        return _outcomes_from_game(self.game, targets, workers, progress)

    def checks(self, result: GameResult) -> list[BoundCheck]:
        """Return each AUC of a defended release beside its bound, as `bound_checks_from_result` does."""
        return self._checks.of(result) if result.parameters.is_defended else []


def outcomes_from_traces(
    traces: Traces,
    parameters: GameParameters,
    targets: Sequence[Target],
    *,
    workers: int = 1,
    progress: Progress = UNHEARD,
) -> Iterator[TargetOutcome]:
    """Yield the outcome of every target as it is there; in the order of the targets with one worker.

    `progress` is told now and then; what that raises ends the game. Outcomes do not depend on `workers`.
    """
    yield from _outcomes_from_game(Game(traces, parameters), targets, workers, progress)


def _outcomes_on_cluster(
    game: Game, targets: Sequence[Target], cluster: SparkWorkspace, progress: Progress
) -> Iterator[TargetOutcome]:
    """Yield outcomes in the order of the targets, each a task of its own, as many at a time as keep the cores busy.

    So whoever stops the game keeps what was played before. Every worker is sent all traces.
    """
    with cluster.spread(SharedWork(Game, game.traces, game.parameters), outcome_of_shared_game) as spread:
        at_once = _TARGETS_PER_CORE * spread.n_cores
        for first in range(0, len(targets), at_once):
            some, share = targets[first : first + at_once], first / len(targets)
            part = progress.part(share, share + len(some) / len(targets))
            yield from spread.results(list(some), part)


def outcome_of_shared_game(shared: SharedWork[Game], target: Target) -> TargetOutcome:
    """Return the outcome of one target, on a worker; the game is prepared once per process."""
    return shared.prepared().outcome(target)


def _outcomes_from_game(
    game: Game, targets: Sequence[Target], workers: int, progress: Progress
) -> Iterator[TargetOutcome]:
    require_whole("workers", workers, 1, MAX_WORKERS)
    if workers == 1 or len(targets) < 2:
        for n_done, target in enumerate(targets):
            progress.tell(n_done / len(targets))
            yield game.outcome(target)
        progress.tell(1.0)
        return
    executor = ProcessPoolExecutor(
        max_workers=min(workers, len(targets)),
        mp_context=multiprocessing.get_context("spawn"),  # a fork would copy the locks of other threads
        initializer=_begin,
        initargs=(game.traces, game.parameters),
    )
    try:
        yield from _collected(executor, targets, workers, progress)
    except BaseException as error:
        for process in list((executor._processes or {}).values()):
            process.terminate()  # else the end of work that nobody waits for would be waited for
        if not isinstance(error, BrokenProcessPool):
            raise
        raise DataError("A process of the game ended before its work: is there too little memory?") from None
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _collected(
    executor: ProcessPoolExecutor, targets: Sequence[Target], workers: int, progress: Progress
) -> Iterator[TargetOutcome]:
    left, running, n_done = list(reversed(targets)), set[Future[TargetOutcome]](), 0
    while left or running:
        while left and len(running) < 2 * workers:
            with _without_interrupts():
                running.add(executor.submit(_outcome, left.pop()))
        progress.tell(n_done / len(targets))
        done, running = wait(running, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()
            n_done += 1
            progress.tell(n_done / len(targets))


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Begin processes, each whole, that leave Ctrl-C to the one that begins them; it is heard afterwards."""
    if os.name == "nt" or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which they inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


def _begin(traces: Traces, parameters: GameParameters) -> None:
    """Prepare a worker, and end it when the process that started it has ended, however that came."""
    global _game
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _game = Game(traces, parameters)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _outcome(target: Target) -> TargetOutcome:
    assert _game is not None
    return _game.outcome(target)


def tradeoff_from_traces(
    traces: Traces,
    parameters: GameParameters,
    defences: Sequence[str],
    epsilons: Sequence[float],
    *,
    workers: int = 1,
) -> list[TradeoffPoint]:
    """Return one point per defence, ε (none where it adds no noise), adversary, arm and classifier.

    One game is played per defence: `parameters` with its name and these ε.
    """
    traces = traces_of_game(traces, parameters)
    targets = targets_from_traces(traces, parameters.targets, seed=parameters.seed)
    points: list[TradeoffPoint] = []
    for defence in defences:
        one = replace(parameters, defence=defence, epsilons=tuple(epsilons) if takes_epsilon(defence) else ())
        outcomes = tuple(outcomes_from_traces(traces, one, targets, workers=workers))
        points += tradeoff_from_result(GameResult(parameters=one, outcomes=outcomes, n_left=0))
    return points
