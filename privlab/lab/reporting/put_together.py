"""A release or loaded data → the plan of a whole report: every part in the order in which a board reads it.

The page Publish, the page Report and the command `report` come through here. What is put together stays a plan, to
be changed part by part.
"""

from dataclasses import asdict, replace
from datetime import UTC, datetime

from privlab.checks import DataError, require_choice
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import chance_beyond_promise
from privlab.lab.judging import WANTED_DELTA
from privlab.lab.reporting.other_releases import together_from_ledger
from privlab.od import FLOWS
from privlab.od.planning import USUAL_WISHES, PlanRequest
from privlab.od.releases import ReleasePlan
from privlab.od.simulating import ReleaseParameters
from privlab.od.weighing import TOTAL, WEIGHTED
from privlab.releases.ledger import Ledger
from privlab.releases.reading import ReleasedCounts
from privlab.reports import DataReference, Option, ReleaseReference, ReportItem, ReportPlan, View
from privlab.reports.exhibits import EXHIBITS

_ON_RELEASE = (
    "data",
    "wishes",
    "release_plan",
    "guarantee",
    "certificate",
    "release_maps",
    "release_risk",
    "release_use",
    "release_analyses",
    "limits",
)
_ON_GAUSSIAN_RELEASE = (
    "data",
    "wishes",
    "release_plan",
    "release_promise",
    "certificate",
    "release_maps",
    "release_risk",
    "release_use",
    "release_analyses",
    "limits",
)
_ON_VISITS = (
    "data",
    "release_promise",
    "certificate",
    "release_series",
    "release_maps",
    "release_risk",
    "release_use",
    "limits",
)
_ON_FLOWS_BY_SLOT = (
    "data",
    "release_promise",
    "certificate",
    "release_maps",
    "release_risk",
    "release_use",
    "limits",
)
_ON_DATA = (
    "data",
    "people",
    "wishes",
    "plan",
    "guarantee",
    "attack",
    "flow_maps",
    "person_risks",
    "simulated_use",
    "simulated_analyses",
    "limits",
)
# The attack is on the claim of a release without a limit, whatever the plan.
_KNOW_NOISE = ({*_ON_DATA} - {"attack"}) | {"certainty"}
# What is not of the promise alone, nor says itself which flows get noise.
_OF_FOUND = ("attack", "person_risks", "flow_maps", "simulated_use", "simulated_analyses")
_CHANGED_BY_CELLS = (*_OF_FOUND, "data", "error", "utility", "scatter", "decay")
_SAY_CELLS = ("guarantee", "limits")  # always
_NOISE_OPTIONS = ("law", "mechanism", "delta", "clip", "total")
REPORTED_MECHANISMS = (WEIGHTED, TOTAL)
"""What a risk report can simulate besides integer and Laplace noise: what Plan proposes."""

_SAY_OTHERS = ("certificate", "limits")  # of the ledger's other releases
_OF_USERS = ("people", "plan", "release_plan", "person_risks", "release_risk")


def reference_from_released_counts(released: ReleasedCounts) -> ReleaseReference:
    """Return which release this is."""
    weeks = released.plan.weeks
    words = ", ".join(weeks) if len(weeks) < 4 else f"{weeks[0]} to {weeks[-1]} ({len(weeks)} weeks)"
    return ReleaseReference(certificate=released.digest, made=released.certificate["made"], weeks=words)


