"""Excel workbooks against the same table as CSV, and against sentences written by hand."""

import io
import zipfile
from datetime import datetime
from types import SimpleNamespace

import pytest
import python_calamine

from privlab.checks import DataError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files.workbooks import sheet_from_path
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.previews.previews import preview_from_path
from privlab.datasets.read import read_dataset
from privlab.datasets.rows.second_files import pair_from_paths
from privlab.datasets.zone_files import geography_from_path
from tests.datasets.files_by_hand import rows_of, workbook, write, zipped

HEADER = ["user_id", "timestamp", "zone"]
TRACK = [[7, datetime(2014, 9, 13, 7, 24), 5], [8, datetime(2014, 9, 13, 23, 59, 59), 10], [7, None, 5]]
AS_CSV = "user_id,timestamp,zone\n7,2014-09-13 07:24:00,5\n8,2014-09-13 23:59:59,10\n7,,5\n"
NOTES = {"Read me": [["This is a table of taps."]], "Empty": []}


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


@pytest.mark.parametrize("settled", [False, True])
def test_rows_of_a_workbook_against_csv(tmp_path, workspace, settled) -> None:
    path = write(tmp_path, workbook({"Taps": [["My taps"], [], HEADER, *TRACK]}), "taps.xlsx")
    same = write(tmp_path, AS_CSV, "taps.csv")
    mapping = preview_from_path(same).mapping
    form = FileForm(mapping=mapping, ids="number") if settled else None
    found, wanted = (read_dataset(one, form=form, workspace=workspace) for one in (path, same))
    assert rows_of(found) == rows_of(wanted)
    assert rows_of(found)[-1][1:] == (datetime(2014, 9, 13, 23, 59, 59), 10)
    assert found.report.dropped == wanted.report.dropped == {"missing time": 1}
    assert found.report.notes == wanted.report.notes


def test_the_first_sheet_with_a_table_is_read_and_said(tmp_path, workspace) -> None:
    path = write(
        tmp_path, workbook({**NOTES, "Taps": [HEADER, *TRACK], "Old": [HEADER, *TRACK]}), "taps.xlsx"
    )
    said = "Read from the sheet 'Taps', the first with a table; not read: 'Read me', 'Empty', 'Old'."
    preview = preview_from_path(path)
    assert (preview.format, preview.columns, preview.notes) == ("xlsx", tuple(HEADER), (said,))
    assert preview.rows[0] == ("7", "2014-09-13 07:24:00", "5")
    assert read_dataset(path, workspace=workspace).report.notes[0] == said


def test_looking_for_the_table_unpacks_each_sheet_once(tmp_path, monkeypatch) -> None:
    """Header, first rows and merged cells are asked of one sheet: it was unpacked as a whole for each of them."""
    path, unpacked = write(tmp_path, workbook({**NOTES, "Taps": [HEADER, *TRACK]}), "taps.xlsx"), []
    opened = python_calamine.CalamineWorkbook.from_path

    class Counted:
        def __init__(self, path) -> None:
            self.book = opened(path)
            self.sheets_metadata = self.book.sheets_metadata

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.book.close()

        def get_sheet_by_name(self, name):
            unpacked.append(name)
            return self.book.get_sheet_by_name(name)

    monkeypatch.setattr(python_calamine, "CalamineWorkbook", SimpleNamespace(from_path=Counted))
    assert sheet_from_path(path).name == "Taps"
    assert unpacked == ["Read me", "Empty", "Taps"]


TITLES = [["Taps of March"], ["Department", "Transport"], ["Made on", "2026-04-01"], []]


@pytest.mark.parametrize("settled", [False, True])
def test_titles_of_two_cells_above_the_header_against_csv(tmp_path, workspace, settled) -> None:
    path = write(tmp_path, workbook({"Taps": [*TITLES, HEADER, *TRACK]}), "taps.xlsx")
    same = write(tmp_path, AS_CSV, "taps.csv")
    mapping = preview_from_path(path).mapping
    assert mapping == preview_from_path(same).mapping
    form = FileForm(mapping=mapping, ids="number") if settled else None
    found, wanted = (read_dataset(one, form=form, workspace=workspace) for one in (path, same))
    assert rows_of(found) == rows_of(wanted)
    assert found.report.dropped == wanted.report.dropped == {"missing time": 1}


@pytest.mark.parametrize("settled", [False, True])
def test_degrees_that_are_texts_with_decimal_commas_against_csv(tmp_path, workspace, settled) -> None:
    head = ["user_id", "timestamp", "lat", "lon"]
    rows = [["a", TRACK[0][1], "51,05", "13,7333"], ["b", TRACK[1][1], 51.25, "-0,5"]]
    path = write(tmp_path, workbook({"Taps": [head, *rows]}), "taps.xlsx")
    same = write(
        tmp_path,
        "user_id,timestamp,lat,lon\na,2014-09-13 07:24:00,51.05,13.7333\nb,2014-09-13 23:59:59,51.25,-0.5\n",
        "taps.csv",
    )
    form = FileForm(mapping=preview_from_path(path).mapping) if settled else None
    found, wanted = (read_dataset(one, form=form, workspace=workspace) for one in (path, same))
    assert rows_of(found) == rows_of(wanted)
    assert found.report.kept == 2


def test_counts_that_are_texts_with_commas_are_no_numbers_iv(tmp_path, workspace) -> None:
    rows = [["origin", "destination", "count"], [1, 2, 3], [2, 1, "2,000"], [1, 3, "1,5"], [2, 3, 4]]
    path = write(tmp_path, workbook({"Flows": rows}), "flows.xlsx")
    assert read_dataset(path, workspace=workspace).report.dropped == {"unreadable count": 2}


