"""A ledger in PostgreSQL: connections cut at every statement, the server stopped and started, and no password anywhere."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, create_engine, event, inspect
from sqlalchemy.exc import OperationalError

from privlab.checks import DataError
from privlab.od.releases.secure_release import SecureRelease
from privlab.releases.folders.kept_releases import kept_release
from privlab.releases.folders.release_folders import clear_left_overs
from privlab.releases.ledger import ledger_server
from privlab.releases.ledger.ledger import BudgetExceeded, Ledger
from privlab.releases.ledger.ledger_keys import key_path_of
from privlab.releases.ledger.ledger_places import (
    FOLDER_VARIABLE,
    LEDGER_VARIABLE,
    LedgerServer,
    ledger_place_from_environment,
    ledger_place_from_text,
)
from privlab.releases.ledger.ledger_tables import TABLES
from privlab.releases.reading.verification import verification_from_certificate
from tests.command_line import Run
from tests.releases.folders.test_release_folders import DIGEST, WHOLE, drawn, released
from tests.releases.ledger.test_ledger_files import kept_ledger
from tests.releases.postgres_cluster import PASSWORD, Cluster, schema_of

CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'privlab'"


@pytest.fixture
def ledger(server: LedgerServer) -> Ledger:
    return Ledger(server)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody wait for a server that does not come back."""
    monkeypatch.setattr(ledger_server, "_AGAIN_AFTER_S", (0.0, 0.0))


class Cuts:
    """Ends the ledger's connections just before or after its n-th statement or commit, once."""

    def __init__(self, cluster: Cluster, at: int, *, after: bool) -> None:
        self.n_seen, self._cluster, self._at, self._after = 0, cluster, at, after

    def statement(self, *_: Any) -> None:
        """Count a statement, and cut the connections at the one that was named."""
        self.n_seen += 1
        if self.n_seen == self._at:
            self._cluster.run(CUT)

    def listen(self, engine: Engine) -> None:
        """Hear of every statement and commit of an engine."""
        event.listen(
            engine, "after_cursor_execute" if self._after else "before_cursor_execute", self.statement
        )
        event.listen(engine, "commit", self.statement)  # before the commit is sent


@pytest.fixture
def cutting(
    cluster: Cluster, server: LedgerServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Cuts]]:
    """Return a function that sets where the next connections of the ledger are cut."""
    monkeypatch.setattr(ledger_server, "_AGAIN_AFTER_S", (0.0, 0.0))

    def cut(at: int, *, after: bool = False) -> Cuts:
        ledger_server._engine.cache_clear()
        cuts = Cuts(cluster, at, after=after)
        cuts.listen(ledger_server._engine(server))
        return cuts

    yield cut
    ledger_server._engine.cache_clear()


@pytest.mark.parametrize("after", [False, True])
def test_a_cost_is_written_once_wherever_the_connection_is_cut(
    ledger: Ledger, cutting: Callable[..., Cuts], after: bool
) -> None:
    ledger.set_budget(DIGEST, epsilon=1000, delta=0)
    whole = cutting(0, after=after)
    ledger.reserve_budget(DIGEST, epsilon=1, delta=0, what="", folder=Path("/nowhere"))
    assert whole.n_seen > 8
    for at in range(1, whole.n_seen + 1):
        cutting(at, after=after)
        entry = ledger.reserve_budget(DIGEST, epsilon=1, delta=0, what="", folder=Path(f"/nowhere/{at}"))
        cutting(0)
        assert ledger.account(DIGEST).entries[-1] == entry
        assert ledger.account(DIGEST).epsilon == len(ledger.account(DIGEST).entries) == at + 1
        cutting(at, after=after)
        ledger.record_certificate(entry.number, "c" * 64)
        cutting(0)
        assert ledger.account(DIGEST).entries[-1].state == "confirmed"
        cutting(at, after=after)
        ledger.set_budget(DIGEST, epsilon=1000 + at, delta=0)
        cutting(0)
        assert len(ledger.account(DIGEST).budget_changes) == at + 1
    assert ledger.check().holds
    assert len(ledger.work()) == whole.n_seen + 1


