"""Exhibits of a release: its certificate, before and after on a map, the risk of the people, what it is good for.

Those of a release are about the files that were handed over; those of a simulation say so.
"""

import math
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from privlab.aggregates import Traces, VisitSeries, visit_series_from_rows, visits_by_hour_from_traces
from privlab.checks import DataError
from privlab.dp.promise import delta_words
from privlab.figures.drawing import LIGHT, Figure
from privlab.figures.flows import compared_flows_in_words, visit_series_figure, visit_series_in_words
from privlab.figures.maps import flow_maps_figure
from privlab.figures.risks import risk_histogram
from privlab.figures.wording import words
from privlab.od import FLOWS
from privlab.od.releases import ReleasePlan
from privlab.od.usefulness import (
    FlowComparison,
    PublishedUse,
    published_use_from_flow_comparison,
    total_half_width,
)
from privlab.releases.reading import (
    ReleasedCounts,
    ReleasedFlows,
    busiest_slot,
    flow_comparison_from_released_cells,
    released_flows_from_counts,
    totals_from_certificate,
)
from privlab.releases.writing import cleaning_in_words, factor_in_words
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material, ReleaseMaterial
from privlab.reports.exhibits.exhibits_od import of_people, week_of_view
from privlab.reports.exhibits.exhibits_whole import request_from_view
from privlab.reports.exhibits.products import risks_of_release, slot_on_map, use_content, visits_on_map
from privlab.reports.exhibits.simulated_releases import simulated_review
from privlab.reports.report_plan import View


def _certificate(material: ReleaseMaterial, view: View) -> Content:
    released = material.released
    said, plan = released.certificate, released.plan
    parameters, use, cell = plan.parameters, said["utility"], plan.product.cell
    left_out = cleaning_in_words(said.get("rows", {}).get("cleaning", {}))
    rows = {
        "made": said["made"],
        "what": said["what"].removeprefix("privlab secure release: "),
        "weeks": ", ".join(plan.weeks),
        "zones": words.zones_called(plan.zones_spec),
        "ε for a person's week": f"{parameters.epsilon:g}",
        "ε of all weeks together": f"{plan.epsilon:g}",
        "δ": delta_words(plan.delta),
        _bound_name(plan): f"{parameters.max_trips_per_user:,}",
        "threshold": f"{parameters.threshold:,}",
        "cells": parameters.cells,
        "noise": _noise_in_words(said["mechanism"], plan.product.counted),
        **{
            f"sums of districts: {level.name}": f"{level.n_pairs:,} a week, σ = {said['mechanism']['scale'] / units:.4g} {plan.product.counted}"
            for level, units in zip(
                plan.levels, said["mechanism"].get("level_units_per_trip", []), strict=True
            )
        },
        **{
            f"total of the week of {week}": f"{words.number_of('trip', total.trips)}, off by at most "
            f"{total_half_width(said['mechanism']['scale'], said['mechanism']['total_units_per_trip']):,} in 95 of 100 weeks; its unbiased "
            f"counts are the published ones times {factor_in_words(said, released.ratio[week])}"
            for week, total in totals_from_certificate(said).items()
        },
        **{f"{name}, as the publisher says": it for name, it in said.get("said_by_publisher", {}).items()},
        **({"days and hours": _clock_in_words(plan)} if plan.rows else {}),
        **({"left out before anything was counted": left_out} if left_out else {}),
        f"published {cell}s": f"{use['published_cells']:,}",
        f"published {plan.product.counted}": f"{use['published_total']:,}",
        **{
            f"accepted by its maker: {_accepted_name(name, cell)}": why
            for name, why in said.get("accepted", {}).items()
        },
        "keyed digest of the data": said["data"]["keyed_digest"],
        **{f"SHA-256 of {name}": digest for name, digest in said["files"].items()},
        "SHA-256 of the certificate": released.digest,
        "public key": said.get("signature", {}).get("public_key", "not signed (an earlier format)"),
        "made with": ", ".join(f"{name} {version}" for name, version in said["versions"].items()),
    }
    return Content(
        sentence=f"The release was made on {said['made'][:10]}. Its {words.number_of(f'published {cell}', use['published_cells'])} and its "
        f"certificate say the same; every check that needs no key holds.{f' {plan.product.parts}' if plan.product.parts else ''}",
        rows=[{"of the certificate": name, "it says": value} for name, value in rows.items()],
        facts=released,
    )


def _clock_in_words(plan: ReleasePlan) -> str:
    """Say whose clock days and hours go by."""
    zone = None if plan.rows is None else plan.rows.timezone
    if zone:
        return f"by the clock of {zone}"
    return "by the clock that the times were written by; with an offset, by UTC"


def _accepted_name(name: str, cell: str) -> str:
    """Say what a reason in the certificate is for; of a kind that is not known its name there."""
    return {"delta": "δ", "made_up": f"false {cell}s, or nothing published"}.get(name, name)


def _bound_name(plan: ReleasePlan) -> str:
    """Say what the bound does: nothing beyond it is counted, or each of more than that weighs less."""
    per = f"{plan.product.counted} per user and week"
    return (
        f"{per}, at most" if plan.parameters.clip == "keep" else f"{per}, of more than which each weighs less"
    )


