"""Files of every container, type and encoding, against rows worked out by hand; ugly ones are in test_ugly_files."""

import gzip
import io
from datetime import date, datetime

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privlab.checks import DataError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.previews.previews import preview_from_path
from privlab.datasets.read import read_dataset
from tests.datasets.files_by_hand import GOOD, HEAD, rows_of, write

SEPTEMBER = datetime(2014, 9, 13, 7, 24)


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


def test_kept_rows_against_pandas(tmp_path, workspace) -> None:
    lat = [str(n * 0.37 - 95) if n % 11 else ("", "x", "0")[n // 11 % 3] for n in range(500)]
    time = [f"{1 + n % 31}/{1 + n % 12}/2014 {n % 25}:{n % 60:02}" for n in range(500)]
    user = [str(n % 9) if n % 13 else "" for n in range(500)]
    frame = pd.DataFrame({"user": user, "time": time, "lat": lat, "lon": [str(n % 2) for n in range(500)]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    dataset = read_dataset(tmp_path / "t.csv", workspace=workspace)
    frame["time"] = pd.to_datetime(frame["time"], format="%d/%m/%Y %H:%M", errors="coerce")
    frame["lat"], frame["lon"] = pd.to_numeric(frame["lat"], errors="coerce"), frame["lon"].astype(float)
    zero = (frame["lat"] == 0) & (frame["lon"] == 0)
    good = frame[(frame["user"] != "") & frame["time"].notna() & (frame["lat"].abs() <= 90) & ~zero]
    expected = [(int(u), t.to_pydatetime(), a, o) for u, t, a, o in good.itertuples(index=False)]
    assert rows_of(dataset) == sorted(expected)
    assert 300 < len(expected) < 450


def test_malformed_rows_of_a_long_file_against_hand(tmp_path, workspace) -> None:
    content = HEAD + (GOOD * 999 + "1,2\n") * 300  # 300,000 rows, read in several pieces
    report = read_dataset(write(tmp_path, content), workspace=workspace).report
    assert (report.rows, report.kept, report.dropped) == (300_000, 299_700, {"malformed row": 300})


@pytest.mark.parametrize(
    ("encoding", "user"), [("utf-8", "Zoë"), ("cp1252", "Zoë€"), ("latin-1", "Zo\x81ë"), ("utf-16", "Zoë語")]
)
def test_encodings_against_hand(tmp_path, workspace, encoding, user) -> None:
    content = (HEAD + GOOD * 3 + user + GOOD[1:]).encode(encoding)
    dataset = read_dataset(write(tmp_path, content), workspace=workspace)
    assert [row[0] for row in rows_of(dataset)] == ["1", "1", "1", user]


def test_other_encoding_after_the_first_megabyte_against_hand(tmp_path, workspace) -> None:
    content = (HEAD + GOOD * 50_000).encode() + b"Zo\xeb" + GOOD[1:].encode()
    dataset = read_dataset(write(tmp_path, content), workspace=workspace)
    assert (dataset.report.rows, dataset.report.kept) == (50_001, 50_001)
    assert rows_of(dataset)[-1][0] == "Zoë"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "-2", "0"], [-2, 0, 1]),
        (["1", "02"], ["02", "1"]),
        (["1", "+2"], ["+2", "1"]),
        (["1", "2.0"], ["1", "2.0"]),
        (["1", "a"], ["1", "a"]),
        (["1", "-0"], ["-0", "1"]),
        (["999999999999999999"], [999999999999999999]),
        (["99999999999999999999"], ["99999999999999999999"]),
    ],
)
def test_id_types_against_hand(tmp_path, workspace, texts, expected) -> None:
    content = "user_id,time,zone\n" + "".join(f"{text},2014-09-13,{text}\n" for text in texts)
    dataset = read_dataset(write(tmp_path, content), workspace=workspace)
    assert rows_of(dataset) == sorted((one, datetime(2014, 9, 13), one) for one in expected)


def test_both_ends_of_a_trip_have_one_type_against_hand(tmp_path, workspace) -> None:
    path = write(tmp_path, "user,origin,destination,time\n1,5,B,2014-09-13\n2,6,7,2014-09-13\n")
    day = datetime(2014, 9, 13)
    assert rows_of(read_dataset(path, workspace=workspace)) == [(1, day, "5", "B"), (2, day, "6", "7")]


