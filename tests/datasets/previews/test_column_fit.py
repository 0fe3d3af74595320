"""What a column could be, by what stands in it: each offer at its edge, by hand."""

import pytest

from privlab.datasets.previews.column_fit import fitting_roles

IDS = {"user_id", "zone", "area", "origin", "destination"}
TIMES = {"timestamp", "date"}
LATITUDES = {"lat", "origin_lat", "destination_lat"}
LONGITUDES = {"lon", "origin_lon", "destination_lon"}
METRES = {"x", "y", "origin_x", "origin_y", "destination_x", "destination_y"}


@pytest.mark.parametrize(
    ("cells", "offered"),
    [
        (["90.0", "-90.0"], METRES | LATITUDES | LONGITUDES),
        (["90.001"], METRES | LONGITUDES),  # beyond the pole
        (["-180.0", "12.5"], METRES | LONGITUDES),
        (["180.5"], METRES),  # beyond the date line
        (["48,5", "2,25"], METRES | LATITUDES | LONGITUDES),  # as Germans write
        (["1.5e2"], METRES | LONGITUDES),
        (["7", "181"], METRES | IDS | {"count", "utc_offset_min"}),
        (["0", "1"], METRES | LATITUDES | LONGITUDES | IDS | {"count", "utc_offset_min", "occupied"}),
        (["0", "1", "2"], METRES | LATITUDES | LONGITUDES | IDS | {"count", "utc_offset_min"}),
        (["1410593040"], METRES | IDS | TIMES | {"count", "utc_offset_min"}),  # seconds after 1970
        (["2014-09-13 07:24", ""], TIMES),
        (
            ["2014-09-13 07:24", "soon"],
            IDS | TIMES | {"occupied"},
        ),  # an id, or a time as nobody here writes it
        (["A7", "B"], IDS | TIMES | {"occupied"}),
        ([" ", ""], IDS | TIMES | LATITUDES | LONGITUDES | METRES | {"count", "occupied", "utc_offset_min"}),
    ],
)
def test_what_stands_in_a_column_says_what_it_may_be(cells: list[str], offered: set[str]) -> None:
    assert fitting_roles(cells) == offered