def _noise_in_words(said: dict[str, Any], counted: str) -> str:
    """Say the law of the noise, how wide it is in trips, or what else is `counted`, and what drew it."""
    if "units_per_trip" not in said:
        return f"{said['noise']}, scale {said['scale']:g} ({said['library']})"
    clip = {
        "l2": f"all {counted} of a user up to {said['most_trips']:,}, weighted down beyond the number above (L2 clip)",
        "keep": f"{counted} beyond the number above left out at random",
    }[said["clip"]]
    return f"{said['noise']}, σ = {said['scale'] / said['units_per_trip']:.4g} {counted} ({said['library']}); {clip}"


def _promise(material: ReleaseMaterial, view: View) -> Content:
    """Say what the certificate promises, in its own words."""
    said = material.released.certificate["guarantee"]
    plan = material.released.plan
    one = plan.product.counted.removesuffix("s")
    rows = [
        {
            "protected": words.unit_in_words(name, bounded=True, one=one),
            "ε": f"{unit['epsilon']:.4g}",
            "δ": delta_words(unit["delta"]) if unit["delta"] else "0",
            "best attack is right at most (a coin: 50%)": words.chance_at_most(unit["optimal_accuracy"], 1),
        }
        for name, unit in said["units"].items()
        if unit is not None
    ]
    return Content(sentence=said["statement"], rows=rows)


def _released_flows(material: ReleaseMaterial) -> list[ReleasedFlows]:
    """Return each week's true and published counts, and where the zones lie."""
    assert material.data is not None
    require_flows_in_report(material.released.plan)
    return released_flows_from_counts(material.data.trips(), material.released)


def require_flows_in_report(plan: ReleasePlan) -> None:
    """Raise DataError, by which a part is removed, unless a release is of flows of whole weeks."""
    if plan.product is not FLOWS:
        raise DataError(
            f"The release holds {plan.product.name}, and this part compares flows of whole weeks. Remove it from the report."
        )


def _release_maps(material: ReleaseMaterial, view: View) -> Content:
    released, week = material.released, material.released.plan.weeks[0]
    assert material.data is not None
    if released.plan.product is not FLOWS:
        if released.plan.product.name == "visits":
            series = visit_series_of_release(material.data.traces(), released, week=week)
            where = material.data.trips().zone_map
            sentence, figure = visits_on_map(series, where, LIGHT, hour=series.busiest)
        else:
            slot = busiest_slot(released, week)
            counted = material.data.counted_trips(released.plan)
            sentence, figure = slot_on_map(
                material.data.trips(), counted, released, LIGHT, week=week, slot=slot
            )
        return Content(sentence=sentence if figure is not None else _NOWHERE, figure=figure)
    first = _released_flows(material)[0]
    week, places, is_given_back = first.week, first.places, first.unbiased is not None
    # Where a total gives back what the limit took, that is the file to be used: the counts before it are far less than the truth.
    flows = first.flows if first.unbiased is None else first.unbiased
    figure = flow_maps_figure(
        flows,
        lat=places.lat,
        lon=places.lon,
        outlines=places.outlines,
        palette=LIGHT,
        after="after: estimates as released" if is_given_back else "after: as released",
    )
    said = "The unbiased counts in the estimates are drawn. " if is_given_back and figure is not None else ""
    return Content(sentence=f"{said}{_maps_sentence(flows, week, figure)}", figure=figure)


def _flow_maps(material: Material, view: View) -> Content:
    prepared = material.trips()
    week = week_of_view(prepared, view)
    review = simulated_review(prepared, view, week)
    map_ = prepared.zone_map
    figure = flow_maps_figure(
        review.flows,
        lat=map_.lat,
        lon=map_.lon,
        outlines=map_.outlines,
        palette=LIGHT,
        after="after: simulated",
    )
    return Content(
        sentence=f"Simulation, not a release. {_maps_sentence(review.flows, week, figure)}", figure=figure
    )


_NOWHERE = (
    "No zone has a position, so that no map can be drawn: say where the zones lie when the data is loaded."
)


def _maps_sentence(flows: FlowComparison, week: str, figure: Figure | None) -> str:
    if figure is None:
        return _NOWHERE
    if not (flows.true > 0).any() and not flows.spurious.any():
        return f"{words.period(week).capitalize()}: nobody goes anywhere here and nothing is published, so that there is nothing to compare."
    return compared_flows_in_words(flows, words.period(week).capitalize())


def _release_risk(material: ReleaseMaterial, view: View) -> Content:
    assert material.data is not None
    plan = material.released.plan
    trips = of_people(material.data.trips()) if plan.product is FLOWS else material.data.counted_trips(plan)
    risks, sentence = risks_of_release(trips, plan)
    return Content(sentence=sentence, figure=risk_histogram(risks, LIGHT), facts=risks)


