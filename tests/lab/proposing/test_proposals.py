"""What the lab proposes for own data: a box and zones against hand, and a plan by the same function for page and command."""

import re
from pathlib import Path

import h3
import pytest

from privlab.checks import ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_kinds.proposed_box import box_around_people
from privlab.lab.loading.load import rows_in_zones, trips_from_rows
from privlab.lab.proposing.proposals import (
    plan_proposal_from_trips,
    proposed_request,
    proposed_zones_from_rows,
    zone_preview_from_rows,
)
from privlab.lab.proposing.zone_sizes import (
    can_be_resized,
    proposed_zones_from_positions,
    specs_of_sizes,
    zone_sizes_from_rows,
)
from privlab.od.combining import CombinationRequest
from tests.command_line import Answer

PLACES = ("10.012,20.015", "10.034,20.018", "10.021,20.041")


def walks(n_users: int = 600) -> str:
    """Everybody goes round three places, an hour in each."""
    rows = "".join(
        f"u{user},2026-03-02 {8 + hour:02d}:05,{PLACES[(user + hour) % 3]}\n"
        for user in range(n_users)
        for hour in range(4)
    )
    return "user,time,lat,lon\n" + rows


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    path = tmp_path_factory.mktemp("walks") / "walks.csv"
    path.write_text(walks())
    with Workspace(threads=2) as workspace:
        yield read_dataset(path, workspace=workspace)


def test_the_box_is_rounded_outwards_against_hand(dataset):
    # 10.012 … 10.034 and 20.015 … 20.041, in hundredths of a degree.
    assert box_around_people(dataset) == (10.01, 20.01, 10.04, 20.05)


def test_all_places_are_drawn_where_they_are_few_and_any_of_many_whatever_the_order_of_rows(tmp_path):
    """Four rows each, as regular as files are: every eighth row was the first of every second person, at one of two places."""
    preview = []
    for rows in (walks(6000), "\n".join([*(lines := walks(6000).splitlines())[:1], *reversed(lines[1:])])):
        path = tmp_path / f"{len(preview)}.csv"
        path.write_text(rows)
        with Workspace(threads=2) as workspace:
            preview.append(
                zone_preview_from_rows(read_dataset(path, workspace=workspace), "grid:2000:10,20,11,21")
            )
    for one in preview:
        assert one.n_places == 3
        assert {(a, b) for a, b in zip(one.lat, one.lon, strict=True)} == {
            (float(place[:6]), float(place[7:])) for place in PLACES
        }
    path = tmp_path / "many.csv"
    many = [
        f"u{n},2026-03-02 08:05,{10 + n / 1e5:.5f},{20 + (n * 7919 % 10007) / 1e5:.5f}\n"
        for n in range(10_007)
    ]
    path.write_text("user,time,lat,lon\n" + "".join(many))
    with Workspace(threads=2) as workspace:
        found = zone_preview_from_rows(read_dataset(path, workspace=workspace), "grid:2000:10,20,11,21")
    assert found.n_places == 10_007
    assert 2_000 < found.lat.size < 10_007
    # At random: as many in the south half as in the north one, but for 5 standard deviations.
    south = int((found.lat < 10.05).sum())
    assert abs(south - found.lat.size / 2) < 2.5 * found.lat.size**0.5


def test_one_traveller_moves_no_edge_of_the_box(tmp_path):
    path = tmp_path / "more.csv"
    path.write_text(walks(100) + "far,2026-03-02 08:00,55.5,-33.3\nfar,2026-03-02 09:00,-70,120\n")
    with Workspace(threads=2) as workspace:
        found = read_dataset(path, workspace=workspace)
        assert box_around_people(found) == (10.01, 20.01, 10.04, 20.05)
        preview = zone_preview_from_rows(found, proposed_zones_from_rows(found))
        # Two rows of one traveller lie outside; 100 people make 4 hours and 3 trips each, in 3 flows of a week.
        assert (preview.n_rows, preview.n_outside, preview.n_flows, preview.n_small) == (402, 2, 3, 0)
        assert preview.n_users_outside == 1


