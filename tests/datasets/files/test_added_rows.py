"""Rows of made-up users at the end of a file: what is read back is what was added, and all else is as it was."""

import codecs
import gzip
import zipfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privlab.checks import DataError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.files.added_rows import AddedRow, write_with_added_rows
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.layouts.known_layouts import KNOWN
from privlab.datasets.read import read_dataset

AT = datetime(2026, 3, 2, 8, 15)
ROWS = [AddedRow(0, AT, (7,)), AddedRow(1, datetime(2026, 7, 6, 23, 15), (8,))]  # winter and summer
ZONES = ColumnMapping(user_id="who", timestamp="when", zone="cell")


def read_back(path: Path, form: FileForm, timezone: str | None) -> pd.DataFrame:
    dataset = read_dataset(path, form=form, timezone=timezone)
    return dataset.table.order_by("time", "user_id").to_pyarrow().to_pandas()


@pytest.mark.parametrize(
    ("text", "changed", "timezone"),
    [
        ("who,note,when,cell\nann,x,2026-03-02 08:00,7", {}, None),
        ("when;cell;who\n2026-03-02T08:00;7;ann\n", {}, "Europe/Paris"),
        ("who,when,cell\nann,2026-03-02 07:00,7\n", {"recorded_in": "UTC"}, "Europe/Paris"),
        ("who,when,cell\nann,1772434800,7\n", {"time_format": "seconds"}, "Europe/Paris"),
        ("who,when,cell\nann,1772434800000,7\n", {"time_format": "milliseconds"}, "Europe/Paris"),
        ("who,when,cell\nann,02/03/2026 08:00,7\n", {"time_format": "%d/%m/%Y %H:%M"}, None),
        (
            "who,when,cell\nann,02/03/2026 07:00 +0000,7\n",
            {"time_format": "%d/%m/%Y %H:%M %z"},
            "Europe/Paris",
        ),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_text_is_kept_byte_for_byte_and_the_rows_are_read_back(
    text: str, changed: dict[str, Any], timezone: str | None, packed: bool, tmp_path: Path
) -> None:
    content = gzip.compress(text.encode()) if packed else text.encode()
    path, target = tmp_path / "a.csv", tmp_path / "b" / "a.csv"
    path.write_bytes(content)
    form = FileForm(
        mapping=ColumnMapping(user_id="who", timestamp="when", zone="cell", **changed), ids="number"
    )
    write_with_added_rows(path, form, ROWS, target, timezone=timezone)
    assert target.read_bytes().startswith(content)
    assert path.read_bytes() == content
    found = read_back(target, form, timezone)
    assert found["zone"].tolist() == [7, 7, 8]
    assert found["time"].tolist() == [pd.Timestamp("2026-03-02 08:00"), AT, ROWS[1].time]
    assert found["user_id"].tolist() == ["ann", "privlab audit 0", "privlab audit 1"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_degrees_are_written_as_the_metres_that_the_file_has(kind: str, tmp_path: Path) -> None:
    mapping = ColumnMapping(user_id="who", timestamp="when", x="x", y="y", crs="EPSG:25832")
    path, target = tmp_path / f"a.{kind}", tmp_path / "b" / f"a.{kind}"
    first = pd.DataFrame({"who": ["ann"], "when": [AT], "x": [691_607.0], "y": [5_334_764.0]})
    first.to_csv(path, index=False) if kind == "csv" else first.to_parquet(path)
    form = FileForm(mapping=mapping)
    write_with_added_rows(path, form, [AddedRow(0, AT, (48.2, 11.4))], target, timezone=None)
    found = read_back(target, form, None).set_index("user_id")
    assert np.abs(found.loc["privlab audit 0", ["lat", "lon"]].to_numpy(float) - (48.2, 11.4)).max() < 1e-9


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("order", ["le", "be"])
def test_text_of_two_bytes_a_letter_is_added_to_in_its_own_order(
    order: str, packed: bool, tmp_path: Path
) -> None:
    mark = codecs.BOM_UTF16_LE if order == "le" else codecs.BOM_UTF16_BE
    content = mark + "who,when,cell\nann,2026-03-02 08:00,7\n".encode(f"utf-16-{order}")
    path, target = tmp_path / "a.csv", tmp_path / "b" / "a.csv"
    path.write_bytes(gzip.compress(content) if packed else content)
    form = FileForm(mapping=ZONES, ids="number", encoding="utf-16")
    write_with_added_rows(path, form, ROWS, target, timezone=None)
    found = read_back(target, form, None)
    assert found["zone"].tolist() == [7, 7, 8]
    assert found["user_id"].tolist() == ["ann", "privlab audit 0", "privlab audit 1"]


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.timestamp("ms", "UTC"), pa.string(), pa.int64()])
@pytest.mark.parametrize("user", [pa.int32(), pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_parquet_keeps_its_types(kind: pa.DataType, user: pa.DataType, tmp_path: Path) -> None:
    first: dict[pa.DataType, Any] = {pa.string(): "2026-03-02T08:00", pa.int64(): 1772434800}
    # 8 o'clock in Paris where an instant is said
    instant = datetime(2026, 3, 2, 7)
    when = first.get(kind, instant if getattr(kind, "tz", None) else datetime(2026, 3, 2, 8))
    who = 41 if pa.types.is_integer(user) else "ann"
    table = pa.table(
        {
            "who": pa.array([who]).cast(user)
            if not pa.types.is_dictionary(user)
            else pa.array([who]).dictionary_encode(),
            "when": pa.array([when], kind),
            "note": pa.array([None], pa.string()),
            "cell": pa.array([7], pa.int16()),
        }
    )
    path, target = tmp_path / "a.parquet", tmp_path / "b" / "a.parquet"
    pq.write_table(table, path)
    form = FileForm(
        mapping=ColumnMapping(
            user_id="who",
            timestamp="when",
            zone="cell",
            time_format="seconds" if kind == pa.int64() else None,
        ),
        ids="number",
    )
    write_with_added_rows(path, form, ROWS, target, timezone="Europe/Paris")
    written = pq.read_table(target)
    assert written.schema.types == table.schema.types
    assert written.slice(0, 1).equals(table)
    found = read_back(target, form, "Europe/Paris")
    assert found["time"].tolist() == [pd.Timestamp("2026-03-02 08:00"), AT, ROWS[1].time]
    assert found["user_id"].nunique() == 3
    assert found["zone"].tolist() == [7, 7, 8]


def test_coordinates_are_read_back_to_the_last_bit(tmp_path: Path) -> None:
    path, target = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("who,when,lat,lon\nann,2026-03-02 08:00,1,2\n")
    form = FileForm(mapping=ColumnMapping(user_id="who", timestamp="when", lat="lat", lon="lon"))
    write_with_added_rows(path, form, [AddedRow(0, AT, (0.1 + 0.2, 1e-7))], target, timezone=None)
    assert read_back(target, form, None)[["lat", "lon"]].to_numpy()[1].tolist() == [0.1 + 0.2, 1e-7]


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("kind", ["text", "parquet"])
def test_of_a_folder_all_files_stay_and_the_rows_are_read_back(
    kind: str, archived: bool, tmp_path: Path
) -> None:
    """Two files, in folders that say a column nobody needs: of two people and two added ones all rows come back."""
    folder, target = tmp_path / "taps", tmp_path / "b" / "taps"
    for who in (1, 7):
        file = folder / f"station={who}" / f"day.{'csv' if kind == 'text' else 'parquet'}"
        file.parent.mkdir(parents=True)
        table = pa.table({"who": [who], "when": ["2026-03-02T08:00"], "cell": [7]})
        if kind == "text":
            table.to_pandas().to_csv(file, index=False)
        else:
            pq.write_table(table, file)
    before = {file: file.read_bytes() for file in folder.glob("*/*")}
    path = folder
    if archived:
        path, target = tmp_path / "taps.zip", tmp_path / "b" / "taps.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for file in before:
                archive.write(file, file.relative_to(folder))
    form = FileForm(mapping=ZONES, ids="number")
    write_with_added_rows(path, form, ROWS, target, timezone=None)
    assert {file: file.read_bytes() for file in folder.glob("*/*")} == before
    found = read_back(target, form, None)
    assert found["zone"].tolist() == [7, 7, 7, 8]
    assert found["time"].tolist()[2:] == [AT, ROWS[1].time]
    added = (
        {"privlab audit 0", "privlab audit 1"} if kind == "text" else {"8", "9"}
    )  # above the most of both files
    assert set(found["user_id"]) == {"1", "7"} | added
    assert sorted(one.name for one in target.parent.iterdir()) == [target.name]  # nothing else is left


@pytest.mark.parametrize(
    "text", ["who,when,cell\n\nx,2026-03-02 08:00,7\n", "note,when,cell\nx,2026-03-02 08:00,7\n"]
)
@pytest.mark.parametrize("packed", [False, True])
def test_where_files_are_named_after_people_each_added_one_has_a_file(
    text: str, packed: bool, tmp_path: Path
) -> None:
    folder, target = tmp_path / "cabs", tmp_path / "b" / "cabs"
    folder.mkdir()
    for who in ("ann", "bob"):
        name, content = (
            (f"{who}.csv.gz", gzip.compress(text.encode())) if packed else (f"{who}.csv", text.encode())
        )
        (folder / name).write_bytes(content)
    form = FileForm(mapping=ColumnMapping(user_id="(file name)", timestamp="when", zone="cell"), ids="number")
    write_with_added_rows(folder, form, ROWS, target, timezone=None)
    found = read_back(target, form, None)
    assert found["time"].tolist() == [pd.Timestamp("2026-03-02 08:00")] * 2 + [AT, ROWS[1].time]
    assert found["user_id"].nunique() == 4
    assert found["zone"].tolist() == [7, 7, 7, 8]


def test_a_folder_as_of_san_francisco_s_cabs_takes_people(tmp_path: Path) -> None:
    folder, target = tmp_path / "cabspottingdata", tmp_path / "b" / "cabspottingdata"
    folder.mkdir()
    (folder / "new_abboip.txt").write_text(
        "37.75134 -122.39488 0 1213084687\n37.75136 -122.39527 0 1213084659\n"
    )
    (folder / "_cabs.txt").write_text("<cab id=abboip/>\n")
    form = FileForm(
        mapping=replace(KNOWN["cabspotting"].mapping, time_format="seconds"), format="cabspotting"
    )
    write_with_added_rows(folder, form, [AddedRow(3, AT, (37.75, -122.4))], target, timezone=None)
    found = read_back(target, form, None)
    assert found[["lat", "lon"]].to_numpy().tolist()[-1] == [37.75, -122.4]
    assert found["time"].tolist()[-1] == AT
    assert found["user_id"].nunique() == 2


@pytest.mark.parametrize(
    ("name", "mapping", "reason"),
    [
        ("a.csv", ColumnMapping(user_id="(file name)", timestamp="when", zone="cell"), "by the names of files or folders"),
        ("a.csv", ColumnMapping(user_id="who", timestamp="when", date="day", zone="cell"), "in two columns"),
        ("a*.csv", ZONES, "is a pattern"),
        ("folder", ColumnMapping(user_id="(folder name)", timestamp="when", zone="cell"), "by the names of files or folders"),
    ],
)  # fmt: skip
def test_what_has_no_room_for_people_iv(
    name: str, mapping: ColumnMapping, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    file = path / "a.csv" if name == "folder" else tmp_path / "a.csv"
    file.parent.mkdir(exist_ok=True)
    file.write_text("who,when,day,cell\nann,08:00,2026-03-02,7\n")
    with pytest.raises(
        DataError, match=rf"^The audit adds people to text .*{reason}.*\. Write it as such a table"
    ):
        write_with_added_rows(
            path, FileForm(mapping=mapping, ids="number"), ROWS, tmp_path / "b.csv", timezone=None
        )