def _release_use(material: ReleaseMaterial, view: View) -> Content:
    request = request_from_view(view)
    uses, unbiased = uses_of(material, request.tolerance)
    width = material.released.certificate["utility"]["noise_half_width_95"]
    unlisted = _leaves_out_zones(material)
    parameters = material.released.plan.parameters
    content = use_content(
        uses,
        math.ceil(width * max(material.released.ratio.values(), default=1.0)),
        told=unbiased or uses,
        facts=(unbiased or uses, request),
        unlisted=unlisted,
        threshold=parameters.threshold,
    )
    if not unbiased:
        return content
    words = f"Of the unbiased counts in the estimates: {content.sentence[0].lower()}{content.sentence[1:]}"
    return Content(sentence=words, rows=content.rows, facts=content.facts)


def uses_of(material: ReleaseMaterial, tolerance: float) -> tuple[list[PublishedUse], list[PublishedUse]]:
    """Return what the counts of each week are good for, and what those are that a total gives back to, if there are any."""
    assert material.data is not None
    released, product = material.released, material.released.plan.product
    if product is FLOWS:
        weeks = [(one.week, one.flows, one.unbiased) for one in _released_flows(material)]
    else:
        trips = material.data.counted_trips(released.plan)
        weeks = [
            (week, flows, None if ratio is None else replace(flows, published=flows.published * ratio))
            for week in released.plan.weeks
            for flows in [flow_comparison_from_released_cells(trips, released, week=week)]
            for ratio in [released.ratio.get(week)]
        ]
    how = partial(published_use_from_flow_comparison, tolerance=tolerance, product=product)
    return [how(flows, week=week) for week, flows, _ in weeks], [
        how(unbiased, week=f"{week}, unbiased", of_estimates=True)
        for week, _, unbiased in weeks
        if unbiased is not None
    ]


def _leaves_out_zones(material: ReleaseMaterial) -> bool:
    """Say whether the weeks of the data hold anything to, from or in zones that the release does not list."""
    assert material.data is not None
    plan = material.released.plan
    if plan.zones is None:
        return False
    if plan.product is FLOWS:
        weeks = [(one.places.zones, one.flows.flow[one.flows.true > 0]) for one in _released_flows(material)]
    else:
        trips = material.data.counted_trips(plan)
        weeks = [(trips.zones, trips.week_of(week)[1]) for week in plan.weeks]
    return not all(plan.product.between(cell, zones, plan.zones).all() for zones, cell in weeks)


def _simulated_use(material: Material, view: View) -> Content:
    prepared = material.trips()
    week = week_of_view(prepared, view)
    flows = simulated_review(prepared, view, week).flows
    request = request_from_view(view)
    uses = [published_use_from_flow_comparison(flows, week=week, tolerance=request.tolerance)]
    release = view.release
    content = use_content(
        uses,
        None,
        facts=(uses, request),
        bounded=release.max_trips_per_user is not None,
        threshold=release.threshold,
    )
    return Content(
        sentence=f"Simulation, not a release. {content.sentence}", rows=content.rows, facts=content.facts
    )


def _release_series(material: ReleaseMaterial, view: View) -> Content:
    assert material.data is not None
    released = material.released
    if released.plan.product.name != "visits":
        raise DataError(
            f"The release holds {released.plan.product.name}, and this part shows visits. Remove it from the report."
        )
    series = visit_series_of_release(material.data.traces(), released, week=released.plan.weeks[0])
    return Content(
        sentence=visit_series_in_words(series), figure=visit_series_figure(series, LIGHT), facts=series
    )


def visit_series_of_release(traces: Traces, released: ReleasedCounts, *, week: str) -> VisitSeries:
    """Return one week of a release of visits beside the true visits."""
    part = released.week == week
    return visit_series_from_rows(
        week,
        visits_by_hour_from_traces(traces, date.fromisoformat(week)),
        traces.zones,
        **{name: column[part] for name, column in released.cell.items()},
        count=released.count[part],
    )


EXHIBITS = (
    Exhibit(
        name="release_series",
        title="Hour by hour, before and after",
        page="publish",
        discloses=True,
        make=_release_series,
        of_release=True,
    ),
    Exhibit(
        name="release_promise",
        title="The promise of the release",
        page="publish",
        discloses=False,
        make=_promise,
        says_its_plan=True,
        of_release=True,
    ),
    Exhibit(
        name="certificate",
        title="The certificate",
        page="publish",
        discloses=False,
        make=_certificate,
        says_its_plan=True,
        of_release=True,
    ),
    Exhibit(
        name="release_maps",
        title="Before and after, on a map",
        page="publish",
        discloses=True,
        make=_release_maps,
        of_release=True,
    ),
    Exhibit(
        name="flow_maps", title="Before and after, on a map", page="release", discloses=True, make=_flow_maps
    ),
    Exhibit(
        name="release_risk",
        title="The risk of the people",
        page="publish",
        discloses=True,
        make=_release_risk,
        of_release=True,
    ),
    Exhibit(
        name="release_use",
        title="What the release is good for",
        page="publish",
        discloses=True,
        make=_release_use,
        of_release=True,
    ),
    Exhibit(
        name="simulated_use",
        title="What such a release would be good for",
        page="release",
        discloses=True,
        make=_simulated_use,
    ),
)
