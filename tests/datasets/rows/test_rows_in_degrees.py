"""Files with x and y of a known system: read as degrees, each row by itself; what is odd is asked, what is nowhere is dropped."""

from pathlib import Path

import numpy as np
import pytest

from privlab.checks import DataError
from privlab.datasets.cleaning import Cleaning
from privlab.datasets.cleaning.cleaning_steps import cleaned_dataset
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.read import read_dataset
from tests.datasets.columns.test_projected_systems import utm

UTM = ColumnMapping(user_id="who", timestamp="when", x="x", y="y", crs="EPSG:32632")
PLACES = [(48.137, 11.575), (48.2, 11.4), (53.55, 9.99)]


def written(path: Path, rows: list[tuple[float | str, float | str]], header: str = "who,when,x,y") -> Path:
    lines = [f"u{n},2026-03-02 0{n}:00,{x},{y}" for n, (x, y) in enumerate(rows)]
    path.write_text("\n".join((header, *lines)) + "\n")
    return path


def test_records_are_where_the_series_puts_them(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", [utm(*place, 32) for place in PLACES])
    dataset = read_dataset(path, mapping=UTM)
    found = dataset.table.order_by("user_id").to_pyarrow().to_pandas()
    assert (dataset.kind, dataset.place) == ("records", "latlon")
    assert np.abs(found[["lat", "lon"]].to_numpy() - PLACES).max() < 1e-8
    assert dataset.report.notes == ("x and y are read as WGS 84 / UTM zone 32N (EPSG:32632).",)
    near = cleaned_dataset(dataset, Cleaning(box=(48.0, 11.0, 49.0, 12.0)))
    assert near.report.kept == 2


def test_both_ends_of_trips_and_a_decimal_comma(tmp_path: Path) -> None:
    (ax, ay), (bx, by) = (utm(*place, 32) for place in PLACES[:2])
    text = f"who;when;from_x;from_y;to_x;to_y\nann;2026-03-02 08:00;{ax};{ay};{bx};{by}\n".replace(".", ",")
    (tmp_path / "a.csv").write_text(text)
    mapping = ColumnMapping(
        user_id="who", timestamp="when", origin_x="from_x", origin_y="from_y", destination_x="to_x", destination_y="to_y", crs="EPSG:32632",
    )  # fmt: skip
    dataset = read_dataset(tmp_path / "a.csv", mapping=mapping)
    found = dataset.table.to_pyarrow().to_pylist()[0]
    assert (dataset.kind, dataset.place) == ("trips", "latlon")
    ends = [found[name] for name in ("origin_lat", "origin_lon", "destination_lat", "destination_lon")]
    assert np.abs(np.subtract(ends, [*PLACES[0], *PLACES[1]])).max() < 1e-8


def test_rows_that_lie_nowhere_are_dropped_by_reason(tmp_path: Path) -> None:
    rows = [utm(*PLACES[0], 32), (0, 0), (1e12, 5), ("", 5), ("here", 5)]
    report = read_dataset(written(tmp_path / "a.csv", rows), mapping=UTM).report
    assert (report.rows, report.kept) == (5, 1)
    assert report.dropped == {
        "missing place": 1,
        "unreadable coordinate": 1,
        "zero coordinate (0, 0)": 1,
        "place that its projected system does not have": 1,
    }
    (lost,) = report.examples["place that its projected system does not have"]
    assert (lost.place, lost.column, lost.value) == ("row 4", "x", "1000000000000.0")
    with pytest.raises(
        DataError,
        match=r"^No row of b\.csv can be used: 1 of 1 have a place that its projected system does not have "
        r"\(column 'x', row 2: '1000000000000\.0'\)\. Is it the right system \(crs\)",
    ):
        read_dataset(written(tmp_path / "b.csv", [(1e12, 5)]), mapping=UTM)


def test_x_and_y_exchanged_are_refused_but_not_where_each_row_stands_for_itself(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", [utm(*place, 32)[::-1] for place in PLACES])
    with pytest.raises(
        DataError, match=r"^Most places of a\.csv lie where EPSG:32632 .* only with x and y exchanged\."
    ):
        read_dataset(path, mapping=UTM)
    form = FileForm(mapping=UTM)
    alone = read_dataset(path, mapping=UTM, form=form)
    assert alone.report.notes == ("x and y are read as WGS 84 / UTM zone 32N (EPSG:32632).",)
    one = read_dataset(
        written(tmp_path / "b.csv", [utm(*place, 32)[::-1] for place in PLACES[:1]]), form=form
    )
    if alone.report.kept:  # the first row is read alike whatever stands below it
        first = alone.table.filter(alone.table.user_id == "u0").to_pyarrow().to_pylist()
        assert first == one.table.to_pyarrow().to_pylist()


def test_rows_outside_the_area_of_a_system_are_asked_about(tmp_path: Path) -> None:
    rows = [utm(*PLACES[0], 32), utm(48.1, 20.0, 32)]
    notes = read_dataset(written(tmp_path / "a.csv", rows), mapping=UTM).report.notes
    assert notes[1] == (
        "1 of the rows lies outside the area that EPSG:32632 is made for (0.0° N to 84.0° N, 6.0° E to 12.0° E): is it the right system?"
    )
    other = ColumnMapping(user_id="who", timestamp="when", x="x", y="y", crs="EPSG:2154")
    assert read_dataset(tmp_path / "a.csv", mapping=other).report.notes[1].startswith("Most rows lie outside")


def test_a_conversion_that_is_not_exact_says_how_far_off_it_may_be(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", [(4_468_000, 5_333_000)])
    mapping = ColumnMapping(user_id="who", timestamp="when", x="x", y="y", crs="EPSG:31468")
    note = read_dataset(path, mapping=mapping).report.notes[-1]
    assert note.startswith("x and y are read as DHDN / 3-degree Gauss-Kruger zone 4 (EPSG:31468)")
    assert note.endswith("as latitude and longitude, places are exact to about 3 m.")


@pytest.mark.parametrize(
    ("places", "said"),
    [({"zone": "x"}, "ids of zones"), ({"lat": "x", "lon": "y"}, "latitude and longitude")],
)
def test_a_system_without_x_and_y_is_refused(tmp_path: Path, places: dict[str, str], said: str) -> None:
    path = written(tmp_path / "a.csv", [(1, 2)])
    mapping = ColumnMapping(user_id="who", timestamp="when", crs="EPSG:32632", **places)
    with pytest.raises(DataError, match=rf"^The system EPSG:32632 \(crs\) is one of x and y, .* by {said}\."):
        read_dataset(path, mapping=mapping)


def test_how_many_places_look_exchanged_refuses_nothing_where_no_row_may_decide(tmp_path: Path) -> None:
    """Two of three latitudes beyond 90 degrees: a look at the data asks; a release leaves just those rows out, however many they are."""
    path = written(
        tmp_path / "a.csv", [(48.1, 11.5), (111.5, 48.1), (112.5, 48.2)], header="who,when,lat,lon"
    )
    mapping = ColumnMapping(user_id="who", timestamp="when", lat="lat", lon="lon")
    with pytest.raises(DataError, match="Is this latitude/longitude swapped"):
        read_dataset(path, mapping=mapping)
    report = read_dataset(path, form=FileForm(mapping=mapping)).report
    assert (report.kept, report.dropped) == (1, {"impossible coordinate": 2})