def test_a_cover_sheet_of_two_columns_does_not_hide_the_table_behind_it(tmp_path, workspace) -> None:
    cover = [["Title", "Taps"], ["Author", "A. Nobody"], ["Version", 2]]
    path = write(tmp_path, workbook({"Cover": cover, "Taps": [HEADER, *TRACK]}), "taps.xlsx")
    same = write(tmp_path, AS_CSV, "taps.csv")
    found, wanted = (read_dataset(one, workspace=workspace) for one in (path, same))
    assert rows_of(found) == rows_of(wanted)
    assert (
        found.report.notes[0]
        == "Read from the sheet 'Taps', the first whose columns say what a row is; not read: 'Cover'."
    )


def test_a_row_of_one_person_does_not_become_the_header_of_a_settled_read(tmp_path, workspace) -> None:
    """Whoever writes names of columns into cells of a row changes that row alone."""
    own = [["who", "when", "where"], *TRACK[:2], ["user_id", "timestamp", "zone"], [9, TRACK[0][1], 5]]
    path = write(tmp_path, workbook({"Taps": own}), "taps.xlsx")
    mapping = ColumnMapping(user_id="who", timestamp="when", zone="where")
    found = read_dataset(path, form=FileForm(mapping=mapping, ids="number"), workspace=workspace)
    assert [row[0] for row in rows_of(found)] == ["7", "8", "9"]


def test_merged_cells_over_several_rows_are_said(tmp_path, workspace) -> None:
    """A title over four columns is no matter; a user merged over two rows stands in the first, in Excel as in the file."""
    rows = [["Taps of March"], HEADER, ["a", TRACK[0][1], 5], [None, TRACK[1][1], 10], ["b", TRACK[1][1], 5]]
    book = workbook({"Taps": rows})
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        parts = {one: archive.read(one).decode() for one in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    merged = '<mergeCells count="2"><mergeCell ref="A1:D1"/><mergeCell ref="A3:A4"/></mergeCells>'
    parts[sheet] = parts[sheet].replace("</sheetData>", f"</sheetData>{merged}")
    report = read_dataset(write(tmp_path, zipped(parts), "taps.xlsx"), workspace=workspace).report
    assert report.dropped == {"missing user": 1}
    assert report.notes == (
        "In the sheet 'Taps' 1 merged cell reaches over several rows: what stands there counts for the first of them alone, and "
        "the others are read as empty. Unmerge them in Excel, and fill every row.",
    )


def test_a_workbook_beside_a_text(tmp_path) -> None:
    trips = write(tmp_path, "user,time,origin,destination\na,2026-03-02 08:00,7,8\nb,2026-03-02 09:00,8,7\n")
    stations = [["station", "lat", "lon"], [7, 5.25, -4.5], [8, 5.34, -4.14]]
    path = write(tmp_path, workbook({"Stations": stations}), "stations.xlsx")
    assert pair_from_paths(path, trips) == (trips, path)
    assert dict(geography_from_path(path).centres) == {7: (5.25, -4.5), 8: (5.34, -4.14)}


ENCRYPTED = (
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
)
BOOK = workbook({"Taps": [HEADER, *TRACK]})
REFUSED = {
    "a password": (
        ENCRYPTED,
        "data.xlsx is protected by a password. Open it in Excel and save it without one, or as CSV.",
    ),
    "no sheet": (
        workbook({}),
        "data.xlsx has no sheet with a table: a line of names, and rows below it. Is the table a picture or a chart?",
    ),
    "words alone": (
        workbook(NOTES),
        "data.xlsx has no sheet with a table: a line of names, and rows below it. Is the table a picture or a chart?",
    ),
    "a header alone": (workbook({"Taps": [HEADER]}), "The sheet 'Taps' of data.xlsx has a header but no rows."),
    "two columns of one name": (
        workbook({"Taps": [["zone", "Zone"], [1, 2]]}),
        "data.xlsx has two columns named 'Zone', capitals aside. Rename one of them.",
    ),
    "half a file": (
        BOOK[: len(BOOK) // 2],
        "data.xlsx is a damaged zip archive. Was it copied only in part?",
    ),
    "text under its name": (
        AS_CSV,
        "data.xlsx is not an Excel file, or a damaged one. Was it copied only in part?",
    ),
    # Two cells, far apart: a table of 17 billion.
    "far cells": (
        workbook(
            {"Taps": []},
            {"xl/worksheets/sheet1.xml": '<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
             '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'},
        ),
        "A sheet of data.xlsx reaches over more than 12,000,000 cells, which is more than fits. Save its table as CSV.",
    ),
    "far cells that do not say where they are": (
        workbook(
            {"Taps": []},
            {"xl/worksheets/sheet1.xml": f'<worksheet><sheetData><row>{"<c/>" * 16_000}</row>'
             '<row r="1048576"><c><v>1</v></c></row></sheetData></worksheet>'},
        ),
        "A sheet of data.xlsx reaches over more than 12,000,000 cells, which is more than fits. Save its table as CSV.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_workbooks_that_are_refused_iv(tmp_path, workspace, case) -> None:
    content, sentence = REFUSED[case]
    path = write(tmp_path, content, "data.xlsx")
    for read in (preview_from_path, lambda path: read_dataset(path, workspace=workspace)):
        with pytest.raises(DataError) as caught:
            read(path)
        assert str(caught.value).startswith(sentence)


def test_workbooks_in_an_archive_are_parts(tmp_path, workspace) -> None:
    one, other = workbook({"Taps": [HEADER, *TRACK[:1]]}), workbook({"Taps": [HEADER, *TRACK[1:]]})
    path = write(tmp_path, zipped({"a.xlsx": one, "b.xlsx": other}), "taps.zip")
    assert len(rows_of(read_dataset(path, workspace=workspace))) == 2