def test_trips_within_a_zone_are_rows_of_the_data_too_by_hand(tmp_path: Path) -> None:
    """Of six trips two end where they begin and one ends outside both zones: three are counted, none is another file's row."""
    path = tmp_path / "trips.csv"
    rows = [
        "a,10.5,20.5,10.5,21.5",
        "a,10.5,21.5,10.5,20.5",
        "b,10.5,20.5,10.5,21.5",
        "b,10.4,20.4,10.6,20.6",
    ]
    rows += ["c,10.4,21.4,10.6,21.6", "c,10.5,20.5,19.0,20.5"]
    head = "user,origin_lat,origin_lon,destination_lat,destination_lon,time\n"
    path.write_text(head + "".join(f"{row},2026-03-02 08:00\n" for row in rows))
    with Workspace(threads=2) as workspace:
        preview = zone_preview_from_rows(read_dataset(path, workspace=workspace), "box:10,20,11,22:1x2")
    assert (preview.n_rows, preview.n_outside, preview.n_zones, preview.n_flows) == (6, 1, 2, 2)


def test_a_box_around_trips_in_metres_by_hand(tmp_path: Path) -> None:
    """Twelve people within a square of 10 km, one far from it: edges are the whole kilometres around the twelve."""
    rows = [f"u{n},{431_200 + 500 * n},5411300,{437_900 - 500 * n},5414600" for n in range(12)]
    rows.append("far,431200,5411300,612000,5600000")
    path = tmp_path / "trips.csv"
    head = "user,origin_x,origin_y,destination_x,destination_y,time\n"
    path.write_text(head + "".join(f"{row},2026-03-02 08:00\n" for row in rows))
    with Workspace(threads=2) as workspace:
        dataset = read_dataset(path, workspace=workspace)
        assert box_around_people(dataset) == (5_411_000, 431_000, 5_415_000, 438_000)
        preview = zone_preview_from_rows(dataset, "grid:2000:5411000,431000,5415000,438000")
    assert (preview.n_rows, preview.n_outside) == (13, 1)
    assert preview.is_public


def test_half_a_per_cent_of_the_rows_moves_no_edge_of_the_box_against_hand(tmp_path: Path) -> None:
    """Of 1,003 rows three lie at 10.09, by people who are in the square with all others: edges are those without them."""
    path = tmp_path / "edge.csv"
    path.write_text(walks(250) + "".join(f"u{n},2026-03-02 15:00,10.093,20.015\n" for n in range(3)))
    with Workspace(threads=2) as workspace:
        assert box_around_people(read_dataset(path, workspace=workspace)) == (10.01, 20.01, 10.04, 20.05)
    path.write_text(walks(250) + "".join(f"u{n},2026-03-02 15:00,10.093,20.015\n" for n in range(30)))
    with Workspace(threads=2) as workspace:
        assert box_around_people(read_dataset(path, workspace=workspace)) == (10.01, 20.01, 10.1, 20.05)


def test_no_box_goes_round_the_world_for_data_on_both_sides_of_the_antimeridian_by_hand(
    tmp_path: Path,
) -> None:
    """Thirty people on Viti Levu, ten on an island 4 degrees east of it, across the antimeridian: the box is around the thirty."""
    west, east = "-17.512,178.415", "-17.031,-178.214"
    rows = [
        f"u{n},2026-03-02 {8 + hour:02d}:05,{west if n < 30 else east}"
        for n in range(40)
        for hour in range(2)
    ]
    rows += [f"u{n},2026-03-02 10:05,-17.531,178.442" for n in range(30)]
    for number, turned in enumerate(({}, {"178.": "-178.", "-178.": "178."})):
        path = tmp_path / f"{number}.csv"
        lines = [
            re.sub(r",(-?178\.)", lambda found, turned=turned: "," + turned.get(found[1], found[1]), row)
            for row in rows
        ]
        path.write_text("user,time,lat,lon\n" + "\n".join(lines) + "\n")
        with Workspace(threads=2) as workspace:
            south, west_edge, north, east_edge = box_around_people(read_dataset(path, workspace=workspace))
        assert (south, north) == (-17.54, -17.51)
        assert (west_edge, east_edge) == ((-178.45, -178.41) if turned else (178.41, 178.45))