def report_plan_from_release(
    released: ReleasedCounts,
    *,
    data: DataReference | None,
    wishes: PlanRequest = USUAL_WISHES,
    kind: str = "internal",
    author: str = "",
    has_users: bool = True,
    ledger: Ledger | None = None,
) -> ReportPlan:
    """Return the report on a release: an internal one needs the data, an external one holds no part with true data.

    Where the release stands in `ledger`, parts say what it and the others of the same people together promise; an
    external report leaves that out. Raises DataError if an internal report is asked for without data.
    """
    if data is None and kind == "internal":
        raise DataError(
            "An internal report compares the release with its data: name the file with --data, or ask for an external "
            "report with --kind external."
        )
    plan = released.plan
    gaussian = plan.parameters.noise != "integer"
    release = ReleaseParameters(
        epsilon=plan.parameters.epsilon,
        threshold=plan.parameters.threshold,
        max_trips_per_user=plan.parameters.max_trips_per_user,
        noise="integer",
    )
    promise = plan.guarantee.parameters
    said: dict[str, Option] = {
        "weekly_releases": len(plan.weeks),
        "cells": plan.parameters.cells,
        "delta": plan.delta,
        **({"chance": chance_beyond_promise(promise)} if isinstance(promise, GaussianParameters) else {}),
        **({"zones_listed": True} if plan.zones is not None and plan.zones_spec == "column" else {}),
        "of_release": released.digest[:12],
        **{f"accepted_{name}": True for name in released.certificate.get("accepted", {})},
        **({"clip": plan.parameters.clip} if gaussian else {}),
    }
    law: tuple[tuple[str, Option], ...] = (("law", "gaussian"),) if gaussian else ()
    together = None if ledger is None else together_from_ledger(ledger, released.certificate)
    others = () if together is None else together.options()
    if plan.parameters.clip == "l2":  # no trip is left out
        law += (("mechanism", TOTAL if plan.parameters.total_share else WEIGHTED),)
        said["total"] = bool(plan.parameters.total_share)
        law += _of_found(plan.parameters.cells)
    if plan.product is not FLOWS:
        law += (("product", plan.product.name),)
    items = tuple(
        ReportItem(
            exhibit=name,
            view=View(
                release=release,
                week="" if name == "release_plan" else plan.weeks[0],
                options=(*_options(name, said, wishes), *law, *(others if name in _SAY_OTHERS else ())),
            ),
            data=data if EXHIBITS[name].needs_data else None,
            release=reference_from_released_counts(released),
        )
        for name in _allowed(_parts(plan), kind, has_users=has_users)
    )
    about = f" of {data.name}" if data is not None and kind == "internal" else ""
    return ReportPlan(
        title=f"Report on the release{about}, {reference_from_released_counts(released).in_words}",
        kind=kind,
        items=items,
        summary=True,
        author=author,
        date=_today(),
    )


def report_plan_from_data(
    data: DataReference,
    *,
    release: ReleaseParameters,
    week: str,
    group_size: int | None = None,
    seed: int = 1,
    wishes: PlanRequest = USUAL_WISHES,
    author: str = "",
    has_users: bool = True,
    mechanism: str | None = None,
    cells: str | None = None,
) -> ReportPlan:
    """Return the risk report on data before any release: what one with these parameters would cost its people.

    `mechanism` is Gaussian noise on weighted trips, one of REPORTED_MECHANISMS, where a plan of it is taken; then the parts are
    about it. None: noise as `release` has it. `cells` is which flows get noise, where it is not as wished: zones that only the data knows
    allow no others than those found in it, and then a threshold of 0 is one of 1.
    """
    wishes = wishes if cells is None else replace(wishes, cells=cells)
    if wishes.cells == "discovered":
        release = replace(release, threshold=max(release.threshold, 1))
    said: dict[str, Option] = {"weekly_releases": wishes.weeks, "cells": wishes.cells}
    if mechanism is not None:
        said |= _limits_of_noise(mechanism, wishes)
    items = tuple(
        ReportItem(
            exhibit=name,
            view=View(
                release=release,
                week=week,
                group_size=group_size,
                seed=seed,
                options=options_with_cells(
                    name, (*_options(name, said, wishes), *_noise(mechanism)), wishes.cells
                ),
            ),
            data=data if EXHIBITS[name].needs_data else None,
        )
        for name in _allowed(_ON_DATA, "internal", has_users=has_users)
        if mechanism is None or name != "attack"  # which is on the claim of a release without a limit
    )
    return ReportPlan(
        title=f"Risk report on {data.name}", items=items, summary=True, author=author, date=_today()
    )


