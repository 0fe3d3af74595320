"""Reports: what stands in them, what must not, the plan that makes them again, and paper."""

import json
import math
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from privlab.checks import DataError, ParameterError
from privlab.dp.gaussian import GaussianParameters
from privlab.figures.drawing.numbers_of_figure import csv_from_figure, table_from_figure
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.drawing.titles import set_title
from privlab.figures.drawing.true_data_marks import marked_csv
from privlab.figures.fingerprints.anonymizability import unicity_figure
from privlab.fingerprints.levels import DEFAULT_LEVELS
from privlab.fingerprints.singling_out.unicity import Unicity
from privlab.kept.runs import Runs
from privlab.lab.loading.load import sample_rows
from privlab.lab.reporting.collect import RowsMaterial, collected_report_from_plan, require_same_data
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.progress import UNHEARD
from privlab.reports.documents import browser_export
from privlab.reports.documents.browser_export import (
    BROWSER_VARIABLE,
    installed_browser,
    pdf_from_html,
    png_from_html,
)
from privlab.reports.documents.document import Judgement, ReportPart, html_from_parts
from privlab.reports.exhibits.all_exhibits import EXHIBITS
from privlab.reports.report_plan import (
    DataReference,
    ReportItem,
    ReportPlan,
    View,
    json_from_report_plan,
    report_plan_from_json,
)

HOSTILE = "<script>alert(1)</script>\u202e &amp; </title>"
VIEW = View(release=ReleaseParameters(epsilon=0.66))


@pytest.fixture(scope="module")
def cabs(tmp_path_factory: pytest.TempPathFactory) -> RowsMaterial:
    runs = Runs(tmp_path_factory.mktemp("runs") / "runs.sqlite")
    return RowsMaterial(
        lambda workspace: sample_rows("cabs", workspace),
        sample=True,
        runs=runs,
        progress=UNHEARD,
    )


def item(exhibit: str, data: DataReference | None = None, **options: Any) -> ReportItem:
    return ReportItem(
        exhibit=exhibit, view=View(release=VIEW.release, options=tuple(options.items())), data=data
    )


def text_of(html: str) -> str:
    """The document without the script that draws."""
    return re.sub(r"<script>.*?</script>", "", html, count=1, flags=re.S)


def test_the_attack_in_the_report_against_published_figures() -> None:
    plan = ReportPlan(
        title="T", kind="external", items=(item("attack", k=32), item("adds_up", k=70, weeks=52))
    )
    html = text_of(collected_report_from_plan(plan, lambda reference: pytest.fail("no data is needed")).html)
    assert "an attacker guesses right 95.5 times in 100 (a coin: 50)" in html
    assert "95.52%" in html  # docs/science.md, section 2.3, at k = 32: 95.5224%
    assert "2,402" in html
    assert "46.2" in html
    assert "External: holds nothing of the true data" in html


def test_certainty_in_the_report_against_the_laws_by_hand() -> None:
    """With Gaussian noise the loss of one trip exceeds t with chance Φ(1/2σ − tσ); the claim comes, from odds of 7 to 3, to 7/3·e."""
    release = replace(VIEW.release, epsilon=1.0, max_trips_per_user=1, noise="integer", threshold=0)
    options = {"k": 1, "prior": 70}
    gaussian = options | {"law": "gaussian", "mechanism": "gaussian, l2"}
    items = tuple(
        ReportItem(exhibit="certainty", view=View(release=release, options=tuple(one.items())))
        for one in (options, gaussian)
    )
    plan = ReportPlan(title="T", kind="external", items=items)
    html = text_of(collected_report_from_plan(plan, lambda reference: pytest.fail("no data is needed")).html)
    assert f"more than {7 / (7 + 3 * math.exp(-1)):.1%} certain" in html
    sigma = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=1).sigma / 1024
    beyond = norm.cdf(0.5 / sigma - sigma)
    assert beyond < 0.001
    assert "In fewer than 0.1 of 100 releases that count someone" in html
    assert "where all flows of the person are published" in html
    assert "ε = 1, threshold 0, integer noise, at most 1 trip per user" in html
    assert "ε = 1, δ = 10⁻⁶, threshold 0, Gaussian noise, a limit of 1 trip per user" in html


def test_every_exhibit_with_true_data_is_kept_out_of_an_external_report(cabs: RowsMaterial) -> None:
    for name, exhibit in EXHIBITS.items():
        plan = ReportPlan(title="T", kind="external", items=(item(name, cabs.reference()),))
        if exhibit.discloses:
            with pytest.raises(DataError, match="shows true data and cannot stand in an external report"):
                collected_report_from_plan(plan, lambda reference: cabs)


