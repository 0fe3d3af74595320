"""Files in a real browser: uploads, downloads, a release for good and a report that opens offline."""

import csv
import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.reports.report_plan import ReportItem, ReportPlan, View, json_from_report_plan
from tests.browser.lab import NARROW, ROOT, Watched, csv_file

pytestmark = pytest.mark.browser


def asks_before_it_is_left(watched: Watched) -> bool:
    """Return whether a browser would ask before it closes the page, or loads it anew, which ends its session."""
    asks = """() => {
        const leaving = new Event("beforeunload", {cancelable: true});
        window.dispatchEvent(leaving);
        return leaving.defaultPrevented;
    }"""
    return bool(watched.page.evaluate(asks))


def test_an_upload_goes_through_and_stays_in_its_session(
    address: str, watched: Watched, browser: Browser
) -> None:
    rows = "".join(
        f"user{user},2026-03-02 {8 + trip:02d}:00,{trip % 4},{(trip + 1) % 4}\n"
        for user in range(9)
        for trip in range(5)
    )
    watched.opened(f"{address}/data")
    assert not asks_before_it_is_left(watched)
    watched.gives("upload", csv_file("mine.csv", "user,time,origin,destination\n" + rows))
    watched.ready()
    assert asks_before_it_is_left(watched)
    watched.loads()
    assert asks_before_it_is_left(watched)
    # Nine people, each with trips 0→1, 1→2, 2→3, 3→0, 0→1: four unique trips.
    expect(watched.page.locator("h2").first).to_contain_text("Of 9 people, all have 4 or more unique trips")
    watched.page.get_by_test_id("stSidebarNavLink").filter(has_text="Attack").click()
    watched.ready()
    expect(watched.page.get_by_text("Of 9 people, all have 4 or more").first).to_be_visible()
    assert asks_before_it_is_left(watched)
    watched.page.get_by_test_id("stSidebarNavLink").filter(has_text="Data").click()
    watched.ready()
    forget = watched.page.get_by_role("button", name="Forget my data")
    watched.acts(forget.click, lambda: not asks_before_it_is_left(watched))
    watched.clean()
    other = browser.new_context()
    stranger = Watched(other.new_page()).opened(f"{address}/attack?data=own+data")
    expect(stranger.page.locator(".st-key-data").get_by_role("combobox")).to_have_value("city")
    other.close()


def test_two_files_are_joined_by_two_clicks(address: str, watched: Watched) -> None:
    """As a GPS log comes: points of tracks in one file, whose track it was in another, dates month first."""
    points = "".join(
        f"{track * 10 + n},{-10.93 - (n % 2)},-37.06,{track},9/13/2014 {8 + n}:{track}5\n"
        for track in range(6)
        for n in range(3)
    )
    tracks = "".join(f"{track},{7 + track % 2}\n" for track in range(6))
    watched.opened(f"{address}/data")
    for key, name, text in (
        ("upload", "go_points.csv", "id,latitude,longitude,track_id,time\n" + points),
        ("second", "go_track_list.csv", "id,id_android\n" + tracks),
    ):
        watched.gives(key, csv_file(name, text))
    expect(watched.page.get_by_text("Column of the file that names a row of the second")).to_be_visible()
    watched.loads()
    expect(watched.page.locator("h2").first).to_contain_text("Of 2 people")
    expect(watched.page.get_by_text("Of 18 rows, 18 are used; none was dropped.")).to_be_visible()
    watched.clean()


