"""Files changed at random, and files made to fill the memory: a sentence comes out, or a dataset, and nothing stays."""

import gzip
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Interrupted, Workspace
from privlab.datasets.previews.previews import preview_from_path
from privlab.datasets.read import read_dataset
from privlab.datasets.rows.second_files import Lookup
from privlab.progress import Progress
from tests.datasets.files_by_hand import GOOD, HEAD, arrow, parquet, rows_of, stored, write, zipped

MAPPED = ColumnMapping(user_id="user_id", timestamp="timestamp", lat="lat", lon="lon")
ROWS = "".join(f"{n % 5},2014-09-13 {n % 24:02}:{n % 60:02},{n / 10},{-n / 7:.3f}\n" for n in range(60))
COLUMNS = {
    "user_id": [n % 5 for n in range(60)],
    "timestamp": [datetime(2014, 9, 13, n % 24, n) for n in range(60)],
    "lat": [n / 10 for n in range(60)],
    "lon": [-n / 7 for n in range(60)],
    "note": ["x" * n for n in range(60)],
}
TEXTS = {
    "a.csv": HEAD + ROWS,
    "b.csv": ROWS,
    "c.csv": (HEAD + ROWS).replace(",", ";"),
    "d.csv": "user;date;time;LAC;CI\r\n" + "1;13/09/2014;7:24 PM;10;7\r\n" * 9,
    "e.csv": "origin\tdestination\tcount\n" + "1\t2\t3\n" * 9,
    "f.txt": "37.75134 -122.39488 0 1213084687\n" * 9 + "37.75134 -122.39488 1 1213084687\n",
    "g.plt": "Geolife trajectory\r\n" * 6 + "39.9,116.3,0,-777,39745.09,2008-10-24,02:09:59\r\n" * 5,
    "h.txt": "0\t2010-10-19T23:55:27Z\t30.23\t-97.79\t22847\n" * 9,
    "i.txt": "470\tv\tc\tCafé\t40.7\t-74.0\t-240\tTue Apr 03 18:00:09 +0000 2012\n" * 9,
    "j.csv": ("\ufeff" + HEAD + ROWS),
}
SEEDS: dict[str, bytes] = {
    **{name: text.encode() for name, text in TEXTS.items()},
    "k.csv": TEXTS["j.csv"].encode("utf-16-le"),
    "l.csv.gz": gzip.compress(TEXTS["a.csv"].encode()),
    "m.zip": zipped({"a.csv": TEXTS["a.csv"], "b/c.csv": HEAD + GOOD}),
    "n.zip": zipped({"a.csv": TEXTS["a.csv"]}, zipfile.ZIP_STORED),
    "o.zip": zipped({"a.csv": TEXTS["a.csv"]}, zipfile.ZIP_LZMA),
    "p.zip": zipped({"1.parquet": parquet(COLUMNS)}),
    "q.parquet": parquet(COLUMNS),
    "r.arrow": arrow(COLUMNS),
    "s.arrow": arrow(COLUMNS, "zstd"),
    "t.csv": b"",
}
SPLICES = st.sampled_from(
    [
        b"",
        b",",
        b"\n",
        b'"',
        b"\r",
        b";",
        b"\t",
        b"\xff",
        b"\x00",
        b"\x1a",
        b"nan",
        b"9" * 40,
        b"-",
        b"\xef\xbb\xbf",
        b"_",
        b"\x1f\x8b",
        b"PK\x03\x04",
        b"PAR1",
        "\u202e".encode(),
        b"'",
        b"%",
        b"{}",
        b"1e999",
        b"\xd8\x00",
        b"=1+1",
        b"  ",
    ]
)
# where (a share of the file), how many bytes go, what comes instead
CHANGE = st.tuples(st.floats(0, 1), st.integers(0, 12), st.one_of(SPLICES, st.binary(max_size=6)))