def test_an_external_report_names_neither_the_data_nor_what_is_in_it(cabs: RowsMaterial) -> None:
    wished = (("wish_max_accuracy", 0.6), ("wish_min_utility", 0.8))
    view = View(release=VIEW.release, week="2008-06-02", group_size=77, seed=1, options=wished)
    parts = tuple(
        ReportItem(exhibit=name, view=view, data=cabs.reference())
        for name, exhibit in EXHIBITS.items()
        if not exhibit.discloses
        and not exhibit.of_release  # those of a release: tests/lab/reporting/test_put_together.py
    )
    html = text_of(
        collected_report_from_plan(
            ReportPlan(title="T", kind="external", items=parts), lambda reference: cabs
        ).html
    )
    reference = cabs.reference()
    trips = cabs.trips()
    for true in (
        "cabs",
        reference.digest[:12],
        "2008-06-02",
        "77 users",
        f"{trips.rows:,}",
        str(trips.n_users),
    ):
        assert true not in html, true


def test_the_same_plan_gives_the_same_report(cabs: RowsMaterial) -> None:
    names = ("people", "utility", "error", "scatter", "person_risks")
    plan = ReportPlan(
        title="Same",
        items=(*(item(name, cabs.reference()) for name in names), item("guarantee")),
    )
    again = report_plan_from_json(json_from_report_plan(plan))
    assert again == plan
    one, other = (collected_report_from_plan(each, lambda reference: cabs).html for each in (plan, again))
    assert one == other
    assert len(one.encode()) < 6e6
    shown = text_of(one)
    assert shown.count("True data: for internal eyes, not for publication.") == len(names)
    # The data is named below each part, and in each picture once more.
    assert shown.count(cabs.reference().digest[:12]) == len(names) + shown.count("<figure aria-label")
    assert "Internal: shows true data" in shown


def test_groups_and_gaps_in_a_report(cabs: RowsMaterial) -> None:
    reference = cabs.reference()
    plan = ReportPlan(
        title="People",
        items=(
            item("groups_auc", reference, group_sizes="5", targets=3),
            item("groups_regularity", reference, group_sizes="5", targets=3),
            item("groups_aggregate", reference, group_size=5, targets=3, target=2),
            item(
                "groups_defences", reference, group_size=5, targets=3, defences="suppress:5;lpa", epsilons="1"
            ),
            item("recovery", reference, people=10, days=1, step=360),
            item("recovery_over", reference, people=10, days=1, step=360, over="steps"),
            item("kgap", reference, level="20-480", people_judged=40, k=2),
            item("unicity", reference, levels="20-480", points=2, draws=50),
            item("link", reference, levels="20-480", days="1,7", people_sought=50),
            item("groups_auc", reference, group_sizes="5", targets=3, control="users:120+shuffle-hours"),
            item("kgap", reference, level="20-480", people_judged=40, k=2, control="days:7"),
        ),
    )
    shown = text_of(collected_report_from_plan(plan, lambda reference: cabs).html)
    assert "In groups of 5, this attacker finds" in shown
    assert "overlap of weeks" in shown
    assert "A group of 5 with the target in it" in shown
    assert "Without a defence the attack reaches AUC" in shown
    names = ("Laplace, all of a user", "leave out counts below 5")
    rows = re.findall(rf">\s*({'|'.join(names)})[^<]*</t[dh]>", shown)
    assert sorted(rows) == [names[0], names[0], names[1], names[1]]  # two defences, two attackers each
    assert "10 people, 4 steps of 360 minutes" in shown
    assert "steps of 120 min" in shown
    assert "40 people" in shown
    assert "2 known" in shown
    assert "are linked right to themselves among" in shown
    assert "120 people are left, drawn at random; the hours of each person" in shown
    assert "On data changed as a control (days:7)" in shown


def test_with_two_datasets_each_part_that_shows_one_names_it_in_its_heading(cabs: RowsMaterial) -> None:
    """In all formats, as their parts are the same; with one dataset, and where no data enters, headings are as they were."""
    other = replace(cabs.reference(), name="my <trips>.csv")
    items = (item("people", cabs.reference()), item("people", other), item("limits"))

    def headings(*items: ReportItem, kind: str = "internal") -> list[str]:
        report = collected_report_from_plan(
            ReportPlan(title="T", kind=kind, items=items), lambda reference: cabs
        )
        drawn = re.findall("<h2>(.*?)</h2>", text_of(report.html))
        assert drawn == [escape(part.title) for part in report.parts]
        return [part.title for part in report.parts]

    assert headings(*items) == [
        "Unique trips per user: cabs",
        "Unique trips per user: my <trips>.csv",
        EXHIBITS["limits"].title,
    ]
    assert headings(items[0], items[0]) == ["Unique trips per user"] * 2
    no_true_data = [replace(item("limits"), data=one.data) for one in items[:2]]
    assert headings(*no_true_data, kind="external") == [EXHIBITS["limits"].title] * 2


