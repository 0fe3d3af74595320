"""What the names of folders say, in a query and beside it, against Python's own reading of such codes."""

from urllib.parse import unquote

import duckdb
import pytest

from privlab.datasets.files.folder_columns import keys_beside, said_by_names, value_sql

NAMES = [
    "u1",
    "x=y",
    "a%2Fb",
    "é",
    "%C3%A9",
    "a+b",
    "100%",
    "%zz",
    "%4",
    "%%41",
    "%25FF",
    "a'b",
    "[x]",
    "*",
    " z",
    "line\nbreak",
    "\\",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_says_the_same_in_a_query_and_beside_it(name: str) -> None:
    path = f"/data/user=boss/taps/user={name}/day=1/p.parquet"
    assert said_by_names([f"user={name}", "day=1", "2026"]) == {"user": unquote(name), "day": "1"}
    found = duckdb.execute(f"SELECT {value_sql('path', 'user')} FROM (SELECT ? AS path)", [path]).fetchone()
    assert found == (unquote(name),)


@pytest.mark.parametrize("name", ["", "%FF", "a%E2%82", "__HIVE_DEFAULT_PARTITION__"])
def test_a_name_that_is_missing_or_does_not_decode_says_nothing(name: str) -> None:
    assert said_by_names([f"user={name}"]) == {"user": ""}
    path = f"/data/user={name}/p.parquet"
    found = duckdb.execute(f"SELECT {value_sql('path', 'user')} FROM (SELECT ? AS path)", [path]).fetchone()
    assert found in ((None,), ("",))  # both are missing


@pytest.mark.parametrize(("own", "said"), [("day", "day"), ("Day", "day"), ("day", "Day")])
def test_a_column_of_the_file_comes_before_one_of_a_folder_capitals_aside(own: str, said: str) -> None:
    """To the database both are one name: asked for twice, it would be the folder's for some files and the file's for others."""
    assert keys_beside(["user", said], [own, "zone"]) == ("user",)
