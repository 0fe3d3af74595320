"""A release of any product and what it counted → the risk of each person, its use, and counts on a map. True data: for the steward alone.

The report on a release and the page Publish come through here.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from privlab.aggregates import VisitSeries, visit_series_from_rows
from privlab.checks import DataError
from privlab.datasets.zones import ZoneMap
from privlab.defaults import MOST_PEOPLE
from privlab.dp.gaussian import GaussianParameters
from privlab.figures.drawing import Figure, Palette
from privlab.figures.flows import compared_flows_in_words, visit_hour_in_words
from privlab.figures.maps import flow_maps_figure, visit_maps_figure
from privlab.figures.risks import risks_finding, spread_of_risks
from privlab.figures.wording import words
from privlab.od import SLOTS, UniqueTrips
from privlab.od.releases import ReleasePlan
from privlab.od.risks import (
    GaussianRisks,
    PersonRisks,
    gaussian_risks_from_unique_trips,
    person_risks_from_unique_trips,
    risks_with_all_published,
)
from privlab.od.settled import SettledCells, unique_trips_from_settled_trips
from privlab.od.simulating import ReleaseParameters
from privlab.od.trips import PreparedTrips
from privlab.od.usefulness import PublishedUse
from privlab.releases.reading import ReleasedCounts, slot_flows_from_counts
from privlab.reports.exhibits.exhibits import Content
from privlab.seeds import generator

_SEED = 1  # of the order of people and of their trips: risks are those of one choice under the bound


def risks_of_release(
    trips: UniqueTrips | SettledCells, plan: ReleasePlan
) -> tuple[PersonRisks | GaussianRisks, str]:
    """Return the risk of each person judged in a release, and a sentence with it.

    Raises DataError where the data has no trip in the weeks of the release.
    """
    if isinstance(trips, SettledCells):
        trips = unique_trips_from_settled_trips(trips, generator(_SEED, "people of a release"))
    weeks = [week for week in plan.weeks if week in trips.weeks]
    if not weeks:
        raise DataError("The data has no trip in the weeks of the release. Is it the data it was made from?")
    asked, promise = plan.parameters, plan.guarantee.parameters
    risks: PersonRisks | GaussianRisks
    counted = plan.product.counted.removesuffix("s")
    cells = "flows are" if counted == "trip" else "counts are"
    one = "a flow" if counted == "trip" else "a count"
    known = f" That is where all their {cells} published; {one} that is left out only lowers it."
    if isinstance(promise, GaussianParameters):
        risks = gaussian_risks_from_unique_trips(trips, promise, weeks=weeks, n_people=MOST_PEOPLE)
        if promise.levels:
            known += " It is counted as if all trips of a person were between the same two districts; others add less."
    else:
        release = ReleaseParameters(
            epsilon=asked.epsilon,
            threshold=asked.threshold,
            max_trips_per_user=asked.max_trips_per_user,
            noise="integer",
        )
        risks = person_risks_from_unique_trips(
            trips, release, weeks=weeks, n_people=MOST_PEOPLE, cells=asked.cells
        )
        if (
            asked.cells == "public"
        ):  # sums of all noisy counts are published, those below the threshold included
            risks = risks_with_all_published(risks)
        else:
            known = ""
    said = risks_finding(risks, counted=counted)
    return risks, f"{said}{spread_of_risks(risks, counted=counted)}{known}"


def use_content(
    uses: Sequence[PublishedUse],
    width: int | None,
    *,
    facts: Any,
    told: Sequence[PublishedUse] | None = None,
    unlisted: bool = False,
    bounded: bool = True,
    threshold: int = 1,
) -> Content:
    """Return a table of what the published counts are good for, and the sentence on the worst of `told`, all by default.

    `unlisted` says that the data holds some in zones that the release does not list, `bounded` that a limit takes some, and a
    `threshold` that some are left out.
    """
    of_sentence, uses = told or uses, [*uses, *(one for one in told or () if one not in uses)]
    worst = min(of_sentence, key=lambda use: use.rank)
    counted, cell = worst.product.counted, worst.product.cell
    whole = words.whole_of(worst)
    takes = [
        *(["what the limit takes"] if bounded else []),
        *(["what the threshold leaves out"] if threshold > 0 else []),
        *([f"{counted} in zones that the zone file does not list"] if unlisted else []),
        "noise",
    ]
    together = _counted_in_all(worst, takes)
    noise = "" if width is None else f" Noise is at most ±{width:,} in 95 of 100 {cell}s."
    says = (
        f"{'In the least useful week nothing' if len(of_sentence) > 1 else 'Nothing'} is published."
        if not worst.kept + worst.made_up
        else f"{words.part_of(worst.share_close, whole, 0 if worst.share_close >= 0.1 else 1)} lie in {cell}s "
        f"published within {100 * worst.tolerance:g}% of the truth, {words.share_of(worst.share_kept, 0)} in published {cell}s at all. {together}"
    )
    first = "In the least useful week, " if len(of_sentence) > 1 and worst.kept + worst.made_up else ""
    says = says if first else f"{says[0].upper()}{says[1:]}"
    figures: tuple[tuple[str, Callable[[PublishedUse], str]], ...] = (
        (f"true {cell}s published", lambda use: f"{use.kept:,}"),
        (f"true {cell}s left out", lambda use: f"{use.lost:,}"),
        (f"false {cell}s", lambda use: f"{use.made_up:,}"),
        (f"{counted} in published {cell}s", lambda use: _share(use.share_kept)),
        (f"all published counts together, of all {counted}", lambda use: _share(use.share_counted)),
        (
            f"{counted} in {cell}s within {100 * worst.tolerance:g}% of the truth",
            lambda use: _share(use.share_close),
        ),
        (
            f"median error of a published {cell} (people)",
            lambda use: "none published" if np.isnan(use.error) else f"{use.error:,.1f}",
        ),
        (
            "common part of commuters (1: the same)",
            lambda use: "none" if np.isnan(use.common_part) else f"{use.common_part:.3f}",
        ),
    )
    rows = [
        {"figure": name, **{f"week of {use.week}" if use.week else "all": said(use) for use in uses}}
        for name, said in figures
    ]
    parts = f" {worst.product.parts}" if worst.product.parts else ""
    return Content(sentence=f"{first}{says}{noise}{parts}", rows=rows, facts=facts)


def _counted_in_all(use: PublishedUse, takes: Sequence[str]) -> str:
    """Say what share of all that is true the published counts come to together, and what `takes` the rest; above 100% there is none."""
    *others, last = takes
    rest = f": the rest is {', '.join(others)}{', ' if len(others) > 1 else ' ' if others else ''}{'and ' if others else ''}{last}"
    if use.share_counted > 1:
        added = f"noise and false {use.product.cell}s add" if use.made_up else "noise adds"
        rest = f": {added} more than is left out"
    if use.of_estimates:
        rest = ""
    if use.share_counted < 0:
        return words.fewer_than_none(use.product.counted)
    return f"All published counts together are {words.part_of(use.share_counted, words.whole_of(use))}{rest}."


def _share(value: float) -> str:
    return "none" if np.isnan(value) else words.share_of(value)


def visit_series_of_counted(trips: SettledCells, released: ReleasedCounts, *, week: str) -> VisitSeries:
    """Return one week of a release of visits beside the visits that it counted."""
    _, cell = trips.week_of(week)
    n_zones, n_hours = trips.zones.size, trips.product.n_slots
    true = np.bincount(cell, minlength=n_zones * n_hours).reshape(n_zones, n_hours)
    part = released.week == week
    return visit_series_from_rows(
        week,
        true.astype(np.float64),
        trips.zones,
        **{name: column[part] for name, column in released.cell.items()},
        count=released.count[part],
    )


def visits_on_map(
    series: VisitSeries, where: ZoneMap, palette: Palette, *, hour: int
) -> tuple[str, Figure | None]:
    """Return what is published of one hour of a week in a sentence, and on a map beside the truth; None without positions."""
    place = {zone: number for number, zone in enumerate(where.zones.tolist())}
    at = [place.get(zone, -1) for zone in series.zones]
    nowhere = np.array([one < 0 for one in at], dtype=bool)
    lat, lon = (np.where(nowhere, np.nan, ends[at]) for ends in (where.lat, where.lon))
    figure = visit_maps_figure(
        series.true[:, hour],
        series.published[:, hour],
        lat=lat,
        lon=lon,
        outlines=[None if one < 0 else where.outlines[one] for one in at],
        palette=palette,
        names=[str(zone) for zone in series.zones],
    )
    return visit_hour_in_words(series, hour), figure


def slot_on_map(
    prepared: PreparedTrips,
    trips: SettledCells,
    released: ReleasedCounts,
    palette: Palette,
    *,
    week: str,
    slot: int,
) -> tuple[str, Figure | None]:
    """Return what is published of one slot of a week in a sentence, and on a map beside the truth; None without positions."""
    found = slot_flows_from_counts(prepared, trips, released, week=week, slot=slot)
    figure = flow_maps_figure(
        found.flows,
        lat=found.places.lat,
        lon=found.places.lon,
        outlines=found.places.outlines,
        palette=palette,
        after="after: as released",
    )
    return compared_flows_in_words(found.flows, f"Week of {week}, {SLOTS[slot]} hours"), figure