def test_the_plan_of_a_part_says_its_noise_once_by_hand() -> None:
    release = ReleaseParameters(epsilon=0.66, threshold=100)

    def said(noise: str) -> str:
        return str(View(release=release, options=(("k", 12), ("noise", noise))))

    bound = "ε = 0.66, threshold 100, Laplace noise, no bound on trips per user, k = 12"
    assert said("laplace") == f"{bound}, seed 1"
    assert said("gaussian") == f"{bound}, Gaussian noise, seed 1"  # a part of its own noise says that


def test_other_data_than_the_plan_is_about_is_refused(cabs: RowsMaterial) -> None:
    found = cabs.reference()
    wanted = DataReference(name="cabs", sample=True, digest="0" * 32, zones=found.zones)
    with pytest.raises(DataError, match="The data is not that of the report plan"):
        require_same_data(wanted, found)


def test_texts_are_shown_and_never_run() -> None:
    part = ReportPart(
        title=HOSTILE,
        sentence=HOSTILE,
        caption=HOSTILE,
        note=HOSTILE,
        discloses=False,
        rows=[{HOSTILE: HOSTILE}],
    )
    html = html_from_parts([part], title=HOSTILE, kind="external", note=HOSTILE)
    assert html.count("<script>") == 1
    assert (
        text_of(html).count("&lt;script&gt;alert(1)&lt;/script&gt;") == 10
    )  # four of the part, three of its table, three at the top
    assert "\u202e" not in html
    assert "default-src 'none'" in html


def test_numbers_in_a_table_are_not_broken_and_digests_are() -> None:
    rows = [
        {"count": "54,001", "digest": "0" * 64, "words": "a reason of many short words, longer than a line"}
    ]
    html = html_from_parts(
        [ReportPart(title="T", sentence="", caption="", discloses=False, rows=rows)],
        title="T",
        kind="internal",
    )
    assert "<td>54,001</td>" in html
    assert f'<td class="long digest">{"0" * 64}</td>' in html
    assert "<td>a reason" in html


@pytest.mark.parametrize("n_rows", [1, 5, 6])
def test_where_a_short_table_comes_from_stays_on_its_page(n_rows: int) -> None:
    """A browser breaks no page within what must not be broken; a line of source on a page of its own names nothing."""
    part = ReportPart(
        title="T", sentence="s", caption="its source", discloses=False, rows=[{"a": 1}] * n_rows
    )
    html = text_of(html_from_parts([part], title="T", kind="internal"))
    whole = re.search(r'<div class="whole">(.*?)</div>\s*</article>', html, flags=re.S)
    assert (whole is None) == (n_rows > 5)
    assert html.count("its source") == 1
    if whole is not None:
        assert whole[1].count("<tr>") == n_rows + 1
        assert "its source" in whole[1]
        assert re.search(r"[^}]*\.whole[^{]*\{ break-inside: avoid; \}", html)


def test_a_figure_and_where_it_comes_from_stay_together_and_both_are_reached_by_keys() -> None:
    """What is called a picture may hold no buttons, and a table that a narrow screen cuts is moved by keys."""
    part = ReportPart(
        title="T", sentence="s", caption="its source", discloses=False, figure=go.Figure(go.Bar(y=[1, 2]))
    )
    html = text_of(html_from_parts([part, replace(part, rows=[{"a": 1}])], title="T", kind="internal"))
    alone, above_rows = html.split("<article ")[1:3]
    assert re.search(
        r'<div class="whole">\s*<figure aria-label="s">.*its source</p>\s*</div>\s*</article>',
        alone,
        flags=re.S,
    )
    assert above_rows.index("</figure>") < above_rows.index('<div class="whole">')
    assert above_rows.count("<div class=") == above_rows.count('<div class="plotly') + 2
    assert 'role="region" aria-label="Table: T" tabindex="0">' in above_rows
    assert 'role="img"' not in html


