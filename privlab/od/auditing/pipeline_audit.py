"""Trips with a canary and without → releases of both, over and over → tests that are held against the promise.

What is read from the file comes in; bounding, noise, threshold and the published table are run anew each time. A test above
what the promise allows convicts the way from file to file; none above it acquits nobody. docs/science.md, section 5.8.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_between, require_choice, require_whole
from privlab.dp.audit import (
    RARE,
    CountedTest,
    TradeOff,
    epsilon_lower,
    found_in_worlds,
    trade_off_from_promise,
)
from privlab.limits import MAX_AUDIT_CELLS, MAX_AUDIT_TRIALS, MAX_AUDIT_TRIPS, MAX_SEED
from privlab.od.auditing.broken_steps import BROKEN_PIPELINES, OF_SUMS
from privlab.od.auditing.watched_flows import Watched, changed_counts
from privlab.od.levels.trip_weights import districts_of_zones
from privlab.od.matrix import Ints
from privlab.od.releases.rehearsed_release import (
    RehearsedCounts,
    RehearsedSteps,
    rehearsed_counts_from_settled_trips,
    seeded_steps,
)
from privlab.od.releases.release_noise import release_noise_from_parameters
from privlab.od.releases.release_plan import ReleasePlan, SecureReleaseParameters
from privlab.od.releases.secure_release import bounded_counts_from_week
from privlab.od.settled import SettledCells
from privlab.progress import UNHEARD, Progress
from privlab.seeds import generator

Published = Callable[[RehearsedCounts], RehearsedCounts]
"""Write the counts as a release's file, and return what is read from it."""

