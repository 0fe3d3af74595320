"""What can be played is exported at rest: a picture and a printed page hold every place, and nothing that could be pressed."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest

from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.aggregates.recovery.trails_from_counts import recovery_from_followed
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.groups.recovery import recovered_trail_figure
from privlab.lab.reporting import collect
from privlab.progress import UNHEARD
from privlab.reports.documents import browser_export, word_and_markdown
from privlab.reports.documents.document import ReportPart, html_from_parts
from privlab.reports.exhibits import all_exhibits
from privlab.reports.report_plan import ReportPlan
from tests.aggregates.recovery.test_trails_from_counts import line, world

N_DAYS = 20
THERE_AND_BACK = [0] * 8 + [1, 2, 3, 4, 3, 2, 1] + [0] * 9
PLAN = ReportPlan(title="T")


def trail() -> go.Figure:
    """Two people who meet and turn back, hour by hour on each of 20 days."""
    followed = world([THERE_AND_BACK * N_DAYS, [8 - one for one in THERE_AND_BACK] * N_DAYS], line(9))
    found = recovery_from_followed(followed, RecoveryParameters(users=2, days=N_DAYS))
    return recovered_trail_figure(found, 1, LIGHT, days=N_DAYS)


def exported(way: str, parts: list[ReportPart], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the document that a browser makes a picture or paper of."""
    given: list[str] = []

    def keeps(html: str, **named: object) -> bytes:
        given.append(html)
        return b""

    monkeypatch.setattr(word_and_markdown, "png_from_html", keeps)
    monkeypatch.setattr(all_exhibits, "png_from_html", keeps)
    monkeypatch.setattr(collect, "pdf_from_html", keeps)
    report = collect.CollectedReport(plan=PLAN, parts=parts, summary=(), html="")
    {
        "Word and Markdown": lambda: report.figures(UNHEARD),
        "pictures": lambda: report.pictures(UNHEARD),
        "paper": report.printed,
    }[way]()
    (html,) = given
    return html


@pytest.mark.parametrize("way", ["Word and Markdown", "pictures", "paper"])
def test_an_exported_trail_holds_every_place_as_the_browser_draws_it(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hand: 24 places a day on 20 days, true and put together, and a home."""
    part = ReportPart(title="T", sentence="S", caption="c", discloses=True, figure=trail())
    html = exported(way, [part], monkeypatch)
    drawn = browser_export._answered(html, "--window-size=1000,800", "--dump-dom").decode()
    assert len(re.findall(r'<path class="point', drawn)) == 2 * 24 * N_DAYS + 1
    assert "Play the days" not in drawn


def test_in_a_browser_a_trail_opens_whole_and_plays_when_asked() -> None:
    part = ReportPart(title="T", sentence="S", caption="c", discloses=True, figure=trail())
    html = html_from_parts([part], title="T", kind="internal")
    own = html.rpartition("Plotly.newPlot(")[2]
    assert "Plotly.addFrames(" in own
    assert "Play the days" in own
    assert "Plotly.animate(" not in own
    assert np.size(part.figure.data[2].x) == 24 * N_DAYS  # type: ignore[union-attr]
