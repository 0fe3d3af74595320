"""The file's own ids joined to larger zones: by hand, and against the same trips written with coordinates."""

import h3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_kinds import joined_zones
from privlab.datasets.zone_kinds.boxed_zones import BoxedGridZoning, BoxedH3Zoning
from privlab.datasets.zone_kinds.joined_zones import JoinedZoning, box_around_positions, csv_of_joined_ids
from privlab.datasets.zone_kinds.zoning import joined_from_spec, zoning_from_spec
from privlab.datasets.zones.zone_centres import located_dataset
from privlab.lab.loading.load import rows_in_zones, trips_from_rows
from tests.datasets.zones.zones_by_hand import zones_of

# One degree is about 111.2 km: rows of 11,130 m are about 0.1 degrees high. A and B lie in the first, C in the second, D outside.
SIDE_M = 11_130
BOX = "0,0,0.19,0.09"
PLACES = {"A": (0.02, 0.05), "B": (0.08, 0.05), "C": (0.15, 0.05), "D": (0.5, 0.5)}
STATIONS = Geography(zones=sorted(PLACES), centres=PLACES)
# u1 goes A-C, B-C (the same flow once joined) and A-B (none once joined); u2 C-A; u3 A-D and A-E, whose end is in no zone.
TRIPS = (
    ("u1", "A", "C"),
    ("u1", "B", "C"),
    ("u1", "A", "B"),
    ("u2", "C", "A"),
    ("u3", "A", "D"),
    ("u3", "A", "E"),
)


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=2) as opened:
        yield opened


def rows(tmp_path, workspace, name="trips.csv", ids=lambda one: one):
    path = tmp_path / name
    lines = (f"{who},2026-03-02 {8 + n:02}:00,{ids(a)},{ids(b)}\n" for n, (who, a, b) in enumerate(TRIPS))
    path.write_text("user,time,origin,destination\n" + "".join(lines))
    return read_dataset(path, workspace=workspace)


def counts(dataset, zoning):
    trips = trips_from_rows(dataset, zoning)
    flows, people = np.unique(trips.flow, return_counts=True)
    pairs = [divmod(int(flow), trips.zones.size) for flow in flows]
    return {
        (trips.zones.tolist()[a], trips.zones.tolist()[b]): int(n)
        for (a, b), n in zip(pairs, people, strict=True)
    }


@pytest.mark.parametrize("ids", [str, lambda one: ord(one)], ids=["texts", "numbers"])
def test_trips_between_stations_of_two_squares_against_hand(tmp_path, workspace, ids):
    known = {ids(one): place for one, place in PLACES.items()}
    file = Geography(zones=sorted(known), centres=known)
    dataset, zoning = rows_in_zones(rows(tmp_path, workspace, ids=ids), f"grid:{SIDE_M}:{BOX}", file)
    assert zoning.public_zones() == [0, 1]
    assert counts(dataset, zoning) == {(0, 1): 1, (1, 0): 1}  # u1 once, u2 once
    assert any(
        "does not know 1 of the 5 zone ids" in note and "left out" in note for note in dataset.report.notes
    )


@pytest.mark.parametrize("spec", [f"grid:{SIDE_M}:{BOX}", f"grid:4000:{BOX}", f"h3:6:{BOX}"])
def test_the_same_trips_with_coordinates_are_counted_alike(tmp_path, workspace, spec):
    """Each end at its station: zones of coordinates are found by the database, those of stations before it is asked."""
    known = [trip for trip in TRIPS if trip[2] != "E"]
    path = tmp_path / "places.csv"
    place = {one: f"{lat},{lon}" for one, (lat, lon) in PLACES.items()}
    lines = (f"{who},2026-03-02 {8 + n:02}:00,{place[a]},{place[b]}\n" for n, (who, a, b) in enumerate(known))
    path.write_text("user,time,origin_lat,origin_lon,destination_lat,destination_lon\n" + "".join(lines))
    placed, by_place = rows_in_zones(read_dataset(path, workspace=workspace), spec)
    joined, by_id = rows_in_zones(rows(tmp_path, workspace), spec, STATIONS)
    assert counts(joined, by_id) == counts(placed, by_place)
    assert by_id.public_zones() == by_place.public_zones()
    assert by_id.spec == by_place.spec