def test_the_box_of_data_all_over_the_world_holds_it_all(tmp_path: Path) -> None:
    """Ten people each in New York and Tokyo, which are nearer to one another across the antimeridian, and in no one region."""
    cities = ("40.71,-74.01", "35.68,139.69")
    rows = [f"u{n}{at},2026-03-02 08:05,{city}" for at, city in enumerate(cities) for n in range(10)]
    path = tmp_path / "world.csv"
    path.write_text("user,time,lat,lon\n" + "\n".join(rows) + "\n")
    with Workspace(threads=2) as workspace:
        assert box_around_people(read_dataset(path, workspace=workspace)) == (35.6, -74.1, 40.8, 139.7)


def test_proposed_zones_can_be_published_and_those_around_the_data_cannot(dataset):
    good = zone_preview_from_rows(dataset, proposed_zones_from_rows(dataset))
    assert good.is_public
    assert good.refusal is None
    assert 12 <= good.n_zones <= 400
    bad = zone_preview_from_rows(dataset, "grid:500")
    assert not bad.is_public
    assert "--box SOUTH,WEST,NORTH,EAST" in str(bad.refusal)
    many = zone_preview_from_rows(dataset, "grid:50:10,20,10.1,20.1")
    assert "more than the 1,000,000" in str(many.refusal)


def test_a_plan_is_proposed_that_is_of_use(dataset):
    zones = proposed_zones_from_rows(dataset)
    proposal = plan_proposal_from_trips(trips_from_rows(*rows_in_zones(dataset, zones)), is_public=True)
    # Three flows of 600 people each: noise of a few tens of trips is within ten per cent of them.
    assert proposal.point is not None
    assert proposal.point.utility >= 0.8
    assert proposal.point.accuracy <= 0.6
    assert proposal.point.max_trips_per_user >= 1


def test_page_and_command_propose_by_one_way(dataset, tmp_path, answer: Answer):
    path = tmp_path / "walks.csv"
    path.write_text(walks())
    zones = proposed_zones_from_rows(dataset)
    proposal = plan_proposal_from_trips(trips_from_rows(*rows_in_zones(dataset, zones)), is_public=True)
    said = answer("plan", path, "--zones", "proposed", "--json")
    assert said["says"] == proposal.says
    assert said["recommended"]["threshold"] == proposal.point.threshold


def test_larger_zones_are_more_useful_until_nobody_moves_between_them(dataset):
    sizes = zone_sizes_from_rows(dataset, "grid:500:10,20,10.05,20.05", proposed_request(is_public=True))
    assert [size.side_m for size in sizes] == [250, 500, 1000, 2000, 4000]
    assert all(size.n_zones > 1 for size in sizes)
    smallest = trips_from_rows(*rows_in_zones(dataset, sizes[0].zones))
    walked = {zone for flow in set(smallest.flow.tolist()) for zone in divmod(flow, smallest.zones.size)}
    assert (sizes[0].n_held, sizes[0].of_stations) == (len(walked), False)
    assert sizes[0].n_zones_words == f"{sizes[0].n_zones:,}, {len(walked)} of them with a trip"
    assert max(size.utility for size in sizes) >= 0.8


def test_each_size_has_its_best_release_for_one_promise_by_page_and_command_issue_18(
    dataset, tmp_path, answer: Answer
):
    """The best of a size is that of its zones planned alone; the command says the same of the file."""
    spec = "grid:500:10,20,10.05,20.05"
    promise = CombinationRequest(epsilon=2.0)
    (here, twice) = zone_sizes_from_rows(
        dataset, spec, proposed_request(is_public=True), factors=(1, 2), promise=promise
    )
    path = tmp_path / "walks.csv"
    path.write_text(walks())
    said = answer("plan", path, "--zones", spec, "--epsilon", 2, "--zone-sizes", "--json")
    by_side = {one["side_m"]: one["best"] for one in said["zone_sizes"]}
    assert sorted(by_side) == [250, 500, 1000, 2000, 4000]
    assert by_side[500] == said["best"] == here.best.as_dict()
    assert by_side[1000] == twice.best.as_dict()
    assert by_side[1000]["epsilon"] == 2
    refusal = answer("plan", path, "--zones", spec, "--zone-sizes", "--json", fails=True)
    assert "zone_sizes must be given with epsilon" in refusal