def changed(content: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    for where, length, splice in changes:
        start = int(where * len(content))
        content = content[:start] + splice + content[start + length :]
    return content


def require_plain(complaint: str, folder: Path, workspace: Workspace) -> None:
    """Fail unless a complaint is one line for a reader, without the places of this machine."""
    assert complaint.isprintable()
    assert complaint.endswith((".", "?"))
    assert str(folder) not in complaint
    assert str(workspace.folder) not in complaint


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


FUZZED = settings(
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@settings(FUZZED, max_examples=150)
@given(
    name=st.sampled_from(sorted(SEEDS)),
    changes=st.lists(CHANGE, min_size=1, max_size=4),
    cut=st.one_of(st.none(), st.floats(0, 1)),
    mapping=st.sampled_from([None, None, MAPPED]),
    timezone=st.sampled_from([None, "Asia/Tokyo"]),
)
def test_changed_files_iv(tmp_path, workspace, name, changes, cut, mapping, timezone) -> None:
    content = changed(SEEDS[name], changes)
    path = write(tmp_path, content if cut is None else content[: int(cut * len(content))], name)
    before = stored(workspace)
    try:
        preview_from_path(path)
    except DataError as error:
        require_plain(str(error), tmp_path, workspace)
    try:
        dataset = read_dataset(path, mapping=mapping, timezone=timezone, workspace=workspace)
    except (DataError, ParameterError) as error:
        require_plain(str(error), tmp_path, workspace)
        assert stored(workspace) == before
        return
    report = dataset.report
    assert report.rows == report.kept + sum(report.dropped.values()) > 0
    assert report.kept == dataset.table.count().to_pyarrow().as_py() == len(rows_of(dataset))
    assert all(len(some) <= min(3, report.dropped[reason]) for reason, some in report.examples.items())
    with workspace.tidied():  # as the next reading finds it
        pass


CELLS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        [
            "1",
            "-2",
            "",
            "NULL",
            "48.5",
            "2014-09-13 07:24",
            "13/9/2014",
            "1410593040",
            '"',
            "a\nb",
            "=1",
            "1e5",
        ]
    ),
    st.integers().map(str),
    st.floats().map(str),
)


@settings(FUZZED, max_examples=60)
@given(
    header=st.lists(
        st.one_of(st.sampled_from(HEAD.strip().split(",")), st.text(max_size=6)), min_size=1, max_size=6
    ),
    rows=st.lists(st.lists(CELLS, min_size=1, max_size=6), max_size=12),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-16", "cp1252"]),
)
def test_random_tables_iv(tmp_path, workspace, header, rows, delimiter, encoding) -> None:
    text = "\n".join(delimiter.join(row) for row in [header, *rows])
    path = write(tmp_path, text.encode(encoding, errors="replace"))
    for read in (preview_from_path, lambda one: read_dataset(one, workspace=workspace)):
        try:
            read(path)
        except DataError as error:
            require_plain(str(error), tmp_path, workspace)


TYPES = st.sampled_from(
    [
        (pa.int8(), [1, None, 3]),
        (pa.uint64(), [2**64 - 1, None, 3]),
        (pa.float16(), [1.5, None, float("nan")]),
        (pa.float64(), [1e300, float("-inf"), 3.0]),
        (pa.string(), ["a\nb", "", None]),
        (pa.large_string(), ["2014-09-13 07:24", "x", None]),
        (pa.binary(), [b"\xff", None, b""]),
        (pa.date32(), [datetime(2014, 9, 13).date(), None, datetime(1, 1, 1).date()]),
        (pa.timestamp("s"), [2**55, None, 1]),
        (pa.timestamp("ns", "Asia/Tokyo"), [2**63 - 1, None, 1]),
        (pa.time64("us"), [1, None, 2]),
        (pa.duration("s"), [1, None, 2]),
        (pa.bool_(), [True, None, False]),
        (pa.list_(pa.int64()), [[1], None, []]),
        (pa.struct([("a", pa.int64())]), [{"a": 1}, None, {"a": None}]),
        (pa.null(), [None, None, None]),
        (pa.decimal128(38, 10), [1, None, 2]),
    ]
)