def test_places_of_a_grid_are_found_as_in_the_database(workspace):
    grid = BoxedGridZoning(cell_m=3_000, south=-0.11, west=-0.2, north=0.17, east=0.31)
    rng = np.random.default_rng(4)
    lat, lon = rng.uniform(-0.15, 0.2, 2000), rng.uniform(-0.25, 0.35, 2000)
    lat[:4], lon[:4] = (-0.11, 0.17, 0.17, np.nan), (-0.2, 0.31, -0.2, 0.0)  # corners belong to the box
    assert grid.zones_at(lat, lon) == zones_of(workspace, grid, lat, lon)


def test_two_zone_files_with_one_box_are_told_apart(tmp_path, workspace):
    """Results are kept by the digest of the rows: a station that was moved must not find those of before."""
    spec, dataset = f"grid:{SIDE_M}:{BOX}", rows(tmp_path, workspace)
    moved = Geography(zones=sorted(PLACES), centres=PLACES | {"B": (0.16, 0.05)})
    here, there = (rows_in_zones(dataset, spec, file)[0] for file in (STATIONS, moved))
    assert len({dataset.digest, here.digest, there.digest}) == 3
    assert (
        here.source_digest == there.source_digest == dataset.source_digest
    )  # the ledger knows the data by it


def test_people_of_joined_ids_are_still_where_their_stations_are(tmp_path, workspace):
    dataset, zoning = rows_in_zones(rows(tmp_path, workspace), f"grid:{SIDE_M}:{BOX}", STATIONS)
    found = located_dataset(dataset, zoning).table.to_pyarrow().to_pylist()
    assert {(row["lat"], row["lon"]) for row in found} == set(PLACES.values())


def test_which_id_lies_in_which_zone_by_hand():
    joined = joined_from_spec(f"grid:{SIDE_M}:{BOX}", STATIONS)
    assert csv_of_joined_ids(joined) == "id,zone\nA,0\nB,0\nC,1\nD,\n"
    numbers = Geography(zones=[2, 10], centres={10: (0.02, 0.05), 2: (0.15, 0.05)})
    assert csv_of_joined_ids(joined_from_spec(f"grid:{SIDE_M}:{BOX}", numbers)) == "id,zone\n10,0\n2,1\n"
    risky = Geography(zones=["=1+1"], centres={"=1+1": (0.02, 0.05)})
    assert csv_of_joined_ids(joined_from_spec(f"grid:{SIDE_M}:{BOX}", risky)) == "id,zone\n'=1+1,0\n"


def test_the_list_is_the_same_with_the_rows_and_without_them(tmp_path, workspace):
    """Ids of the rows are texts, for `C` is one; those of the zone file are whole numbers. The order is the zone file's."""
    named = {"A": "10", "B": "9"}
    numbers = Geography(zones=[9, 10], centres={10: PLACES["C"], 9: PLACES["A"]})
    _, zoning = rows_in_zones(
        rows(tmp_path, workspace, ids=lambda one: named.get(one, one)), f"grid:{SIDE_M}:{BOX}", numbers
    )
    assert zoning.own.geography.zones == ["10", "9"]
    assert csv_of_joined_ids(zoning) == "id,zone\n10,1\n9,0\n"
    assert csv_of_joined_ids(joined_from_spec(f"grid:{SIDE_M}:{BOX}", numbers)) == "id,zone\n10,1\n9,0\n"


def test_hexagons_of_ids_are_those_that_h3_gives():
    lines = csv_of_joined_ids(joined_from_spec(f"h3:6:{BOX}", STATIONS)).splitlines()[1:]
    known = {name: zone for name, _, zone in (line.partition(",") for line in lines)}
    assert known == {name: h3.latlng_to_cell(*PLACES[name], 6) for name in "ABC"} | {"D": ""}


@pytest.mark.parametrize("spec", ["column", "grid:500", "h3:6", f"box:{BOX}:2x2", "stations.geojson"])
def test_other_zones_join_no_ids(spec):
    assert joined_from_spec(spec, STATIONS) is None
    assert joined_from_spec(f"grid:{SIDE_M}:{BOX}", None) is None


