"""The flow map in a real browser: what a click opens, what the wheel does, and that nobody else is asked."""

import io
from typing import Any, get_args

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.maps import MapLook, View, flow_map_from_comparison, zone_map_from_values
from privlab.od.usefulness import FlowComparison
from privlab.ui.state import sample_job
from tests.browser.lab import NARROW, WIDE, Watched

pytestmark = pytest.mark.browser


def lonely_zone() -> tuple[str, float, float]:
    """Return name, longitude and latitude of the zone of the city that lies farthest from its nearest other."""
    zones = sample_job("city").result(timeout=900).zone_map
    apart = np.hypot(zones.lon[:, None] - zones.lon, zones.lat[:, None] - zones.lat)
    np.fill_diagonal(apart, np.inf)
    zone = int(apart.min(axis=1).argmax())
    return zones.names[zone], float(zones.lon[zone]), float(zones.lat[zone])


def opened(watched: Watched, url: str) -> Locator:
    watched.opened(url)
    host = watched.page.locator(".st-key-release_map [data-drawn]")
    host.wait_for()
    return host


def mercator(longitude: float, latitude: float, zoom: float) -> np.ndarray[Any, Any]:
    """Return where a place lies in the whole world's picture, in pixels, from the projection's formula."""
    y = np.pi - np.log(np.tan(np.pi / 4 + np.radians(latitude) / 2))
    return np.asarray([np.radians(longitude) + np.pi, y]) * 512 * 2**zoom / (2 * np.pi)


def place_in_pane(page: Page, host: Locator, longitude: float, latitude: float) -> dict[str, float]:
    """Return where a place lies in the left one of two panes, from the edge of the map."""
    at_lon, at_lat, zoom = map(float, (host.get_attribute("data-view") or "").split())
    box = host.locator(".map").bounding_box()
    assert box is not None
    shift = mercator(longitude, latitude, zoom) - mercator(at_lon, at_lat, zoom)
    return {"x": float(box["width"] / 4 + shift[0]), "y": float(box["height"] / 2 + shift[1])}


def test_a_click_on_a_zone_opens_its_flows_and_the_next_clears_them(address: str, watched: Watched) -> None:
    name, longitude, latitude = lonely_zone()
    host = opened(watched, f"{address}/release?data=city")
    page = watched.page
    chosen = page.locator(".st-key-release_zone input")
    expect(chosen).to_have_value("")
    picture = host.locator(".map")
    place = place_in_pane(page, host, longitude, latitude)
    picture.hover(position=place)  # type: ignore[arg-type]
    expect(picture.locator(".tip b")).to_have_text(name)

    def click() -> None:
        picture.click(position=place)  # type: ignore[arg-type]

    watched.acts(click, lambda: chosen.input_value() == name)
    expect(page.get_by_text("Flows out of the zone")).to_be_visible()
    watched.ready()
    watched.acts(click, lambda: chosen.input_value() == "")
    expect(page.get_by_text("Flows out of the zone")).to_have_count(0)
    watched.clean()


def test_the_wheel_is_the_pages_until_the_map_is_clicked(address: str, watched: Watched) -> None:
    host = opened(watched, f"{address}/release?data=city")
    page, picture = watched.page, host.locator(".map")
    where = host.get_attribute("data-view")
    picture.hover(position={"x": 30, "y": 200})
    page.mouse.wheel(0, 60)
    page.wait_for_timeout(300)
    assert host.get_attribute("data-view") == where
    picture.click(position={"x": 30, "y": 200})  # outside the city: no zone
    expect(picture).to_have_class("map taken")
    page.mouse.wheel(0, -300)
    expect(host).not_to_have_attribute("data-view", where or "")
    page.keyboard.press("Escape")
    expect(picture).to_have_class("map")
    watched.clean()


def test_a_box_in_the_figure_of_counts_chooses_what_the_map_shows(address: str, watched: Watched) -> None:
    host = opened(watched, f"{address}/release?data=city")
    page, before = watched.page, host.get_attribute("data-drawn")
    figure = page.locator(".st-key-release_scatter .nsewdrag").first
    said = page.get_by_text("flows of the box drawn in the figure below")

    def drag() -> None:
        figure.scroll_into_view_if_needed()
        box = figure.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 0.45 * box["width"], box["y"] + 0.9 * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"] + 0.99 * box["width"], box["y"] + 0.2 * box["height"], steps=5)
        page.mouse.up()

    watched.acts(drag, lambda: said.count() == 1)
    n_flows = int(said.inner_text().split()[2].replace(",", ""))
    assert 0 < n_flows < 4_328  # which are published in all
    watched.ready()
    expect(host.locator(".legend em")).to_contain_text(f"of {n_flows:,} flows")
    assert host.get_attribute("data-drawn") != before
    watched.acts(page.get_by_role("button", name="Show all flows").click, lambda: said.count() == 0)
    expect(host).to_have_attribute("data-drawn", before or "")
    watched.clean()