@settings(FUZZED, max_examples=80)
@given(
    columns=st.lists(
        st.tuples(
            st.sampled_from(["user_id", "timestamp", "lat", "lon", "zone", "count", "date", "x\ny", ""]),
            TYPES,
        ),
        min_size=1,
        max_size=6,
    ),
    suffix=st.sampled_from(["parquet", "arrow"]),
    mapped=st.booleans(),
)
def test_columns_of_every_type_iv(tmp_path, workspace, columns, suffix, mapped) -> None:
    arrays = [pa.array(values, kind) for _, (kind, values) in columns]
    table = pa.table(arrays, names=[name for name, _ in columns])
    path, content = tmp_path / f"a.{suffix}", io.BytesIO()
    try:
        pq.write_table(table, content) if suffix == "parquet" else feather.write_feather(table, content)
    except (pa.ArrowException, ValueError):  # the format does not know the type, or the name is there twice
        return
    path.write_bytes(content.getvalue())
    mapping = MAPPED if mapped else None
    for read in (preview_from_path, lambda one: read_dataset(one, mapping=mapping, workspace=workspace)):
        try:
            read(path)
        except DataError as error:
            require_plain(str(error), tmp_path, workspace)


READ_ALONE = """
import json, sys
from pathlib import Path
from privlab.checks import DataError
from privlab.datasets.previews.previews import preview_from_path
from privlab.datasets.read import read_dataset
found = []
for read in (preview_from_path, lambda path: read_dataset(path).report.rows):
    try:
        found.append(str(read(sys.argv[1]))[:200])
    except DataError as error:
        found.append(str(error))
status = Path("/proc/self/status").read_text()
peak_kb = int(status.split("VmHWM:")[1].split()[0])  # of this process alone, as ru_maxrss is not
print(json.dumps({"found": found, "peak_mb": peak_kb / 1024}))
"""


def wide(folder: Path) -> Path:
    head = ",".join(["user_id", "timestamp", "lat", "lon", *(f"c{n}" for n in range(3_900))])
    return write(folder, head + "\n" + (GOOD.strip() + "," * 3_900 + "\n") * 1_000)


def columns_1e6(folder: Path) -> Path:
    return write(folder, ",".join(f"c{n}" for n in range(1_000_000)) + "\n1\n")


def one_quote(folder: Path) -> Path:
    return write(folder, HEAD + GOOD * 300 + '1,"' + GOOD * 100_000)


def endless_rows(folder: Path) -> Path:
    return write(folder, HEAD + GOOD * 300 + ("," * 900_000 + "\n") * 11)


def all_bad(folder: Path) -> Path:
    return write(folder, HEAD + "1,soon,48.5,2.5\n" * 200_000)


def gzip_bomb(folder: Path) -> Path:
    content = io.BytesIO()
    with gzip.GzipFile(fileobj=content, mode="wb") as packed:
        packed.write(HEAD.encode())
        for _ in range(200):
            packed.write(GOOD.encode() * 40_000)
    return write(folder, content.getvalue(), "a.csv.gz")


def zip_bomb(folder: Path) -> Path:
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.csv", "w") as member:
        member.write((HEAD + GOOD * 40_000).encode())
        for _ in range(200):
            member.write(GOOD.encode() * 40_000)
    return path


def parquet_bomb(folder: Path) -> Path:
    path = folder / "a.parquet"
    columns = {"user": ["a" * 200_000_000, "b"], "time": ["2014-09-13"] * 2, "zone": [1, 2]}
    pq.write_table(pa.table(columns), path, compression="zstd", use_dictionary=False)
    return path


def constant_parquet(folder: Path) -> Path:
    path, n = folder / "a.parquet", 2_000_000
    same = {"user": pa.repeat(1, n), "time": pa.repeat(1410593040, n), "zone": pa.repeat(5, n)}
    pq.write_table(pa.table(same), path)
    return path


