"""What one person's file, sheet or line may change of a release: nothing in how everybody else's are read.

Twenty people have files of their own, or rows in one. Somebody's is added: the trips of the twenty, counted before the
noise, stay as they are, or the files are refused in one sentence.
"""

import datetime as dt
import io
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privlab.checks import DataError
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import FILE_NAME, FOLDER_NAME, ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.previews.previews import mapping_from_header
from privlab.datasets.read import read_dataset
from privlab.datasets.rows.second_files import Lookup
from privlab.lab.publishing.release_data import ReleaseData, settled_trips_from_release_data
from tests.datasets.files_by_hand import archive_of, workbook, write, zipped

WEEK, BOX = "2026-03-02", "box:10,20,12,24:2x2"
OTHERS, SOMEBODY = range(1, 21), 99
BY_FILE = ColumnMapping(user_id=FILE_NAME, timestamp="time", lat="lat", lon="lon")
BY_ROW = ColumnMapping(user_id="user", timestamp="time", lat="lat", lon="lon")
HEADER = ["user", "time", "lat", "lon"]


def rows(user: int) -> list[list[str]]:
    """Four hours of one person, in another of the four zones each hour."""
    return [
        [f"u{user}", f"2026-03-03 {8 + n:02}:10:00", ("10.5", "11.5")[(n + user) % 2], ("21.25", "23.25")[n // 2]]
        for n in range(4)
    ]  # fmt: skip


def text(user: int, delimiter: str = ",", decimal: str = ".") -> str:
    """A person's own file, which does not name them."""
    cells = [HEADER[1:], *([cell.replace(".", decimal) for cell in row[1:]] for row in rows(user))]
    return "\n".join(map(delimiter.join, cells)) + "\n"


def lines(users=OTHERS) -> list[str]:
    """The lines of one file of all."""
    return [",".join(HEADER), *(",".join(row) for user in users for row in rows(user))]


def table(users, type: pa.DataType) -> pa.Table:
    """Records that name a card, whose number is beyond what decimals can tell apart."""
    cells = [(10**17 // 16 * 16 + 1 + user, *row[1:]) for user in users for row in rows(user)]
    card, time, lat, lon = zip(*cells, strict=True)
    times = pa.array(map(dt.datetime.fromisoformat, time), pa.timestamp("us"))
    places = {"lat": pa.array(map(float, lat)), "lon": pa.array(map(float, lon))}
    return pa.table({"card": pa.array(card, pa.int64()).cast(type, safe=False), "time": times, **places})


def trips(path: Path, form: FileForm, lookup: Lookup | None = None) -> Counter[tuple[object, object]]:
    """Return how many people make each trip, as a release counts them."""
    data = ReleaseData(
        path=path,
        form=form,
        zones=BOX,
        geography=None,
        lookup=lookup,
        timezone=None,
        cleaning=Cleaning(),
    )
    with Workspace(threads=1) as workspace:
        found, _ = settled_trips_from_release_data(data, workspace, weeks=(WEEK,))
    ids = found.zones.tolist()
    return Counter((ids[one // len(ids)], ids[one % len(ids)]) for one in found.week_of(WEEK)[1].tolist())


def by_hand(users) -> Counter[tuple[object, object]]:
    """Return the same by hand: of the zones 0 1 (south) and 2 3 (north), each person goes through all four."""
    found = Counter[tuple[object, object]]()
    for user in users:
        way = [2 * ((n + user) % 2) + n // 2 for n in range(4)]
        found.update(pairwise(way))
    return found


def folder_of(tmp_path: Path, name: str, ending: str, **kind: str) -> Path:
    for user in OTHERS:
        write(tmp_path, text(user, **kind), f"{name}/person{user:02}.{ending}")
    return tmp_path / name


@pytest.mark.parametrize("archived", [False, True])
def test_what_somebodys_file_is_called_shuts_nobody_out(tmp_path: Path, archived: bool) -> None:
    """Twenty .txt and one more: another .txt counts, and a file that would be read in place of all others is refused."""
    form = FileForm(mapping=BY_FILE)
    folder = folder_of(tmp_path, "tracks", "txt")
    for name in ("person99.csv", "person99.plt", "new_99.txt"):
        own = write(folder, text(SOMEBODY), name)
        with pytest.raises(DataError) as refused:
            trips(archive_of(folder, tmp_path / "tracks.zip") if archived else folder, form)
        first, second = sorted((name, "person01.txt"), key=lambda one: one != name)
        begin = "The archive tracks.zip" if archived else "The folder tracks"
        assert str(refused.value).startswith(
            f"{begin} holds data files of more than one kind, {first} and {second}: "
        )
        assert ("unpack it" in str(refused.value)) == archived
        own.unlink()
    write(folder, text(SOMEBODY), "person99.txt")
    path = archive_of(folder, tmp_path / "tracks.zip") if archived else folder
    assert trips(path, form) == by_hand([*OTHERS, SOMEBODY])
    # A pattern says which files are meant, and each goes by its own name.
    write(folder, text(SOMEBODY), "person99.csv")
    assert trips(folder / "**/*.txt", form) == by_hand([*OTHERS, SOMEBODY])
    with pytest.raises(DataError, match="more than one kind"):
        mapping_from_header(folder, form)


def test_geolife_has_other_files_beside_its_tracks(tmp_path: Path) -> None:
    """The form says which of its files hold data, whatever lies beside them."""
    head = "Geolife trajectory\n" * 6
    for user in OTHERS:
        body = "".join(f"{lat},{lon},0,0,0,{time[:10]},{time[11:]}\n" for _, time, lat, lon in rows(user))
        write(tmp_path, head + body, f"Data/{user:03}/Trajectory/a.plt")
    mapping = ColumnMapping(
        user_id=FOLDER_NAME,
        timestamp="time",
        date="date",
        lat="latitude",
        lon="longitude",
        recorded_in="UTC",
    )
    form = FileForm(mapping=mapping, format="geolife")
    write(tmp_path, "Start Time\tEnd Time\n", "Data/001/labels.txt")
    assert trips(tmp_path / "Data", form) == by_hand(OTHERS)
    for track in (tmp_path / "Data").rglob("*.plt"):
        track.rename(track.with_suffix(".txt"))
    with pytest.raises(DataError, match=r"The folder Data holds no data files \(\.plt\)"):
        trips(tmp_path / "Data", form)


def test_somebodys_delimiter_decides_no_decimals(tmp_path: Path) -> None:
    """Between semicolons a comma is decimal; between commas it is none: files of both are refused."""
    folder = folder_of(tmp_path, "decimals", "csv", delimiter=";", decimal=",")
    form = FileForm(mapping=BY_FILE)
    assert trips(folder, form) == by_hand(OTHERS)
    write(folder, text(SOMEBODY), "person99.csv")
    with pytest.raises(
        DataError, match=r"differ in their delimiter: person01\.csv has ';', person99\.csv has ','\."
    ):
        trips(folder, form)
    write(folder, text(SOMEBODY, ";", ","), "person99.csv")
    assert trips(folder, form) == by_hand([*OTHERS, SOMEBODY])


def test_somebodys_rows_choose_no_sheet(tmp_path: Path) -> None:
    everybody = [HEADER, *(row for user in OTHERS for row in rows(user))]
    form = FileForm(mapping=BY_ROW)
    for late in ([HEADER], [HEADER, *rows(SOMEBODY)]):
        path = write(tmp_path, workbook({"Late": late, "Trips": everybody}), "taps.xlsx")
        with pytest.raises(
            DataError, match=r"taps\.xlsx has tables in the sheets 'Late' and 'Trips'\. For a"
        ):
            trips(path, form)
    notes = {"Read me": [["What this is."]], "Trips": [*everybody, *rows(SOMEBODY)], "Empty": []}
    path = write(tmp_path, workbook(notes), "taps.xlsx")
    assert trips(path, form) == by_hand([*OTHERS, SOMEBODY])


def test_somebodys_file_changes_no_cards_of_others(tmp_path: Path) -> None:
    """Read with one file's decimals, card numbers of others would run together: 17 digits are too many for them."""
    owners = "".join(f"{10**17 // 16 * 16 + 1 + user},u{user}\n" for user in (*OTHERS, SOMEBODY))
    lookup = Lookup(path=write(tmp_path, "card,user\n" + owners, "owners.csv"), on="card", key="card")
    folder, form = tmp_path / "taps", FileForm(mapping=BY_ROW)
    folder.mkdir()
    pq.write_table(table(OTHERS, pa.int64()), folder / "a.parquet")
    assert trips(folder, form, lookup) == by_hand(OTHERS)
    pq.write_table(table([SOMEBODY], pa.float64()), folder / "b.parquet")
    with pytest.raises(DataError, match=r"Column 'card' is int64 in a\.parquet and double in b\.parquet\."):
        trips(folder, form, lookup)
    pq.write_table(table([SOMEBODY], pa.int64()), folder / "b.parquet")
    assert trips(folder, form, lookup) == by_hand([*OTHERS, SOMEBODY])


@pytest.mark.parametrize(("encoding", "mark"), [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_stray_byte_of_utf16_costs_its_own_line(
    tmp_path: Path, encoding: str, mark: bytes, end: str
) -> None:
    form = FileForm(mapping=BY_ROW)
    before, after = (
        "".join(line + end for line in part).encode(encoding) for part in (lines()[:30], lines()[30:])
    )
    own = f"u{SOMEBODY},2026-03-03 08:00:00,10.5,21".encode(encoding)
    stop = end.encode(encoding)
    for odd in (
        own + b"A" + stop,
        b"A" + own + stop,
        own + b"A" + stop + own + b"B" + stop,
        b"\xd8\xd8\xd8" + stop,
    ):
        path = write(tmp_path, mark + before + odd + after, "taps.csv")
        assert trips(path, form) == by_hand(OTHERS), odd
    # A long line that ends where a block of the file does, and a line end that is cut in two there.
    for more in range(4):
        note = ("x" * ((1 << 19) - len(mark + before) // 2 - 2 + more) + end).encode(encoding)
        assert trips(write(tmp_path, mark + before + note + after, "taps.csv"), form) == by_hand(OTHERS), more


@pytest.mark.parametrize("letter", ["a", "é", "€", "😀", '"'])
@pytest.mark.parametrize("place", [1, 41])
def test_a_line_too_long_in_bytes_costs_its_own(tmp_path: Path, letter: str, place: int) -> None:
    for n in (350_000, 740_000, 1_040_000):
        written = [*lines()[:place], f"u{SOMEBODY},2026-03-03 08:10:00,10.5," + letter * n, *lines()[place:]]
        path = write(tmp_path, "\n".join(written) + "\n", "taps.csv")
        assert trips(path, FileForm(mapping=BY_ROW)) == by_hand(OTHERS)


def test_names_alike_but_for_capitals_are_refused_iv(tmp_path: Path) -> None:
    path = write(tmp_path, "user,time,lat,lon,Lat,,\nu,2026-03-03 08:10,10.5,21,11.5,,\n", "taps.csv")
    with pytest.raises(DataError, match=r"taps\.csv has two columns named 'Lat', capitals aside"):
        trips(path, FileForm(mapping=BY_ROW))


def test_the_order_of_somebodys_columns_says_nothing(tmp_path: Path) -> None:
    """Two columns may both be the user: which of them it is hangs on the names, not on whose file comes first."""
    form, found = FileForm(mapping=ColumnMapping()), set()
    write(tmp_path, "user_id,userid,time,lat,lon\n1,2,2026-03-03 08:10,10.5,21\n", "f/b.csv")
    for own in ("user_id,userid,time,lat,lon\n", "userid,user_id,lon,lat,time\n"):
        write(tmp_path, own, "f/a.csv")
        found.add(mapping_from_header(tmp_path / "f", form))
    assert len(found) == 1


def own_file(user: int, path: Path, *, named: str | None = None) -> None:
    """Write a person's file, text or Parquet; `named` is what a column `user` of its own says, None for no such column."""
    cells = [[named, *row[1:]] for row in rows(user)]
    columns = dict(zip(HEADER, zip(*cells, strict=True), strict=True))
    columns |= {"lat": tuple(map(float, columns["lat"])), "lon": tuple(map(float, columns["lon"]))}
    columns["time"] = tuple(map(dt.datetime.fromisoformat, columns["time"]))
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = pa.table(columns if named else {name: columns[name] for name in HEADER[1:]})
    if path.suffix == ".parquet":
        pq.write_table(whole, path)
    else:
        lines = [
            ",".join(whole.column_names),
            *(",".join(map(str, row.values())) for row in whole.to_pylist()),
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_somebodys_folder_is_called_decides_nothing_of_others(tmp_path: Path, ending: str) -> None:
    """Twenty folders user=u1, …; what lies above them says nothing, and one whose name does not decode costs its own rows."""
    folder, form = tmp_path / "user=boss" / "taps", FileForm(mapping=BY_ROW)
    for user in OTHERS:
        own_file(user, folder / f"user=u{user}" / f"p.{ending}")
    assert trips(folder, form) == by_hand(OTHERS)
    for name, counts in (("user=x=y", True), ("user=100%", True), ("user=a%2Fb", True), ("user=%FF", False)):
        own = folder / name / f"p.{ending}"
        own_file(SOMEBODY, own)
        assert trips(folder, form) == by_hand([*OTHERS, *([SOMEBODY] if counts else [])]), name
        own.unlink()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("somebodys", ["a", "z"])
def test_somebodys_place_in_the_folder_decides_no_columns_of_others(
    tmp_path: Path, ending: str, somebodys: str
) -> None:
    """Whether the name of a folder or the file's own column is the user must not hang on the file that comes first."""
    form = FileForm(mapping=BY_ROW)
    beside, instead, unused = (tmp_path / name for name in ("beside", "instead", "unused"))
    for user in OTHERS:
        own_file(user, beside / f"user=batch{user % 4}" / f"{user}.{ending}", named=f"u{user}")
        own_file(user, instead / f"user=u{user}" / f"p.{ending}")
        own_file(user, unused / f"lot={user % 4}" / f"{user}.{ending}", named=f"u{user}")
    two_places = (
        rf"^Column 'user' stands in user=batch0/12\.{ending}, and the name of its folder says it too\. For a"
    )
    with pytest.raises(DataError, match=two_places):
        trips(beside, form)
    assert trips(instead, form) == by_hand(OTHERS)
    for folder in (beside, instead):
        own_file(SOMEBODY, folder / f"{somebodys}.{ending}", named="u99")
    with pytest.raises(DataError, match=two_places):
        trips(beside, form)
    one_each = rf"^Column 'user' stands in {somebodys}\.{ending} itself, and of user=u\d+/p\.{ending} the name of its"
    with pytest.raises(DataError, match=one_each):
        trips(instead, form)
    # What nobody asks for may stand in both.
    mapped = FileForm(mapping=BY_ROW)
    own_file(SOMEBODY, unused / "lot=1" / f"{somebodys}.{ending}", named="u99")
    assert trips(unused, mapped) == by_hand([*OTHERS, SOMEBODY])


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("name", ["a", "z"])
def test_a_part_that_is_empty_without_somebody_is_left_out(tmp_path: Path, name: str, archived: bool) -> None:
    """A part of typed columns and no rows is what is left of one when somebody goes; their rows or none, the others count."""
    form, folder = FileForm(mapping=BY_ROW), tmp_path / "parts"
    for user in OTHERS:
        own_file(user, folder / f"p{user}.parquet", named=f"u{user}")
    own = folder / f"{name}.parquet"
    for n, whom in ((4, [*OTHERS, SOMEBODY]), (0, OTHERS)):
        own_file(SOMEBODY, own, named="u99")
        pq.write_table(pq.read_table(own)[:n], own)
        path = archive_of(folder, tmp_path / "parts.zip") if archived else folder
        assert trips(path, form) == by_hand(whom)
        assert mapping_from_header(path, FileForm(mapping=ColumnMapping())) == BY_ROW
    for user in OTHERS:
        (folder / f"p{user}.parquet").unlink()
    path = archive_of(folder, tmp_path / "parts.zip") if archived else folder
    for refused in (lambda: trips(path, form), lambda: mapping_from_header(path, form)):
        with pytest.raises(DataError, match=rf"^{name}\.parquet has columns but no rows\.$"):
            refused()


def test_a_workbook_that_is_empty_without_somebody_is_left_out(tmp_path: Path) -> None:
    form, folder = FileForm(mapping=BY_ROW), tmp_path / "books"
    for user in OTHERS:
        write(folder, workbook({"Trips": [HEADER, *rows(user)]}), f"p{user}.xlsx")
    for name in ("a", "z"):
        for own, whom in ((rows(SOMEBODY), [*OTHERS, SOMEBODY]), ([], OTHERS)):
            write(folder, workbook({"Trips": [HEADER, *own]}), f"{name}.xlsx")
            assert trips(folder, form) == by_hand(whom)


def whole_number(value: int, type: pa.DataType) -> pa.Array:
    """A cell of a time that holds this number, whatever it means."""
    return pa.array([value], {32: pa.int32(), 64: pa.int64()}[type.bit_width]).view(type)


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("value", [2**55, -(2**55), 2**62, 2**63 - 1, -(2**63)])
def test_a_time_beyond_all_times_costs_its_own_row(
    tmp_path: Path, unit: str, zone: str | None, value: int
) -> None:
    path, type = tmp_path / "taps.parquet", pa.timestamp(unit, zone)
    good = [row for user in OTHERS for row in rows(user)]
    user, time, lat, lon = (list(one) for one in zip(*good, strict=True))
    times = pa.array(map(dt.datetime.fromisoformat, time), pa.timestamp(unit)).cast(type)
    places = {"lat": [*map(float, lat), 10.5], "lon": [*map(float, lon), 21.25]}
    whole = {"user": [*user, "u99"], "time": pa.concat_arrays([times, whole_number(value, type)]), **places}
    pq.write_table(pa.table(whole), path)
    assert trips(path, FileForm(mapping=BY_ROW)) == by_hand(OTHERS)


@pytest.mark.parametrize("day", [2**31 - 1, -(2**31), 10**8, 20515])
@pytest.mark.parametrize("clock", [2**62, -(2**63), 86_400_000_001, -1])
def test_a_day_or_a_clock_beyond_all_costs_its_own_row(tmp_path: Path, day: int, clock: int) -> None:
    """Written as a text, a clock far outside the day ended the process."""
    path = tmp_path / "taps.parquet"
    good = [row for user in OTHERS for row in rows(user)]
    user, time, lat, lon = (list(one) for one in zip(*good, strict=True))
    times = list(map(dt.datetime.fromisoformat, time))
    days = pa.array([one.date() for one in times], pa.date32())
    clocks = pa.array([one.time() for one in times], pa.time64("us"))
    whole = {
        "user": [*user, "u99"],
        "day": pa.concat_arrays([days, whole_number(day, pa.date32())]),
        "time": pa.concat_arrays([clocks, whole_number(clock, pa.time64("us"))]),
        "lat": [*map(float, lat), 10.5],
        "lon": [*map(float, lon), 21.25],
    }
    pq.write_table(pa.table(whole), path)
    mapping = ColumnMapping(user_id="user", date="day", timestamp="time", lat="lat", lon="lon")
    assert trips(path, FileForm(mapping=mapping)) == by_hand(OTHERS)


def test_a_text_that_is_no_utf8_costs_its_own_row(tmp_path: Path) -> None:
    """Read as missing, in a file of many parts that are read as they are."""
    for user in OTHERS:
        own_file(user, tmp_path / "taps" / f"{user}.parquet", named=f"u{user}")
    own_file(SOMEBODY, own := tmp_path / "taps" / "z.parquet", named="u99")
    own_rows = pq.read_table(own)
    odd = pa.Array.from_buffers(pa.string(), 1, pa.array([b"u\xff99"], pa.binary()).buffers())
    names = pa.chunked_array([odd, own_rows["user"].chunk(0)[1:]])
    pq.write_table(own_rows.set_column(0, "user", names), own)
    way = [(2 * ((n + SOMEBODY) % 2) + n // 2) for n in range(1, 4)]  # the first of four hours is gone
    assert trips(tmp_path / "taps", FileForm(mapping=BY_ROW)) == by_hand(OTHERS) + Counter(pairwise(way))


@pytest.mark.parametrize(
    ("cell", "form"),
    [
        ('<c r="B82" s="1"><v>-1e300</v></c>', 22),  # a date so far off that the reader of workbooks gives up
        ('<c r="B82" s="1"><v>3e9</v></c>', 46),  # hours beyond Python's durations
        ('<c r="XFD82"><v>1</v></c>', 22),  # the last column of any sheet
    ],
)
@pytest.mark.parametrize("settled", [True, False])
def test_somebodys_cell_of_a_workbook_costs_its_own_row(
    tmp_path: Path, cell: str, form: int, settled: bool
) -> None:
    good = [row for user in OTHERS for row in rows(user)]
    parts = parts_of(workbook({"Trips": [HEADER, *good, ["u99"]]}))
    sheet, styles = "xl/worksheets/sheet1.xml", "xl/styles.xml"
    own = parts[sheet].index('<row r="82"')
    end = parts[sheet].index("</row>", own)
    parts[sheet] = parts[sheet][:end] + cell + parts[sheet][end:]
    assert 'numFmtId="22"' in parts[styles]
    parts[styles] = parts[styles].replace('numFmtId="22"', f'numFmtId="{form}"')
    path = write(tmp_path, zipped(parts), "taps.xlsx")
    if settled:
        assert trips(path, FileForm(mapping=BY_ROW)) == by_hand(OTHERS)
    elif "XFD" in cell:  # outside a release the first rows say it too, and the steward is told
        with pytest.raises(DataError, match="16,384 columns"):
            read_dataset(path, mapping=BY_ROW)
    else:
        report = read_dataset(path, mapping=BY_ROW).report
        assert (report.kept, sum(report.dropped.values())) == (80, 1)


def parts_of(book: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}
