"""What is decided before a secure release, and what it will cost: parameters, weeks and zones. Nothing of it is true data."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from privlab.checks import ParameterError, require_choice
from privlab.defaults import USUAL_THRESHOLD
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import (
    Guarantee,
    GuaranteeParameters,
    guarantee_from_gaussian_parameters,
    guarantee_from_parameters,
)
from privlab.limits import MAX_SECURE_CELLS
from privlab.od.levels.levels import JoinedIds, Level, require_sound_levels
from privlab.od.products import FLOWS, VISITS, Product, RowsOfRelease, product_of
from privlab.od.smoothing.margins import ZonePositions

SECURE_NOISES = ("integer", "gaussian")
NO_TOTAL_OF_VISITS = (
    "A total counts at most 100 of what a person does in a week, and a week has up to 168 visits."
)
LEVELS_ONLY_OF_FLOWS = "What sums of districts promise is worked out for flows of whole weeks alone."


@dataclass(frozen=True, slots=True, kw_only=True)
class SecureReleaseParameters:
    """How counts are published for good: ε for everything a user does in a week, always under a bound.

    `cells` is "public" (every ordered pair of the zoning's zones) or "discovered" (only those in the
    data, with δ). Noisy counts below `threshold` are not published; 0 publishes every public cell.
    `noise` is "integer" (discrete Laplace, trips kept at random, `delta` 0) or "gaussian" (discrete, (ε, `delta`) to a
    user's week on public cells, `clip` "keep" or "l2"). With an L2 clip `total_share` of the squared norm may go to a noisy
    total of each week, by which what the clip took is undone on average. `levels`, with an L2 clip, is how many levels above zones
    have noisy sums of their own, paid from the same promise. `product` says what is counted (products.py); the bound is on its
    trips or visits.
    """

    epsilon: float
    max_trips_per_user: int
    threshold: int = USUAL_THRESHOLD
    cells: str = "public"
    noise: str = "integer"
    clip: str = "keep"
    delta: float = 0.0
    total_share: float = 0.0
    levels: int = 0
    product: str = "flows"

    def __post_init__(self) -> None:
        """Check every field; a release without a bound promises nothing to a person and is refused."""
        if self.max_trips_per_user is None:
            raise ParameterError("max_trips_per_user must be given for a secure release, got none.")
        require_choice("noise", self.noise, SECURE_NOISES)
        if self.noise == "integer" and self.clip != "keep":
            raise ParameterError(
                f"clip must be keep with noise integer, whose promise counts trips and not their squares, got "
                f"{self.clip!r}. Take noise gaussian for l2."
            )
        if self.noise == "integer" and self.delta:
            raise ParameterError(
                f"delta must be 0 with noise integer, which spends none on public cells and follows from the threshold "
                f"on discovered ones, got {self.delta:g}. Take noise gaussian to spend one."
            )
        if self.noise == "integer" and self.total_share:
            raise ParameterError(
                "total_share must be left out with noise integer, of which the release publishes no total, got "
                f"{self.total_share:g}. Take noise gaussian for an unbiased release."
            )
        if product_of(self.product) is VISITS and self.total_share:
            raise ParameterError(
                f"product must be flows or flows-by-slot with a total, got {self.product!r}. {NO_TOTAL_OF_VISITS} Take no total."
            )
        if product_of(self.product) is not FLOWS and self.levels:
            raise ParameterError(
                f"product must be flows with levels, got {self.product!r}. {LEVELS_ONLY_OF_FLOWS} Take no levels."
            )
        if self.noise == "integer" and self.levels:
            raise ParameterError(
                f"levels must be left out with noise integer, whose promise covers cells alone, got {self.levels}. Take noise gaussian for "
                "sums that agree between levels."
            )
        self.guarantee_parameters(1)

    def as_record(self) -> dict[str, Any]:
        """Return the parameters as certificates and ledgers write them; integer noise has no part in what is newer."""
        said = asdict(self)
        newer = [name for name in ("total_share", "levels") if not said[name]]
        for name in newer if self.noise == "gaussian" else ("noise", "clip", "delta", *newer):
            del said[name]
        if self.product == FLOWS.name:
            del said["product"]
        return said

    def guarantee_parameters(self, n_weeks: int) -> GuaranteeParameters | GaussianParameters:
        """Return what the guarantee of so many weekly releases is computed from."""
        if self.noise == "gaussian":
            return GaussianParameters(
                epsilon=self.epsilon,
                delta=self.delta,
                max_trips_per_user=self.max_trips_per_user,
                clip=self.clip,
                weeks=n_weeks,
                threshold=self.threshold,
                total_share=self.total_share,
                counted=product_of(self.product).counted,
                levels=self.levels,
                cells=self.cells,
            )
        return GuaranteeParameters(
            epsilon=self.epsilon,
            max_trips_per_user=self.max_trips_per_user,
            weeks=n_weeks,
            threshold=self.threshold,
            cells=self.cells,
            counted=product_of(self.product).counted,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """All that is decided before a secure release, and what it will cost; nothing of it is true data.

    `zones` are the public zone ids, None where cells are discovered. `epsilon` and `delta` are what one
    user in all `weeks` loses by basic composition. `levels` divide the zones, from the lowest level up. `positions`, known without
    the data, let smoothed counts follow the distance between zones; None leaves it out. `joined` says of zones that stand for
    ids of a zone file how many they are; None where the places are in the rows. `rows` says what is counted of; earlier
    certificates do not.
    """

    parameters: SecureReleaseParameters
    weeks: tuple[str, ...]
    zones_spec: str
    zones: tuple[Any, ...] | None
    guarantee: Guarantee
    levels: tuple[Level, ...] = ()
    positions: ZonePositions | None = None
    joined: JoinedIds | None = None
    rows: RowsOfRelease | None = None

    @property
    def epsilon(self) -> float:
        """What a ledger adds for this release."""
        return self.parameters.epsilon * len(self.weeks)

    @property
    def delta(self) -> float:
        """What a ledger adds for this release; 0 for public cells with integer noise."""
        assert self.guarantee.user is not None
        return self.guarantee.user.delta

    @property
    def n_cells(self) -> int | None:
        """Number of public cells in each week, or None where they are discovered."""
        return None if self.zones is None else self.product.n_cells(len(self.zones))

    @property
    def n_noisy_cells(self) -> int:
        """Number of public cells in all weeks, each of which gets noise; 0 where only cells found in the data do."""
        return (self.n_cells or 0) * len(self.weeks)

    @property
    def product(self) -> Product:
        """What is counted."""
        return product_of(self.parameters.product)


def release_plan_from_parameters(
    parameters: SecureReleaseParameters,
    *,
    weeks: Sequence[str],
    zones_spec: str,
    public_zones: Sequence[Any] | None,
    levels: Sequence[Level] = (),
    positions: ZonePositions | None = None,
    joined: JoinedIds | None = None,
    rows: RowsOfRelease | None = None,
) -> ReleasePlan:
    """Return the plan of a secure release, before any count is looked at; `positions` are those of the public zones in their order.

    Raises ParameterError if no week is named, if the zones depend on the data, or if there are too many cells.
    """
    if not weeks or len(set(weeks)) != len(weeks):
        raise ParameterError(
            f"week must be named, each once: which weeks have trips is itself true data, got {list(weeks)}."
        )
    for week in weeks:
        _require_monday(week)
    require_zones_apart(zones_spec)
    zones: tuple[Any, ...] | None = None
    if parameters.cells == "public":
        if not public_zones:
            raise ParameterError(
                "cells must be discovered, or the zones named by a box, a file of polygons or zone positions: "
                f"the zones of {zones_spec!r} are known from the data only, got 'public'."
            )
        zones = tuple(sorted(public_zones))
        n_cells = product_of(parameters.product).n_cells(len(zones)) * len(weeks)
        if n_cells > MAX_SECURE_CELLS:
            raise ParameterError(
                f"zones must make at most {MAX_SECURE_CELLS:,} cells over all weeks, got {n_cells:,}. Take larger zones, or "
                "fewer weeks in one release."
            )
    if len(levels) != parameters.levels:
        raise ParameterError(
            f"levels must be as many as the parameters pay for, {parameters.levels}, got {len(levels)}."
        )
    require_sound_levels(levels, 0 if zones is None else len(zones), len(weeks))
    if zones is None:  # of cells found in the data no model is published
        positions = None
    elif positions is not None and len(positions.lat) != len(zones):
        raise ParameterError(
            f"positions must be those of the {len(zones):,} public zones, got {len(positions.lat):,}."
        )
    return ReleasePlan(
        parameters=parameters,
        weeks=tuple(weeks),
        zones_spec=zones_spec,
        zones=zones,
        guarantee=_guarantee(parameters.guarantee_parameters(len(weeks))),
        levels=tuple(levels),
        positions=positions,
        joined=joined,
        rows=rows,
    )


@lru_cache(maxsize=64)  # a page asks for the same few plans each time that something on it is moved
def _guarantee(parameters: GuaranteeParameters | GaussianParameters) -> Guarantee:
    if isinstance(parameters, GaussianParameters):
        return guarantee_from_gaussian_parameters(parameters)
    return guarantee_from_parameters(parameters)


def require_zones_apart(zones_spec: str) -> None:
    """Raise ParameterError for zones that are laid by the data."""
    spec = zones_spec.strip()
    if spec.startswith("grid:") and spec.count(":") == 1:
        raise ParameterError(
            "zones must not depend on the data, but a grid is laid around its middle where no box is named; got "
            f"{zones_spec!r}. Name a box: --box SOUTH,WEST,NORTH,EAST in degrees, or in metres where the data is, as the page Data "
            "proposes it, or use a zone file."
        )


def _require_monday(week: str) -> None:
    from privlab.datasets.times import FIRST_TIME, LAST_TIME

    try:
        day = date.fromisoformat(week)
    except ValueError:
        raise ParameterError(f"week must be a Monday such as 2026-03-02, got {week!r}.") from None
    monday = day - timedelta(days=day.weekday())
    if week != monday.isoformat():
        raise ParameterError(f"week must be named by its Monday, {monday}, got {week!r}.")
    if not FIRST_TIME.date() <= day <= LAST_TIME.date():
        raise ParameterError(
            f"week must be between {FIRST_TIME.date()} and {LAST_TIME.date()}, got {week!r}."
        )