SEED, SYSTEM = "seed", "system"
HONEST = "honest"
_NOBODY = "nobody"
_FOR_FIXED = 0.5  # of the chance to fail that the level leaves: for the settled tests that see most
_BLOCK = 50  # runs between two reports


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineAuditParameters:
    """How the way from file to file is audited: `trials` releases with each canary, and as many without.

    `level` is the confidence of all tests together. `chance` says where choice and noise come from: "seed" (the same law,
    drawn faster, the same each time) or "system" (as releases draw). `pipeline` is "honest", the release's own, or one of
    BROKEN_PIPELINES, whose noise comes from the seed.
    """

    release: SecureReleaseParameters
    trials: int = 2_000
    level: float = 0.999
    seed: int = 1
    chance: str = SEED
    pipeline: str = HONEST

    def __post_init__(self) -> None:
        """Check every field."""
        require_whole("trials", self.trials, 200, MAX_AUDIT_TRIALS)
        require_between("level", self.level, 0.5, 1 - 1e-9)
        require_whole("seed", self.seed, 0, MAX_SEED)
        require_choice("chance", self.chance, (SEED, SYSTEM))
        require_choice("pipeline", self.pipeline, (HONEST, *BROKEN_PIPELINES))
        require_whole("max_trips_per_user", self.release.max_trips_per_user, 1, MAX_AUDIT_CELLS)
        if self.pipeline in OF_SUMS and not self.release.levels:
            raise ParameterError(
                f"pipeline must not be {self.pipeline} without sums of districts: name levels, with noise gaussian."
            )
        if self.pipeline == "total-without-noise" and not self.release.total_share:
            raise ParameterError(
                "pipeline must not be total-without-noise without a noisy total: release it unbiased."
            )
        if self.pipeline == "threshold-on-true-counts" and not self.release.threshold:
            raise ParameterError("threshold must be at least 1 for pipeline threshold-on-true-counts, got 0.")
        if self.pipeline == "no-noise-on-empty-flows" and self.release.cells == "discovered":
            raise ParameterError(
                "pipeline must not be no-noise-on-empty-flows for discovered cells, whose empty flows get no noise anyway."
            )
        if self.pipeline != HONEST and self.chance == SYSTEM:
            raise ParameterError("chance must be seed for a broken pipeline, got 'system'.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditedWorlds:
    """What reading gave: the trips without any canary, and with each, by its name."""

    without: SettledCells
    inside: dict[str, SettledCells]

    def in_order(self, week: str) -> "AuditedWorlds":
        """Return the same with the week's trips by user and flow: the database may hand a user's trips over in any order."""
        return AuditedWorlds(
            without=_ordered(self.without, week),
            inside={name: _ordered(trips, week) for name, trips in self.inside.items()},
        )

    def of_fewer_flows(
        self, week: str, watched: Ints, most: int, rng: np.random.Generator
    ) -> "AuditedWorlds":
        """Return the same in fewer flows where a world has more than `most` trips: the watched cells, then those that whoever moves in
        them also moves in, and others at random.

        The same flows go from every world, whoever is in them, so that they still differ by one person. `watched` are cells
        over the zones of `without`, which are those of all worlds.
        """
        user, flow = self.without.week_of(week)
        zones = self.without.zones.size
        if flow.size <= most or any(trips.zones.size != zones for trips in self.inside.values()):
            return self
        cells, n_trips = np.unique(flow, return_counts=True)
        order = rng.permutation(cells.size)
        own = np.isin(cells[order], watched)
        beside = np.isin(cells[order], flow[np.isin(user, user[np.isin(flow, watched)])])
        order = np.concatenate([order[own], order[beside & ~own], order[~beside & ~own]])
        n_kept = int(np.searchsorted(np.cumsum(n_trips[order]), most, side="right"))
        kept = np.union1d(cells[order[:n_kept]], watched)
        return AuditedWorlds(
            without=_in_flows(self.without, week, kept),
            inside={name: _in_flows(trips, week, kept) for name, trips in self.inside.items()},
        )


def _ordered(trips: SettledCells, week: str) -> SettledCells:
    user, flow = trips.week_of(week)
    order = np.lexsort((flow, user))
    return replace(
        trips, weeks=(week,), week_starts=np.array([0, order.size]), user=user[order], flow=flow[order]
    )


def _in_flows(trips: SettledCells, week: str, cells: Ints) -> SettledCells:
    user, flow = trips.week_of(week)
    kept = np.isin(flow, cells)
    return replace(
        trips,
        weeks=(week,),
        week_starts=np.array([0, int(kept.sum())]),
        user=user[kept],
        flow=flow[kept],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryFound:
    """One canary: its trips that came through reading, what reading changed of others, and the tests of its presence.

    `n_asked` trips were written into the file, `n_trips` were read back. `n_others_moved` counts of other people changed
    with it, which is more than any promise covers. `others` are the people beside it in its flows.
    """

    name: str
    n_asked: int
    n_trips: int
    n_others_moved: int
    others: int
    tests: tuple[CountedTest, ...]

    @property
    def convicted(self) -> bool:
        """Whether a test is above what the promise allows, or reading let one person move others."""
        return self.n_others_moved > 0 or any(test.convicted for test in self.tests)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PipelineAudit:
    """All canaries and their tests, beside the promise (`epsilon`, `delta`) and its trade-off curve.

    Of `n_trips` trips in the week, added people included, `n_trips_run` were run again and again.
    """

    parameters: PipelineAuditParameters
    plan: ReleasePlan
    canaries: tuple[CanaryFound, ...]
    curve: TradeOff
    epsilon: float
    delta: float
    n_added: int
    n_trips: int
    n_trips_run: int

    @property
    def convicted(self) -> bool:
        """Whether the way was caught breaking its promise."""
        return any(canary.convicted for canary in self.canaries)

    @property
    def epsilon_lower(self) -> float:
        """The ε that the tests prove at least, all together; 0 if none proves any."""
        found = (epsilon_lower(test, self.delta) for canary in self.canaries for test in canary.tests)
        return max(found, default=0.0)

    @property
    def worst(self) -> tuple[CanaryFound, CountedTest]:
        """The test that goes furthest beyond what the promise allows, and its canary; else that which is right most often.

        Tests of rates that find no fault say little: whoever is always said to be in is always found. Raises ValueError if
        no trip of any canary came through reading.
        """
        every = [(canary, test) for canary in self.canaries for test in canary.tests]
        caught = [one for one in every if one[1].convicted]
        return max(
            caught or [one for one in every if one[1].kind != RARE],
            key=lambda one: one[1].found - one[1].most,
        )


def pipeline_audit_from_worlds(
    worlds: AuditedWorlds,
    plan: ReleasePlan,
    parameters: PipelineAuditParameters,
    *,
    asked: dict[str, int],
    others: dict[str, int],
    n_added: int,
    published: Published,
    progress: Progress = UNHEARD,
) -> PipelineAudit:
    """Return the audit of one week's releases.

    Parameters
    ----------
    worlds : AuditedWorlds
    plan : ReleasePlan
        Of one week.
    parameters : PipelineAuditParameters
    asked, others : dict of int
        By canary: trips written into the file, and people beside it in its flows.
    n_added : int
        People added with and without the canaries.
    published : callable
        The table of a release's file, written and read back.
    """
    (week,) = plan.weeks
    apart = {name: changed_counts(worlds.without, trips, week) for name, trips in worlds.inside.items()}
    own = {name: np.sort(cells[change == 1]) for name, (cells, change) in apart.items()}
    n_trips = int(worlds.without.week_of(week)[1].size)
    worlds = worlds.in_order(week).of_fewer_flows(
        week,
        np.concatenate([np.zeros(0, dtype=np.int64), *own.values()]),
        MAX_AUDIT_TRIPS,
        generator(parameters.seed, "pipeline audit flows"),
    )
    watched = {
        name: Watched.from_cells(cells, worlds.without, plan) for name, cells in own.items() if cells.size
    }
    by_sums = [name for name, one in watched.items() if one.told_by_sums][-1:]
    curve = trade_off_from_promise(parameters.release.guarantee_parameters(1))
    to_run = {_NOBODY: worlds.without} | {name: worlds.inside[name] for name in watched}
    seen = {}
    for place, (name, trips) in enumerate(to_run.items()):
        steps = _steps(parameters, name, districts_of_zones(plan.levels, plan.zones, trips.zones))
        looked_at = watched if name == _NOBODY else {name: watched[name]}
        part = progress.part(place / len(to_run), (place + 1) / len(to_run))
        seen[name] = _runs(trips, plan, steps, parameters.trials, looked_at, published, part)
    canaries = []
    for place, (name, (_, change)) in enumerate(apart.items()):
        n_own = int((change == 1).sum())
        tests: tuple[CountedTest, ...] = ()
        if name in watched:
            tests = found_in_worlds(
                {what: values for (who, what), values in seen[name].items() if who == name},
                {what: values for (who, what), values in seen[_NOBODY].items() if who == name},
                watched[name].settled_test(parameters.release),
                curve,
                **_shares(place == 0, name in by_sums, bool(by_sums), len(apart), 1 - parameters.level),
            )
        canaries.append(
            CanaryFound(
                name=name,
                n_asked=asked[name],
                n_trips=n_own,
                n_others_moved=int((change != 1).sum()) + max(0, n_own - asked[name]),
                others=others[name],
                tests=tests,
            )
        )
    week_promise = plan.guarantee.user_week
    assert week_promise is not None
    return PipelineAudit(
        parameters=parameters,
        plan=plan,
        canaries=tuple(canaries),
        curve=curve,
        epsilon=week_promise.epsilon,
        delta=week_promise.delta,
        n_added=n_added,
        n_trips=n_trips,
        n_trips_run=int(worlds.without.week_of(week)[1].size),
    )


def _shares(
    is_first: bool, by_sums: bool, any_by_sums: bool, n_canaries: int, left: float
) -> dict[str, float]:
    """Return with which chance the settled test, and the two chosen ones together, may fail: `left` over all canaries.

    Half of it goes to the settled test of the first canary, or half of that to the one that sums of districts tell of.
    """
    each = (1 - _FOR_FIXED) * left / (2 * n_canaries)
    settled = _FOR_FIXED * left / (2 if any_by_sums else 1)
    return {"may_fail_fixed": each + (settled if is_first or by_sums else 0.0), "may_fail": each}


def _steps(parameters: PipelineAuditParameters, world: str, groups: Sequence[Ints]) -> RehearsedSteps:
    """Return the steps of a release, each world with chance of its own; `groups` are the districts of its zones by level."""
    release = parameters.release
    if parameters.chance == SYSTEM:
        return RehearsedSteps(
            bounded=partial(bounded_counts_from_week, groups=groups),
            noise=release_noise_from_parameters(release),
        )
    rng = generator(parameters.seed, f"pipeline audit {world}")
    steps = seeded_steps(release, rng, groups)
    breaking = BROKEN_PIPELINES.get(parameters.pipeline)
    return steps if breaking is None else breaking(steps, release, rng)


def _runs(
    trips: SettledCells,
    plan: ReleasePlan,
    steps: RehearsedSteps,
    trials: int,
    watched: dict[str, Watched],
    published: Published,
    progress: Progress,
) -> dict[tuple[str, str], npt.NDArray[np.float64]]:
    """Return what is seen of each canary's flows in each run, shape (trials,), by canary and by what is looked at."""
    rows: dict[tuple[str, str], list[float]] = {}
    for run in range(trials):
        if run % _BLOCK == 0:
            progress.tell(run / trials, "Making releases with each canary and without")
        read = published(rehearsed_counts_from_settled_trips(trips, plan, steps))
        for name, one in watched.items():
            for what, value in one.seen_in(read).items():
                rows.setdefault((name, what), []).append(value)
    return {what: np.array(values, dtype=np.float64) for what, values in rows.items()}