def test_the_legend_names_what_is_drawn_and_nothing_else(address: str, watched: Watched) -> None:
    """Of the city with a limit of 20 trips flows are lost, and none is false."""
    host = opened(watched, f"{address}/release?data=city&bound=20")
    expect(host.locator(".legend")).to_contain_text("lost: true, not published")
    expect(host.locator(".legend")).not_to_contain_text("false: published")
    watched.clean()


def test_the_map_moves_by_keys(address: str, watched: Watched) -> None:
    host = opened(watched, f"{address}/release?data=city&map=after")
    where = host.get_attribute("data-view") or ""
    host.locator(".map").focus()
    watched.page.keyboard.press("ArrowRight")
    expect(host).not_to_have_attribute("data-view", where)
    moved = (host.get_attribute("data-view") or "").split()
    assert float(moved[0]) > float(where.split()[0])
    watched.page.keyboard.press("+")
    expect(host).not_to_have_attribute("data-view", " ".join(moved))
    assert float((host.get_attribute("data-view") or "").split()[2]) == float(where.split()[2]) + 0.5
    # The next stop is a button of the map: what it is drawn on has no name, and is none.
    watched.page.keyboard.press("Tab")
    assert host.evaluate("host => (host.shadowRoot ?? document).activeElement?.tagName") == "BUTTON"
    watched.clean()


def test_without_webgl_the_flows_are_a_table(address: str, alone: Watched) -> None:
    alone.page.add_init_script(
        "HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext,"
        " {apply: (get, canvas, given) => /webgl/.test(given[0]) ? null : Reflect.apply(get, canvas, given)});"
    )
    alone.opened(f"{address}/release?data=city&map=after")
    words = alone.page.locator(".st-key-release_map .words")
    expect(words).to_contain_text("This browser draws no maps")
    expect(words.locator("tr")).to_have_count(21)
    alone.page.evaluate(_KEEP, trips_leave())
    rows = alone.page.locator(".kept-map .words tr")
    assert [row.split("\t") for row in rows.all_inner_texts()] == [
        ["zone", "Trips that leave"], ["middle", "1,000"], ["west", "250"], ["east", "100"]
    ]  # fmt: skip
    expect(alone.page.locator(".st-key-release_map .legend")).to_be_empty()
    alone.clean()


def test_land_comes_from_the_lab_and_follows_the_view(address: str, alone: Watched) -> None:
    alone.page.add_init_script("window.wholeWorld = true")
    with alone.page.expect_response(lambda answer: answer.url.endswith("/world.json")) as found:
        host = opened(alone, f"{address}/release?data=cabs")
    assert found.value.ok
    assert found.value.url.startswith(address)
    picture = host.locator(".map")
    picture.focus()
    for _ in range(12):  # from a city to a coast: far beyond what lay around the first view
        where = host.get_attribute("data-view") or ""
        alone.page.keyboard.press("-")
        expect(host).not_to_have_attribute("data-view", where)
    seen = np.asarray(Image.open(io.BytesIO(picture.screenshot())).convert("RGB"))
    for longitude, colour in ((-121.0, (251, 250, 247)), (-123.8, (232, 240, 246))):  # a valley; the open sea
        place = place_in_pane(alone.page, host, longitude, 37.6)
        assert tuple(seen[round(place["y"]), round(place["x"])]) == colour, longitude
    alone.clean()


def test_another_answer_is_drawn_without_asking_for_the_map_again(address: str, watched: Watched) -> None:
    host = opened(watched, f"{address}/release?data=city")
    page = watched.page
    watched.ready()
    page.evaluate(
        """() => { window.asked = 0; new MutationObserver(seen => {
            for (const { addedNodes } of seen) for (const node of addedNodes) if (/flowmap/.test(node.src)) window.asked += 1;
        }).observe(document.head, { childList: true }); }"""
    )
    drawn = host.get_attribute("data-drawn")
    slider = page.locator(".st-key-epsilon").get_by_role("slider")
    watched.acts(lambda: slider.press("ArrowLeft"), lambda: host.get_attribute("data-drawn") != drawn)
    assert page.evaluate("window.asked") == 0
    watched.clean()