def options_with_noise(
    exhibit: str, options: tuple[tuple[str, Option], ...], mechanism: str | None, wishes: PlanRequest
) -> tuple[tuple[str, Option], ...]:
    """Return the options of a part on data, told of another noise than before: of a `mechanism`, or of none where it is None.

    Raises ParameterError for a mechanism that no part can simulate.
    """
    if exhibit not in _KNOW_NOISE:
        return options
    limits = _limits_of_noise(mechanism, wishes) if mechanism and exhibit == "limits" else {}
    kept = (one for one in options if one[0] not in _NOISE_OPTIONS)
    return (*kept, *limits.items(), *_noise(mechanism))


def options_with_cells(
    exhibit: str, options: tuple[tuple[str, Option], ...], cells: str
) -> tuple[tuple[str, Option], ...]:
    """Return the options of a part on data, told of other `cells`: which flows get noise."""
    known = dict(options)
    if exhibit in _SAY_CELLS and "cells" in known:
        return tuple((name, cells if name == "cells" else value) for name, value in options)
    kept = tuple(one for one in options if one[0] != "cells")
    gaussian = exhibit in _KNOW_NOISE and "mechanism" in known
    return (*kept, *(_of_found(cells) if gaussian or exhibit in _CHANGED_BY_CELLS else ()))


def _noise(mechanism: str | None) -> tuple[tuple[str, Option], ...]:
    if mechanism is None:
        return ()
    return ("law", "gaussian"), ("mechanism", require_choice("mechanism", mechanism, REPORTED_MECHANISMS))


def _limits_of_noise(mechanism: str, wishes: PlanRequest) -> dict[str, Option]:
    return {"delta": wishes.weeks * WANTED_DELTA, "clip": "l2", "total": mechanism == TOTAL}


def _parts(plan: ReleasePlan) -> tuple[str, ...]:
    if plan.product is not FLOWS:
        return _ON_VISITS if plan.product.name == "visits" else _ON_FLOWS_BY_SLOT
    return _ON_RELEASE if plan.parameters.noise == "integer" else _ON_GAUSSIAN_RELEASE


def _allowed(names: tuple[str, ...], kind: str, *, has_users: bool) -> list[str]:
    found = [name for name in names if has_users or name not in _OF_USERS]
    return [name for name in found if kind == "internal" or not EXHIBITS[name].discloses]


_ASKS_FOR_WISHES = ("wishes", "plan", "release_plan", "release_use", "simulated_use")


def _of_found(cells: str) -> tuple[tuple[str, Option], ...]:
    return (("cells", cells),) if cells != "public" else ()


def _is_of_many(said: dict[str, Option]) -> bool:
    return int(said.get("weekly_releases") or 1) > 1


def _options(exhibit: str, said: dict[str, Option], wishes: PlanRequest) -> tuple[tuple[str, Option], ...]:
    """Return the options that an exhibit takes, so that the words below it name nothing else."""
    if exhibit in _ASKS_FOR_WISHES:
        made = (("weekly_releases", said["weekly_releases"]),)
        return (*wish_options(wishes), *(made if exhibit == "wishes" and _is_of_many(said) else ()))
    if exhibit == "guarantee":
        return tuple((name, said[name]) for name in ("weekly_releases", "cells"))
    if exhibit == "data":  # which says what a list of zones leaves out
        return _of_found(str(said["cells"]))
    return tuple(said.items()) if exhibit == "limits" else ()


def wish_options(wishes: PlanRequest) -> tuple[tuple[str, Option], ...]:
    """Return wishes as the options that parts of a report keep."""
    return tuple((f"wish_{name}", value) for name, value in asdict(wishes).items() if value is not None)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