def test_what_cannot_be_joined_iv(tmp_path, workspace, monkeypatch):
    spec, dataset = f"grid:{SIDE_M}:{BOX}", rows(tmp_path, workspace)
    with pytest.raises(ParameterError, match="must have a zone file with positions"):
        rows_in_zones(dataset, spec, Geography(zones=["A", "B"]))
    with pytest.raises(ParameterError, match="need latitude and longitude"):
        rows_in_zones(dataset, spec)
    with pytest.raises(DataError, match="knows none of the 5 zone ids"):
        rows_in_zones(dataset, spec, Geography(zones=["x"], centres={"x": (0.0, 0.0)}))
    nowhere = rows_in_zones(dataset, f"grid:{SIDE_M}:40,40,41,41", STATIONS)
    with pytest.raises(DataError, match="lies in the zones"):
        trips_from_rows(*nowhere)
    monkeypatch.setattr(joined_zones, "MOST_JOINED", 3)
    with pytest.raises(ParameterError, match="of at most 3 ids, got 4"):
        zoning_from_spec(spec, place="zone", table=None, geography=STATIONS)


def test_the_box_holds_every_position_by_hand():
    assert box_around_positions(STATIONS) == (0.02, 0.05, 0.51, 0.51)
    # 45.019999999999996 times 100 is 4502 in floats: of two positions the southern would lie south of the box.
    uneven = {"a": (45.019999999999996, 7.02), "b": (45.14, 7.17)}
    south, west, north, east = box_around_positions(Geography(zones=["a", "b"], centres=uneven))
    assert (south, west, north, east) == (45.01, 7.02, 45.15, 7.18)
    assert all(south <= lat < north and west <= lon < east for lat, lon in uneven.values())
    # And 67.46 times 100 is 6745.999…: the position would lie on the north edge, which is outside.
    assert box_around_positions(Geography(zones=["a"], centres={"a": (67.46, 7.02)})) == (
        67.46,
        7.02,
        67.47,
        7.03,
    )
    assert box_around_positions(Geography(zones=["a"])) is None
    edge = Geography(
        zones=["a", "b", "c"], centres={"a": (90.0, 180.0), "b": (-90.0, -180.0), "c": (0.0, 0.0)}
    )
    assert box_around_positions(edge) == (-90.0, -180.0, 90.0, 180.0)


def test_of_zones_on_both_sides_of_the_antimeridian_the_box_is_around_the_side_with_more_by_hand() -> None:
    """Fiji: two islands near 178° east, one at 179° west; the box was the whole world round. New York and Tokyo are in no region."""
    fiji = {"a": (-18.1, 178.4), "b": (-17.5, 177.1), "c": (-19.1, -178.98)}
    box = box_around_positions(Geography(zones=["a", "b", "c"], centres=fiji))
    assert box == (-18.1, 177.1, -17.49, 178.41)
    far = {"a": (40.7, -74.0), "b": (35.7, 139.7)}
    assert box_around_positions(Geography(zones=["a", "b"], centres=far)) == (35.7, -74.0, 40.71, 139.71)


@given(st.floats(-89.9, 89.9), st.integers(-8990, 8990), st.sampled_from((0.0, 1e-14, -1e-14)))
def test_a_box_holds_whatever_position_it_is_proposed_around(
    degrees: float, hundredths: int, off: float
) -> None:
    for lat in (degrees, hundredths / 100 + off):
        found = box_around_positions(Geography(zones=["a"], centres={"a": (lat, lat)}))
        assert found is not None
        south, west, north, east = found
        assert south <= lat < north
        assert west <= lat < east
        assert north - south < 0.0101


def test_hexagons_are_those_of_the_places():
    hexagons = BoxedH3Zoning(resolution=6, south=0, west=0, north=0.2, east=0.1)
    zoning = JoinedZoning(
        own=zoning_from_spec("column", place="zone", table=None, geography=STATIONS), division=hexagons
    )
    assert set(zoning.zone_of_id) == {"A", "B", "C"}
    assert set(zoning.zone_of_id.values()) <= set(hexagons.public_zones())
