"""`od`: what is asked of a simulated release of every week, its figures, and its files, labelled as what they are."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privlab.checks import ParameterError
from privlab.cli.options.common_options import (
    NO_TOTAL_OF_FOUND_CELLS,
    gaussian_from_options,
    level_specs,
    require_gaussian_for,
)
from privlab.cli.printing.output import account, notes_on, write_tables
from privlab.cli.printing.progress_lines import lines_of_steps
from privlab.defaults import USUAL_THRESHOLD

if TYPE_CHECKING:
    import pyarrow as pa

    from privlab.datasets import Dataset
    from privlab.datasets.zones import Zoning
    from privlab.dp.gaussian import GaussianParameters
    from privlab.od import ODMatrix
    from privlab.od.releases import SecureReleaseParameters
    from privlab.od.simulating import ODSimulation, ProductSimulation, ReleaseParameters, SimulatedRelease

_SAID = "Simulation: seeded noise, of which nothing may be published."
_SIMULATED = (
    "A simulation, not a release: whoever knows the seed can take the noise off and has the true counts."
)


_ALL_PAIRS = (
    "The zones are known from the data only: a release gives noise to the flows found in it alone, where this simulation gives it to all pairs of "
    "these zones. One as it would be made: --compare --mechanism integer (or another), with --max-trips-per-user."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationAsked:
    """What the options say; None where they say nothing. Without `epsilon` flows are counted only."""

    epsilon: float | None
    threshold: int | None
    max_trips_per_user: int | None
    noise: str | None
    clip: str | None
    delta: float | None
    unbiased: bool
    levels: str | None
    product: str = "flows"

    def product_parameters(self, *, is_public: bool) -> "SecureReleaseParameters":
        """Return how to release visits or flows by slot, as `release` does; `is_public` says whether zones are known without the data."""
        from privlab.lab.publishing import release_parameters_from_wishes

        if self.noise != "gaussian":
            require_gaussian_for(clip=self.clip, delta=self.delta, unbiased=self.unbiased, levels=self.levels)
        if self.levels is not None:
            raise ParameterError(
                "levels must be left out with product: sums of districts are of flows of whole weeks."
            )
        if self.epsilon is None or self.max_trips_per_user is None:
            raise ParameterError(
                "epsilon and max_trips_per_user must be given with product: the promise to a person's week, and the limit that keeps it."
            )
        if self.noise == "laplace":
            raise ParameterError(
                "noise must be integer or gaussian with product, which is simulated as it is released, got 'laplace'."
            )
        if self.unbiased and not is_public:
            raise ParameterError(NO_TOTAL_OF_FOUND_CELLS.format(name="unbiased"))
        return release_parameters_from_wishes(
            epsilon=self.epsilon,
            max_trips_per_user=self.max_trips_per_user,
            threshold=USUAL_THRESHOLD if self.threshold is None else self.threshold,
            cells="public" if is_public else "discovered",
            noise=self.noise or "integer",
            clip=self.clip,
            delta=self.delta,
            unbiased=self.unbiased,
            product=self.product,
        )

    def parameters(self) -> "ReleaseParameters | GaussianParameters | None":
        """Return how to release, None without an epsilon. Raises ParameterError for options that do not go together."""
        from privlab.od.simulating import ReleaseParameters

        if self.noise != "gaussian":
            require_gaussian_for(clip=self.clip, delta=self.delta, unbiased=self.unbiased, levels=self.levels)
        if self.epsilon is None:
            return None
        threshold = USUAL_THRESHOLD if self.threshold is None else self.threshold
        if self.noise == "gaussian":
            return gaussian_from_options(
                self.epsilon,
                self.max_trips_per_user,
                self.clip,
                self.delta,
                threshold=threshold,
                unbiased=self.unbiased,
                levels=len(level_specs(self.levels)),
            )
        return ReleaseParameters(
            epsilon=self.epsilon,
            threshold=threshold,
            max_trips_per_user=self.max_trips_per_user,
            noise=self.noise or "laplace",
        )


def simulated(
    dataset: "Dataset",
    zoning: "Zoning",
    asked: SimulationAsked,
    parameters: "ReleaseParameters | GaussianParameters | None",
    *,
    group_size: int | None,
    seed: int,
) -> "tuple[ODSimulation, dict[str, Any]]":
    """Return the counts of every week with their simulated release, and the figures that are shown."""
    from privlab.lab.loading import ORDER_SEED, trip_source_from_rows
    from privlab.lab.publishing import levels_from_zoning
    from privlab.od.simulating import od_simulation_from_flow_counts, od_simulation_from_trip_tables
    from privlab.od.trips import TripTables

    levels = levels_from_zoning(level_specs(asked.levels), zoning) if parameters is not None else ()
    with lines_of_steps(dataset.workspace.query_share) as progress:
        source = trip_source_from_rows(
            dataset,
            zoning,
            group_size=group_size,
            max_trips_per_user=asked.max_trips_per_user,
            progress=progress,
        )
    simulation = (
        od_simulation_from_trip_tables(
            source, parameters, group_size=group_size, levels=levels, seed=seed, order_seed=ORDER_SEED
        )
        if isinstance(source, TripTables)
        else od_simulation_from_flow_counts(source, parameters, group_size=group_size, seed=seed)
    )
    published = [release.flow.size for release in simulation.releases.values()]
    beside = {"utility_unbiased": simulation.unbiased, "utility_agreed": simulation.agreed}
    return simulation, {
        **account(source),
        "zones": zoning.spec,
        "group_size": simulation.n_users,
        "weeks": sorted(simulation.matrices),
        "flows": sum(matrix.count.size for matrix in simulation.matrices.values()),
        "published_flows": sum(published) if parameters else None,
        "parameters": parameters,
        "privacy_unit": None if parameters is None else getattr(parameters, "privacy_unit", "user-week"),
        "utility": simulation.utility,
        **{name: use for name, use in beside.items() if use is not None},
        "seed": seed,
        "notes": [
            *dataset.report.notes,
            *notes_on(source),
            *([] if parameters is None else [_SAID]),
            *([_ALL_PAIRS] if asked.max_trips_per_user and zoning.public_zones() is None else []),
        ],
    }


def require_product(asked: SimulationAsked, *, group_size: int | None, engine: str) -> None:
    """Raise ParameterError for options that a simulated release of visits or flows by slot does not take."""
    asked.product_parameters(is_public=True)
    if group_size is not None:
        raise ParameterError("group_size must be left out with product, which counts everybody.")
    if engine != "duckdb":
        raise ParameterError("engine must be duckdb with product, which is not simulated on a cluster.")


def simulated_product(
    dataset: "Dataset", zoning: "Zoning", asked: SimulationAsked, *, week: str | None, seed: int
) -> "tuple[ProductSimulation, dict[str, Any]]":
    """Return a simulated release of visits or of flows by slot, and the figures that are shown."""
    from privlab.lab.comparing import simulated_product_from_rows

    is_public = zoning.public_zones() is not None
    plan, found = simulated_product_from_rows(
        dataset,
        zoning,
        asked.product_parameters(is_public=is_public),
        weeks=None if week is None else [week],
        seed=seed,
    )
    notes = [*dataset.report.notes, _SAID]
    if not is_public:
        notes.append(
            "The zones are known from the data only: noise goes to what is found in the data alone, with a δ for whoever is alone in it."
        )
    return found, {
        "zones": zoning.spec,
        "product": asked.product,
        "weeks": list(plan.weeks),
        "true_cells": found.true_count.size,
        "noisy_cells": found.n_cells,
        "published_cells": found.count.size,
        "parameters": plan.parameters,
        "promise": plan.guarantee.statement,
        "privacy_unit": "user-week",
        "utility": found.utility,
        **({} if found.unbiased is None else {"utility_unbiased": found.unbiased}),
        "seed": seed,
        "notes": notes,
    }


def write_product_simulation(folder: Path, simulation: "ProductSimulation") -> None:
    """Write true_counts.parquet and simulated_release.parquet. Raises DataError where that fails."""
    import pyarrow as pa

    from privlab.figures.drawing import MARK
    from privlab.releases.writing import column_from_values

    def table(week: Any, cell: dict[str, Any], count: Any, said: str) -> "pa.Table":
        named = {name: column_from_values(values) for name, values in cell.items()}
        columns = {"week": pa.array(week.astype(str)).cast(pa.date32()), **named, "count": count}
        return pa.table(columns).replace_schema_metadata({"privlab": said})

    write_tables(
        folder,
        {
            "true_counts": table(simulation.true_week, simulation.true_cell, simulation.true_count, MARK),
            "simulated_release": table(
                simulation.week, simulation.cell, simulation.count, f"{MARK}. {_SIMULATED}"
            ),
        },
    )


def write_simulation(folder: Path, simulation: "ODSimulation") -> None:
    """Write od_matrix.parquet, simulated_release.parquet and, with sums of districts, simulated_levels.parquet.

    Raises DataError where that fails.
    """
    import pyarrow as pa

    from privlab.figures.drawing import MARK

    simulated = {"privlab": f"{MARK}. {_SIMULATED}"}
    tables = {
        "od_matrix": pa.concat_tables(
            _table(matrix, matrix.count) for matrix in simulation.matrices.values()
        ).replace_schema_metadata({"privlab": MARK})
    }
    if simulation.releases:
        noisy = pa.concat_tables(_released(release) for release in simulation.releases.values())
        tables["simulated_release"] = noisy.replace_schema_metadata(simulated)
    if (sums := _levels(simulation)) is not None:
        tables["simulated_levels"] = sums.replace_schema_metadata(simulated)
    write_tables(folder, tables)


def _table(source: "ODMatrix | SimulatedRelease", count: Any) -> "pa.Table":
    import pyarrow as pa

    from privlab.od.trips import UNDATED
    from privlab.releases.writing import column_from_values

    monday = None if source.week == UNDATED else source.week
    week = pa.array([monday] * count.size, pa.string()).cast(pa.date32())
    origin, destination = (
        column_from_values(source.zones[end]) for end in (source.origin, source.destination)
    )
    return pa.table({"week": week, "origin": origin, "destination": destination, "count": count})


def _released(release: "SimulatedRelease") -> "pa.Table":
    """Return the published counts and, where they are simulated too, what a total gives back and what agrees with sums of districts."""
    table = _table(release, release.count)
    if release.total is not None:
        table = table.append_column("unbiased_count", [release.count * release.ratio])
    return table if release.agreed is None else table.append_column("agreed_count", [release.agreed])


def _levels(simulation: "ODSimulation") -> "pa.Table | None":
    """Return the sums of districts of all weeks; None without levels."""
    from privlab.od.levels import agreed_weeks
    from privlab.releases.writing import levels_table

    published, releases = simulation.published_levels, simulation.releases
    if published is None:
        return None
    parameters = next(iter(releases.values())).parameters
    ratios = {week: one.ratio for week, one in releases.items()}
    return levels_table(published, agreed_weeks(published, getattr(parameters, "sigma"), ratios))  # noqa: B009