def test_an_external_report_judges_nobody_and_does_not_say_it_does() -> None:
    (limits,) = (one for one in EXHIBITS.values() if one.name == "limits")
    view = View(release=VIEW.release, week="2008-06-02", group_size=None, seed=1, options=())
    said = {row["limit"]: row["what it means"] for row in limits.make(None, view).rows}
    assert said["Who is judged"].startswith("Where this report says the risk of single people, ")


def test_numbers_of_a_figure_against_hand() -> None:
    figure = go.Figure(go.Scatter(x=[1, 2], y=[0.5, 0.75], name="=1+1", error_y={"array": [0.1, 0.2]}))
    figure.add_bar(x=["a"], y=[3])
    figure.update_layout(xaxis={"title": "k"}, yaxis={"title": "share"})
    table = table_from_figure(figure)
    assert list(table.columns) == ["curve", "k", "share", "low", "high"]
    assert table["low"].tolist()[:2] == pytest.approx([0.4, 0.55])
    assert csv_from_figure(figure).decode().splitlines()[1].startswith("'=1+1,1,0.5")
    cells = table_from_figure(go.Figure(go.Heatmap(z=[[1, 2], [3, 4]])))
    assert cells[["x", "y", "z"]].to_numpy().tolist() == [[0, 0, 1], [1, 0, 2], [0, 1, 3], [1, 1, 4]]


def test_intervals_of_unicity_are_columns_beside_its_shares() -> None:
    """One level and two numbers of points: two rows, in which the interval holds the share."""
    found = Unicity(
        points=np.array([1, 2]), share=np.array([0.25, 0.5]), low=np.array([0.125, 0.375]), high=np.array([0.5, 0.625]),
        level=DEFAULT_LEVELS[0], n_alone=np.array([2, 4]), n_short=np.array([0, 0]), n_traces=8, n_users=8,
        alone=np.zeros((8, 2), dtype=bool),
    )  # fmt: skip
    lines = csv_from_figure(unicity_figure({"0.1-1": found}, LIGHT)).decode().splitlines()
    assert lines == [
        "curve,samples of a trace that someone knows,traces singled out (1: 100%),low,high",
        "0.1-1,1,0.25,0.125,0.5",
        "0.1-1,2,0.5,0.375,0.625",
    ]


def test_what_a_file_is_about_stands_before_its_numbers_and_is_no_formula() -> None:
    about = ("Unicity", 'my "trips",=1+1;@sum.csv: k = 2\n-1')
    lines = marked_csv(b"a,b\n1,2\n", true_data=True, about=about).decode().splitlines()
    assert lines == [
        "# INTERNAL: true data, not for publication",
        "# Unicity",
        "# my 'trips','=1+1;'@sum.csv: k = 2␊-1",
        "a,b",
        "1,2",
    ]


def test_a_title_gives_the_figure_room() -> None:
    figure = go.Figure().update_layout(height=300, margin={"t": 10})
    set_title(figure, "<b>T", "data & parameters, " * 8, true_data=False)
    assert figure.layout.height - 300 == figure.layout.margin.t - 10 > 0
    assert figure.layout.title.text == "&lt;b&gt;T"  # a title may name a file, and no tag in it is one
    # 145 characters hold seven of them, of 18 each with a space between, and 6 more. The first line is for a mark.
    first, *lines = figure.layout.title.subtitle.text.split("<br>")
    assert first == " "
    assert lines == [" ".join(["data &amp; parameters,"] * 7) + " data &amp;", "parameters,"]


def test_a_figure_cut_out_of_a_report_says_its_data_and_parameters() -> None:
    part = ReportPart(
        title="T",
        sentence="S",
        plan="ε = 0.66",
        caption="city (hash 12)",
        discloses=True,
        figure=go.Figure(go.Bar(y=[1])),
    )
    html = html_from_parts([part], title="Paper", kind="internal")
    drawn = html[html.index("<figure aria-label=") : html.index("</figure>")]
    # Plotly writes letters beyond ASCII as JSON does.
    assert "\\u03b5 = 0.66; city (hash 12)" in drawn


def test_paper_and_pictures_from_a_browser() -> None:
    html = html_from_parts(
        [
            ReportPart(
                title="T", sentence="S", caption="c", discloses=True, figure=go.Figure(go.Bar(y=[1, 2]))
            )
        ],
        title="Paper",
        kind="internal",
    )
    pdf = pdf_from_html(html)
    assert pdf.startswith(b"%PDF-")
    assert b"/MediaBox [0 0 594" in pdf  # A4
    png = png_from_html(html, width=400)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert size_of(png)[0] == 800


