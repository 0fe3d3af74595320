"""Ugly files: each with the sentence, the count or the note it must give, written by hand.

A file is refused with a sentence, or read with a count of what was dropped and the first offenders, or
read without a word; a table stands below for each.
"""

import gzip
import io
import os
import re
import struct
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from privlab.checks import DataError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files import containers
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.previews.previews import preview_from_path
from privlab.datasets.read import read_dataset
from tests.datasets.files_by_hand import GOOD, HEAD, TRACK, arrow, parquet, rows_of, write, zipped

SEPTEMBER = datetime(2014, 9, 13, 7, 24)
ZONES = "user_id|time|zone\n"


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


# content -> the whole sentence
REFUSED = {
    "empty": ("", "data.csv is empty."),
    "blank": (" \n\t\n" * 10, "data.csv holds nothing but blanks."),
    "NULs": (b"\0" * 5000, "data.csv holds nothing but blanks."),
    "header only": (HEAD, "data.csv has a header but no rows."),
    "header and blank lines": (HEAD + "\n\n \n", "data.csv has a header but no rows."),
    "binary": (
        bytes(range(256)) * 20,
        "data.csv is not a text file: it holds binary data. Save its table as CSV.",
    ),
    "a NUL in text": (
        HEAD + "1,2014\0",
        "data.csv is not a text file: it holds binary data. Save its table as CSV.",
    ),
    "a NUL far in": (
        (HEAD + GOOD * 60_000 + "\0\n"),
        "data.csv is not a text file: it holds NUL bytes. Save its table as CSV.",
    ),
    "a picture": (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "data.csv is not a text file: it holds binary data. Save its table as CSV.",
    ),
    "an Excel file": (
        zipped({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<workbook/>"}),
        "data.csv is a damaged Excel file. Was it copied only in part? If not, open it in Excel and save it anew, or as CSV.",
    ),
    "an old Excel file": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
        "data.csv is an Excel file of the old kind (.xls). Save it as .xlsx or CSV.",
    ),
    "half a zip archive": (
        zipped({"a.csv": HEAD + GOOD * 99})[:-30],
        "data.csv is a damaged zip archive. Was it copied only in part?",
    ),
    "one column": (
        "user_id\n1\n2\n",
        "data.csv has a single column, 'user_id'. "
        "Are the columns separated by a comma, semicolon, tab or bar? Do lines stand above the header?",
    ),
    "another delimiter": (
        "user_id^timestamp^zone\n1^2014-09-13 07:24^5\n",
        "data.csv has a single column, 'user_id^timestamp^zone'. "
        "Are the columns separated by a comma, semicolon, tab or bar? Do lines stand above the header?",
    ),
    "two columns of one name": (
        "user_id,timestamp,lat,lat\n" + GOOD,
        "data.csv has two columns named 'lat'. Rename one of them.",
    ),
    "no place": (
        "user_id,timestamp,speed\n1,2014-09-13 07:24,3\n",
        "Could not tell which column holds a place (latitude and longitude, x and y, a zone, or an origin "
        "and a destination); the columns are 'user_id', 'timestamp', 'speed'. "
        "Say which columns these are.",
    ),
    "every row too short": (
        HEAD + "1,2014-09-13 07:24,48.5\n" * 3,
        "No row of data.csv has as many fields as the header: row 2 has 3, the header 4. "
        "Is a delimiter missing or not quoted?",
    ),
    "text in numbers": (
        HEAD + "1,2014-09-13 07:24,north,2.5\n" * 2,
        "No row of data.csv can be used: 2 of 2 have an unreadable coordinate "
        "(column 'lat', row 2: 'north').",
    ),
    "a comma as decimal point, quoted": (
        HEAD + '1,2014-09-13 07:24,48.5,"2,5"\n',
        "No row of data.csv can be used: 1 of 1 have an unreadable coordinate (column 'lon', row 2: '2,5'). "
        "Is the comma a decimal one? Write a point there, or part the columns by semicolons instead of commas.",
    ),
    "days as Excel counts them": (
        HEAD + "1,41895.308333,48.5,2.5\n1,41896,48.5,2.5\n",
        "No row of data.csv can be used: 2 of 2 have an unparsable time (column 'timestamp', row 2: '41895.308333'). "
        "Is it a count of days, as Excel keeps dates? Give these cells a format of dates in Excel, and save it again.",
    ),
    "a list of objects": (
        '[{"user": 1, "time": "2014-09-13 07:24", "lat": 48.5, "lon": 2.5}]',
        "data.csv holds JSON, which is no table. Save it as CSV, Parquet or Excel.",
    ),
    "a timeline of Google's": (
        '{"locations": [{"latitudeE7": 485000000, "longitudeE7": 25000000, "timestamp": "2014-09-13T07:24:00Z"}]}',
        "data.csv holds JSON, which is no table. Save it as CSV, Parquet or Excel. If data.csv is one person's Google Timeline, open it under "
        "Your own week on the page Attack, or by: python -m privlab triangle data.csv",
    ),
    "a map": (
        '{"type": "FeatureCollection", "features": []}',
        "data.csv holds JSON, which is no table. Save it as CSV, Parquet or Excel. A map of zones goes beside a file of data, as the file that says "
        "where its zones lie.",
    ),
    "an object on each line": (
        '{"user": 1, "time": "2014-09-13 07:24"}\n{"user": 2, "time": "2014-09-13 07:25"}\n',
        "data.csv holds JSON, which is no table. Save it as CSV, Parquet or Excel.",
    ),
    "no users": (
        HEAD + "\n" + ",2014-09-13 07:24,48.5,2.5\n" * 2,
        "No row of data.csv can be used: 2 of 2 have a missing user (column 'user_id', row 3: nothing).",
    ),
    "main reason": (
        HEAD + "1,soon,48.5,2.5\n" + "2,2014-09-13 07:24,0,0\n" * 3,
        "No row of data.csv can be used: 3 of 4 have a zero coordinate (0, 0) (column 'lat', row 3: '0').",
    ),
    "metres as degrees": (
        HEAD + "1,2014-09-13 07:24,5411000,448000\n",
        "No row of data.csv can be used: 1 of 1 have an impossible coordinate "
        "(column 'lat', row 2: '5411000'). "
        "Are these degrees, or projected metres? Name those as x and y, and of trips as origin_x, origin_y and so on.",
    ),
    "longitudes of a whole round": (
        HEAD + "1,2014-09-13 07:24,48.5,357.5\n",
        "No row of data.csv can be used: 1 of 1 have an impossible coordinate (column 'lon', row 2: '357.5'). "
        "Longitudes run from -180 to 180: take 360 off those above 180.",
    ),
    "millionths of a degree": (
        HEAD + "1,2014-09-13 07:24,48856600,2352200\n",
        "No row of data.csv can be used: 1 of 1 have an impossible coordinate (column 'lat', row 2: '48856600'). "
        "Are these millionths of a degree? Divide them. Projected metres are x and y, and of trips origin_x, origin_y and so on.",
    ),
    "a first line for Excel": (
        "sep=;\nuser_id;timestamp;zone\n1;2014-09-13 07:24;A\n",
        "The first line of data.csv tells Excel how columns are parted, and is no header. Delete it.",
    ),
    "a web page": (
        "<html><body><table><tr><td>user_id</td></tr></table></body></html>\n",
        "data.csv is a web page, whatever its name says, and no table of rows. Save it as CSV.",
    ),
    "a track in GPX": (
        '<?xml version="1.0"?>\n<gpx><trk></trk></gpx>\n',
        "data.csv is XML (a GPX track, for instance), and no table of rows. Save it as CSV.",
    ),
    "marks of thousands": (
        'origin,destination,count\n1,2,"1,234"\n2,1,"20,208"\n',
        "No row of data.csv can be used: 2 of 2 have an unreadable count (column 'count', row 2: '1,234'). "
        "If the mark is one of thousands, take the marks out. If it is a decimal one, these are estimates and no people that were counted: round "
        "them to whole numbers, to look at them alone.",
    ),
    "marks of millions": (
        'origin,destination,count\n1,2,"1,234,567"\n',
        "No row of data.csv can be used: 1 of 1 have an unreadable count (column 'count', row 2: '1,234,567'). "
        "Counts are whole numbers without marks of thousands: take the marks out.",
    ),
    "estimates instead of counts": (
        "origin,destination,count\n1,2,10.83\n",
        "No row of data.csv can be used: 1 of 1 have an unreadable count (column 'count', row 2: '10.83'). "
        "Counts are whole numbers, and these are estimates and no people that were counted: round them, to look at them alone.",
    ),
    "clock of four digits": (
        HEAD + "1,0608,48.5,2.5\n",
        "No row of data.csv can be used: 1 of 1 have an unparsable time (column 'timestamp', row 2: '0608'). Is it a time of day alone? "
        "Name the column of the day too (date), and how both are written with a blank between: time_format. Where no column has the day, "
        "add one to the file: weeks are counted by days.",
    ),
    "swapped": (
        HEAD + GOOD + "1,2014-09-13 07:24,116.3,39.9\n" * 3,
        "Most latitudes of data.csv are beyond 90 degrees (column 'lat', row 3: 116.3). "
        "Is this latitude/longitude swapped?",
    ),
    "clock without a date": (
        HEAD + "1,07:24:00,48.5,2.5\n",
        "No row of data.csv can be used: 1 of 1 have an unparsable time "
        "(column 'timestamp', row 2: '07:24:00'). Is it a time of day alone? Name the column of the day too (date), and how both are "
        "written with a blank between: time_format. Where no column has the day, add one to the file: weeks are counted by days.",
    ),
    "a huge header": (
        ",".join(f"column{n}" for n in range(200_000)) + "\n1\n",
        "The first line of data.csv is longer than a megabyte. Is it a table with a header?",
    ),
    "too many columns": (
        ",".join(f"c{n}" for n in range(10_000)) + "\n" + "," * 9_999 + "1\n",
        "data.csv has 10,000 columns, more than 4,000. Is the delimiter right?",
    ),
    "a huge line": (
        HEAD + GOOD * 3 + "1," + "x" * 3_000_000 + ",48.5,2.5\n" + GOOD,
        "data.csv has a line of more than a megabyte. Is it a table with one row per line?",
    ),
    "odd UTF-16": (
        "\ufeffuser_id\n1\n".encode("utf-16-le") + b"x",
        "data.csv has a single column, 'user_id'. "
        "Are the columns separated by a comma, semicolon, tab or bar? Do lines stand above the header?",
    ),
    "delimiters only": (
        ",,\n,,\n",
        "data.csv has a single column, ',,'. Are the columns separated by a comma, semicolon, tab or bar? Do lines stand above the header?",
    ),
    "no names": (
        '"",""\n1,2\n',
        "Could not tell which column holds a time; the columns are 'column 1', 'column 2'. "
        "Say which columns these are.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_iv(tmp_path, workspace, case) -> None:
    content, sentence = REFUSED[case]
    with pytest.raises(DataError) as caught:
        read_dataset(write(tmp_path, content), workspace=workspace)
    assert str(caught.value) == sentence
    assert str(tmp_path) not in str(caught.value)


# content -> kept rows, dropped
COUNTED = {
    "nothing wrong": (HEAD + GOOD * 3, 3, {}),
    "no header": (GOOD * 3, 3, {}),
    "blank lines": ("\n\n" + HEAD + GOOD + "\n\n" + GOOD + "\n", 2, {}),
    "no last line end": (HEAD + GOOD + GOOD.strip(), 2, {}),
    "carriage returns and line feeds": ((HEAD + GOOD * 2).replace("\n", "\r\n"), 2, {}),
    "carriage returns": ((HEAD + GOOD * 2).replace("\n", "\r"), 2, {}),
    "mixed line ends": (HEAD + GOOD * 2 + GOOD.strip() + "\r\n" + GOOD, 4, {}),
    "a byte order mark": ("\ufeff" + HEAD + GOOD, 1, {}),
    "UTF-16": (("\ufeff" + HEAD + GOOD * 2).encode("utf-16-le"), 2, {}),
    "UTF-16, high byte first": (("\ufeff" + HEAD + GOOD * 2).encode("utf-16-be"), 2, {}),
    "UTF-16 without a mark": ((HEAD + GOOD * 2).encode("utf-16-le"), 2, {}),
    "semicolons, decimal commas": ("user_id;timestamp;lat;lon\n1;2014-09-13 07:24;48,5;2,5\n", 1, {}),
    "tabs": ((HEAD + GOOD).replace(",", "\t"), 1, {}),
    "bars": ((HEAD + GOOD).replace(",", "|"), 1, {}),
    "quotes": (HEAD + '"1","2014-09-13 07:24","48.5","2.5"\n', 1, {}),
    "a delimiter in quotes": ("note," + HEAD + '"a, ""b""",' + GOOD, 1, {}),
    "a line end in quotes": ("note," + HEAD + '"a\nb",' + GOOD + "c," + GOOD, 2, {}),
    "spaces around": ("user_id , timestamp, lat ,lon\n 1 , 2014-09-13 07:24 , 48.5, 2.5 \n", 1, {}),
    "a delimiter too many in every row": (HEAD + GOOD.replace("\n", ",\n") * 2, 2, {}),
    "a row too short": (HEAD + GOOD + "1,2014-09-13 07:24\n" + GOOD, 2, {"malformed row": 1}),
    "a row too long": (HEAD + GOOD + "9," + GOOD + GOOD, 2, {"malformed row": 1}),
    "an unclosed quote": (HEAD + GOOD + '2,"2014' + GOOD * 3, 1, {"malformed row": 3}),
    "a quote left open for long": (HEAD + GOOD + '2,"2014' + GOOD * 9000, 1, {"malformed row": 9000}),
    "a broken quote": (HEAD + GOOD + '1,"2014"-09-13 07:24,48.5,2.5\n' + GOOD, 2, {"malformed row": 1}),
    "no user": (HEAD + GOOD + "," + GOOD[2:] + "  ," + GOOD[2:] + "NULL," + GOOD[2:], 1, {"missing user": 3}),
    "no time": (HEAD + GOOD + "1,,48.5,2.5\n1,NaT,48.5,2.5\n", 1, {"missing time": 2}),
    "bad times": (HEAD + GOOD + "1,soon,48.5,2.5\n1,2014-02-30 10:00,1,2\n", 1, {"unparsable time": 2}),
    "no place": (HEAD + GOOD + "1,2014-09-13 07:24,,2.5\n1,2014-09-13 07:24,1,\n", 1, {"missing place": 2}),
    "unreadable": (
        HEAD + GOOD + "".join(f"1,2014-09-13,{bad},2.5\n" for bad in ("x", "nan", "inf", "1e999", "1 2")),
        1,
        {"unreadable coordinate": 5},
    ),
    "impossible": (
        HEAD + GOOD * 4 + "1,2014-09-13,90.1,2\n1,2014-09-13,9,-181\n1,2014-09-13,90,180\n",
        5,
        {"impossible coordinate": 2},
    ),
    "zero": (HEAD + GOOD + "1,2014-09-13,0,0.0\n1,2014-09-13,0,1\n", 2, {"zero coordinate (0, 0)": 1}),
    "one reason per row": (
        HEAD + GOOD + ",,,\n1,,x,\n1,soon,,\n1,2014-09-13 07:24,x,\n1,2014-09-13 07:24,x,200\n",
        1,
        {
            "missing user": 1,
            "missing time": 1,
            "unparsable time": 1,
            "missing place": 1,
            "unreadable coordinate": 1,
        },
    ),
    "places in metres": (
        "user_id,time,x,y\n1,2014-09-13,448000.5,0\n1,2014-09-13,0,0\n1,2014-09-13,inf,0\n",
        2,
        {"unreadable coordinate": 1},
    ),
    "zones": ("user_id,time,cell_id\n1,2014-09-13,A\n1,2014-09-13,\n", 1, {"missing place": 1}),
    "trips": ("user,origin,destination,time\n1,A,A,2014-09-13\n1,A,,2014-09-13\n", 1, {"missing place": 1}),
    "trips of metres": (
        "user,from_x,from_y,to_x,to_y,time\n1,448000.5,0,0,0,2014-09-13\n1,1,2,3,far,2014-09-13\n1,1,,3,4,2014-09-13\n",
        1,
        {"missing place": 1, "unreadable coordinate": 1},
    ),
    "trips of coordinates": (
        "user,start_lat,start_lon,end_lat,end_lon,time\n1,1,2,3,4,2014-09-13\n1,1,2,0,0,2014-09-13\n",
        1,
        {"zero coordinate (0, 0)": 1},
    ),
}


@pytest.mark.parametrize("case", COUNTED)
def test_counted_against_hand(tmp_path, workspace, case) -> None:
    content, kept, dropped = COUNTED[case]
    dataset = read_dataset(write(tmp_path, content), workspace=workspace)
    report = dataset.report
    assert (report.kept, report.dropped) == (kept, dropped)
    assert report.rows == kept + sum(dropped.values())
    assert dataset.table.count().to_pyarrow().as_py() == kept
    assert list(report.dropped) == list(dropped)


def encrypted() -> bytes:
    """Return an archive whose member says that it is encrypted."""
    content = bytearray(zipped({"a.csv": HEAD + GOOD}))
    content[6] |= 1  # the flags of the member, and again in the list of members
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def broken(compression: int) -> bytes:
    """Return an archive with a hole in its member."""
    content = zipped({"a.csv": HEAD + "".join(f"{n}{GOOD[1:]}" for n in range(999))}, compression)
    return content[:60] + bytes(20) + content[80:]


# name of the file, content or, where it takes long to make, what makes it -> the whole sentence
REFUSED_BY_NAME: dict[str, tuple[str, str | bytes | Callable[[], bytes], str]] = {
    "an encrypted archive": (
        "a.zip",
        encrypted(),
        "a.zip is encrypted or packed in an unusual way. Unpack it first.",
    ),
    **{
        f"a hole in an archive, {name}": (
            "a.zip",
            broken(compression),
            "a.zip is a damaged zip archive. Was it copied only in part?",
        )
        for name, compression in (
            ("deflate", zipfile.ZIP_DEFLATED),
            ("bzip2", zipfile.ZIP_BZIP2),
            ("lzma", zipfile.ZIP_LZMA),
            ("stored", zipfile.ZIP_STORED),
        )
    },
    "an archive of nothing": (
        "a.zip",
        zipped({}),
        "The archive a.zip holds no data files (.csv, .tsv, .psv, .txt, .plt, .parquet, .pq, .arrow, .feather, .ipc, .xlsx). Save its table "
        "as one of them, and open that.",
    ),
    "an archive of a document": (
        "a.zip",
        zipped({"report.pdf": b"%PDF-1.4"}),
        "The archive a.zip holds no data files (.csv, .tsv, .psv, .txt, .plt, .parquet, .pq, .arrow, .feather, .ipc, .xlsx). Save its table "
        "as one of them, and open that.",
    ),
    "an archive in an archive": (
        "a.zip",
        zipped({"b.zip": zipped({"a.csv": HEAD + GOOD})}),
        "a.zip holds an archive, b.zip, and archives in archives are not read. Unpack both into one folder and open that, or take the "
        "inner one out.",
    ),
    "an archive beside a table in an archive": (
        "a.zip",
        zipped({"a.csv": HEAD + GOOD, "more/in.TAR.GZ": gzip.compress(b"more")}),
        "a.zip holds an archive, in.TAR.GZ, and archives in archives are not read. Unpack both into one folder and open that, or take the "
        "inner one out.",
    ),
    "an archive that is called a table in an archive": (
        "a.zip",
        zipped({"b.csv": zipped({"a.csv": HEAD + GOOD})}),
        "b.csv is an archive in an archive, or no whole one. Unpack it first.",
    ),
    "two files of one name in an archive": (
        "a.zip",
        zipped({"../x.csv": HEAD + GOOD, "x.csv": HEAD + GOOD}),
        "The archive a.zip holds two files that are both 'x.csv' once unpacked. Unpack all under names of their own into one folder, and "
        "open that, or pack it anew.",
    ),
    "a file and a folder of one name in an archive": (
        "a.zip",
        zipped({"a.csv": HEAD + GOOD, "a.csv/b.csv": HEAD + GOOD}),
        "The archive a.zip holds a file and a folder of one name, beside 'a.csv/b.csv'. Unpack all under names of their own into one "
        "folder, and open that, or pack it anew.",
    ),
    "a name in an archive that no file can have": (
        "a.zip",
        zipped({f"{'x' * 300}.csv": HEAD + GOOD}),
        f"The archive a.zip holds a file whose name is too long to be unpacked: '{'x' * 60}…'. Pack it anew under a shorter name.",
    ),
    "folders in an archive whose names are too long together": (
        "a.zip",
        zipped({f"{'d/' * 2_100}a.csv": HEAD + GOOD}),
        f"The archive a.zip holds a file whose name is too long to be unpacked: '{'d/' * 30}…'. Pack it anew under a shorter name.",
    ),
    "a zip bomb": (
        "a.zip",
        lambda: zipped({"a.csv": HEAD + GOOD * 4_000_000}),
        "a.zip unpacks to more than 100 times its size. Is it a table? Unpack it first if it is.",
    ),
    "a gzip bomb": (
        "a.csv.gz",
        lambda: gzip.compress((HEAD + GOOD * 4_000_000).encode(), compresslevel=6),
        "a.csv.gz unpacks to more than 100 times its size. Is it a table? Unpack it first if it is.",
    ),
    "a long line, compressed": (
        "a.csv.gz",
        gzip.compress((HEAD + GOOD * 3 + "1," + "x" * 3_000_000 + ",48.5,2.5\n" + GOOD).encode()),
        "a.csv.gz has a line of more than a megabyte. Is it a table with one row per line?",
    ),
    "a picture in gzip": (
        "a.csv.gz",
        gzip.compress(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        "a.csv.gz is not a text file: it holds binary data. Save its table as CSV.",
    ),
    "the end of a line in a name": (
        "a\nb.csv",
        "user_id\n1\n",
        "a\\nb.csv has a single column, 'user_id'. "
        "Are the columns separated by a comma, semicolon, tab or bar? Do lines stand above the header?",
    ),
    "a name written backwards": ("\u202evsc.csv", "", "\\u202evsc.csv is empty."),
    "Parquet by name": ("a.parquet", HEAD + GOOD, "a.parquet is not a Parquet file, or a damaged one."),
    "Arrow by name": (
        "a.feather",
        HEAD + GOOD,
        "a.feather is not an Arrow file of the present format. Save it as Parquet.",
    ),
    "half an Arrow file": (
        "a.arrow",
        arrow({"user": [1] * 99, "time": [SEPTEMBER] * 99, "zone": [5] * 99})[:-20],
        "a.arrow is a damaged Arrow file. Was it copied only in part? If not, write it anew, or save its table as CSV.",
    ),
    "text in an Arrow file that is no UTF-8": (
        "a.arrow",
        arrow(
            {
                "user": pa.array([b"a", b"\xff\xfe"], pa.binary()).view(pa.string()),
                "time": [SEPTEMBER] * 2,
                "zone": [5] * 2,
            }
        ),
        "Column 'user' of a.arrow holds text that is not UTF-8. Write the file anew with it as UTF-8, or save the table as CSV.",
    ),
    "an Arrow file without rows": (
        "a.arrow",
        arrow({"user": pa.array([], pa.int64()), "time": pa.array([], pa.timestamp("s"))}),
        "a.arrow has columns but no rows.",
    ),
    "two Parquet columns of one name": (
        "a.parquet",
        parquet([pa.array([1]), pa.array([2]), pa.array([SEPTEMBER])], ["user", "user", "time"]),
        "a.parquet has two columns named 'user', capitals aside. Rename one of them.",
    ),
    "two Parquet columns but for capitals": (
        "a.parquet",
        parquet({"user": [1], "USER": [2], "time": [SEPTEMBER], "zone": [5]}),
        "a.parquet has two columns named 'USER', capitals aside. Rename one of them.",
    ),
    "many Parquet columns": (
        "a.parquet",
        parquet({f"c{n}": [1] for n in range(4_001)}),
        "a.parquet has 4,001 columns, more than 4,000. Is the delimiter right?",
    ),
    "a nested zone": (
        "a.parquet",
        parquet({"user": [1], "time": [SEPTEMBER], "zone": [{"lac": 1}]}),
        "Column 'zone' holds struct<lac: int64>, not ids.",
    ),
    "binary users": (
        "a.parquet",
        parquet({"user": [b"a"], "time": [SEPTEMBER], "zone": [1]}),
        "Column 'user' holds binary, not ids.",
    ),
    "a clock for a time": (
        "a.parquet",
        parquet({"user": [1], "time": pa.array([3600], pa.time32("s")), "zone": [1]}),
        "Column 'time' holds time, not times.",
    ),
    "true and false for counts": (
        "a.parquet",
        parquet({"origin": [1], "destination": [2], "count": [SEPTEMBER]}),
        "Column 'count' holds timestamp(6), not numbers.",
    ),
}


@pytest.mark.parametrize("case", REFUSED_BY_NAME)
def test_refused_by_name_iv(tmp_path, workspace, case) -> None:
    name, content, sentence = REFUSED_BY_NAME[case]
    path = write(tmp_path, content() if callable(content) else content, name)
    with pytest.raises(DataError) as caught:
        read_dataset(path, workspace=workspace)
    assert str(caught.value) == sentence
    assert sorted(one.name for one in tmp_path.iterdir()) == [name]  # nothing beside it


# content -> the whole sentence
REFUSED_MORE: dict[str, tuple[str, str]] = {
    "every row too short, far down": (
        "\n\n" + HEAD + "\n1,2\n",
        "No row of data.csv has as many fields as the header: row 5 has 2, the header 4. "
        "Is a delimiter missing or not quoted?",
    ),
    "a title above the header": (
        "My export\n\n" + HEAD + GOOD,
        "data.csv has a single column, 'My export'. "
        "Are the columns separated by a comma, semicolon, tab or bar? Do lines stand above the header?",
    ),
    "two megabytes of blank lines": (
        HEAD + GOOD + "\n" * 2_100_000 + GOOD,
        "data.csv has more than a megabyte of nothing but blanks in it. Is it damaged?",
    ),
    "lines of one field": (
        HEAD + GOOD * 300 + "a\n" * 60_000,
        # All but the line that ends the scanned megabyte, and the one before the first, might be whole.
        "Most lines of data.csv, 59,998 at least, have fewer fields than the header. "
        "Is it a table with one row per line?",
    ),
    "half a megabyte of columns": (
        ",".join("a" * 499_000) + "\n1\n",
        "data.csv has 499,000 columns, more than 4,000. Is the delimiter right?",
    ),
    "degrees, minutes, seconds": (
        HEAD + "1,2014-09-13 07:24,48°30'00\"N,2°30'00\"E\n" * 2,
        "No row of data.csv can be used: 2 of 2 have an unreadable coordinate "
        "(column 'lat', row 2: '48°30\\'00\"N').",
    ),
    "control characters for users": (
        HEAD + "\x01\x02\x03" + GOOD,
        "data.csv is not a text file: it holds binary data. Save its table as CSV.",
    ),
    **{
        f"times such as {text}": (
            f"{ZONES}1|{text}|5\n",
            "No row of data.csv can be used: 1 of 1 have an unparsable time "
            f"(column 'time', row 2: {text!r}). If it is a time, say how times are written (time_format).",
        )
        for text in (
            "2014-W37-6",
            "2250-01-01 00:00",
            "2014-09-13 07:24 somewhere",
            "-1410593040",
            "٢٠١٤-٠٩-١٣",
        )
    },
}


@pytest.mark.parametrize("case", REFUSED_MORE)
def test_refused_text_iv(tmp_path, workspace, case) -> None:
    content, sentence = REFUSED_MORE[case]
    with pytest.raises(DataError) as caught:
        read_dataset(write(tmp_path, content), workspace=workspace)
    assert str(caught.value) == sentence


def row(lat: str = "48.5", lon: str = "2.5", user: str = "1", time: str = "2014-09-13 07:24") -> str:
    return f"{user},{time},{lat},{lon}\n"


# content -> kept rows, offenders: reason, place, column, value
OFFENDERS: dict[str, tuple[str | bytes, int, list[tuple[str, str, str | None, str]]]] = {
    "a header in the middle": (
        HEAD + GOOD + HEAD + GOOD,
        2,
        [("unparsable time", "row 3", "timestamp", "timestamp")],
    ),
    "another header in the middle": (
        HEAD + GOOD + "user_id,timestamp\n" + GOOD,
        2,
        [("malformed row", "row 3", None, "user_id,timestamp")],
    ),
    "a row of totals": (
        HEAD + GOOD + "Total,,,1\n",
        1,
        [("missing time", "row 3", "timestamp", "")],
    ),
    "other delimiters in the middle": (
        HEAD + GOOD + GOOD.replace(",", ";") + GOOD,
        2,
        [("malformed row", "row 3", None, GOOD.replace(",", ";").strip())],
    ),
    "a long bad row is cut": (
        HEAD + GOOD + "x" * 5_000 + "\n",
        1,
        [("malformed row", "row 3", None, "x" * 200)],
    ),
    "thousands": (HEAD + GOOD + row('"1,048.5"'), 1, [("unreadable coordinate", "row 3", "lat", "1,048.5")]),
    "digits apart": (HEAD + GOOD + row("4_8"), 1, [("unreadable coordinate", "row 3", "lat", "4_8")]),
    "hexadecimal": (HEAD + GOOD + row("0x10"), 1, [("unreadable coordinate", "row 3", "lat", "0x10")]),
    "degree signs": (HEAD + GOOD + row("48.5°"), 1, [("unreadable coordinate", "row 3", "lat", "48.5°")]),
    "hemispheres": (
        HEAD + GOOD + row("48.5N", "2.5E"),
        1,
        [("unreadable coordinate", "row 3", "lat", "48.5N")],
    ),
    "a minus of typesetters": (
        HEAD + GOOD + row("−48.5"),
        1,
        [("unreadable coordinate", "row 3", "lat", "−48.5")],
    ),
    "decimal comma in one": (
        HEAD + GOOD + row(lon='"2,5"'),
        1,
        [("unreadable coordinate", "row 3", "lon", "2,5")],
    ),
    "three of many": (
        HEAD + GOOD + row("x") * 2 + GOOD + row("y") * 2,
        2,
        [
            ("unreadable coordinate", f"row {number}", "lat", what)
            for number, what in ((3, "x"), (4, "x"), (6, "y"))
        ],
    ),
    "forty thousand of forty thousand and two": (
        "note," + HEAD + '"a\nb",' + GOOD + "c,d\n" * 40_000 + '"e\n\nf",' + GOOD,
        2,
        [("malformed row", f"row {number}", None, "c,d") for number in (4, 5, 6)],
    ),
    "after a line end in quotes": (
        "note," + HEAD + '"a\nb",' + GOOD + "c," + row("x"),
        1,
        [("unreadable coordinate", "row 4", "lat", "x")],
    ),
    "in UTF-16 with both line ends": (
        ("\ufeff" + HEAD + GOOD.strip() + "\r\n" + row("é")).encode("utf-16-le"),
        1,
        [("unreadable coordinate", "row 3", "lat", "é")],
    ),
    "compressed": (
        gzip.compress(("\n" + HEAD + GOOD + row(time="soon")).encode()),
        1,
        [("unparsable time", "row 4", "timestamp", "soon")],
    ),
    "a leap second": (
        HEAD + GOOD + row(time="2016-12-31 23:59:60"),
        1,
        [("unparsable time", "row 3", "timestamp", "2016-12-31 23:59:60")],
    ),
    "a clock beyond the day after": (
        "user,date,time,zone\n1,2026-03-02,48:10:00,5\n1,2026-03-02,08:00:00,5\n",
        1,
        [("unparsable time", "row 2", "time", "2026-03-02 48:10:00")],
    ),
    "a day or a clock missing": (
        "user,date,time,zone\n1,,08:00,5\n1,2026-03-02,,5\n1,2026-03-02,08:00,5\n",
        1,
        [("missing time", "row 2", "date", ""), ("missing time", "row 3", "time", "")],
    ),
    "an area or a cell missing": (
        "user,time,LAC,CI\n1,2026-03-02,,7\n1,2026-03-02,10,\n1,2026-03-02,10,7\n",
        1,
        [("missing place", "row 2", "LAC", ""), ("missing place", "row 3", "CI", "")],
    ),
    "offsets": (
        "user,utc_time,timezone_offset,zone\n1,2026-03-02 08:00,60,5\n1,2026-03-02 08:00,x,5\n"
        "1,2026-03-02 08:00,1441,5\n1,2026-03-02 08:00,1.5,5\n1,2026-03-02 08:00,,5\n",
        1,
        [
            ("unreadable offset", f"row {n}", "timezone_offset", text)
            for n, text in ((3, "x"), (4, "1441"), (5, "1.5"))
        ],
    ),
    "counts": (
        "origin;destination;count\n1;2;3\n1;2;-1\n1;2;1,5\n1;3;1.234.567\n",
        1,
        [
            ("unreadable count", f"row {n}", "count", text)
            for n, text in ((3, "-1"), (4, "1,5"), (5, "1.234.567"))
        ],
    ),
    "counts with a mark of thousands": (  # two thousand to most people: read as two it would be a thousand times too small
        "origin;destination;count\n1;2;3,0\n1;2;2.000\n1;2;2,000\n1;3;999.0\n1;3;12.000\n1;3;7\n",
        3,
        [
            ("unreadable count", f"row {n}", "count", text)
            for n, text in ((3, "2.000"), (4, "2,000"), (6, "12.000"))
        ],
    ),
    "counts without an end": (
        "origin,destination,count\n1,2,3\n1,2,inf\n1,2,nan\n1,3,1e400\n",
        1,
        [
            ("unreadable count", f"row {n}", "count", text)
            for n, text in ((3, "inf"), (4, "nan"), (5, "1e400"))
        ],
    ),
    "counts beyond all trips": (
        f"origin,destination,count\n1,2,100000000000000\n1,2,100000000000001\n1,2,{2**63}\n1,3,-inf\n",
        1,
        [
            ("unreadable count", f"row {n}", "count", text)
            for n, text in ((3, "100000000000001"), (4, str(2**63)), (5, "-inf"))
        ],
    ),
}


@pytest.mark.parametrize("count", [float("inf"), float("-inf"), float("nan"), 1e300, 2.5], ids=str)
def test_a_count_of_no_number_in_a_table_of_numbers_is_an_offender(tmp_path, workspace, count) -> None:
    columns = {"origin": [1, 1, 2], "destination": [2, 3, 1], "count": [3.0, count, 4.0]}
    report = read_dataset(write(tmp_path, parquet(columns)), workspace=workspace).report
    assert (report.kept, report.dropped) == (2, {"unreadable count": 1})
    (offender,) = report.examples["unreadable count"]
    assert (offender.place, offender.column, offender.value) == ("row 2", "count", str(count))


def test_ids_of_no_number_are_text_as_they_are(tmp_path, workspace) -> None:
    columns = {"user_id": [1.0, float("inf"), 1e300], "timestamp": [SEPTEMBER] * 3, "zone": [1, 2, 3]}
    dataset = read_dataset(write(tmp_path, parquet(columns)), workspace=workspace)
    assert sorted(dataset.table.user_id.to_pyarrow().to_pylist()) == ["1.0", "1e+300", "inf"]


@pytest.mark.parametrize("case", OFFENDERS)
def test_offenders_against_hand(tmp_path, workspace, case) -> None:
    content, kept, offenders = OFFENDERS[case]
    report = read_dataset(write(tmp_path, content), workspace=workspace).report
    found = [
        (reason, one.place, one.column, one.value) for reason, some in report.examples.items() for one in some
    ]
    assert (report.kept, found) == (kept, offenders)
    assert sum(report.dropped.values()) == report.rows - kept


def test_more_bad_rows_than_are_named_against_hand(tmp_path, workspace) -> None:
    content = OFFENDERS["forty thousand of forty thousand and two"][0]
    report = read_dataset(write(tmp_path, content), workspace=workspace).report
    assert (report.rows, report.dropped) == (40_002, {"malformed row": 40_000})


# content -> the kept rows
SILENT: dict[str, tuple[str, str | bytes, list[tuple[Any, ...]]]] = {
    "users that are formulas, HTML, or run backwards": (
        "a.csv",
        ZONES
        + '=cmd!A1|2014-09-13|5\n<b onload="x()">|2014-09-13|5\n\u202eabc|2014-09-13|5\n\u200b|2014-09-13|5\n',
        [(user, datetime(2014, 9, 13), 5) for user in ('<b onload="x()">', "=cmd!A1", "\u200b", "\u202eabc")],
    ),
    "a row after two million blank lines": (
        "a.csv",
        "\n".join([ZONES.strip(), "1|2014-09-13|5", *[""] * 2_040_000, "2|2014-09-13|5"]),
        [(user, datetime(2014, 9, 13), 5) for user in (1, 2)],
    ),
    "users of 19 digits": (
        "a.csv",
        ZONES + "1234567890123456788|2014-09-13|5\n1234567890123456789|2014-09-13|5\n",
        [(f"123456789012345678{n}", datetime(2014, 9, 13), 5) for n in (8, 9)],
    ),
    "hard spaces, and a mark in the middle": (
        "a.csv",
        ZONES + "1\u00a0|2014-09-13|\u00a05\n\ufeff1|2014-09-13|5\n",
        [(1, datetime(2014, 9, 13), 5)] * 2,
    ),
    "a bad row has no say in the type of ids": (
        "a.csv",
        ZONES + ZONES + "1|2014-09-13|5\nTotal||2\n",
        [(1, datetime(2014, 9, 13), 5)],
    ),
    "a name over two lines": (
        "a.csv",
        '"user_id","time","zone","any\nnote"\n1,2014-09-13,5,x\n2,2014-09-13,5,"y\nz"\n',
        [(user, datetime(2014, 9, 13), 5) for user in (1, 2)],
    ),
    "24 o'clock": ("a.csv", ZONES + "1|2014-09-13 24:00:00|5\n", [(1, datetime(2014, 9, 14), 5)]),
    "half days": (
        "a.csv",
        ZONES + "1|2014-09-13 12:05 AM|5\n1|2014-09-13 7:24 PM|5\n",
        [(1, datetime(2014, 9, 13, 0, 5), 5), (1, datetime(2014, 9, 13, 19, 24), 5)],
    ),
    "half days beside days": (
        "a.csv",
        "user,date,time,zone\n1,2014-09-13,7:24:00 PM,5\n1,2014-09-14,12:00:00 AM,5\n",
        [(1, datetime(2014, 9, 13, 19, 24), 5), (1, datetime(2014, 9, 14), 5)],
    ),
    "points in dates": ("a.csv", ZONES + "1|2014.09.13 07:24|5\n", [(1, SEPTEMBER, 5)]),
    "compact days": ("a.csv", ZONES + "1|20140913 7:24|5\n", [(1, SEPTEMBER, 5)]),
    "milliseconds": ("a.csv", ZONES + "1|1410593040000|5\n", [(1, SEPTEMBER, 5)]),
    "microseconds": ("a.csv", ZONES + "1|1410593040000000|5\n", [(1, SEPTEMBER, 5)]),
    "nanoseconds": ("a.csv", ZONES + "1|1410593040000000000|5\n", [(1, SEPTEMBER, 5)]),
    "offsets after minutes": (
        "a.csv",
        ZONES + "1|2014-09-13T07:24Z|5\n1|2014-09-13 09:24+02|5\n1|2014-09-13 7:24z|5\n",
        [(1, SEPTEMBER, 5)] * 3,
    ),
    "years to come": ("a.csv", ZONES + "1|2150-01-01 00:00|5\n", [(1, datetime(2150, 1, 1), 5)]),
    "dictionaries": (
        "a.parquet",
        parquet({"user": pa.array(["a"]).dictionary_encode(), "time": [SEPTEMBER], "zone": [5]}),
        [("a", SEPTEMBER, 5)],
    ),
    "decimals": (
        "a.parquet",
        parquet(
            {
                "user": pa.array([Decimal(7)], pa.decimal128(20, 0)),
                "time": [SEPTEMBER],
                "lat": pa.array([Decimal("48.50")], pa.decimal128(10, 2)),
                "lon": pa.array([2.5], pa.float32()),
            }
        ),
        [(7, SEPTEMBER, 48.5, 2.5)],
    ),
    "large texts": (
        "a.parquet",
        parquet({"user": pa.array(["7"], pa.large_string()), "time": [SEPTEMBER], "zone": [5]}),
        [(7, SEPTEMBER, 5)],
    ),
    "truths": (
        "a.parquet",
        parquet({"user": [True], "time": [SEPTEMBER], "zone": [5]}),
        [("true", SEPTEMBER, 5)],
    ),
    "a nested column beside": (
        "a.parquet",
        parquet({"user": [1], "time": [SEPTEMBER], "zone": [5], "more": [{"a": [1, 2]}]}),
        [(1, SEPTEMBER, 5)],
    ),
    "a time beyond all calendars": (
        "a.parquet",
        parquet(
            {
                "user": [1, 2],
                "time": pa.array([9 * 10**18, 1410593040000000], pa.timestamp("us")),
                "zone": [5, 5],
            }
        ),
        [(2, SEPTEMBER, 5)],
    ),
    "days and clocks": (
        "a.parquet",
        parquet(
            {"user": [1], "date": [date(2014, 9, 13)], "time": pa.array([26640], pa.time32("s")), "zone": [5]}
        ),
        [(1, SEPTEMBER, 5)],
    ),
    "days and clocks as texts": (
        "a.parquet",
        parquet({"user": [1], "date": ["2014-09-13"], "time": ["07:24"], "zone": [5]}),
        [(1, SEPTEMBER, 5)],
    ),
    **{
        f"Arrow, {compression}": (
            "a.arrow",
            arrow(
                {"user": pa.array(["a"]).dictionary_encode(), "time": [SEPTEMBER], "zone": [5]}, compression
            ),
            [("a", SEPTEMBER, 5)],
        )
        for compression in ("uncompressed", "lz4", "zstd")
    },
    "a name that leads out of an archive": (
        "a.zip",
        zipped({"../../x.csv": ZONES + "1|2014-09-13|5\n", "/etc/y.csv": ZONES + "2|2014-09-13|5\n"}),
        [(user, datetime(2014, 9, 13), 5) for user in (1, 2)],
    ),
    "rubbish in an archive": (
        "a.zip",
        zipped(
            {"a.csv": ZONES + "1|2014-09-13|5\n", "__MACOSX/._a.csv": b"\0\5", ".x.csv": "", "a.pdf": "%PDF"}
        ),
        [(1, datetime(2014, 9, 13), 5)],
    ),
}


@pytest.mark.parametrize("case", SILENT)
def test_silent_against_hand(tmp_path, workspace, case) -> None:
    name, content, expected = SILENT[case]
    path = write(tmp_path / "here" / "deep", content, name)
    preview_from_path(path)
    assert rows_of(read_dataset(path, workspace=workspace)) == expected
    assert [one.name for one in tmp_path.rglob("*") if one.is_file()] == [name]  # nothing was written outside


@pytest.mark.parametrize(
    "name",
    [
        r"a[1].csv",
        r"a*.csv",
        r"a?.csv",
        r"a{1,2}.csv",
        r"a'b.csv",
        r'a"b.csv',
        r"a b.csv",
        r"ä 語.csv",
        r"~a.csv",
        r"$(x).csv",
        r"a\b.csv",
        r"a%20b.csv",
        r"-.csv",
        r"#.csv",
        r"x=1.csv",
        "a\nb.csv",
    ],
)
def test_file_names_mean_themselves_against_hand(tmp_path, workspace, name) -> None:
    write(tmp_path, HEAD + "9" + GOOD[1:], "a1.csv")  # what a pattern would find
    path = write(tmp_path, HEAD + GOOD + "3,soon,1,2\n", name)
    dataset = read_dataset(path, workspace=workspace)
    assert rows_of(dataset) == [(1, SEPTEMBER, 48.5, 2.5)]
    assert (dataset.name, preview_from_path(path).name) == (name, name)
    assert [one.place for one in dataset.report.examples["unparsable time"]] == ["row 3"]


@pytest.mark.parametrize("content", [HEAD + GOOD, (HEAD + GOOD).encode("utf-16")], ids=["as it is", "copied"])
@pytest.mark.parametrize(
    "path", ["../a.csv", "../f/b.csv", "../f", "../f/*.csv", "../sub/../f/*.csv", "../../{}/a.csv"]
)
def test_a_path_that_leads_up_is_read_like_any_other(tmp_path, workspace, monkeypatch, content, path) -> None:
    for name in ("a.csv", "f/b.csv", "sub/other.csv"):
        write(tmp_path, content, name)
    monkeypatch.chdir(tmp_path / "sub")
    path = path.format(tmp_path.name)
    form = FileForm(
        mapping=ColumnMapping(
            user_id="user_id", timestamp="timestamp", lat="lat", lon="lon", time_format="%Y-%m-%d %H:%M"
        )
    )
    for how in (None, form):
        ((user, *rest),) = rows_of(read_dataset(path, workspace=workspace, form=how))
        assert [str(user), *rest] == ["1", SEPTEMBER, 48.5, 2.5]
    assert preview_from_path(Path(path)).rows == (("1", "2014-09-13 07:24", "48.5", "2.5"),)
    assert sorted(one.name for one in tmp_path.rglob("*.csv")) == ["a.csv", "b.csv", "other.csv"]


def test_a_folder_that_says_who_it_is_about_says_it_on_a_path_that_leads_up(
    tmp_path, workspace, monkeypatch
) -> None:
    write(tmp_path, TRACK, "007/Trajectory/a.plt")
    (tmp_path / "007" / "Trajectory" / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "007" / "Trajectory" / "sub")
    assert {row[0] for row in rows_of(read_dataset("../a.plt", workspace=workspace))} == {"007"}


def test_no_copy_leads_out_of_the_folder_that_it_is_put_in(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    here = tmp_path.relative_to("/")
    for path, place in (
        ("a.csv", here / "a.csv"),
        ("x/../../../b.csv", here.parents[1] / "b.csv"),
        ("/../../../c.csv", Path("c.csv")),
        ("link/../d.csv", here / "far" / "d.csv"),  # as the system takes it
        (os.fsdecode(b"e\xff.csv"), here / "e\\xff.csv"),
    ):
        assert containers.place_in(Path("/own"), Path(path)) == Path("/own") / place


@pytest.mark.parametrize("name", [b"c\xfe.csv", b"f\xfe/a.csv", b"a\xfe.parquet", b"a\xfe.zip"])
def test_a_name_that_is_no_text_is_refused_iv(tmp_path, workspace, monkeypatch, name) -> None:
    columns = parquet({"user": [1], "time": [SEPTEMBER], "zone": [5]})
    content = {b"parquet": columns, b"zip": zipped({"a.csv": HEAD + GOOD})}.get(
        name.split(b".")[1], HEAD + GOOD
    )
    monkeypatch.chdir(tmp_path)
    path = write(Path(), content, os.fsdecode(name))
    shown = re.escape(name.split(b"/")[0].removesuffix(b".zip").decode(errors="backslashreplace"))
    for given in {path, Path(path.parts[0])}:
        with pytest.raises(DataError, match=rf"^The name {shown} is not UTF-8\. Rename it\.$"):
            read_dataset(given, workspace=workspace)


def hidden_parts(folder: Path) -> None:
    write(folder, "", "_SUCCESS")
    write(folder, "\0\5\7", "._b.csv")
    write(folder, HEAD + GOOD, ".ipynb_checkpoints/a.csv")
    write(folder, HEAD + GOOD, "b.csv")


def part_without_rows(folder: Path) -> None:
    write(folder, HEAD, "a.csv")
    write(folder, HEAD + GOOD, "b.csv")


def folder_called_like_a_file(folder: Path) -> None:
    write(folder, HEAD + GOOD, "x.csv/a.csv")


def links_in_a_circle(folder: Path) -> None:
    write(folder, HEAD + GOOD, "a.csv")
    (folder / "again").symlink_to(folder, target_is_directory=True)


def pipe_beside(folder: Path) -> None:
    write(folder, HEAD + GOOD, "a.csv")
    os.mkfifo(folder / "b.csv")


FOLDERS: list[Callable[[Path], None]] = [
    hidden_parts,
    part_without_rows,
    folder_called_like_a_file,
    links_in_a_circle,
    pipe_beside,
]


@pytest.mark.parametrize("made", FOLDERS)
@pytest.mark.parametrize("pattern", ["", "**/*.csv", "**"])
def test_folders_hold_one_row_against_hand(tmp_path, workspace, made, pattern) -> None:
    folder = tmp_path / "folder"
    made(folder)
    assert rows_of(read_dataset(folder / pattern, workspace=workspace)) == [(1, SEPTEMBER, 48.5, 2.5)]
    assert preview_from_path(folder / pattern).rows == (("1", "2014-09-13 07:24", "48.5", "2.5"),)


def test_what_is_no_file_iv(tmp_path, workspace) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "round.csv").symlink_to("round.csv")
    (tmp_path / "gone.csv").symlink_to("nowhere.csv")
    write(tmp_path, HEAD + GOOD, "in/a.csv")
    outside = write(tmp_path, HEAD + GOOD, "b.csv")
    (tmp_path / "in" / "out.csv").symlink_to(outside)
    inside = tmp_path / "in"
    cases = [
        (tmp_path / "pipe.csv", None, "pipe.csv is no ordinary file. Open a file, a folder or an archive."),
        (tmp_path / "round.csv", None, "round.csv cannot be opened: Too many levels of symbolic links."),
        (tmp_path / "round.csv", tmp_path, "round.csv is a link that leads nowhere."),
        (tmp_path / "gone.csv", None, "There is no file 'gone.csv'."),
        (inside / "out.csv", inside, "out.csv leads out of the folders that may be read here."),
        (inside, inside, "out.csv leads out of the folders that may be read here."),
        (inside / "*.csv", inside, "out.csv leads out of the folders that may be read here."),
        (inside / ".." / "b.csv", inside, "b.csv leads out of the folders that may be read here."),
        (
            tmp_path / "x*.csv",
            None,
            "The pattern x*.csv holds no data files (.csv, .tsv, .psv, .txt, .plt, "
            ".parquet, .pq, .arrow, .feather, .ipc, .xlsx). Open the one that holds them.",
        ),
    ]
    for path, within, sentence in cases:
        for read in (preview_from_path, lambda *a, **k: read_dataset(*a, workspace=workspace, **k)):
            with pytest.raises(DataError) as caught:
                read(path, within=within)
            assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("recorded_in", "timezone", "texts", "expected"),
    [
        # Paris skipped 2026-03-29 02:00-03:00: 02:30 is taken as an hour later, in summer time.
        ("Europe/Paris", None, ["2026-03-29 02:30", "2026-03-29 03:30"], [datetime(2026, 3, 29, 1, 30)] * 2),
        ("Europe/Paris", "Asia/Tokyo", ["2026-03-02 08:00"], [datetime(2026, 3, 2, 16)]),
        ("Europe/Paris", "Asia/Tokyo", ["2026-03-02T08:00Z"], [datetime(2026, 3, 2, 17)]),  # says its zone
        (None, "Asia/Tokyo", ["2026-03-02 08:00"], [datetime(2026, 3, 2, 8)]),
    ],
)
def test_recorded_in_against_hand(tmp_path, workspace, recorded_in, timezone, texts, expected) -> None:
    path = write(tmp_path, ZONES + "".join(f"1|{text}|5\n" for text in texts))
    mapping = ColumnMapping(user_id="user_id", timestamp="time", zone="zone", recorded_in=recorded_in)
    dataset = read_dataset(path, mapping=mapping, timezone=timezone, workspace=workspace)
    assert [time for _, time, _ in rows_of(dataset)] == expected


def test_unknown_zone_of_recording_iv(tmp_path, workspace) -> None:
    mapping = ColumnMapping(user_id="user_id", timestamp="time", zone="zone", recorded_in="Mars")
    with pytest.raises(DataError, match=r"^recorded_in must be a name such as 'Europe/Paris', got 'Mars'\.$"):
        read_dataset(write(tmp_path, ZONES + "1|2014-09-13|5\n"), mapping=mapping, workspace=workspace)


def small_archive(n_files: int) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(n_files):
            archive.writestr(f"{number}.csv", HEAD + GOOD)
    return content.getvalue()


def test_an_archive_of_very_many_files_is_refused_before_it_is_listed_iv(tmp_path, monkeypatch) -> None:
    """By what its end says of it, which is also where a large archive (zip64) says it."""
    words = r"^data\.zip is an archive of more than 5,000 files and folders \(5,001 by its own list\)\. Join some of them, or"

    class NotOpened(zipfile.ZipFile):
        def __init__(self, *_: object) -> None:
            raise AssertionError("listed")

    path = tmp_path / "data.zip"
    for content in (small_archive(5_001), small_archive(5_001) + b"a comment that hides nothing"):
        path.write_bytes(content)
        monkeypatch.setattr(containers.zipfile, "ZipFile", NotOpened)
        for read in (preview_from_path, read_dataset):
            with pytest.raises(DataError, match=words):
                read(path)
        monkeypatch.undo()
    many = small_archive(3)
    end = many.rindex(b"PK\5\6")
    large = struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 10**6, 10**6, 200, 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    path.write_bytes(many[:end] + large + locator + many[end : end + 8] + b"\xff\xff" * 2 + many[end + 12 :])
    with pytest.raises(DataError, match=r"more than 5,000 files and folders \(1,000,000 by its own list\)"):
        preview_from_path(path)
    path.write_bytes(small_archive(3))
    assert preview_from_path(path).n_files == 3
