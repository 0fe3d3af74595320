"""`od --compare`: one promise by six mechanisms, drawn; `plan --epsilon`: the best release under it, expected. Neither writes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privlab.checks import ParameterError
from privlab.cli.options.common_options import NO_TOTAL_OF_FOUND_CELLS
from privlab.cli.printing.progress_lines import lines_of_steps

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
    mechanism: str | None = None
    max_trips_per_user: int | None = None


def require_nothing_else(
    asked: ComparisonAsked,
    *,
    out: Path | None,
    noise: str,
    clip: str | None = None,
    unbiased: bool = False,
    levels: str | None = None,
    product: str = "flows",
) -> None:
    """Raise ParameterError for options that a comparison has no use for: it finds the bound and writes nothing."""
    if out is not None:
        raise ParameterError("out must not be given with --compare, which writes nothing.")
    if product != "flows":
        raise ParameterError(
            f"product must be flows with --compare, got {product!r}. Leave --compare out for it."
        )
    if asked.max_trips_per_user is not None and asked.mechanism is None:
        raise ParameterError(
            "max_trips_per_user must not be given with --compare, which finds the best bound of each mechanism, unless one "
            "mechanism is named."
        )
    if asked.mechanism is not None and asked.max_trips_per_user is None:
        raise ParameterError("max_trips_per_user must be given with mechanism: the bound that it keeps.")
    if clip is not None:
        raise ParameterError("clip must not be given with --compare, which compares both.")
    if unbiased:
        raise ParameterError(
            "unbiased must not be given with --compare, which compares releases with it and without."
        )
    if levels is not None:
        raise ParameterError(
            "levels must not be given with --compare. For sums of 3 by 3 districts add --mechanism 'gaussian, l2, unbiased, levels'; "
            "for others leave --compare out, and name them by --levels with --out."
        )
    if noise != "laplace":
        raise ParameterError("noise must not be given with --compare, which compares the kinds of noise.")


def compared(
    dataset: "Dataset", zoning: "Zoning", asked: ComparisonAsked, *, group_size: int | None, seed: int
) -> dict[str, Any]:
    """Return the mechanisms with their figures, ready to be shown."""
    from privlab.lab.comparing import compared_step_from_rows, comparison_from_rows
    from privlab.od.comparing import ComparedMechanism, ComparisonParameters, StepRequest

    if asked.epsilon is None:
        raise ParameterError("epsilon must be given with --compare: the promise that all mechanisms keep.")
    threshold = 1 if asked.threshold is None else asked.threshold
    parameters: ComparisonParameters | StepRequest
    mechanisms: tuple[ComparedMechanism, ...]
    if asked.mechanism is not None and asked.max_trips_per_user is not None:
        if "unbiased" in asked.mechanism and zoning.public_zones() is None:
            raise ParameterError(NO_TOTAL_OF_FOUND_CELLS.format(name="mechanism"))
        parameters = StepRequest(
            name=asked.mechanism,
            epsilon=asked.epsilon,
            delta=asked.delta,
            max_trips_per_user=asked.max_trips_per_user,
            threshold=threshold,
            cells="public" if zoning.public_zones() is not None else "discovered",
        )
        week, alone = compared_step_from_rows(
            dataset, zoning, parameters, week=asked.week, group_size=group_size, seed=seed, draws=asked.draws
        )
        mechanisms = (alone,)
        note = f"Means of {asked.draws} draws; the first is that of the page Release with this seed."
        if parameters.cells == "discovered":
            note += " The zones are known from the data only: noise goes to flows found in the data alone."
    else:
        parameters = ComparisonParameters(
            epsilon=asked.epsilon, delta=asked.delta, threshold=threshold, draws=asked.draws
        )
        week, mechanisms = comparison_from_rows(
            dataset, zoning, parameters, week=asked.week, group_size=group_size, seed=seed
        )
        note = "The best bound of each mechanism was found on the true data."
    return {
        "zones": zoning.spec,
        "week": week,
        "privacy_unit": "user-week",
        "parameters": parameters,
        "mechanisms": [one.as_dict() for one in mechanisms],
        "seed": seed,
        "notes": [
            *dataset.report.notes,
            f"Simulation: nothing here may be published. {note}",
        ],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinationAsked:
    """What `plan` is asked: one promise `epsilon`, or with None the least that leaves `min_utility` of use."""

    epsilon: float | None
    min_utility: float | None
    delta: float
    tolerance: float
    max_made_up: float


def planned_combinations(
    dataset: "Dataset", zoning: "Zoning", asked: CombinationAsked, *, week: str | None, group_size: int | None
) -> dict[str, Any]:
    """Return the releases that keep a promise, step by step, and the best of them, None if there is none; ready to be shown."""
    from privlab.checks import DataError
    from privlab.figures.planning import mechanisms_in_words, no_mechanism_in_words
    from privlab.lab.comparing import (
        combinations_from_week,
        reason_against_combinations,
        weighed_week_from_trips,
    )
    from privlab.lab.loading import trips_from_rows
    from privlab.lab.planning import busiest_week
    from privlab.limits import MIN_EPSILON
    from privlab.od.combining import CombinationRequest, best_combination

    request = CombinationRequest(
        epsilon=MIN_EPSILON if asked.epsilon is None else asked.epsilon,
        delta=asked.delta,
        tolerance=asked.tolerance,
        max_made_up=asked.max_made_up,
    )
    with lines_of_steps(dataset.workspace.query_share) as progress:
        trips, public = trips_from_rows(dataset, zoning, seed=1, progress=progress), zoning.public_zones()
    if reason := reason_against_combinations(trips, public):
        raise DataError(reason)
    week = week or busiest_week(trips)
    weighed = weighed_week_from_trips(
        trips, zoning.zone_map(trips.zones.tolist()), public, week=week, group_size=group_size
    )
    steps = combinations_from_week(weighed, request, min_utility=asked.min_utility)
    best = best_combination(steps)
    says = (
        no_mechanism_in_words(asked.min_utility, max_made_up=asked.max_made_up)
        if best is None
        else mechanisms_in_words(steps, tolerance=asked.tolerance).replace("*", "")
    )
    return {
        "request": asked,
        "week": week,
        "privacy_unit": "user-week",
        "says": says,
        "best": None if best is None else best.as_dict(),
        "steps": [one.as_dict() for one in steps],
        "notes": ["Expected of true data, which the choice looks at too: for the steward alone."],
    }


def planned_sizes(dataset: "Dataset", zoning: "Zoning", asked: CombinationAsked) -> list[dict[str, Any]]:
    """Return the best release for the promise at each size of zones, None where none is left; ready to be shown."""
    from privlab.lab.proposing import proposed_request, zone_sizes_from_rows
    from privlab.od.combining import CombinationRequest

    assert asked.epsilon is not None
    promise = CombinationRequest(
        epsilon=asked.epsilon, delta=asked.delta, tolerance=asked.tolerance, max_made_up=asked.max_made_up
    )
    own = getattr(zoning, "own", zoning)  # of ids joined to larger zones; else the zones themselves
    geography = getattr(own, "geography", None)
    request = proposed_request(is_public=True)
    sizes = zone_sizes_from_rows(dataset, zoning.spec, request, geography=geography, promise=promise)
    return [
        {
            "zones": one.zones,
            "size": one.size,
            "side_m": one.side_m,
            "n_zones": one.n_zones,
            "n_zones_held": one.n_held,
            "held_by": None if one.n_held is None else "stations" if one.of_stations else "trips",
            "best": None if one.best is None else one.best.as_dict(),
        }
        for one in sizes
    ]