def test_on_paper_a_figure_is_as_wide_as_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A4 without its margins of 16 mm is 178 mm wide; printing zooms what a browser has drawn in the window that it was given."""
    part = ReportPart(
        title="T", sentence="S", caption="c", discloses=True, figure=go.Figure(go.Bar(y=[1, 2]))
    )
    html = html_from_parts([part], title="Paper", kind="internal")
    asked: list[str] = []
    monkeypatch.setattr(browser_export, "_exported", lambda _, name, *options: asked.extend(options) or b"")
    pdf_from_html(html)
    drawn = browser_export._answered(
        html, *(one for one in asked if one.startswith(("--window", "--hide"))), "--dump-dom"
    )
    (width,) = set(re.findall(rb'class="main-svg"[^>]* width="([\d.]+)"', drawn))
    (zoom,) = re.findall(r"figure { zoom: ([.\d]+);", html)
    text = (210 - 2 * 16) / 25.4 * 96
    assert "@page { size: A4; margin: 18mm 16mm 16mm;" in html
    assert 0.99 * text < float(width) * float(zoom) <= text
    # So it is where a reader prints it from a wider window: the browser says so before it does. Firefox cut off what was wider.
    prints = '<script>addEventListener("load", () => setTimeout(() => dispatchEvent(new Event("beforeprint")), 1000));</script>'
    wider = browser_export._answered(html + prints, "--window-size=1280,800", "--dump-dom")
    assert set(re.findall(rb'class="main-svg"[^>]* width="([\d.]+)"', wider)) == {width}
    # Nothing else makes it narrower there.
    printed = html.partition("@media print {")[2].partition("</style>")[0]
    assert not re.search(r"svg-container[^}]*max-width: \d+mm", printed)


def size_of(png: bytes) -> tuple[int, int]:
    """Return width and height of a picture as its header has them."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


@pytest.mark.parametrize("height", [120, 1234])
def test_a_picture_is_as_high_as_what_stands_in_it(height: int) -> None:
    """The document's style says its height: lower and higher than the window that it is asked in."""
    html = f"<!doctype html><style>body {{ margin: 0 }}</style><div style='height: {height}px'></div>"
    assert size_of(png_from_html(html, width=400)) == (800, 2 * height)


def test_a_picture_of_a_figure_has_room_for_all_that_stands_around_it() -> None:
    """As high as the figure and forty lines of a caption more: 40 of 13.6 px, each a line and a half high; two pixels for one."""

    def height(n_lines: int) -> int:
        part = ReportPart(
            title="T",
            sentence="S",
            caption=" ".join(["x" * 100] * n_lines),  # more than half of a line: no two stand in one
            discloses=True,
            figure=go.Figure(go.Bar(y=[1, 2])).update_layout(height=700),
        )
        return size_of(png_from_html(html_from_parts([part], title="Paper", kind="internal"), width=1040))[1]

    assert height(1) > 2 * 700
    assert height(41) - height(1) == pytest.approx(2 * 40 * 13.6 * 1.5, abs=4)


def test_the_same_figure_is_the_same_picture_each_time() -> None:
    """A picture taken before all of it is painted would differ from the others at the edge of a tile."""
    bars = go.Figure(go.Bar(x=list(range(103)), y=[20_000 / (1 + at) for at in range(103)]))
    bars.update_layout(height=320, xaxis_title="unique trips", yaxis_title="users")
    part = ReportPart(title="T", sentence="S " * 70, caption="c", discloses=True, figure=bars)
    html = html_from_parts([part], title="Paper", kind="internal")
    assert len({png_from_html(html, width=1040) for _ in range(4)}) == 1


@pytest.mark.parametrize(("n_rows", "same_as_above"), [(2, True), (20, False)])
def test_on_paper_words_and_figure_stay_on_one_page(n_rows: int, same_as_above: bool) -> None:
    """A4 has room for the figure below a table of 2 rows, not below one of 20. Where a link leads to says on which page a line stands."""
    table = [{"name": f"row {number}", "value": number} for number in range(n_rows)]
    parts = [
        ReportPart(title="Above", sentence="Above.", caption="c", discloses=False, rows=table),
        ReportPart(
            title="Below", sentence="Below.", caption="c", discloses=True, figure=go.Figure(go.Bar(y=[1, 2]))
        ),
    ]
    html = html_from_parts(parts, title="Paper", kind="internal")
    for name, line in (("above", "<p>Above."), ("below", "<p>Below."), ("drawn", '<p class="discloses">')):
        assert html.count(line) == 1
        html = html.replace(line, line.replace("<p", f'<p id="{name}"'))
        html = html.replace("</main>", f'<a href="#{name}">{name}</a></main>')
    pdf = pdf_from_html(html)
    page = {
        name: found[1]
        for name in ("above", "below", "drawn")
        if (found := re.search(rf"/{name} \[(\d+) 0 R".encode(), pdf))
    }
    assert page["below"] == page["drawn"]
    assert (page["below"] == page["above"]) is same_as_above