@pytest.mark.parametrize(
    "said",
    [
        psycopg.OperationalError("sending query failed: another command is already in progress"),
        psycopg.errors.AdminShutdown("terminating connection due to administrator command"),
    ],
)
def test_a_connection_that_ends_in_the_moment_of_a_statement_is_a_lost_one(
    said: psycopg.Error, ledger: Ledger, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver held it for open still, so that nothing but what was said tells that it was lost."""
    ledger.set_budget(DIGEST, epsilon=1.0, delta=0)
    failed = []

    class Choked(ledger_server.Connection):
        def execute(self, statement: Any, *more: Any, **named: Any) -> Any:
            if "LOCK TABLE" in str(statement) and not failed:
                failed.append(True)
                raise OperationalError("LOCK TABLE", {}, said)
            return super().execute(statement, *more, **named)

    monkeypatch.setattr(ledger_server._engine(ledger.place), "_connection_cls", Choked)  # type: ignore[arg-type]
    entry = ledger.reserve_budget(DIGEST, epsilon=1.0, delta=0, what="")
    assert failed
    assert ledger.account(DIGEST).entries == (entry,)
    ledger_server._engine.cache_clear()


def test_a_commit_whose_answer_is_lost_is_not_paid_for_again(
    ledger: Ledger, cluster: Cluster, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server kept the entry, and the connection fell before it could say so."""
    ledger.set_budget(DIGEST, epsilon=1.0, delta=0)
    lost = []

    class Deaf(ledger_server.Connection):
        def commit(self) -> None:
            super().commit()
            if not lost:
                lost.append(True)
                raise ledger_server.ServerGone("The connection to the ledger was lost.")

    monkeypatch.setattr(ledger_server._engine(ledger.place), "_connection_cls", Deaf)  # type: ignore[arg-type]
    entry = ledger.reserve_budget(
        DIGEST, epsilon=1.0, delta=0, what=""
    )  # all there is: a second would be refused
    assert lost
    assert ledger.account(DIGEST).entries == (entry,)
    ledger_server._engine.cache_clear()


def test_a_release_goes_on_over_a_server_that_is_stopped_and_started(
    ledger: Ledger, cluster: Cluster, tmp_path: Path
) -> None:
    for number, how in enumerate((signal.SIGINT, signal.SIGQUIT), 1):

        def meanwhile(how: signal.Signals = how) -> SecureRelease:
            cluster.stop(how)
            cluster.start()
            return drawn()

        released(tmp_path / str(number), ledger, meanwhile)
        entry = ledger.account(DIGEST).entries[-1]
        assert (entry.number, entry.state) == (number, "confirmed")
        assert verification_from_certificate(tmp_path / str(number) / "certificate.json", ledger=ledger).holds
    assert ledger.account(DIGEST).epsilon == 1.0


def test_without_its_server_nothing_is_drawn_and_what_was_paid_stays(
    ledger: Ledger, cluster: Cluster, impatient: None, tmp_path: Path
) -> None:
    def never() -> SecureRelease:
        raise AssertionError("noise was drawn without a ledger")

    def stopped() -> SecureRelease:
        cluster.stop()
        return drawn()

    said: list[str] = []
    ledger.told = said.append
    try:
        released(tmp_path / "first", ledger, stopped)  # handed over, for it was paid
        assert {path.name for path in (tmp_path / "first").iterdir()} == WHOLE
        assert said[-1].startswith("The release is made, but its entry 1 stays unconfirmed: Could not open")
        for act in (ledger.accounts, ledger.work, ledger.keys, lambda: ledger.is_there):
            with pytest.raises(DataError, match=r"^Could not open the ledger postgresql://steward@127"):
                act()
        with pytest.raises(DataError, match=r"^Could not open the ledger"):
            released(tmp_path / "second", ledger, never)
        assert not (tmp_path / "second").exists()
    finally:
        if cluster._server is None:
            cluster.start()
    (entry,) = ledger.account(DIGEST).entries
    assert entry.state == "unconfirmed"
    assert clear_left_overs(ledger) == []  # its certificate stands in its place
    assert ledger.work() == []
    assert {path.name for path in (tmp_path / "first").iterdir()} == WHOLE


def test_a_writer_that_is_killed_in_the_middle_leaves_nothing_and_keeps_nobody_out(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.set_budget(DIGEST, epsilon=1, delta=0)
    script = f"""
import os, sys
from privlab.releases.ledger import ledger_rows
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_places import ledger_place_from_text
ledger_rows.LedgerRows.note_work = lambda *_: os._exit(9)
Ledger(ledger_place_from_text(sys.argv[1])).reserve_budget(
    {DIGEST!r}, epsilon=1, delta=0, what="", folder=__import__("pathlib").Path("/nowhere"))
"""
    monkeypatch.setenv(FOLDER_VARIABLE, str(ledger.path.parent))
    assert isinstance(ledger.place, LedgerServer)
    ended = subprocess.run([sys.executable, "-c", script, ledger.place.address], check=False)
    assert ended.returncode == 9
    assert ledger.reserve_budget(DIGEST, epsilon=1, delta=0, what="").number == 1


def test_machines_share_accounts_and_budgets_and_leave_each_other_s_folders_alone(
    server: LedgerServer, tmp_path: Path
) -> None:
    here, there = Ledger(server), Ledger(replace(server, folder=tmp_path / "elsewhere"))
    here.set_budget(DIGEST, epsilon=0.6, delta=0)
    with pytest.raises(DataError) as refused:
        there.account(DIGEST)
    assert "are missing on this machine: copy ledger.key from one that has it to" in str(refused.value)
    (tmp_path / "elsewhere").mkdir(exist_ok=True)
    key_path_of(there.path).write_bytes(key_path_of(here.path).read_bytes())
    released(tmp_path / "out", here)
    entry = here.reserve_budget(DIGEST, epsilon=0.05, delta=0, what="", folder=tmp_path / "under way")
    assert there.account(DIGEST) == here.account(DIGEST)
    assert there.work() == []
    assert clear_left_overs(there) == []
    assert here.account(DIGEST).entries[-1].state == "unconfirmed"  # not failed: it may be alive
    assert clear_left_overs(here) == []
    assert there.account(DIGEST).entries[-1].state == "failed"
    with pytest.raises(BudgetExceeded):
        there.reserve_budget(DIGEST, epsilon=0.1, delta=0, what="")
    first = there.account(DIGEST).entries[0]
    assert verification_from_certificate(tmp_path / "out" / "certificate.json", ledger=there).holds
    assert kept_release(there, first) is None
    assert kept_release(here, first) is not None
    assert entry.number == 2


def test_another_ledger_s_keys_and_a_later_version_are_refused_iv(
    ledger: Ledger, cluster: Cluster, server: LedgerServer, tmp_path: Path
) -> None:
    ledger.set_budget(DIGEST, epsilon=1, delta=0)
    other = Ledger(tmp_path / "other.sqlite")
    other.set_budget(DIGEST, epsilon=1, delta=0)
    path = key_path_of(ledger.path)
    own = path.read_bytes()
    path.write_bytes(key_path_of(other.path).read_bytes())
    with pytest.raises(DataError, match="are those of another ledger"):
        ledger.accounts()
    path.write_bytes(own)
    cluster.run(f"UPDATE {schema_of(server.address)}.privlab_ledger SET version = 99")
    for act in (ledger.accounts, lambda: ledger.set_budget(DIGEST, epsilon=1, delta=0)):
        with pytest.raises(DataError, match="was written by a later version of privlab"):
            act()


def test_a_database_with_tables_of_others_is_left_as_it_is_iv(
    ledger: Ledger, cluster: Cluster, server: LedgerServer
) -> None:
    cluster.run(f"CREATE TABLE {schema_of(server.address)}.entry (title text)")
    with pytest.raises(DataError, match='relation "entry" already exists'):
        ledger.set_budget(DIGEST, epsilon=1, delta=0)
    assert not ledger.is_there


def test_a_file_and_a_server_have_the_same_tables(
    ledger: Ledger, cluster: Cluster, server: LedgerServer, tmp_path: Path
) -> None:
    """Those of a file have come step by step from an early version, those of the server are made at once."""
    Ledger(kept_ledger(tmp_path / "old.sqlite")).accounts()
    ledger.set_budget(DIGEST, epsilon=1, delta=0)

    def tables(engine: Engine, schema: str | None) -> dict[str, Any]:
        found = inspect(engine)
        return {
            name: [
                (
                    column["name"],
                    column["type"].python_type,
                    bool(column["nullable"]) and column["name"] != "number",
                )
                for column in found.get_columns(name, schema)
            ]
            for name in TABLES.tables
        }

    def keys(engine: Engine, schema: str | None) -> dict[str, Any]:
        found = inspect(engine)
        return {name: found.get_pk_constraint(name, schema)["constrained_columns"] for name in TABLES.tables}

    file = create_engine(f"sqlite:///{tmp_path / 'old.sqlite'}")
    other = ledger_server._engine(server)
    schema = schema_of(server.address)
    for look in (tables, keys):
        on_file, on_server = look(file, None), look(other, schema)
        for name in TABLES.tables:  # columns were added in another order
            assert sorted(on_file[name], key=str) == sorted(on_server[name], key=str), name
    file.dispose()


def test_the_password_is_nowhere(
    ledger: Ledger,
    cli: Run,
    cluster: Cluster,
    server: LedgerServer,
    impatient: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    ledger.told = said.append
    released(tmp_path / "out", ledger)
    said += [repr(ledger.place), ledger.name, repr(ledger), str(ledger.path)]
    monkeypatch.setenv(LEDGER_VARIABLE, server.address)
    monkeypatch.setenv(FOLDER_VARIABLE, str(server.folder))
    for words in (
        ("ledger", "show", "--json"),
        ("ledger", "show"),
        ("ledger", "public-key", "--json"),
        ("ledger", "export", 9, "--out", tmp_path / "none"),
        ("ledger", "export", 1, "--out", tmp_path / "again", "--json"),
        ("verify", tmp_path / "out" / "certificate.json", "--ledger", server.address),
    ):
        code, out, err = cli(*words)
        assert code == (2 if 9 in words else 0), err
        said += [out, err]
    shown = json.loads(said[-12])
    assert shown["ledger"] == ledger.name
    wrong = server.address.replace("127.0.0.1", "127.0.0.1:1/x@127.0.0.1")
    for address in (
        server.address.replace("/postgres?", "/none?"),
        server.address.replace("steward:", "nobody:"),
        server.address.replace("postgresql://", "mysql://"),
        server.address.replace("127.0.0.1:", "127.0.0.1:no"),
        server.address + "&nonsense=1",
        wrong,
        "postgresql://[" + PASSWORD,
        f"postgresql://steward:1/{PASSWORD}@127.0.0.1:{cluster.port}/postgres",
    ):
        place = ledger_place_from_text(address)
        said += [repr(place), Ledger(place).name]
        with pytest.raises(DataError) as refused:
            Ledger(place).set_budget(DIGEST, epsilon=1, delta=0)
        said.append(str(refused.value))
        code, out, err = cli("ledger", "show", "--ledger", address)
        assert code == 2
        said += [out, err]
    said += [
        path.read_bytes().decode("utf-8", "replace")
        for path in tmp_path.rglob("*")
        if path.is_file() and tmp_path in path.parents
    ]
    quoted = server.address.partition(":")[2].partition(":")[2].partition("@")[0]
    assert quoted != PASSWORD
    for secret in (PASSWORD, quoted):
        assert not [one for one in said if secret in one]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("postgresql://anna:secret@db.house:6432/lab?sslmode=require", "postgresql://anna@db.house:6432/lab"),
        ("postgres://db.house/lab?password=secret&user=anna", "postgresql://db.house/lab"),
        ("postgresql:///lab?host=/run/postgresql", "postgresql:///lab"),
        ("postgresql://anna:12/secret@db.house/lab", "(an address that cannot be read)"),
        ("postgresql://anna:12?secret@db.house/lab", "(an address that cannot be read)"),
        ("postgresql://anna:12#secret@db.house/lab", "(an address that cannot be read)"),
        ("postgresql://anna:12@secret@db.house/lab", "(an address that cannot be read)"),
        (" postgresql://anna:secret@db.house/lab\n", "postgresql://anna@db.house/lab"),
        ("POSTGRESQL:/anna:secret@db.house/lab", "(an address that cannot be read)"),
        ("postgres:anna:secret@db.house/lab", "(an address that cannot be read)"),
        ("host=db.house user=anna password=secret dbname=lab", "(an address that cannot be read)"),
        ("user = anna password = secret", "(an address that cannot be read)"),
        ("postgresql://anna:se%40cret@db.house/lab", "postgresql://anna@db.house/lab"),
        ("http://anna:secret@db.house/lab", "(an address that cannot be read)"),
        ("postgresql://anna:secret@db.house:x/lab", "(an address that cannot be read)"),
    ],
)
def test_what_is_said_of_an_address(
    address: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(LEDGER_VARIABLE, address)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    place = ledger_place_from_environment()
    assert isinstance(place, LedgerServer)
    assert place.name == name
    assert "secret" not in f"{place!r}{place.folder}{place.path}"


@pytest.mark.parametrize(
    "address",
    ["postgresql:/anna:secret@db.house/lab", "host=db.house password=secret", "postgresql://a:b@secret@h/l"],
)
def test_an_address_that_was_mistyped_begins_no_ledger_and_shows_no_password_iv(
    address: str, cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(LEDGER_VARIABLE, address)
    monkeypatch.chdir(tmp_path)
    for words in (
        ("ledger", "show"),
        ("ledger", "set-budget", "--account", "x", "--epsilon", 1),
        ("health", "--json"),
    ):
        code, out, err = cli(*words)
        assert code != 0
        assert "secret" not in out + err
        assert words[1] == "set-budget" or "The address of the ledger must be postgresql://" in out + err
    with pytest.raises(DataError, match="The address of the ledger must be postgresql://"):
        Ledger(ledger_place_from_environment()).set_budget(DIGEST, epsilon=1, delta=0)
    assert not list(tmp_path.iterdir())


def test_one_database_has_one_folder_whoever_opens_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    folders = [
        ledger_place_from_text(address).folder  # type: ignore[union-attr]
        for address in (
            "postgresql://anna:one@db/lab",
            "postgres://ben:two@db/lab?sslmode=require",
            "postgresql://anna:one@db/other",
            "postgresql://anna:one@db:5433/lab",
        )
    ]
    assert folders[0] == folders[1]
    assert len(set(folders)) == 3
    assert {folder.parent for folder in folders} == {tmp_path / "privlab" / "ledgers"}


def test_without_the_driver_it_says_what_to_install_iv(
    server: LedgerServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger_server._engine.cache_clear()
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DataError, match=r"pip install -r requirements-postgres\.txt"):
        Ledger(server).accounts()
