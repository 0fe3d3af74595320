"""CSV read as a table says: what pyarrow wrote comes back, and nothing longer or of other columns is read."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

from privlab.releases.writing.csv_reading import table_from_csv

TABLE = pa.table(
    {
        "week": pa.array([20_500, 20_500, 20_507], pa.date32()),
        "zone": ['a "b", c', '"' * 5_000, "ü"],
        "count": pa.array([-(2**63), 2**63 - 1, 0]),
        "share": [1.7976931348623157e308, -5e-324, 0.1],
    }
)


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for table in (TABLE, TABLE.slice(0, 0), pa.concat_tables([TABLE] * 9_000)):
        pa_csv.write_csv(table, path)
        found = table_from_csv(path, table)
        assert found is not None
        assert found.equals(table)


@pytest.mark.parametrize("content", [b"", b"a,b\n1\n", b"week,zone,count,share\nno day,a,1,2\n"])
def test_what_is_no_such_table_is_none_iv(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert table_from_csv(path, TABLE) is None


def test_what_is_longer_than_it_can_be_is_not_read_iv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    pa_csv.write_csv(TABLE, path)
    with path.open("ab") as file:
        file.truncate(10_000_000_000)

    def not_read(*_: object, **__: object) -> None:
        raise AssertionError("read")

    monkeypatch.setattr(pa_csv, "read_csv", not_read)
    assert table_from_csv(path, TABLE) is None
