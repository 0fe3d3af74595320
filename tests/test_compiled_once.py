"""Queries that are made of the same are known again, in whatever database; all others are told apart."""

from typing import Any

import ibis
import pyarrow as pa
import pytest

from tests.compiled_once import part_of, queries_compiled_once

SCHEMA = {"user_id": "int64", "zone": "string", "time": "timestamp"}


def query(*, name: str = "rows", user: Any = 1, column: str = "zone", schema: dict[str, str] = SCHEMA) -> Any:
    table = ibis.duckdb.connect().create_table(name, schema=schema)
    return table.filter(table.user_id == user).group_by(column).agg(n=ibis._.count())


def test_the_same_query_in_two_databases_is_one() -> None:
    assert part_of(query().op()) == part_of(query().op())
    assert str(ibis.to_sql(query())) == str(ibis.to_sql(query()))


@pytest.mark.parametrize(
    "other",
    [
        {"name": "others"},
        {"user": 2},
        {"user": 1.0},
        {"column": "time"},
        {"schema": SCHEMA | {"zone": "int64"}},
        {"schema": SCHEMA | {"more": "string"}},
    ],
)
def test_another_query_is_another(other: dict[str, Any]) -> None:
    assert part_of(query().op()) != part_of(query(**other).op())


def test_rows_of_its_own_make_a_query_one_that_is_not_known_again() -> None:
    assert part_of(ibis.memtable(pa.table({"n": [1]})).op()) is None


def test_what_is_known_again_gives_the_rows_of_its_own_database() -> None:
    answers = []
    with queries_compiled_once():
        for n in (1, 2):
            base = ibis.duckdb.connect()
            base.raw_sql(f"CREATE TABLE rows AS SELECT range AS n FROM range({n})")
            table = base.table("rows")
            answers.append(table.agg(n=table.count()).to_pyarrow()["n"].to_pylist())
    assert answers == [[1], [2]]
