"""Exhibits that hold one thing beside another: analyses of true counts and of published ones, a release and a plan for its data."""

import math

from privlab.figures.flows import analyses_in_words, analyses_rows
from privlab.figures.wording import noise_name, words
from privlab.od.planning import MECHANISM_NAMES
from privlab.od.usefulness import analyses_from_flow_comparison
from privlab.releases.reading import released_flows_from_counts
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material, ReleaseMaterial
from privlab.reports.exhibits.exhibits_od import week_of_view
from privlab.reports.exhibits.exhibits_release import require_flows_in_report, uses_of
from privlab.reports.exhibits.exhibits_whole import plan_content, request_from_view
from privlab.reports.exhibits.simulated_releases import simulated_review
from privlab.reports.report_plan import View
from privlab.stats import percent_at_most


def _release_plan(material: ReleaseMaterial, view: View) -> Content:
    """Return the plan for the data of a release beside what the release has: its promise, and what it is good for."""
    require_flows_in_report(material.released.plan)
    assert material.data is not None
    wish = request_from_view(view)
    uses, unbiased = uses_of(material, wish.tolerance)
    worst = min(unbiased or uses, key=lambda use: use.rank)
    unit = material.released.certificate["guarantee"]["units"]["user"]
    right = "no limit" if unit is None else percent_at_most(unit["optimal_accuracy"])
    made: tuple[float, ...] = ()
    risk = "nothing limits how often a person is guessed right"
    if unit is not None:
        if not math.isnan(worst.share_close):
            made = unit["optimal_accuracy"], worst.share_close
        risk = f"nobody is guessed right in more than {right} of cases"
    close = words.share_of(worst.share_close)
    where = "unbiased counts" if unbiased else "flows published"
    week = " in its least useful week" if len(uses) > 1 else ""
    content = plan_content(
        material.data,
        view,
        about=f"This release: {view.release_in_words}; {risk}, and {close} of all trips lie in {where} within "
        f"{wish.tolerance * 100:g}% of the truth{week}.",
        made=made,
    )
    law = f"{noise_name(str(view.option('law') or view.release.noise))} noise"
    row = {
        "release": "this release",
        "noise": MECHANISM_NAMES.get(str(view.option("mechanism")), law),
        "ε": f"{view.release.epsilon:g}",
        "trips per user, at most": f"{view.release.max_trips_per_user:,}",
        "threshold": f"{view.release.threshold:,}",
        "guessed right": right,
        "useful": close,
    }
    return Content(sentence=content.sentence, figure=content.figure, rows=[row, *content.rows])


def _release_analyses(material: ReleaseMaterial, view: View) -> Content:
    """Return analyses of true counts and of a release's best ones, week by week; the sentence is about the first week."""
    require_flows_in_report(material.released.plan)
    assert material.data is not None
    weeks = released_flows_from_counts(material.data.trips(), material.released)
    found = [analyses_from_flow_comparison(one.best[1], one.places.lat, one.places.lon) for one in weeks]
    several = len(weeks) > 1
    rows = [
        {**({"week": one.week} if several else {}), **row}
        for one, analyses in zip(weeks, found, strict=True)
        for row in analyses_rows(analyses)
    ]
    which = weeks[0].best[0]
    of = "" if which == "published" else f"Of the {which} counts in the estimates: "
    week = f"Week of {weeks[0].week}: " if several else ""
    return Content(sentence=f"{week}{of}{analyses_in_words(found[0])}", rows=rows)


def _simulated_analyses(material: Material, view: View) -> Content:
    prepared = material.trips()
    review = simulated_review(prepared, view, week_of_view(prepared, view))
    zones = prepared.zone_map
    found = analyses_from_flow_comparison(review.flows, zones.lat, zones.lon)
    return Content(
        sentence=f"Simulation, not a release. {analyses_in_words(found)}", rows=analyses_rows(found)
    )


EXHIBITS = (
    Exhibit(
        name="release_plan",
        title="The plan",
        page="plan",
        discloses=True,
        make=_release_plan,
        of_release=True,
    ),
    Exhibit(
        name="release_analyses",
        title="What analyses would find in the release",
        page="publish",
        discloses=True,
        make=_release_analyses,
        of_release=True,
    ),
    Exhibit(
        name="simulated_analyses",
        title="What analyses would find",
        page="release",
        discloses=True,
        make=_simulated_analyses,
    ),
)
