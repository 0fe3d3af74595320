"""The tables of the ledger as they are today, the same in a file and in PostgreSQL."""

import math
from collections.abc import Mapping
from typing import Any

from sqlalchemy import CheckConstraint, Column, Double, Integer, MetaData, Table, Text, text

from privlab.checks import DataError

TABLES = MetaData()

OF_KEYS = Table("of_keys", TABLES, Column("mark", Text, nullable=False))

ENTRY = Table(
    "entry",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("account", Text, nullable=False),
    Column("made", Text, nullable=False),
    Column("epsilon", Double, CheckConstraint("epsilon > 0"), nullable=False),
    Column("delta", Double, CheckConstraint("delta >= 0"), nullable=False),
    Column("what", Text, nullable=False),
    Column("salt", Text),
    Column("keyed_digest", Text, nullable=False),
    Column("certificate", Text),
    Column("failure", Text),
    Column("who", Text),
)

BUDGET_CHANGE = Table(
    "budget_change",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("account", Text, nullable=False),
    Column("made", Text),
    Column("epsilon", Double, nullable=False),
    Column("delta", Double, nullable=False),
    Column("adding", Text, nullable=False, server_default=text("'sum'")),
    Column("who", Text),
)

# Limits above which a second person must approve a release, and what was asked for.
LIMIT_CHANGE = Table(
    "limit_change",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("made", Text, nullable=False),
    Column("epsilon", Double),
    Column("who", Text),
)
APPROVAL = Table(
    "approval",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("account", Text, nullable=False),
    Column("asked", Text, nullable=False),
    Column("asked_by", Text, nullable=False),
    Column("epsilon", Double, nullable=False),
    Column("delta", Double, nullable=False),
    Column("what", Text, nullable=False),
    Column("approved", Text),
    Column("approved_by", Text),
    Column("entry", Integer),
)

# Which datasets an account is of, with keyed digests of their people; a dataset without a row has an account of its own,
# under its own keyed name. And what accounts are called: the last name holds.
DATASET = Table(
    "dataset",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("dataset", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("made", Text, nullable=False),
    Column("people", Text),
    Column("who", Text),
)
ACCOUNT_TITLE = Table(
    "account_title",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("account", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("made", Text, nullable=False),
    Column("who", Text),
)

# One row for whatever was written: ledger_chain says what stands in it.
LINK = Table(
    "link",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("entry", Integer),
    Column("said", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("signature", Text, nullable=False),
)

# Folders that releases are being made for; `machine` says whose, and is empty for a ledger in a file.
WORK = Table(
    "work",
    TABLES,
    Column("machine", Text, primary_key=True),
    Column("folder", Text, primary_key=True),
    Column("entry", Integer),
)

# What a row of a table is called in sentences.
_CALLED = {
    ENTRY: "Entry",
    BUDGET_CHANGE: "Budget",
    LIMIT_CHANGE: "Limit",
    APPROVAL: "Approval",
    DATASET: "Dataset",
    ACCOUNT_TITLE: "Title",
    LINK: "Link",
}


def require_own_kinds(table: Table, row: Mapping[str, Any]) -> None:
    """Raise DataError for a row with what no ledger writes there; a file keeps any kind of value anywhere."""
    for name, value in row.items():
        column = table.c[name]
        if value is None and column.nullable:
            continue
        if isinstance(column.type, Text):
            is_own = isinstance(value, str)
        elif isinstance(column.type, Integer):
            is_own = isinstance(value, int)
        else:
            is_own = isinstance(value, int | float) and math.isfinite(value)
        if not is_own:
            raise DataError(
                f"{_CALLED[table]} {row['number']} of the ledger was changed: {name} is {value!r:.80}, which no ledger writes there. "
                "`ledger check` names all that was changed."
            )