def test_flows_of_zones_that_no_list_has_are_not_among_those_that_can_be_published(tmp_path: Path) -> None:
    """Ten go 1 → 2, three 1 → 3, and the zone file lists 1 and 2 alone: one flow of two zones, three trips left out."""
    rows = [f"a{n},2026-03-02 {hour}:00,{zone}" for n in range(10) for hour, zone in (("08", 1), ("09", 2))]
    rows += [f"b{n},2026-03-02 {hour}:00,{zone}" for n in range(3) for hour, zone in (("08", 1), ("09", 3))]
    path = tmp_path / "week.csv"
    path.write_text("user,time,zone\n" + "\n".join(rows) + "\n")
    with Workspace(threads=2) as workspace:
        found = zone_preview_from_rows(
            read_dataset(path, workspace=workspace), "column", Geography(zones=[1, 2])
        )
    assert (found.n_zones, found.n_flows, found.n_small) == (2, 1, 0)
    assert found.unlisted.startswith("3 of 13 trips counted (23%)")


def test_zones_that_join_stations_are_proposed_from_their_list_alone_against_hand() -> None:
    """Sixteen stations 0.01 degrees (1.1 km) apart, four by four: each in a square of 1 km of its own, four by four in those of 2 km."""
    centres = {f"S{n}": (0.005 + 0.01 * (n % 4), 0.005 + 0.01 * (n // 4)) for n in range(16)}
    stations = Geography(zones=sorted(centres), centres=centres)
    assert proposed_zones_from_positions(stations) == "grid:2000:0,0,0.04,0.04"
    assert proposed_zones_from_positions(Geography(zones=["a", "b"])) is None
    one = Geography(zones=["a"], centres={"a": (1.0, 2.0)})
    assert proposed_zones_from_positions(one) is None


def test_other_sizes_of_joined_zones_are_tried_against_one_by_one(tmp_path: Path) -> None:
    """Each size alone, laid over the rows, has as many zones and the same release; in squares of 4 km all stations are in one."""
    centres = {f"S{n}": (0.005 + 0.01 * (n % 4), 0.005 + 0.01 * (n // 4)) for n in range(16)}
    stations = Geography(zones=sorted(centres), centres=centres)
    path = tmp_path / "rides.csv"
    rows = (f"u{u},2026-03-02 {8 + u % 3:02}:00,S{u % 16},S{(u * 5 + 3) % 16}\n" for u in range(800))
    path.write_text("user,time,origin,destination\n" + "".join(rows))
    request = proposed_request(is_public=True)
    with Workspace(threads=2) as workspace:
        found = read_dataset(path, workspace=workspace)
        spec = "grid:2000:0,0,0.04,0.04"
        sizes = zone_sizes_from_rows(found, spec, request, geography=stations)
        assert len(sizes) > 1
        own, *joined = zone_sizes_from_rows(found, "column", request, geography=stations)
        assert (own.zones, own.n_zones, own.side_m) == ("column", 16, None)
        assert [one.zones for one in joined] == [spec, spec.replace("2000", "4000")]  # of 8 km there is one
        assert joined[0].utility == next(one.utility for one in sizes if one.zones == spec)
        # By hand: four squares of 2 km hold four stations each, whatever else of the box there is.
        assert (joined[0].n_held, joined[0].of_stations) == (4, True)
        assert joined[0].n_zones_words == "9, 4 of them with a station"
        for size in sizes:
            inside, zoning = rows_in_zones(found, size.zones, stations)
            assert size.n_held == len(set(zoning.zone_of_id.values()))
            assert size.n_zones == len(zoning.public_zones() or [])
            if size.side_m == 4000:
                assert size.point is None
                continue
            point = plan_proposal_from_trips(trips_from_rows(inside, zoning), is_public=True).point
            assert (size.point is None) == (point is None)
            assert size.point is None or point is None or size.point.utility == point.utility


def test_what_has_other_sizes_is_told_without_laying_them() -> None:
    centres = {f"S{n}": (0.005 + 0.01 * (n % 4), 0.005 + 0.01 * (n // 4)) for n in range(16)}
    stations = Geography(zones=sorted(centres), centres=centres)
    two = Geography(zones=["a", "b"], centres={"a": (1.0, 2.0), "b": (1.5, 2.0)})
    nowhere = Geography(zones=["a", "b", "c"])
    boxed = ["grid:500:10,20,10.05,20.05", "h3:7:10,20,10.05,20.05", "box:10,20,10.05,20.05:4x4"]
    cases = [(zones, None) for zones in (*boxed, "column", "grid:500", "h3:8", "zones.geojson")]
    for zones, geography in [*cases, ("column", stations), ("column", two), ("column", nowhere)]:
        assert can_be_resized(zones, geography) == bool(specs_of_sizes(zones, geography)), zones


def test_squares_of_other_sizes_have_whole_metres_by_hand() -> None:
    found = specs_of_sizes("grid:625:10,20,10.05,20.05")  # half of it is 312.5 m
    assert [spec.split(":")[1] for spec, *_ in found] == ["312", "625", "1250", "2500", "5000"]
    as_it_is = "grid:1234.5678:10,20,10.05,20.05"
    assert specs_of_sizes(as_it_is)[1][0] == as_it_is


def test_fields_of_a_box_are_made_larger_and_smaller_by_hand() -> None:
    found = specs_of_sizes("box:10,20,10.05,20.05:10x6")
    assert [spec.rpartition(":")[2] for spec, *_ in found] == ["20x12", "10x6", "5x3", "2x2", "1x1"]
    assert found[1][1] == "10 by 6 fields"


def test_hexagons_are_made_larger_and_smaller_by_their_resolution_against_the_library(dataset) -> None:
    sizes = zone_sizes_from_rows(dataset, "h3:7:10,20,10.05,20.05", proposed_request(is_public=True))
    assert [one.zones.split(":")[1] for one in sizes] == ["8", "7", "6"]  # of resolution 5 one holds all
    for one in sizes:
        resolution = int(one.zones.split(":")[1])
        assert one.side_m == h3.average_hexagon_edge_length(resolution, unit="m")
        places = [tuple(map(float, place.split(","))) for place in PLACES]
        assert len({h3.latlng_to_cell(*place, resolution) for place in places}) <= one.n_zones
    assert sizes[0].n_zones > sizes[1].n_zones > sizes[2].n_zones
    assert max(one.utility for one in sizes) >= 0.8
    assert next(iter(specs_of_sizes("h3:15:10,20,10.05,20.05")))[0].startswith("h3:15:")


@pytest.mark.parametrize("zones", ["column", "grid:500", "h3:8"])
def test_zones_that_nobody_can_make_larger_are_refused_iv(dataset, zones: str) -> None:
    with pytest.raises(ParameterError, match="whose places are known, to be made larger"):
        zone_sizes_from_rows(dataset, zones, proposed_request(is_public=True))


def test_a_zone_where_trips_only_end_holds_one(tmp_path: Path) -> None:
    path = tmp_path / "one_way.csv"
    rows = "".join(
        f"u{user},2026-03-02 {8 + hour:02d}:05,{PLACES[hour]}\n" for user in range(30) for hour in range(2)
    )
    path.write_text("user,time,lat,lon\n" + rows)
    with Workspace(threads=2) as workspace:
        found = read_dataset(path, workspace=workspace)
        sizes = zone_sizes_from_rows(found, "grid:500:10,20,10.05,20.05", proposed_request(is_public=True))
    assert (sizes[0].n_held, sizes[0].of_stations) == (2, False)
