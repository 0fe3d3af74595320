"""Parameters + traces → what a game takes of the data: groups, known users, weeks of training and test."""

from dataclasses import dataclass

from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import Traces
from privlab.checks import DataError, ParameterError
from privlab.limits import MAX_CELL_FEATURES, MAX_CELLS_AGGREGATED

LARGE = (
    5_000  # users from which defaults are those of the paper's larger data (TFL), below of its smaller (SFC)
)
# Groups of the training where none are asked for, by the prior.
_TRAIN_GROUPS = {
    "subset": 400,
    "same-groups": 150,
    "different-groups": 300,
    "perfect": 400,
    "zero-knowledge": 400,
}
_TRAIN_GROUPS_OF_LARGE = _TRAIN_GROUPS | {"perfect": 200}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a game takes of given data.

    `n_train` and `n_test` count groups; each training group gives a sample per training week. With
    `same_groups` the groups released are those of the training. `n_known` users, the target among them,
    are known to a subset prior, None under the others. Weeks are positions in the data's whole weeks.
    """

    n_train: int
    n_test: int
    same_groups: bool
    n_known: int | None
    train_weeks: tuple[int, ...]
    test_week: int


def plan_from_parameters(parameters: GameParameters, traces: Traces) -> Plan:
    """Return how many groups, users and weeks a game takes of the data.

    Raises ParameterError if there are too few users for such groups or too many features to fit, and
    DataError if there are too few weeks.
    """
    prior, large = parameters.prior, traces.n_users >= LARGE
    n_train = parameters.train_groups or (_TRAIN_GROUPS_OF_LARGE if large else _TRAIN_GROUPS)[prior]
    same = prior in ("same-groups", "perfect")
    n_known = None
    if prior == "subset":
        n_known = max(2, round((parameters.prior_share or (0.11 if large else 0.2)) * traces.n_users))
    weeks = _weeks(parameters, traces)
    plan = Plan(
        n_train=n_train,
        n_test=n_train if same else parameters.test_groups or 100,
        same_groups=same,
        n_known=n_known,
        train_weeks=weeks[:-1],
        test_week=weeks[-1],
    )
    _require_users(parameters, plan, traces)
    _require_room(parameters, plan, traces)
    return plan


def _weeks(parameters: GameParameters, traces: Traces) -> tuple[int, ...]:
    """Return the weeks of the training and, last, that of the test; (0, 0) where they are one week."""
    n_weeks = len(traces.mondays)
    weeks: tuple[int, ...] = (0, 0)
    if parameters.prior in ("subset", "perfect", "zero-knowledge"):
        needed = 1
    else:
        observed = parameters.observation_weeks or max(1, n_weeks - 1)
        needed, weeks = observed + 1, tuple(range(n_weeks - 1 - observed, n_weeks))
    if n_weeks < needed:
        there = "is none" if not n_weeks else "is 1" if n_weeks == 1 else f"are {n_weeks}"
        needs = (
            "A game needs a whole week, Monday to Sunday."
            if needed == 1
            else f"An attacker who knows earlier releases (prior {parameters.prior}) needs {needed} whole weeks, Monday to Sunday: the one "
            "attacked, and those before it."
        )
        raise DataError(f"{needs} From {traces.first_day} to {traces.last_day} there {there}.")
    return weeks


def _require_users(parameters: GameParameters, plan: Plan, traces: Traces) -> None:
    """Raise ParameterError if a group of OUT would need more users than there are without the target."""
    pools = [traces.n_users - 1]
    if plan.n_known is not None:
        pools = [plan.n_known - 1, traces.n_users - plan.n_known]
    if parameters.group_size > min(pools):
        which = (
            f"{min(plan.n_known, traces.n_users):,} users are known, {max(traces.n_users - plan.n_known, 0):,} are not"
            if plan.n_known is not None
            else f"the data has {traces.n_users:,} users"
        )
        if min(pools) < 1:
            raise DataError(
                f"The data has too few users for a game under the prior {parameters.prior}: {which}, and the target is not in every group."
            )
        raise ParameterError(
            f"group_size must be at most {min(pools):,} ({which}, and the target is not in every group), "
            f"got {parameters.group_size:,}."
        )
    if parameters.targets > traces.n_users:
        raise ParameterError(
            f"targets must be at most {traces.n_users:,}, the users of the data, got {parameters.targets:,}."
        )
    n_samples = plan.n_train * len(plan.train_weeks)
    if "knn" in parameters.classifiers and parameters.settings.neighbours > n_samples:
        raise ParameterError(
            f"neighbours must be at most {n_samples}, the training samples, got {parameters.settings.neighbours}."
        )


def _require_room(parameters: GameParameters, plan: Plan, traces: Traces) -> None:
    cells = traces.n_zones * period_from_spec(parameters.period).n_hours
    if cells > MAX_CELLS_AGGREGATED:
        raise ParameterError(
            f"zones × hours of an aggregate must be at most {MAX_CELLS_AGGREGATED:,}, got {cells:,}. "
            "Take larger zones or a shorter period."
        )
    samples = max(plan.n_train * len(plan.train_weeks), plan.n_test)
    if any(arm.startswith("cells") for arm in parameters.arms) and samples * cells > MAX_CELL_FEATURES:
        raise ParameterError(
            f"groups × zones × hours must be at most {MAX_CELL_FEATURES:,} to learn from raw cells, got "
            f"{samples * cells:,}. Take fewer groups, larger zones or a shorter period."
        )
