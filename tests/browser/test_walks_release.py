"""The walks from a steward's own files to a release and its report, counted in clicks, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.lab import Clicks, Watched, csv_file

pytestmark = pytest.mark.browser
MOST_CLICKS_TO_A_PDF, MOST_CLICKS_TO_A_RELEASE = 15, 12
HUBS = ((45.05, 5.05), (45.09, 5.12), (45.02, 5.15), (45.11, 5.02))  # kilometres apart
BAD_ROWS = (
    "70001;2026-03-02 25:61;45.05;5.05",  # no such time
    "70002;;45.05;5.05",
    "70003;2026-03-02 08:00;;5.05",
    "70004;2026-03-02 08:00;145.05;5.05",  # no such latitude
    ";2026-03-02 08:00;45.05;5.05",
)


def gps_file() -> FilePayload:
    """Return points of 6,000 people who go from one place to another and back: by semicolons, some rows unusable."""
    rows = []
    for person in range(6000):
        home, work = HUBS[person % 4], HUBS[(person // 4 + 1 + person) % 4]
        for hour, (lat, lon) in ((8, home), (9, work), (17, work), (18, home)):
            rows.append(f"{70000 + person};2026-03-0{2 + person % 5} {hour:02d}:30;{lat};{lon}")
    rows[1000:1000] = BAD_ROWS
    return csv_file("gps.csv", "\n".join(["phone;when;latitude;longitude", *rows]))


def trip_files() -> tuple[FilePayload, FilePayload]:
    """Return trips of 6,000 people between four stations, and where these stand."""
    trips = [
        f"{person},2026-03-0{2 + person % 5} {hour}:10,{ends[0]},{ends[1]}"
        for person in range(6000)
        for hour, ends in (
            (8, (person % 4, (person + 1) % 4)),
            (17, ((person + 1) % 4, person % 4)),
        )
    ]
    stations = [f"{number},{lat},{lon}" for number, (lat, lon) in enumerate(HUBS)]
    return (
        csv_file("trips.csv", "\n".join(["card,departure,from_station,to_station", *trips])),
        csv_file("stations.csv", "\n".join(["station,lat,lon", *stations])),
    )


def loaded(clicks: Clicks, *files: FilePayload) -> None:
    """Bring the files on the page Data and load what was recognised, once."""
    page = clicks.page
    clicks.upload(*files)
    clicks.button("Load")
    page.get_by_text("is a proposal for this data").wait_for()
    clicks.watched.ready()


def test_from_gps_points_with_bad_rows_to_a_pdf_in_at_most_fifteen_clicks(
    address: str, watched: Watched, tmp_path: Path
) -> None:
    clicks = Clicks(watched)
    page = watched.opened(address).page
    clicks.way("Check my data")
    loaded(clicks, gps_file())
    page.locator(".st-key-data_zones [data-drawn]").wait_for()
    expect(page.get_by_text("Of 24,005 rows, 24,000 are used and 5 are not:")).to_be_visible()
    clicks.way("Make this release for good")
    clicks.button("Name the week of 2026-03-02")
    clicks.button(
        "The file is written like this, and this is the outline of my area. Neither depends on who is in it."
    )
    clicks.button("Make the release")
    clicks.button("Report on this release")
    clicks.tick("A PDF too")
    clicks.button("Make the report")
    page.get_by_role("button", name="Download PDF").first.wait_for()
    with page.expect_download() as arriving:
        clicks.button("Download PDF")
    assert clicks.n <= MOST_CLICKS_TO_A_PDF
    path = tmp_path / arriving.value.suggested_filename
    arriving.value.save_as(path)
    assert path.name.startswith("INTERNAL_Report_on_the_release_of_gps")
    assert path.read_bytes().startswith(b"%PDF-")
    for place in ("Released: 1", "Report: 10 parts"):
        expect(page.locator(".st-key-strip")).to_contain_text(place)
    watched.clean()


def test_from_trips_and_stations_to_a_release_in_at_most_twelve_clicks(
    address: str, watched: Watched
) -> None:
    clicks = Clicks(watched)
    page = watched.opened(f"{address}/data").page
    clicks.n = 1  # the way there from Home, as in the other walk
    loaded(clicks, *trip_files())
    clicks.way("Make this release for good")
    clicks.button("Name the week of 2026-03-02")
    expect(page.get_by_role("button", name="Make the release")).to_be_disabled()
    clicks.button("Zone ids are whole numbers")
    clicks.button("The file is written like this. That does not depend on who is in it.")
    clicks.button("Make the release")
    expect(page.locator(".st-key-strip")).to_contain_text("Released: 1")
    with page.expect_download() as arriving:
        clicks.button("Download release and certificate (ZIP)")
    assert arriving.value.suggested_filename.startswith("release_trips")
    assert clicks.n <= MOST_CLICKS_TO_A_RELEASE
    watched.clean()
