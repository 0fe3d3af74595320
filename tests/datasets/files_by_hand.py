"""How the tests write files, and how they read the rows of a dataset."""

import io
import zipfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.records import Dataset

HEAD = "user_id,timestamp,lat,lon\n"
GOOD = "1,2014-09-13 07:24,48.5,2.5\n"
TRACK = """Geolife trajectory
WGS 84
Altitude is in Feet
Reserved 3
0,2,255,My Track,0,0,2,8421376
0
39.906631,116.385564,0,492,39745.0902662037,2008-10-24,02:09:59
39.906554,116.385625,0,-777,39745.0903240741,2008-10-24,02:10:04
0,0,0,-777,39745.0903240741,2008-10-24,02:10:05
400.166666666667,116.385625,0,1.5E2,39745.0903240741,2008-10-24,02:10:06
39.906554,116.385625,0,-777,39745.0903240741,2008-10-24
39.9,116.4,0,0,39745,2008-10-24,23:59:59
"""


def write(folder: Path, content: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows_of(dataset: Dataset) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in dataset.table.to_pyarrow().to_pylist())


def archive_of(folder: Path, path: Path) -> Path:
    members = {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    path.write_bytes(zipped(members))
    return path


def zipped(members: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


def parquet(columns: Any, names: list[str] | None = None) -> bytes:
    content = io.BytesIO()
    pq.write_table(pa.table(columns, names=names), content)
    return content.getvalue()


def arrow(columns: dict[str, Any], compression: str = "uncompressed") -> bytes:
    content = io.BytesIO()
    feather.write_feather(pa.table(columns), content, compression=compression)
    return content.getvalue()


def stored(workspace: Workspace) -> list[str]:
    """Return the tables, views and files that a workspace holds."""
    ask = workspace.connection.con.execute
    tables = ask(
        "SELECT table_name FROM duckdb_tables() "
        "UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    files = (path for path in (workspace.folder / "files").rglob("*") if path.is_file())
    return sorted([name for (name,) in tables] + [str(path.relative_to(workspace.folder)) for path in files])


_SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(sheets: dict[str, list[list[Any]]], more: dict[str, str] | None = None) -> bytes:
    """Return an Excel workbook: texts, numbers, and times as days since 1899-12-30 with a format of dates."""
    names = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    package = "http://schemas.openxmlformats.org/package/2006"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r0" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_SPREADSHEET}" xmlns:r="{_RELATIONS}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">{relations}'
        f'<Relationship Id="s" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{_SPREADSHEET}"><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>',
    }
    for n, rows in enumerate(sheets.values(), 1):
        body = "".join(
            f'<row r="{at}">{"".join(_cell(cell, at, column) for column, cell in enumerate(row))}</row>'
            for at, row in enumerate(rows, 1)
        )
        parts[f"xl/worksheets/sheet{n}.xml"] = (
            f'<worksheet xmlns="{_SPREADSHEET}"><sheetData>{body}</sheetData></worksheet>'
        )
    return zipped(parts | (more or {}))


def _cell(cell: Any, row: int, column: int) -> str:
    place = f"{chr(65 + column)}{row}"
    if cell is None:
        return ""
    if isinstance(cell, datetime):
        return f'<c r="{place}" s="1"><v>{(cell - datetime(1899, 12, 30)) / timedelta(days=1)!r}</v></c>'
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{cell}</t></is></c>'
    return f'<c r="{place}"><v>{cell}</v></c>'