# Stations without outlines: a square of four that all trips run between but a few, one north of it, and one very far away.
STATIONS = {
    "a": (48.0, 2.0),
    "b": (48.0, 2.1),
    "c": (48.1, 2.0),
    "d": (48.1, 2.1),
    "north": (48.13, 2.05),
    "far": (51.0, 2.05),
}
_DRAW = """async (answers) => {
    const at = performance.getEntriesByType("resource").map((one) => one.name).find((name) => name.includes("flowmap.js"));
    const draw = (await import(at)).default;
    const own = document.createElement("div");
    own.style.cssText = "position: fixed; inset: 0 auto auto 0; width: 800px; z-index: 9999999; background: white";
    document.body.append(own);
    const parent = own.attachShadow({ mode: "open" });
    const views = [];
    for (const data of answers) {
        draw({ data, parentElement: parent, setTriggerValue: () => {} });
        while (own.dataset.drawn !== data.digest) await new Promise((then) => setTimeout(then, 50));
        const { width, height } = parent.querySelector(".map").getBoundingClientRect();
        views.push({ view: own.dataset.view, width, height });
    }
    own.remove();
    return views;
}"""


def of_stations(view: View) -> dict[str, Any]:
    """Return the map of a hundred thousand trips between the four, and 20 between each of the others and a."""
    lat, lon = np.array(list(STATIONS.values())).T
    zones = ZoneMap(
        zones=np.array(list(STATIONS)), names=tuple(STATIONS), lat=lat, lon=lon, outlines=(None,) * 6
    )
    inside = [6 * one + other for one in range(4) for other in range(4) if one != other]
    true = np.array([10_000.0] * len(inside) + [20, 20])
    published = np.where((true > 20) | (view == "after"), true - 5, np.nan)
    flows = FlowComparison(flow=np.array([*inside, 4, 5]), true=true, bounded=true, published=published)
    look = MapLook(view=view, n_top=100, dark=False)
    return flow_map_from_comparison(flows, zones, LIGHT, look, alt="A map.")


def test_the_first_view_holds_what_a_drawn_flow_touches_but_what_lies_far_out(
    address: str, watched: Watched
) -> None:
    """From one view to the next as on a page, and by the projection's formula: each is fitted to its own panes."""
    opened(watched, f"{address}/release?data=city")
    views: list[View] = ["comparison", "both", "after", "before", "both", "comparison"]
    assert set(views) == set(get_args(View))
    for view, seen in zip(
        views, watched.page.evaluate(_DRAW, [of_stations(one) for one in views]), strict=True
    ):
        lon, lat, zoom = map(float, seen["view"].split())
        half = np.array([seen["width"] / (4 if view == "both" else 2), seen["height"] / 2])
        shifts = {name: mercator(x, y, zoom) - mercator(lon, lat, zoom) for name, (y, x) in STATIONS.items()}
        held = {name for name, shift in shifts.items() if (np.abs(shift) < half - 20).all()}
        assert held == {"a", "b", "c", "d", "north"}, view
        reach = np.abs([shift for name, shift in shifts.items() if name != "far"]).max(axis=0) / half
        assert reach.max() > 0.6, view  # and is no wider than that takes


_KEEP = """async (data) => {
    const at = performance.getEntriesByType("resource").map((one) => one.name).find((name) => name.includes("flowmap.js"));
    const draw = (await import(at)).default;
    const own = document.createElement("div");
    own.style.cssText = "position: fixed; inset: 0 auto auto 0; width: 800px; z-index: 9999999; background: white";
    own.className = "kept-map";
    document.body.append(own);
    window.picked = [];
    draw({ data, parentElement: own.attachShadow({ mode: "open" }), setTriggerValue: (_, one) => window.picked.push(one) });
    while (own.dataset.drawn !== data.digest) await new Promise((then) => setTimeout(then, 50));
}"""


def three_zones() -> ZoneMap:
    """Return three zones beside one another, the middle one and the one west of it with centres that nearly meet."""
    ends = ((1.98, 1.998), (1.998, 2.3), (2.3, 2.52))
    return ZoneMap(
        zones=np.arange(3),
        names=("west", "middle", "east"),
        lat=np.full(3, 48.0),
        lon=np.array([1.996, 2.0, 2.5]),
        outlines=tuple(
            [[(west, 47.95), (east, 47.95), (east, 48.05), (west, 48.05), (west, 47.95)]]
            for west, east in ends
        ),
    )