def test_shares_of_the_attack_and_of_a_guarantee_have_as_many_digits_as_on_their_pages_by_hand() -> None:
    """ε = 0.66: one cell of Laplace noise is 1 − ½e^{−0.33} = 64.054%, and 1/(1 + e^{−0.66}) = 65.926%; a bound is not rounded down."""
    release = ReleaseParameters(epsilon=0.66)
    asked = View(release=release, options=(("simulated_games", 0),))
    of_one, *_ = EXHIBITS["attack"].make(None, asked).rows  # type: ignore[arg-type]
    assert list(of_one.values()) == [1, "64.05%", "65.93%", "65.93%"]
    of_a_trip, *_ = EXHIBITS["guarantee"].make(None, View(release=release)).rows  # type: ignore[arg-type]
    assert [*of_a_trip.values()][2:] == ["64.1%", "66.0%"]


def heights(html: str) -> list[int]:
    """Return how high the figures of a document are, without their titles (30 pixels), marks (16) and parameters (64)."""
    return [int(height) - 30 - 16 - 64 for height in re.findall(r'"height":(\d+)', html)]


def drawn(height: int, *, rows: Sequence[dict[str, Any]] = (), title: str = "") -> ReportPart:
    figure = go.Figure(go.Scatter(y=[1, 2], name="a", showlegend=True))
    figure.update_layout(height=height, margin={"t": 10, "b": 50}, legend={"y": -0.2}, yaxis={"title": title})
    return ReportPart(
        title="T",
        sentence="Words of three lines. " * 14,
        caption="c",
        discloses=True,
        figure=figure,
        rows=rows,
    )


@pytest.mark.parametrize("paper", [False, True])
def test_on_paper_two_figures_that_nearly_fit_share_a_page(paper: bool) -> None:
    """Of 440 pixels each, with three lines above it, a figure and its words are 52% of A4: the second stood on a page of its own."""
    html = html_from_parts([drawn(440), drawn(440)], title="Paper", kind="internal", still=True, paper=paper)
    for number in (1, 2):
        mark = f'<article id="part-{number}">'
        assert html.count(mark) == 1
        html = html.replace("</main>", f'<a href="#part-{number}">{number}</a></main>')
    pdf = pdf_from_html(html)
    first, second = (re.search(rf"/part-{number} \[(\d+) 0 R".encode(), pdf)[1] for number in (1, 2))  # type: ignore[index]
    assert (first == second) is paper


def test_on_paper_only_figures_that_fit_beside_another_are_lower_and_their_legends_stay_by_hand() -> None:
    """Lower are those next to another figure without a table, up to 480 pixels. −0.2 of 380 pixels is 76 below the axis, as −76/265 of 265 is."""
    table = [{"a": 1}]
    for parts, expected in (
        ([drawn(440), drawn(460)], [325, 325]),
        ([drawn(300), drawn(520), drawn(440)], [300, 520, 325]),
        ([drawn(440, rows=table), drawn(440), drawn(440, rows=table)], [440, 440, 440]),
        ([drawn(440, title="a name that is longer than the axis it is of"), drawn(440)], [440, 325]),
    ):
        html = html_from_parts(parts, title="Paper", kind="internal", paper=True)
        assert heights(html) == expected
    (legend,) = set(
        re.findall(
            r'"legend":\{"y":(-[\d.]+)',
            html_from_parts([drawn(440)] * 2, title="P", kind="internal", paper=True),
        )
    )
    assert float(legend) == pytest.approx(-76 / 265)


def test_on_paper_maps_side_by_side_are_hardly_lower_than_fits_by_hand() -> None:
    """They are drawn to scale, and as much smaller as they are lower. 340 pixels and 325 of a figure share a page, 387 do not."""
    maps = drawn(440)
    assert maps.figure is not None
    maps.figure.update_layout(
        yaxis={"scaleanchor": "x"}, xaxis2={"anchor": "y2"}, yaxis2={"scaleanchor": "x2"}
    )
    html = html_from_parts([maps, drawn(440)], title="Paper", kind="internal", paper=True)
    assert heights(html) == [340, 325]


