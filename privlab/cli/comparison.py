"""`od --compare`: one promise by six mechanisms, as a table to read or JSON. A simulation, which writes nothing."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privlab.checks import ParameterError

if TYPE_CHECKING:
    from privlab.datasets import Dataset
    from privlab.datasets.zones import Zoning


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonAsked:
    """What the options say; None where they say nothing."""

    epsilon: float | None
    delta: float
    threshold: int | None
    draws: int
    week: str | None


def require_nothing_else(*, out: Path | None, max_trips_per_user: int | None, noise: str) -> None:
    """Raise ParameterError for options that a comparison has no use for: it finds the bound and writes nothing."""
    if out is not None:
        raise ParameterError("out must not be given with --compare, which writes nothing.")
    if max_trips_per_user is not None:
        raise ParameterError(
            "max_trips_per_user must not be given with --compare, which finds the best bound of each mechanism."
        )
    if noise != "laplace":
        raise ParameterError("noise must not be given with --compare, which compares the kinds of noise.")


def compared(
    dataset: "Dataset", zoning: "Zoning", asked: ComparisonAsked, *, group_size: int | None, seed: int
) -> dict[str, Any]:
    """Return the mechanisms with their figures, ready to be shown."""
    from privlab.lab import comparison_from_rows
    from privlab.od.comparing import ComparisonParameters

    if asked.epsilon is None:
        raise ParameterError("epsilon must be given with --compare: the promise that all mechanisms keep.")
    parameters = ComparisonParameters(
        epsilon=asked.epsilon,
        delta=asked.delta,
        threshold=1 if asked.threshold is None else asked.threshold,
        draws=asked.draws,
    )
    week, mechanisms = comparison_from_rows(
        dataset, zoning, parameters, week=asked.week, group_size=group_size, seed=seed
    )
    return {
        "zones": zoning.spec,
        "week": week,
        "privacy_unit": "user-week",
        "parameters": parameters,
        "mechanisms": [one.as_dict() for one in mechanisms],
        "seed": seed,
        "notes": [
            *dataset.report.notes,
            "Simulation: nothing here may be published. The best bound of each mechanism was found on the true data.",
        ],
    }
