"""The tables of the ledger as they are today, the same in a file and in PostgreSQL."""

from sqlalchemy import CheckConstraint, Column, Double, Integer, MetaData, Table, Text, text

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