def test_a_table_of_some_rows_fills_the_page_that_it_begins_on() -> None:
    """Below 24 rows A4 has room for half of a table of 12: its first rows stand there, and its last with their source."""
    table = [{"name": f"row {number}", "value": number} for number in range(24)]
    below = [{"name": f"below {number}", "value": number} for number in range(12)]
    parts = [
        ReportPart(title="Above", sentence="s", caption="c", discloses=False, rows=table),
        ReportPart(title="Below", sentence="s", caption="its source", discloses=False, rows=below),
    ]
    html = html_from_parts(parts, title="Paper", kind="internal")
    marks = {
        "above": "<td>row 23</td>",
        "first": "<td>below 0</td>",
        "third": "<td>below 2</td>",
        "last": "<td>below 11</td>",
        "source": '<p class="caption">its source',
    }
    for name, mark in marks.items():
        assert html.count(mark) == 1
        html = html.replace(mark, mark.replace(">", f' id="{name}">', 1))
        html = html.replace("</main>", f'<a href="#{name}">{name}</a></main>')
    pdf = pdf_from_html(html)
    page = {name: re.search(rf"/{name} \[(\d+) 0 R".encode(), pdf)[1] for name in marks}  # type: ignore[index]
    assert page["above"] == page["first"] == page["third"]
    assert page["first"] != page["last"] == page["source"]


def test_no_page_holds_nothing_but_by_what_a_report_was_made() -> None:
    """Of tables that end at the foot of a page, row by row: its last line stands where its author does."""
    for n_rows in range(26, 32):
        table = [{"name": f"row {number}", "value": number} for number in range(n_rows)]
        part = ReportPart(title="T", sentence="s", caption="c", discloses=False, rows=table)
        html = html_from_parts([part], title="Paper", kind="external", author="A", date="2026-03-02")
        for name, mark in (("author", "<h2>Date and author"), ("made", "<footer>")):
            assert html.count(mark) == 1
            html = html.replace(mark, mark.replace(">", f' id="{name}">', 1))
            html = html.replace("<header>", f'<header><a href="#{name}">{name}</a>')
        pdf = pdf_from_html(html)
        pages = {re.search(rf"/{name} \[(\d+) 0 R".encode(), pdf)[1] for name in ("author", "made")}  # type: ignore[index]
        assert len(pages) == 1, n_rows


def test_a_long_file_name_does_not_widen_a_narrow_page(tmp_path: Path) -> None:
    """In a frame as wide as a telephone, 390 pixels, no part of the page is wider than it."""
    html = html_from_parts(
        [ReportPart(title="x" * 90, sentence="S", caption="c", discloses=False)],
        title=f"Report on the release of {'trips_of_all_people' * 6}.csv",
        kind="external",
        summary=[Judgement(about="Usefulness", colour="green", sentence="S", discloses=False)],
    )
    assert width_on_a_telephone(html, tmp_path) == 390


def width_on_a_telephone(html: str, tmp_path: Path) -> int:
    """Return how wide a document is in a frame of 390 pixels."""
    page = tmp_path / "page.html"
    page.write_text(
        "<meta charset=utf-8><p id=said></p><iframe id=it style='width:390px;height:800px;border:0'></iframe><script>"
        "it.onload = () => { said.textContent = 'wide: ' + it.contentDocument.documentElement.scrollWidth; };"
        f"it.srcdoc = {json.dumps(html).replace('</', '<' + chr(92) + '/')};</script>",
        "utf-8",
    )
    browser = installed_browser()
    assert browser is not None
    profile = (f"--user-data-dir={tmp_path / 'profile'}", "--no-sandbox", "--virtual-time-budget=20000")
    command = [
        browser,
        "--headless=new",
        "--disable-gpu",
        "--hide-scrollbars",
        *profile,
        "--dump-dom",
        page.as_uri(),
    ]
    found = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True).stdout
    (wide,) = re.findall(r">wide: (\d+)<", found)
    return int(wide)


def test_paper_does_not_say_that_figures_are_interactive() -> None:
    html = html_from_parts([], title="Paper", kind="internal")
    on_paper = html.partition("@media print {")[2].partition("\n}")[0]
    assert re.search(r"\.on-screen \{ display: none", on_paper)
    assert '<span class="on-screen"> Figures are interactive;' in html


def test_without_a_browser_there_is_a_hint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(BROWSER_VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(DataError, match="PDF and pictures need Chromium or Chrome"):
        pdf_from_html("<p>")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300)
