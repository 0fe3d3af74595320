"""The real pages in a real browser, from a cold server: rendering, sliders, files in and out, no request outside."""

import csv
import io
import re
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser_setup import browser_path
from tests.header_proxy import header_proxy

ROOT = Path(__file__).parents[1]
PATHS = {
    "home": "/",
    "tour": "/tour",
    "data": "/data",
    "release": "/release",
    "guarantee": "/guarantee",
    "plan": "/plan",
    "attack": "/attack",
    "groups": "/groups",
    "anonymizability": "/anonymizability",
    "publish": "/publish",
    "report": "/report",
}
# With these the pages that need a certain kind of data have something to show, and soon.
QUERIES = {
    "groups": "?data=cabs&targets=3",
    "anonymizability": "?data=subscribers&judged=250",
}
# What has nothing to draw before the first release, on data without coordinates, or while it is played.
PERHAPS_WITHOUT_A_CHART = ("publish", "anonymizability", "groups", "report")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
pytestmark = pytest.mark.browser


def started(port: int) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return server
        except OSError:
            time.sleep(0.25)
    server.kill()
    raise AssertionError("the server did not start")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def stopped(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    server.wait(timeout=30)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    port = free_port()
    server = started(port)
    yield f"http://127.0.0.1:{port}"
    stopped(server)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        yield running
        running.close()


class Watched:
    """A page that remembers every request that leaves the machine and every error it reports."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.outside: list[str] = []
        self.errors: list[str] = []
        page.on("request", self._request)
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _request(self, request: object) -> None:
        url = request.url  # type: ignore[attr-defined]
        if re.match(r"(https?|wss?):", url) and "//127.0.0.1:" not in url:
            self.outside.append(url)

    def _console(self, kind: str, text: str) -> None:
        # A hard visit to a page first asks for two addresses below it; streamlit then finds the root.
        if kind == "error" and "404 (Not Found)" not in text:
            self.errors.append(text)

    def opened(self, url: str) -> "Watched":
        self.page.goto(url)
        self.ready()
        return self

    def ready(self) -> None:
        page = self.page
        page.locator("[data-testid=stApp][data-test-connection-state=CONNECTED]").wait_for(timeout=60_000)
        page.locator("h1").first.wait_for(timeout=60_000)
        expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=60_000)
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=60_000)

    def clean(self) -> None:
        assert self.outside == []
        assert self.errors == []


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    yield Watched(context.new_page())
    context.close()


@pytest.mark.parametrize("name", PATHS)
def test_cold_server_opens_a_deep_link(name: str, watched: Watched) -> None:
    port = free_port()
    server = started(port)
    try:
        query = f"{QUERIES[name]}&" if name in QUERIES else "?"
        watched.opened(f"http://127.0.0.1:{port}{PATHS[name]}{query}epsilon=1.5")
        expect(watched.page.locator("h1").first).to_have_text(
            "privlab" if name == "home" else name.capitalize()
        )
        expect(watched.page.locator(".st-key-epsilon")).to_contain_text("1.5")
        if name not in PERHAPS_WITHOUT_A_CHART:
            watched.page.get_by_test_id("stPlotlyChart").locator(".main-svg").first.wait_for(timeout=60_000)
        watched.clean()
    finally:
        stopped(server)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_renders_without_error_or_outside_request(
    address: str, browser: Browser, scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
    watched = Watched(context.new_page())
    for name, path in PATHS.items():
        watched.opened(address + path + QUERIES.get(name, ""))
        if path.strip("/") not in PERHAPS_WITHOUT_A_CHART:
            watched.page.get_by_test_id("stPlotlyChart").locator(".main-svg").first.wait_for(timeout=60_000)
        if path in ("/data", "/release"):
            watched.page.get_by_test_id("stDeckGlJsonChart").locator("canvas").first.wait_for(timeout=60_000)
        assert watched.page.get_by_test_id("stException").count() == 0
    watched.clean()
    context.close()


def test_narrow_screen_has_no_sideways_scroll(address: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    watched = Watched(context.new_page())
    for name, path in PATHS.items():
        watched.page.goto(address + path + QUERIES.get(name, ""))
        if name in QUERIES:
            chart = watched.page.get_by_test_id("stPlotlyChart").locator(".main-svg").first
            chart.wait_for(timeout=240_000)
        watched.ready()
        wide = watched.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 392, (path, wide)
    context.close()


def test_presentation_hides_the_controls_and_can_be_left(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/attack?epsilon=1.5").page
    page.locator(".st-key-present label").first.click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden(timeout=30_000)
    watched.ready()
    page.locator(".st-key-leave_presentation button").click()
    expect(page.locator(".st-key-epsilon")).to_contain_text("1.5", timeout=30_000)
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    watched.clean()


def test_a_slider_changes_numbers_and_the_address(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/attack?k=32")
    finding = watched.page.locator("h4").first
    expect(finding).to_contain_text(
        "Someone with 32 unique trips is recognised 95.5 times in 100", timeout=60_000
    )
    line = watched.page.locator(".st-key-attack_curve .scatterlayer path.js-line").nth(1)
    before = line.get_attribute("d")
    watched.page.locator(".st-key-epsilon").get_by_role("slider").focus()
    watched.page.keyboard.press("ArrowLeft")
    watched.page.wait_for_url(re.compile(r"epsilon=0\.5"))
    expect(finding).not_to_contain_text("95.5 times")
    expect(
        watched.page.locator(".st-key-attack_curve .scatterlayer path.js-line").nth(1)
    ).not_to_have_attribute("d", before or "")
    watched.clean()


def test_the_release_follows_the_sliders(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/release")
    published = watched.page.get_by_test_id("stMetricValue").first
    before = published.inner_text()
    watched.page.locator(".st-key-threshold").get_by_role("slider").focus()
    watched.page.keyboard.press("ArrowLeft")
    watched.page.wait_for_url(re.compile("threshold=75"))
    expect(published).not_to_have_text(before)
    watched.ready()
    assert int(published.inner_text().replace(",", "")) > int(before.replace(",", ""))
    watched.clean()


def test_a_copied_link_opens_the_same_view(address: str, watched: Watched, browser: Browser) -> None:
    watched.opened(f"{address}/attack")
    for key, presses in (("bound", 5), ("k", 3)):
        watched.page.locator(f".st-key-{key}").get_by_role("slider").focus()
        for _ in range(presses):
            watched.page.keyboard.press("ArrowRight")
            watched.ready()
    watched.page.wait_for_url(re.compile(r"k=15"))
    expect(watched.page.locator("h4").first).to_contain_text("someone with 15 unique trips")
    finding = watched.page.locator("h4").first.inner_text()
    other = browser.new_context()
    copy = Watched(other.new_page()).opened(watched.page.url)
    expect(copy.page.locator("h4").first).to_have_text(finding)
    other.close()


def test_a_plan_follows_its_wishes_and_sets_the_sidebar(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/plan").page
    page.locator(".st-key-plan_frontier .scatterlayer path.point").first.wait_for(
        state="attached", timeout=60_000
    )
    finding = page.locator("h4").first
    before = finding.inner_text()
    page.locator(".st-key-min_utility").get_by_role("slider").focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("min_utility=70"))
    expect(finding).not_to_have_text(before)
    watched.ready()
    words = re.search(r"ε = ([\d.]+), at most (\d+) trips", finding.inner_text())
    assert words is not None
    page.locator(".st-key-use_plan button").click()
    page.wait_for_url(re.compile(rf"epsilon={re.escape(words[1])}&.*bound={words[2]}&noise=integer"))
    expect(page.locator(".st-key-epsilon")).to_contain_text(words[1])
    expect(page.locator(".st-key-bound")).to_contain_text(words[2])
    expect(page.locator(".st-key-use_plan button")).to_be_disabled()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Guarantee").click()
    page.wait_for_url(re.compile(rf"/guarantee\?.*bound={words[2]}"))
    expect(page.locator("h4").first).to_contain_text("Whatever a person did in the week")
    watched.clean()


def test_the_plan_stays_from_page_to_page(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/attack")
    watched.page.locator(".st-key-epsilon").get_by_role("slider").focus()
    watched.page.keyboard.press("ArrowRight")
    watched.page.wait_for_url(re.compile(r"epsilon=0\.8"))
    watched.page.get_by_test_id("stSidebarNavLink").filter(has_text="Release").click()
    watched.page.wait_for_url(re.compile(r"/release\?.*epsilon=0\.8"))
    expect(watched.page.locator(".st-key-epsilon")).to_contain_text("0.8")


def test_an_upload_goes_through_and_stays_in_its_session(
    address: str, watched: Watched, browser: Browser
) -> None:
    rows = "".join(
        f"user{user},2026-03-02 {8 + trip:02d}:00,{trip % 4},{(trip + 1) % 4}\n"
        for user in range(9)
        for trip in range(5)
    )
    watched.opened(f"{address}/data")
    watched.page.get_by_text("Bring your own data").click()
    watched.page.locator(".st-key-upload input[type=file]").set_input_files(
        {
            "name": "mine.csv",
            "mimeType": "text/csv",
            "buffer": ("user,time,origin,destination\n" + rows).encode(),
        }
    )
    watched.page.locator(".st-key-load button").click(timeout=30_000)
    chosen = watched.page.locator(".st-key-data").get_by_role("combobox")
    expect(chosen).to_have_value("own data", timeout=30_000)
    # Nine people, each with trips 0→1, 1→2, 2→3, 3→0, 0→1: four unique trips.
    expect(watched.page.locator("h4").first).to_contain_text("Of 9 people, half have 4 or more unique trips")
    watched.page.get_by_test_id("stSidebarNavLink").filter(has_text="Attack").click()
    watched.ready()
    expect(watched.page.get_by_text("Of 9 people, half have 4 or more").first).to_be_visible()
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
    watched.page.get_by_text("Bring your own data").click()
    for key, name, text in (
        ("upload", "go_points.csv", "id,latitude,longitude,track_id,time\n" + points),
        ("second", "go_track_list.csv", "id,id_android\n" + tracks),
    ):
        chooser = watched.page.locator(f".st-key-{key} input[type=file]")
        chooser.wait_for(state="attached", timeout=30_000)
        chooser.set_input_files({"name": name, "mimeType": "text/csv", "buffer": text.encode()})
    expect(watched.page.get_by_text("Column of the file that names a row of the second")).to_be_visible(
        timeout=30_000
    )
    watched.page.locator(".st-key-load button").click(timeout=30_000)
    chosen = watched.page.locator(".st-key-data").get_by_role("combobox")
    expect(chosen).to_have_value("own data", timeout=60_000)
    expect(watched.page.locator("h4").first).to_contain_text("Of 2 people", timeout=30_000)
    expect(watched.page.get_by_text("Of 18 rows, 18 are used; none was dropped.")).to_be_visible()
    watched.clean()


def test_a_bad_upload_gets_a_sentence(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/data")
    watched.page.get_by_text("Bring your own data").click()
    watched.page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"user,time,origin,destination\n"}
    )
    expect(watched.page.get_by_test_id("stAlert").first).to_contain_text("mine.csv", timeout=30_000)
    assert watched.page.get_by_test_id("stException").count() == 0


def test_the_simulated_release_downloads_and_parses(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/release")
    published = int(watched.page.get_by_test_id("stMetricValue").first.inner_text().replace(",", ""))
    with watched.page.expect_download() as arriving:
        watched.page.get_by_role("button", name="Download the simulated release").click()
    download = arriving.value
    assert download.suggested_filename == "simulated_release_city_2026-03-02_epsilon_0.66.csv"
    text = Path(download.path()).read_text(encoding="utf-8")
    first, rest = text.split("\n", 1)
    assert first.startswith("# Simulation, not a release")
    rows = list(csv.DictReader(io.StringIO(rest)))
    assert len(rows) == published
    assert all(float(row["simulated_count"]) >= 100 for row in rows)
    assert {row["week"] for row in rows} == {"2026-03-02"}


def test_a_release_for_good_is_made_downloaded_and_verified(
    address: str, watched: Watched, tmp_path: Path
) -> None:
    watched.opened(f"{address}/publish?data=cabs&bound=20&epsilon=1")
    page = watched.page
    page.locator(".st-key-publish_weeks input").click()
    page.get_by_role("option").first.click()  # all three weeks
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Make the release").click()
    expect(page.get_by_text("For publication")).to_be_visible(timeout=60_000)
    watched.ready()
    expect(page.locator("h4").first).to_contain_text("1 release of this data: its people have spent ε = 3.")
    expect(page.get_by_role("button", name="Make the release")).to_be_disabled()
    with page.expect_download() as arriving:
        page.get_by_role("button", name="Download release and certificate").click()
    assert re.fullmatch(r"release_cabs_2008-\d\d-\d\d_1\.zip", arriving.value.suggested_filename)
    with zipfile.ZipFile(arriving.value.path()) as archive:
        archive.extractall(tmp_path)
    command = [sys.executable, "-m", "privlab", "verify", str(tmp_path / "certificate.json")]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    # The same three files, checked on the page.
    page.get_by_text("Check a release against its certificate").click()
    page.locator(".st-key-check_files input[type=file]").set_input_files(
        [tmp_path / name for name in ("certificate.json", "release.csv", "release.parquet")]
    )
    expect(page.get_by_text("The release is what its certificate says.")).to_be_visible(timeout=30_000)
    watched.clean()


def test_headers_forbid_outside_requests(address: str) -> None:
    with urllib.request.urlopen(address, timeout=10) as answer:
        policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "'unsafe-eval'" not in policy
    assert "object-src 'none'" in policy


def test_pages_work_under_the_line_that_a_proxy_adds_and_nothing_is_fetched_from_elsewhere(
    address: str, watched: Watched
) -> None:
    text = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    (line,) = re.findall(r'^add_header Content-Security-Policy "(.+)" always;$', text, re.M)
    page = watched.page
    with header_proxy(int(address.rpartition(":")[2]), f"Content-Security-Policy: {line}") as port:
        for name, path in PATHS.items():
            watched.opened(f"http://127.0.0.1:{port}{path}{QUERIES.get(name, '')}")
            if name not in PERHAPS_WITHOUT_A_CHART:
                page.get_by_test_id("stPlotlyChart").locator(".main-svg").first.wait_for(timeout=60_000)
            if name in ("data", "release"):
                page.get_by_test_id("stDeckGlJsonChart").locator("canvas").first.wait_for(timeout=60_000)
            assert page.get_by_test_id("stException").count() == 0
        watched.clean()
        refused = """url => new Promise(resolve => {
            document.addEventListener("securitypolicyviolation", event => resolve(event.blockedURI), {once: true});
            fetch(url).then(() => resolve("fetched"), () => {});
        })"""
        for url in ("https://a.basemaps.cartocdn.com/0/0/0.png", "https://example.org/collect"):
            assert page.evaluate(refused, url) == url


def test_a_report_is_collected_made_and_opens_offline(
    address: str, watched: Watched, browser: Browser, tmp_path: Path
) -> None:
    watched.opened(f"{address}/attack?k=32")
    page = watched.page
    page.get_by_role("button", name="Add to report").first.click()
    watched.ready()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Report").click()
    expect(page.locator("h4").first).to_contain_text("1 part in the internal report.", timeout=30_000)
    page.get_by_role("button", name="Make the report").click()
    page.get_by_role("button", name="Download HTML").wait_for(timeout=60_000)
    with page.expect_download() as arriving:
        page.get_by_role("button", name="Download HTML").click()
    assert arriving.value.suggested_filename.endswith("_internal.html")
    file = tmp_path / "report.html"
    arriving.value.save_as(file)
    assert file.stat().st_size < 6e6
    alone = browser.new_context(offline=True)
    reader = Watched(alone.new_page())
    reader.page.goto(file.as_uri())
    reader.page.locator("#figure-1 .main-svg").first.wait_for(timeout=30_000)
    expect(reader.page.locator("article")).to_contain_text("95.5 times in 100")
    reader.clean()
    alone.close()
    watched.clean()


def test_numbers_beside_every_chart_come_out_as_a_file(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/attack")
    with watched.page.expect_download() as arriving:
        watched.page.locator(".st-key-tools_attack_curve").get_by_role("button", name="Numbers (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(Path(arriving.value.path()).read_text("utf-8"))))
    exact = [row for row in rows if row["curve"] == "best attack, exact"]
    assert len(exact) == 71
    # SCIENCE 2.3 at k = 32.
    assert float(exact[32]["attacker right, in 100 tries"]) == pytest.approx(0.955224, abs=1e-6)


def test_another_k_moves_the_first_curve_of_anonymizability(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/anonymizability?data=subscribers&judged=250&level=20-480")
    finding = watched.page.locator("h4").first
    expect(finding).to_contain_text("2-anonymous", timeout=60_000)
    line = watched.page.locator(".st-key-kgap_chart .scatterlayer path.js-line").first
    line.wait_for(timeout=30_000)
    before = line.get_attribute("d") or ""
    watched.page.locator(".st-key-k_gap").get_by_role("slider").focus()
    watched.page.keyboard.press("End")
    expect(finding).to_contain_text("100-anonymous", timeout=30_000)
    expect(watched.page.locator(".st-key-kgap_chart .scatterlayer path.js-line").first).not_to_have_attribute(
        "d", before
    )
    watched.clean()


def test_groups_answer_while_they_are_played(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/groups?data=cabs&targets=6&sizes=10")
    expect(watched.page.locator("h4").first).to_contain_text(
        "In groups of 10, this attacker recognises", timeout=60_000
    )
    watched.page.locator(".st-key-auc_chart .main-svg").first.wait_for(timeout=60_000)
    watched.clean()


def test_the_tour_goes_on_by_key(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/tour")
    heading = watched.page.locator("h3").first
    expect(heading).to_contain_text("1. The claim", timeout=60_000)
    watched.ready()
    watched.page.locator(".st-key-step").get_by_role("slider").focus()
    watched.page.keyboard.press("ArrowRight")
    expect(heading).to_contain_text("2. Three trips", timeout=30_000)
    watched.ready()
    watched.page.locator(".st-key-step").get_by_role("slider").focus()
    watched.page.keyboard.press("ArrowLeft")
    expect(heading).to_contain_text("1. The claim", timeout=30_000)
    watched.clean()