def trips_leave() -> dict[str, Any]:
    """Return the map of what leaves the three: 250 trips, 1,000 and 100."""
    return zone_map_from_values(
        three_zones(), np.array([250.0, 1_000.0, 100.0]), LIGHT, title="Trips that leave", unit="trips leave", alt="A map.", dark=False
    )  # fmt: skip


def kept_map(watched: Watched, address: str, selected: int | None) -> Locator:
    """Draw one flow of 1,000 trips, east from one zone to another over its own ground, and leave the map there.

    The zone to the west of it stands so near to it that both are drawn as one circle.
    """
    flows = FlowComparison(
        flow=np.array([5]),  # the flow 1 → 2 of three zones
        true=np.array([1_000.0]),
        bounded=np.array([1_000.0]),
        published=np.array([990.0]),
    )
    look = MapLook(view="after", n_top=100, dark=False, selected=selected)
    opened(watched, f"{address}/release?data=city")
    sent = flow_map_from_comparison(flows, three_zones(), LIGHT, look, alt="A map.")
    watched.page.evaluate(_KEEP, {**sent, "selectable": True})
    return watched.page.locator(".kept-map")


def place_in_whole(host: Locator, longitude: float) -> tuple[float, float]:
    """Return where a place on the circle of latitude 48 lies in a map of one pane, from its edge."""
    at_lon, at_lat, zoom = map(float, (host.get_attribute("data-view") or "").split())
    box = host.locator(".map").bounding_box()
    assert box is not None
    shift = mercator(longitude, 48.0, zoom) - mercator(at_lon, at_lat, zoom)
    return float(box["width"] / 2 + shift[0]), float(box["height"] / 2 + shift[1])


def test_a_flow_that_is_pointed_at_says_its_counts(address: str, watched: Watched) -> None:
    host = kept_map(watched, address, None)
    x, y = place_in_whole(host, 2.25)
    said = set[str]()
    for below in range(-12, 13, 2):  # an arrow has its half of the road; beside it lies the ground
        host.locator(".map").hover(position={"x": x, "y": y + below})
        watched.page.wait_for_timeout(100)
        said.add(host.locator(".tip").inner_text())
    assert said == {"middle", "2 zones → east\npublished: 990"}


def test_a_zone_that_is_filled_says_its_count_and_takes_no_click(address: str, watched: Watched) -> None:
    """Each zone has its own count, though from afar two of them are so near to one another that flows would be drawn as of one."""
    opened(watched, f"{address}/release?data=city")
    watched.page.evaluate(_KEEP, trips_leave())
    host = watched.page.locator(".kept-map")
    expect(host.locator(".legend")).to_contain_text("1,000 trips leave")
    for longitude, said in ((2.15, "middle\n1,000 trips leave"), (2.4, "east\n100 trips leave")):
        x, y = place_in_whole(host, longitude)
        host.locator(".map").hover(position={"x": x, "y": y})
        expect(host.locator(".tip")).to_have_text(said.replace("\n", ""))
    host.locator(".map").click(position={"x": x, "y": y})
    expect(host.locator(".map")).to_have_class("map taken")  # and the wheel is the map's
    assert watched.page.evaluate("window.picked") == []


def test_a_chosen_zone_is_cleared_below_the_flow_that_is_drawn_over_it(
    address: str, watched: Watched
) -> None:
    host = kept_map(watched, address, 1)
    x, y = place_in_whole(host, 2.15)
    for below in range(-4, 5, 2):  # on the flow, and beside it: all of it is ground of the chosen zone
        n_before = watched.page.evaluate("window.picked.length")
        watched.acts(
            lambda below=below: host.locator(".map").click(position={"x": x, "y": y + below}),  # type: ignore[misc]
            lambda n_before=n_before: watched.page.evaluate("window.picked.length") > n_before,  # type: ignore[misc]
        )
        watched.page.wait_for_timeout(400)  # no double click, which zooms
    picked = watched.page.evaluate("window.picked")
    assert len(picked) >= 5  # more where a busy machine has answered a click after it was made once more
    assert all(one == {"zone": None} for one in picked)