def test_a_bad_upload_gets_a_sentence(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/data")
    watched.gives("upload", csv_file("mine.csv", "user,time,origin,destination\n"))
    expect(watched.page.get_by_test_id("stAlert").first).to_contain_text("mine.csv")
    assert watched.page.get_by_test_id("stException").count() == 0


def test_a_table_has_no_download_without_a_mark(address: str, watched: Watched) -> None:
    """The grid's toolbar knows no mark of true data; the lab's own button below a table does."""
    page = watched.page
    watched.opened(f"{address}/attack?numbers_fold=true&games=none")
    page.get_by_test_id("stDataFrame").first.hover()
    expect(page.get_by_role("button", name="Fullscreen").first).to_be_visible()
    # The lab's own button has the same words: it stands below the table, not in its toolbar.
    expect(
        page.get_by_test_id("stElementToolbar").get_by_role("button", name="Download as CSV")
    ).to_have_count(0)
    expect(page.locator(".st-key-attack_numbers_download")).to_be_visible()
    watched.clean()


def test_a_report_plan_that_is_loaded_fills_the_fields_and_stays(address: str, watched: Watched) -> None:
    """A field keeps its text in the browser: what was loaded must be written into it, and stay after a click."""
    item = ReportItem(
        exhibit="attack", view=View(release=ReleaseParameters(epsilon=0.66)), note="The note of a part"
    )
    plan = ReportPlan(
        title="A title that was saved", kind="external", note="A note that was saved", items=(item,)
    )
    page = watched.opened(f"{address}/report").page
    title = page.locator(".st-key-report_title input")
    title.fill("A title of before")
    title.press("Enter")
    watched.ready()
    assert not asks_before_it_is_left(watched)
    watched.unfolded("The plan of this report, and the same on the command line")
    page.locator(".st-key-load_plan input[type=file]").set_input_files(
        {"name": "plan.json", "mimeType": "application/json", "buffer": json_from_report_plan(plan).encode()}
    )
    expect(page.locator("h2").first).to_contain_text("1 part in the external report.")
    assert asks_before_it_is_left(watched)
    for _ in range(2):
        expect(title).to_have_value("A title that was saved")
        expect(page.locator(".st-key-report_note textarea")).to_have_value("A note that was saved")
        expect(page.locator(".st-key-note_0_attack input")).to_have_value("The note of a part")
        page.locator(".st-key-report_pdf label").first.click()
        watched.ready()
    watched.clean()


def test_the_simulated_release_downloads_and_parses(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/release")
    published = int(watched.page.get_by_test_id("stMetricValue").first.inner_text().replace(",", ""))
    with watched.page.expect_download() as arriving:
        watched.page.get_by_role("button", name="Download the simulated release").click()
    download = arriving.value
    assert download.suggested_filename == "INTERNAL_simulated_release_city_2026-03-02_epsilon_0.66.csv"
    text = Path(download.path()).read_text(encoding="utf-8-sig")
    mark, first, rest = text.split("\n", 2)
    assert (
        mark == "# INTERNAL: true data, not for publication (pandas.read_csv reads it with comment='#')"
    )  # whoever knows the seed can take the noise off
    assert first.startswith("# Simulation, not a release")
    rows = list(csv.DictReader(io.StringIO(rest)))
    assert len(rows) == published
    assert all(float(row["simulated_count"]) >= 100 for row in rows)
    assert {row["week"] for row in rows} == {"2026-03-02"}


def test_a_release_for_good_is_made_downloaded_and_verified(
    address: str, watched: Watched, tmp_path: Path
) -> None:
    watched.opened(f"{address}/publish?data=city&bound=10&epsilon=1&threshold=160")
    page = watched.page
    weeks = page.locator(".st-key-publish_weeks input")
    watched.opens(weeks, page.get_by_role("option").first).click()  # its one week
    page.keyboard.press("Escape")
    watched.ready()
    page.get_by_role("button", name="Make the release").click()
    expect(page.get_by_text(re.compile("For publication")).first).to_be_visible()
    watched.ready()
    expect(page.locator("h2").first).to_contain_text("1 release of this data: its people have spent ε = 1.")
    # What was made stands alone; the next release waits behind a part that is closed.
    again = page.get_by_role("button", name="Make the release")
    expect(again).to_have_count(0)
    watched.unfolded("Make another release")
    expect(again).to_be_disabled()
    with page.expect_download() as arriving:
        page.get_by_role("button", name="Download release and certificate").click()
    assert re.fullmatch(r"release_city_\d{4}-\d\d-\d\d_1\.zip", arriving.value.suggested_filename)
    with zipfile.ZipFile(arriving.value.path()) as archive:
        archive.extractall(tmp_path)
    command = [sys.executable, "-m", "privlab", "verify", str(tmp_path / "certificate.json")]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    # The same three files, checked on the page.
    watched.unfolded("Check a release against its certificate")
    watched.gives(
        "check_files", *(tmp_path / name for name in ("certificate.json", "release.csv", "release.parquet"))
    )
    expect(page.get_by_text("The files are what the certificate beside them says.")).to_be_visible()
    watched.clean()


def test_a_report_is_collected_made_and_opens_offline(
    address: str, watched: Watched, browser: Browser, tmp_path: Path
) -> None:
    watched.opened(f"{address}/attack?k=32")
    page = watched.page
    page.get_by_role("button", name="Add to report").first.click()
    watched.ready()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Report").click()
    expect(page.locator("h2").first).to_contain_text("1 part in the internal report.")
    watched.ready()
    page.get_by_role("button", name="Make the report").click()
    page.get_by_role("button", name="Download HTML").wait_for()
    with page.expect_download() as arriving:
        page.get_by_role("button", name="Download HTML").click()
    assert arriving.value.suggested_filename.endswith("_internal.html")
    file = tmp_path / "report.html"
    arriving.value.save_as(file)
    assert file.stat().st_size < 6e6
    alone = browser.new_context(offline=True)
    reader = Watched(alone.new_page())
    reader.page.set_viewport_size(NARROW)
    reader.page.goto(file.as_uri())
    reader.page.locator("#figure-1 .main-svg").first.wait_for()
    expect(reader.page.locator("article")).to_contain_text("95.5 times in 100")
    table = (
        "document.querySelector('article table').insertAdjacentHTML('beforeend', '<td>' + 'wide'.repeat(200))"
    )
    reader.page.evaluate(table)
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], (
        "only the table is wide"
    )
    reader.clean()
    alone.close()
    watched.clean()


def test_a_part_of_a_report_from_games_is_asked_about(address: str, watched: Watched) -> None:
    """Figures of games are drawn by themselves while others are played, and their buttons run that part of the page alone."""
    watched.opened(f"{address}/groups?data=cabs&targets=3")
    assert not asks_before_it_is_left(watched)
    add = watched.page.get_by_role("button", name="Add to report").first
    watched.acts(add.click, lambda: asks_before_it_is_left(watched))
    watched.page.get_by_test_id("stSidebarNavLink").filter(has_text="Report").click()
    watched.ready()
    assert asks_before_it_is_left(watched)
    watched.clean()


def test_numbers_beside_every_chart_come_out_as_a_file(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/attack")
    with watched.page.expect_download() as arriving:
        watched.page.locator(".st-key-tools_attack_curve").get_by_role("button", name="Numbers (CSV)").click()
    title, about, read, *lines = Path(arriving.value.path()).read_text("utf-8-sig").splitlines()
    # What a picture says of itself, before the columns.
    assert title == "# The attack against the claim (pandas.read_csv reads it with comment='#')"
    assert about.startswith("# ε = 0.66, ")
    assert "a coin is right in 50 of 100 cases" in read
    rows = list(csv.DictReader(lines))
    exact = [row for row in rows if row["curve"] == "best attack, exact"]
    assert len(exact) == 71
    # docs/science.md, section 2.3, at k = 32.
    assert float(exact[32]["attacker right (a coin: 50%, 1: 100%)"]) == pytest.approx(0.955224, abs=1e-6)


def test_legends_are_in_type_that_a_picture_has_too(address: str, watched: Watched) -> None:
    """The camera draws without the type that came with the page: a legend measured with it would be cut in the picture."""
    page = watched.opened(f"{address}/anonymizability?data=subscribers&show=unicity").page
    watched.drawn()
    watched.ready()
    families = page.evaluate(
        """() => [[...document.fonts].map(one => one.family.replaceAll('"', '')),
            [...document.querySelectorAll(".legendtext")].map(one => getComputedStyle(one).fontFamily)]"""
    )
    came, used = families
    assert came
    assert used
    assert not [one for one in used if any(name in one for name in came)]


def test_a_figure_shows_its_title_alone_and_its_picture_all(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/attack?k=7").page
    watched.drawn()
    watched.ready()
    chart = page.locator(".st-key-attack_curve")
    lines = chart.locator(".g-gtitle tspan.line")
    assert lines.count() > 1
    assert [lines.nth(n).is_visible() for n in range(1, lines.count())] == [False] * (lines.count() - 1)
    # What the page does not show is there for the camera, which draws the figure outside the parts that rules of style name.
    assert "k = 7" in " ".join(lines.all_text_contents())
    page.evaluate(
        """() => { window.seen = []; new MutationObserver(() => {
            for (const line of document.querySelectorAll(".g-gtitle tspan.line"))
                if (!line.closest("[data-testid=stPlotlyChart]"))
                    window.seen.push([line.textContent, getComputedStyle(line).display]);
        }).observe(document.body, {childList: true, subtree: true}); }"""
    )
    chart.hover()
    with page.expect_download() as download:
        chart.locator(".modebar-btn").first.click()
    assert download.value.suggested_filename == "privlab_attack_curve.png"
    drawn = [shown for text, shown in page.evaluate("window.seen") if "k = 7" in text]
    assert drawn
    assert "none" not in drawn