def records_table() -> pa.Table:
    """200 records of 7 users, no two alike."""
    numbers = range(200)
    return pa.table(
        {
            "user_id": pa.array([n % 7 for n in numbers], pa.int64()),
            "timestamp": pa.array(
                [datetime(2014, 9, 1 + n % 28, n % 24, n % 60) for n in numbers], pa.timestamp("us")
            ),
            "lat": pa.array([48 + n / 1024 for n in numbers], pa.float64()),
            "lon": pa.array([2 - n / 1024 for n in numbers], pa.float64()),
        }
    )


def csv_from_table(table: pa.Table) -> bytes:
    rows = [",".join(map(str, row.values())) for row in table.to_pylist()]
    return "\n".join([",".join(table.column_names), *rows, ""]).encode()


def test_one_table_whatever_the_container_against_hand(tmp_path, workspace) -> None:
    table = records_table()
    expected = sorted(tuple(row.values()) for row in table.to_pylist())
    content = csv_from_table(table)
    folder = tmp_path / "parts"
    folder.mkdir()
    write(folder, csv_from_table(table.slice(0, 50)), "a.csv")
    turned = table.slice(50, 50).select(["lon", "lat", "timestamp", "user_id"])
    write(folder, csv_from_table(turned).replace(b",", b";"), "b.csv")
    write(folder, gzip.compress(csv_from_table(table.slice(100))), "c.csv.gz")
    write(folder, b"", "_SUCCESS")
    several = tmp_path / "parquet"
    several.mkdir()
    pq.write_table(table.slice(0, 120), several / "1.parquet")
    pq.write_table(table.slice(120), several / "2.parquet")
    pq.write_table(table, tmp_path / "a.parquet")
    shuffled = table.take([n * 37 % 200 for n in range(200)])
    paths = [
        write(tmp_path, content),
        write(tmp_path, gzip.compress(content), "data.csv.gz"),
        write(tmp_path, csv_from_table(shuffled), "shuffled.csv"),
        tmp_path / "a.parquet",
        several,
        folder,
    ]
    for path in paths:
        dataset = read_dataset(path, workspace=workspace)
        assert rows_of(dataset) == expected, path.name
        assert (dataset.report.rows, dataset.report.users, dataset.report.dropped) == (200, 7, {})
        assert (dataset.report.first, dataset.report.last) == (
            min(r[1] for r in expected),
            max(r[1] for r in expected),
        )
        assert len(dataset.digest) == 32
        assert preview_from_path(path).mapping == dataset.mapping


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([SEPTEMBER], pa.timestamp("ns")), datetime(2014, 9, 13, 7, 24)),
        (pa.array([SEPTEMBER], pa.timestamp("s")), datetime(2014, 9, 13, 7, 24)),
        (pa.array([SEPTEMBER], pa.timestamp("us", tz="UTC")), datetime(2014, 9, 13, 9, 24)),
        (pa.array([SEPTEMBER], pa.timestamp("ns", tz="America/New_York")), datetime(2014, 9, 13, 9, 24)),
        (pa.array([date(2014, 9, 13)], pa.date32()), datetime(2014, 9, 13)),
        (pa.array([1410593040], pa.int64()), datetime(2014, 9, 13, 9, 24)),
        (pa.array([1410593040000], pa.uint64()), datetime(2014, 9, 13, 9, 24)),
        (pa.array([1410593040.0], pa.float64()), datetime(2014, 9, 13, 9, 24)),
        (pa.array(["2014-09-13T07:24:00Z"]), datetime(2014, 9, 13, 9, 24)),
        (pa.array(["9/13/2014 7:24"]), datetime(2014, 9, 13, 7, 24)),
        (pa.array(["9/13/2014 7:24"]).dictionary_encode(), datetime(2014, 9, 13, 7, 24)),
    ],
)
def test_parquet_times_against_hand(tmp_path, workspace, values, expected) -> None:
    pq.write_table(pa.table({"user": [7], "time": values, "zone": ["A"]}), tmp_path / "t.parquet")
    dataset = read_dataset(
        tmp_path / "t.parquet", timezone="Europe/Paris", workspace=workspace
    )  # summer: +2 h
    assert rows_of(dataset) == [(7, expected, "A")]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([1, None, 3], pa.int8()), [1, 3]),
        (pa.array([1, None, 3], pa.uint64()), ["1", "3"]),
        (pa.array([1.0, None, 3.0]), [1, 3]),
        (pa.array([1.5, None, 3.0]), ["1.5", "3.0"]),
        (pa.array([1.0, float("nan"), 3.0]), [1, 3]),
        (pa.array(["1", " ", "3"]), [1, 3]),
        (pa.array(["1", "", "c"], pa.large_string()), ["1", "c"]),
    ],
)
def test_parquet_ids_against_hand(tmp_path, workspace, values, expected) -> None:
    table = pa.table(
        {"user": values, "time": [SEPTEMBER] * 3, "lat": [1.0, 2.0, 3.0], "lon": [1.0, 2.0, 3.0]}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    dataset = read_dataset(tmp_path / "t.parquet", workspace=workspace)
    assert [row[0] for row in rows_of(dataset)] == expected
    assert dataset.report.dropped == {"missing user": 1}


def test_parquet_that_cannot_be_used_iv(tmp_path, workspace) -> None:
    good = io.BytesIO()
    pq.write_table(records_table(), good)
    content = good.getvalue()
    lists = io.BytesIO()
    pq.write_table(pa.table({"user": [[1]], "time": [SEPTEMBER], "zone": [1]}), lists)
    dates, empty = io.BytesIO(), io.BytesIO()
    pq.write_table(pa.table({"user": [1], "time": [SEPTEMBER], "lat": [SEPTEMBER], "lon": [1.0]}), dates)
    pq.write_table(records_table().slice(0, 0), empty)
    damaged = "is a damaged Parquet file. Was it copied only in part? If not, write it anew, or save its table as CSV."
    cases = {
        content[:-100]: damaged,
        content[:4] + b"x" * 100: damaged,
        content[:50] + bytes(200) + content[250:]: damaged,
        b"user,time": "is not a Parquet file, or a damaged one.",
        lists.getvalue(): "Column 'user' holds array",
        empty.getvalue(): "has columns but no rows.",
        dates.getvalue(): "Column 'lat' holds timestamp(6), not coordinates.",
    }
    for number, (bad, sentence) in enumerate(cases.items()):
        path = write(tmp_path, bad, f"{number}.parquet")
        with pytest.raises(DataError) as caught:
            read_dataset(path, workspace=workspace)
        assert sentence in str(caught.value)


def test_damaged_gzip_iv(tmp_path, workspace) -> None:
    packed = gzip.compress((HEAD + "".join(f"{n}{GOOD[1:]}" for n in range(200_000))).encode())
    for bad in (
        packed[:-30],
        packed[:-8] + b"\0" * 8,
        packed[: len(packed) // 2],
        packed[:20],
        b"\x1f\x8bxxxx",
    ):
        with pytest.raises(
            DataError, match=r"data.csv.gz is a damaged gzip file\. Was it copied only in part\?"
        ):
            read_dataset(write(tmp_path, bad, "data.csv.gz"), workspace=workspace)


def test_gigabytes_of_nothing_iv(tmp_path, workspace) -> None:
    sparse = tmp_path / "nothing.csv"
    with sparse.open("wb") as file:
        file.truncate(10 << 30)
    packed = write(tmp_path, gzip.compress(b" \n" * 2_000_000), "nothing.csv.gz")
    for path in (sparse, packed):
        for read in (preview_from_path, lambda one: read_dataset(one, workspace=workspace)):
            with pytest.raises(DataError, match="holds nothing but blanks in its first megabyte"):
                read(path)


def test_folders_iv(tmp_path, workspace) -> None:
    def refused(content: dict[str, str | bytes]) -> str:
        folder = tmp_path / f"folder{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for name, one in content.items():
            write(folder, one, name)
        with pytest.raises(DataError) as caught:
            read_dataset(folder, workspace=workspace)
        return str(caught.value)

    good = io.BytesIO()
    pq.write_table(records_table(), good)
    assert "holds no data files (.csv," in refused({"readme.md": "hello"})
    assert refused({"a.csv": HEAD + GOOD, "b.csv": "user_id,timestamp,lat,speed\n" + GOOD}) == (
        "The files differ in their columns: a.csv has 'lon', b.csv has not. Open one of them alone, or keep files of one kind in the folder."
    )
    assert "a.csv is csv and b.parquet is parquet" in refused(
        {"a.csv": HEAD + GOOD, "b.parquet": good.getvalue()}
    )
    assert refused({"a.csv": "", "b.csv": ""}) == "a.csv is empty."
    timetable = {f"{one}.txt": "trip_id,stop_id\n1,2\n" for one in ("stops", "trips", "stop_times")}
    assert "is a timetable (GTFS)" in refused(timetable)
    (tmp_path / "beside").mkdir()
    for name, one in (timetable | {"taps.csv": HEAD + GOOD}).items():
        write(tmp_path / "beside", one, name)
    assert read_dataset(tmp_path / "beside", workspace=workspace).report.rows == 1  # notes lie beside a table
    far = {"a.csv": HEAD + "1,soon,1,2\n", "b.csv": HEAD + "1,later,1,2\n"}
    assert "(column 'timestamp', row 2 of a.csv: 'soon')" in refused(far)
    with pytest.raises(DataError, match=r"There is no file 'none\.csv'\."):
        read_dataset(tmp_path / "none.csv", workspace=workspace)
    with pytest.raises(DataError, match="cannot be opened"):
        read_dataset("bad\0name.csv", workspace=workspace)


def test_a_column_of_the_file_comes_before_its_folders_name_against_hand(tmp_path, workspace) -> None:
    """Whichever file is the first: of each file what it says itself counts, and else what the name of its folder says."""
    table = pa.table({"time": [datetime(2026, 3, 3, 8)], "lat": [48.5], "lon": [2.5]})
    own = table.append_column("user", pa.array(["own"]))
    for name, part in (("user=batch/b", own), ("user=folder/c", table), ("d", own)):
        (tmp_path / "taps" / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(part, tmp_path / "taps" / f"{name}.parquet")
    for first in ("a", "user=a/p"):
        path = tmp_path / "taps" / f"{first}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(own, path)
        mapping = ColumnMapping(user_id="user", timestamp="time", lat="lat", lon="lon")
        found = read_dataset(tmp_path / "taps", mapping=mapping, workspace=workspace)
        assert sorted(found.table.user_id.to_pyarrow().to_pylist()) == ["folder", "own", "own", "own"]
        path.unlink()


def test_notes_against_hand(tmp_path, workspace) -> None:
    report = read_dataset(write(tmp_path, HEAD + GOOD * 2 + ",,,\n" * 3), workspace=workspace).report
    assert report.notes == (
        "Only one user: measures that compare users say nothing here.",
        "More than half of the rows were dropped (3 of 5).",
        "All times are within the same minute, 2014-09-13 07:24.",
    )
    lone = write(tmp_path, HEAD + GOOD + "2,2014-09-14 07:24,1,1\n")
    assert read_dataset(lone, workspace=workspace).report.notes == ()
    small = write(tmp_path, "user,time,x,y\n1,2014-09-13,2.5,48.5\n2,2014-09-14,2.5,48.5\n")
    assert read_dataset(small, workspace=workspace).report.notes == (
        "All x and y would fit degrees: if they are, map them as longitude and latitude.",
    )


def test_columns_beside_the_guess_against_hand(tmp_path, workspace) -> None:
    path = write(tmp_path, 'wer,"wann, genau",a"b,wo\n7,2014-09-13,x,5\n')
    mapping = ColumnMapping(user_id="wer", timestamp="wann, genau", zone="wo")
    dataset = read_dataset(path, mapping=mapping, workspace=workspace, name="Umfrage")
    assert rows_of(dataset) == [(7, datetime(2014, 9, 13), 5)]
    assert (dataset.name, dataset.kind, dataset.place) == ("Umfrage", "records", "zone")


def test_preview_against_hand(tmp_path) -> None:
    preview = preview_from_path(write(tmp_path, "\ufeffuser;time;zone\n" + "1;2014-09-13;A\n" * 20))
    assert (preview.columns, preview.delimiter, preview.format) == (("user", "time", "zone"), ";", "table")
    assert (len(preview.rows), preview.rows[0], preview.n_files) == (10, ("1", "2014-09-13", "A"), 1)
    assert preview.n_bytes == 3 + 15 + 20 * 15
    pq.write_table(records_table(), tmp_path / "t.parquet")
    preview = preview_from_path(tmp_path / "t.parquet")
    assert (preview.format, preview.delimiter, preview.encoding, len(preview.rows)) == (
        "parquet",
        None,
        None,
        10,
    )
    assert preview.rows[1] == ("1", "2014-09-02 01:01:00", "48.0009765625", "1.9990234375")


def test_a_refused_file_leaves_nothing_behind_against_hand(tmp_path) -> None:
    with Workspace(threads=1) as own:
        left = (
            "SELECT table_name FROM duckdb_tables() "
            "UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal"
        )
        ask = own.connection.con.execute
        for content in (HEAD + "1,soon,1,2\n", (HEAD + "1,soon,1,2\n").encode("utf-16")):
            with pytest.raises(DataError):
                read_dataset(write(tmp_path, content), workspace=own)
        assert ask(left).fetchall() == []
        assert not list(own.folder.glob("*.csv"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_pass_over_the_bytes_is_interrupted(tmp_path, encoding) -> None:
    """A file that is stopped after its second megabyte is not read to its end, rewritten or not."""
    path = write(tmp_path, (HEAD + GOOD * 150_000).encode(encoding))
    n_asked = 0

    class Stopped(Workspace):
        def require_running(self) -> None:
            nonlocal n_asked
            n_asked += 1
            if n_asked == 2:
                self.interrupt()
            super().require_running()

    with Stopped(threads=1) as stopped, pytest.raises(duckdb.InterruptException):
        read_dataset(path, workspace=stopped)
    assert n_asked == 2


def test_interruption_passes_through_iv(tmp_path, workspace, monkeypatch) -> None:
    def interrupted(*_: object) -> None:
        raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")

    monkeypatch.setattr(Workspace, "materialise", interrupted)
    with pytest.raises(duckdb.InterruptException):
        read_dataset(write(tmp_path, HEAD + GOOD), workspace=workspace)


MAPPED = ColumnMapping(user_id="user_id", timestamp="timestamp", lat="lat", lon="lon")
FRAGMENTS = st.sampled_from(
    [b",", b"\n", b'"', b"\r", b";", b"1", b"2014-09-13 07:24", b"\xff", b"\0", b"48.5", b"x"]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.one_of(st.binary(max_size=300), st.lists(FRAGMENTS, max_size=40).map(b"".join)),
    st.sampled_from([b"", HEAD.encode(), (HEAD + GOOD).encode(), b"PAR1", b"\x1f\x8b\x08"]),
    st.sampled_from(["csv", "csv.gz", "parquet"]),
)
def test_random_bytes_iv(tmp_path, workspace, content, start, suffix) -> None:
    path = write(tmp_path, start + content, f"random.{suffix}")
    complaint = ""
    try:
        preview_from_path(path)
        report = read_dataset(path, mapping=MAPPED, workspace=workspace).report
    except DataError as error:
        complaint = str(error)
    assert str(tmp_path) not in complaint
    assert complaint or report.rows == report.kept + sum(report.dropped.values()) > 0


def test_a_folder_of_two_tables_is_told_apart_before_its_columns_are_asked_for(tmp_path) -> None:
    """As in data of tracks and their points: the first file's columns alone stood there as those of both."""
    (tmp_path / "tracks.csv").write_text("id,phone,speed\n1,7,3.5\n")
    (tmp_path / "trackpoints.csv").write_text("id,lat,lon,track,time\n1,-10.9,-37.1,1,2014-09-13 07:24\n")
    with pytest.raises(DataError, match=r"The files differ in their columns: .* Open one of them alone"):
        preview_from_path(tmp_path)
    (tmp_path / "tracks.csv").write_text("id,phone,speed\n")
    assert preview_from_path(tmp_path).columns[1:3] == ("lat", "lon")