@pytest.mark.parametrize("width", [NARROW["width"], WIDE["width"], 1920])
def test_what_the_wheel_does_is_said_below_the_map(address: str, alone: Watched, width: int) -> None:
    alone.page.set_viewport_size({"width": width, "height": 900})
    host = opened(alone, f"{address}/release?data=city&map=comparison")
    said, below = host.locator(".hint"), host.locator(".legend").bounding_box()
    expect(said).to_have_text("Click the map to zoom with the wheel")
    picture, box = host.locator(".map").bounding_box(), said.bounding_box()
    assert picture is not None
    assert box is not None
    assert box["y"] >= picture["y"] + picture["height"]
    assert box["x"] + box["width"] <= picture["x"] + picture["width"] + 1
    held = "Esc gives the wheel back to the page"
    alone.acts(
        lambda: host.locator(".map").click(position={"x": 20, "y": 100}), lambda: said.text_content() == held
    )
    after = host.locator(".legend").bounding_box()
    assert below is not None
    assert after is not None
    assert after["height"] == below["height"]  # nothing moves
    alone.clean()


def test_a_finger_moves_the_page_over_figures_too_until_it_taps_the_map_and_the_map_from_then_on(
    address: str, browser: Browser
) -> None:
    """After a tap the browser still took every drag for one of the page: the map stood still, and its words spoke of a wheel."""
    context = browser.new_context(viewport=NARROW, has_touch=True, is_mobile=True)
    watched = Watched(context.new_page())
    host = opened(watched, f"{address}/release?data=city&map=after")
    page, picture = watched.page, host.locator(".map")
    picture.scroll_into_view_if_needed()
    expect(host.locator(".hint")).to_have_text("Tap the map to move it")
    touch = context.new_cdp_session(page)

    def scrolled() -> float:
        return float(page.get_by_test_id("stMain").evaluate("one => one.scrollTop"))

    def drag(on: Locator = picture, right: int = 60, down: int = 160, along: int = 0, up: int = 15) -> None:
        box = on.bounding_box()
        assert box is not None
        x, y = box["x"] + right, box["y"] + down
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for step in range(1, 7):
            at = {"x": x + along * step, "y": y - up * step}
            touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at]})
            page.wait_for_timeout(30)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(400)

    where, top = host.get_attribute("data-view"), scrolled()
    drag()
    assert host.get_attribute("data-view") == where
    assert scrolled() > top
    picture.scroll_into_view_if_needed()
    picture.tap(position={"x": 20, "y": 60})  # outside the city: no zone
    expect(host.locator(".hint")).to_have_text("Tap beside the map to scroll the page")
    watched.ready()
    top = scrolled()
    drag()
    expect(host).not_to_have_attribute("data-view", where or "")
    assert scrolled() == top
    page.locator(".st-key-release_map").locator("xpath=following::p[1]").tap()
    expect(host.locator(".hint")).to_have_text("Tap the map to move it")
    # A figure, on which Plotly would draw a box, leaves the finger to the page, and a tap on a bar is a click.
    bars, figure = page.locator(".st-key-release_error .bars .point"), ".st-key-release_scatter .nsewdrag"
    bars.first.evaluate(
        "one => one.closest('.js-plotly-plot').on('plotly_click', () => { window.tapped = true; })"
    )
    bars.nth(2).scroll_into_view_if_needed()
    place = bars.nth(2).bounding_box()  # of what is suppressed: the longest
    assert place is not None
    page.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.wait_for_function("window.tapped")
    page.locator(figure).scroll_into_view_if_needed()
    top = scrolled()
    drag(page.locator(figure))
    assert scrolled() > top
    expect(page.get_by_text("of the box drawn in the figure below")).to_have_count(0)
    # A slider, which took every finger, leaves those to the page that are drawn up from it, even a little aslant.
    slider = page.get_by_test_id("stMain").get_by_test_id("stSlider").get_by_role("group").first
    shown = slider.get_by_test_id("stSliderThumbValue")
    before = shown.inner_text()
    for along in (1, 4):
        slider.scroll_into_view_if_needed()
        top = scrolled()
        drag(slider, right=150, down=10, along=along)
        assert scrolled() != top
        assert shown.inner_text() == before
    slider.scroll_into_view_if_needed()
    slider.tap(position={"x": 150, "y": 20})
    expect(shown).not_to_have_text(before)
    watched.ready()
    tapped, top = shown.inner_text(), scrolled()
    drag(slider, right=150, down=20, along=-20, up=1)
    expect(shown).not_to_have_text(tapped)
    assert scrolled() == top
    watched.ready()
    # A long dialog is closed from wherever one has read to.
    page.get_by_test_id("stExpandSidebarButton").tap()
    page.get_by_role("button", name="Glossary").tap()
    glossary = page.get_by_role("dialog")
    closes = glossary.get_by_role("button", name="Close")
    glossary.locator("p").last.scroll_into_view_if_needed()
    expect(closes).to_be_in_viewport()
    closes.tap()
    expect(glossary).to_have_count(0)
    watched.clean()
    context.close()