@given(data=st.data())
def test_any_change_of_a_plan_is_a_plan_or_one_sentence(data: st.DataObject) -> None:
    reference = DataReference(name="x", sample=False, digest="0" * 32, zones="column")
    whole = json.loads(json_from_report_plan(ReportPlan(title="T", items=(item("attack", reference, k=3),))))
    place: Any = whole
    for _ in range(data.draw(st.integers(0, 4))):
        keys = (
            list(place)
            if isinstance(place, dict)
            else list(range(len(place)))
            if isinstance(place, list)
            else []
        )
        if not keys or not isinstance(place[keys[0]], dict | list):
            break
        place = place[data.draw(st.sampled_from(keys))]
        if not isinstance(place, dict | list):
            place = whole
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    if keys:
        place[data.draw(st.sampled_from(keys))] = data.draw(JSON)
    assert complaint(json.dumps(whole)).count("\n") == 0


def complaint(text: str) -> str:
    """What is said of a plan; nothing if it is one, and then it comes back the same."""
    try:
        plan = report_plan_from_json(text)
    except DataError as error:
        return str(error)
    assert report_plan_from_json(json_from_report_plan(plan)) == plan
    return ""


@pytest.mark.parametrize(
    ("exhibit", "option", "value", "sentence"),
    [
        ("attack", "k", "two", "k must be a number, got 'two'"),
        ("groups_auc", "targets", "thirty", "option targets must be a number, got 'thirty'"),
        ("groups_auc", "targets", 2.5, "option targets must be a whole number, got 2.5"),
        ("groups_auc", "group_sizes", "", "group_sizes must be 1 to"),
        ("groups_auc", "period", 7, "period must be"),
        ("groups_defended", "epsilon", "two", "option epsilon must be a number, got 'two'"),
        ("anonymous", "fold", 14, "fold must be whole days or weeks, such as 14d or 2w, got '14'"),
        ("link", "people_sought", "all", "option people_sought must be a number, got 'all'"),
        ("recovery", "first_day", 2, "first day must be a day such as 2026-03-02, got '2'"),
        ("recovery", "epsilon", "two", "option epsilon must be a number, got 'two'"),
        ("guarantee", "weekly_releases", "two", "weeks must be a number, got 'two'"),
    ],
)
def test_an_option_of_the_wrong_kind_gets_one_sentence(
    exhibit: str, option: str, value: Any, sentence: str, cabs: RowsMaterial
) -> None:
    plan = ReportPlan(title="T", items=(item(exhibit, cabs.reference(), **{option: value}),))
    with pytest.raises((ParameterError, DataError), match=sentence):
        collected_report_from_plan(plan, lambda reference: cabs)


def test_what_the_ledger_said_is_read_as_numbers() -> None:
    said = {"together_n": "four", "together_epsilon": 1.0, "together_delta": 0.0, "together_added": 1.0}
    with pytest.raises(ParameterError, match="together_n must be a number, got 'four'"):
        _ = item("guarantee", **said).view.together
    together = item("guarantee", **{**said, "together_n": 4}).view.together
    assert together is not None
    assert (together.n, together.epsilon, together.delta, together.added) == (4, 1.0, 0.0, 1.0)


@pytest.mark.parametrize("kind", ["internal", "external"])
def test_the_plan_of_an_external_report_does_not_say_on_which_week_and_group_it_was_looked(kind: str) -> None:
    """Which week is the busiest, and how many people there are, is true data: what is handed on with the report says neither."""
    view = View(release=VIEW.release, week="2008-06-02", group_size=4711)
    plan = ReportPlan(title="T", kind=kind, items=(ReportItem(exhibit="guarantee", view=view),))
    (kept,) = report_plan_from_json(json_from_report_plan(plan)).items
    said = ("2008-06-02", 4711) if kind == "internal" else ("", None)
    assert (kept.view.week, kept.view.group_size) == said
    assert kept.view.release == VIEW.release


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"what": "privlab report plan"}', "[" * 100_000])
def test_what_is_no_plan_is_said_to_be_none(text: str) -> None:
    with pytest.raises(DataError, match=r"report plan|must be"):
        report_plan_from_json(text)


def test_true_data_is_kept_out_of_an_external_document_without_asserts_too() -> None:
    """Asserts are gone under `python -O`; a gate stays."""
    code = (
        "from privlab.checks import BoundViolation\n"
        "from privlab.reports.documents.document import ReportPart, html_from_parts\n"
        "part = ReportPart(title='People', sentence='', caption='', discloses=True)\n"
        "try:\n    html_from_parts([part], title='T', kind='external')\n"
        "except BoundViolation as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True, check=True)
    assert (
        run.stdout
        == "“People” shows true data and cannot stand in an external report. Take it out, or make the report internal.\n"
    )