# how the file is made -> what comes out of the reading, or its beginning
LARGE: dict[Callable[[Path], Path], str] = {
    wide: "1000",
    columns_1e6: "The first line of data.csv is longer than a megabyte. Is it a table with a header?",
    one_quote: "100300",
    endless_rows: "311",
    all_bad: "No row of data.csv can be used: 200,000 of 200,000 have an unparsable time",
    gzip_bomb: "a.csv.gz unpacks to more than 100 times its size. Is it a table? Unpack it first if it is.",
    zip_bomb: "a.zip unpacks to more than 100 times its size. Is it a table? Unpack it first if it is.",
    parquet_bomb: "a.parquet unpacks to more than 100 times its size. Is it a table? Unpack it first if it is.",
    constant_parquet: "2000000",
}


@pytest.mark.parametrize("made", LARGE)
def test_ten_megabytes_stay_below_half_a_gigabyte(tmp_path, made) -> None:
    path = made(tmp_path)
    assert path.stat().st_size < 11_000_000
    done = subprocess.run(
        [sys.executable, "-c", READ_ALONE, str(path)], capture_output=True, text=True, timeout=900, check=True
    )
    outcome = json.loads(done.stdout)  # and nothing else was printed
    assert outcome["found"][1].startswith(LARGE[made])
    assert outcome["peak_mb"] < 500


# A reading with every step in it: an archive, a second file, a text that is rewritten, runs of records.
def steps(folder: Path) -> tuple[Path, Lookup, ColumnMapping]:
    rows = "".join(f"{n % 3};2014-09-13 {n % 24:02}:00;{n % 2};{n % 4}\n" for n in range(500))
    path = write(folder, zipped({"a.csv": ("user;time;taken;cell\n" + rows).encode("utf-16")}), "a.zip")
    cells = write(folder, "cell,lat,lon\n0,1,2\n1,3,4\n2,5,6\n3,7,8\n".encode("utf-16"), "cells.csv")
    mapping = ColumnMapping(user_id="user", timestamp="time", lat="lat", lon="lon", occupied="taken")
    return path, Lookup(path=cells, on="cell", key="cell"), mapping


def test_a_reading_leaves_its_rows_and_nothing_else(tmp_path) -> None:
    path, lookup, mapping = steps(tmp_path)
    with Workspace(threads=1) as own:
        dataset = read_dataset(path, mapping=mapping, lookup=lookup, workspace=own)
        assert stored(own) == [dataset.table.op().parent.name]


@pytest.mark.parametrize("when", range(1, 7))
def test_an_interrupt_at_every_step_leaves_nothing(tmp_path, when) -> None:
    path, lookup, mapping = steps(tmp_path)
    n_told = 0

    def told(share: float, words: str) -> None:
        nonlocal n_told
        n_told += 1
        if n_told == when:
            own.interrupt()

    with Workspace(threads=1) as own:
        options = {"mapping": mapping, "lookup": lookup, "workspace": own}
        if when <= 4:  # unpacking, looking over, reading, checking
            with pytest.raises(Interrupted):
                read_dataset(path, progress=Progress(told), **options)
            assert stored(own) == []
        else:
            read_dataset(path, progress=Progress(told), **options)
            assert n_told == 4


@pytest.mark.parametrize("call", range(1, 5))
def test_a_failure_in_every_table_leaves_nothing(tmp_path, monkeypatch, call) -> None:
    path, lookup, mapping = steps(tmp_path)
    materialise, calls = Workspace.materialise, []

    def failing(self, name, table):
        calls.append(name)
        if len(calls) == call:
            raise Interrupted("INTERRUPT Error: Interrupted!")
        return materialise(self, name, table)

    monkeypatch.setattr(Workspace, "materialise", failing)
    with Workspace(threads=1) as own:
        with pytest.raises(Interrupted):
            read_dataset(path, mapping=mapping, lookup=lookup, workspace=own)
        assert stored(own) == []
    assert calls == ["lookup", "raw", "checked", "runs"][:call]
