"""Exhibits of what the analyses that flows are published for would find, in the true counts and in the published ones."""

from privlab.figures.flows import analyses_in_words, analyses_rows
from privlab.od.usefulness import analyses_from_flow_comparison
from privlab.releases.reading import released_flows_from_counts
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material, ReleaseMaterial
from privlab.reports.exhibits.exhibits_od import week_of_view
from privlab.reports.exhibits.exhibits_release import require_flows_in_report
from privlab.reports.exhibits.simulated_releases import simulated_review
from privlab.reports.report_plan import View


def _release_analyses(material: ReleaseMaterial, view: View) -> Content:
    """Say it of each week, of the counts that know most; the sentence is of the first week."""
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
