"""The ledger's files: who may read them, what they hold, what is refused, and how an old ledger becomes today's."""

import hashlib
import hmac
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from privlab.checks import DataError
from privlab.kept.runs import Runs
from privlab.releases.ledger.ledger import BudgetExceeded, Ledger
from privlab.releases.ledger.ledger_keys import key_path_of, public_key_path_of
from privlab.releases.ledger.ledger_places import Place

ROOT = Path(__file__).parents[3]
KEPT = Path(__file__).parent / "kept_ledgers"
DIGEST, OTHER = "0123456789abcdef0123456789abcdef", "f" * 32
# The ledger as it was before its accounts had keyed names, word for word.
OLD = f"""
PRAGMA journal_mode = WAL;
CREATE TABLE budget (dataset TEXT PRIMARY KEY, epsilon REAL NOT NULL, delta REAL NOT NULL);
CREATE TABLE entry (number INTEGER PRIMARY KEY AUTOINCREMENT, dataset TEXT NOT NULL, made TEXT NOT NULL,
    epsilon REAL NOT NULL CHECK (epsilon > 0), delta REAL NOT NULL CHECK (delta >= 0), what TEXT NOT NULL,
    key TEXT NOT NULL, certificate TEXT);
INSERT INTO budget VALUES ('{DIGEST}', 2.0, 1e-6);
INSERT INTO budget VALUES ('{OTHER}', 7.0, 0);
INSERT INTO entry VALUES (3, '{DIGEST}', '2026-03-04T12:00:00+00:00', 0.5, 1e-7, 'one', '{"ab" * 32}', '{"c" * 64}');
INSERT INTO entry VALUES (8, '{DIGEST}', '2026-03-05T12:00:00+00:00', 1.0, 0, 'two', '{"cd" * 32}', NULL);
"""


def old_ledger(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(OLD)
    connection.close()
    return path


def kept_ledger(path: Path) -> Path:
    """Return a ledger as it was made by an earlier version of this program, with its keys beside it."""
    connection = sqlite3.connect(path)
    connection.executescript((KEPT / "version_3.sql").read_text("utf-8"))
    connection.close()
    key_path_of(path).write_bytes((KEPT / "version_3.key.json").read_bytes())
    return path


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


def test_an_old_ledger_is_brought_up_to_date_and_loses_nothing(tmp_path: Path) -> None:
    ledger = Ledger(old_ledger(tmp_path / "ledger.sqlite"))
    account = ledger.account(DIGEST)
    assert (account.epsilon, account.delta) == (1.5, 1e-7)
    assert (account.budget_epsilon, account.budget_delta) == (2.0, 1e-6)
    one, two = account.entries
    assert (one.number, one.what, one.certificate, one.state) == (3, "one", "c" * 64, "confirmed")
    assert (two.number, two.made, two.state) == (8, "2026-03-05T12:00:00+00:00", "unconfirmed")
    # What the certificates of then say of their data is still found.
    said = hashlib.blake2b(DIGEST.encode(), key=bytes.fromhex("ab" * 32), digest_size=32).hexdigest()
    assert ledger.entry_of(said) == one
    assert ledger.account(OTHER).budget_epsilon == 7
    with pytest.raises(BudgetExceeded, match=r"epsilon must be at most 0\.5"):
        ledger.reserve_budget(DIGEST, epsilon=0.6, delta=0, what="too much")
    assert ledger.reserve_budget(DIGEST, epsilon=0.5, delta=0, what="three").number == 9
    assert len(Ledger(ledger.path).accounts()) == 2


def test_nothing_of_the_plain_digests_is_left_in_any_file(tmp_path: Path) -> None:
    ledger = Ledger(old_ledger(tmp_path / "ledger.sqlite"))
    ledger.reserve_budget(DIGEST, epsilon=0.1, delta=0, what="more")
    ledger.set_budget(DIGEST, epsilon=3, delta=0)
    everything = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (DIGEST, OTHER, "ab" * 32, "cd" * 32):
        assert secret.encode() not in everything
    name = hmac.digest(ledger.keys().naming, f"account|{DIGEST}".encode(), "sha256").hex()[:32]
    assert ledger.account(DIGEST).name == name
    # The ledger without its keys cannot be asked for a digest.
    assert ledger.keys().naming.hex().encode() not in ledger.path.read_bytes()


def test_a_ledger_of_version_3_is_brought_up_to_date_and_loses_nothing(tmp_path: Path) -> None:
    ledger = Ledger(kept_ledger(tmp_path / "ledger.sqlite"))
    work = ledger.work()
    assert [(str(folder), entry and entry.number) for folder, entry in work] == [
        ("/nowhere/else", None),
        ("/nowhere/that/is", 3),
    ]
    one, two = ledger.account("a" * 32), ledger.account("b" * 32)
    assert [
        (entry.number, entry.made, entry.epsilon, entry.delta, entry.state, entry.failure, entry.who)
        for account in (one, two)
        for entry in account.entries
    ] == [
        (1, "2026-10-02T08:00:00+00:00", 0.5, 0, "confirmed", None, None),
        (2, "2026-10-03T08:00:00+00:00", 0.25, 1e-6, "failed", "OSError: No space left on device", None),
        (3, "2026-10-06T08:00:00+00:00", 0.1 + 0.2, 0, "unconfirmed", None, None),
    ]
    assert two.entries[0].what == "said in words: ρ, “quoted”"
    assert (one.epsilon, one.budget_epsilon, one.budget_delta, one.adding) == (0.75, 1.5, 1e-5, "sum")
    assert (two.budget_epsilon, two.budget_delta, two.adding) == (3, 1e-6, "concentrated")
    assert [change.made for change in one.budget_changes] == [
        "2026-10-01T08:00:00+00:00",
        "2026-10-04T08:00:00+00:00",
    ]
    with pytest.raises(BudgetExceeded, match=r"epsilon must be at most 0\.75"):
        ledger.reserve_budget("a" * 32, epsilon=0.8, delta=0, what="too much")
    assert ledger.reserve_budget("a" * 32, epsilon=0.75, delta=0, what="the rest").number == 4


def test_a_ledger_of_version_3_without_its_keys_is_refused_and_left_as_it_is_iv(tmp_path: Path) -> None:
    path = kept_ledger(tmp_path / "ledger.sqlite")
    keys = key_path_of(path)
    own = keys.read_text()
    keys.unlink()
    with pytest.raises(DataError, match=r"The keys of the ledger .* are missing"):
        Ledger(path).accounts()
    assert not keys.exists()
    Ledger(tmp_path / "other.sqlite").set_budget(DIGEST, epsilon=1, delta=0)
    keys.write_text(key_path_of(tmp_path / "other.sqlite").read_text())
    with pytest.raises(DataError, match="are those of another ledger"):
        Ledger(path).accounts()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (3,)
    connection.close()
    keys.write_text(own)
    assert len(Ledger(path).accounts()) == 2


def test_two_processes_bring_one_old_ledger_up_to_date_together(tmp_path: Path) -> None:
    path = old_ledger(tmp_path / "ledger.sqlite")
    script = (
        "import sys\nfrom pathlib import Path\nfrom privlab.releases.ledger.ledger import Ledger\n"
        f"print(Ledger(Path(sys.argv[1])).account({DIGEST!r}).epsilon)"
    )
    words = [sys.executable, "-c", script, str(path)]
    racers = [subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [racer.communicate(timeout=900)[0] for racer in racers] == ["1.5\n"] * 3


def test_files_are_for_their_owner_only_and_old_ones_are_tightened(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        ledger = Ledger(tmp_path / "new" / "deep" / "ledger.sqlite")
        ledger.set_budget(DIGEST, epsilon=1, delta=0)
        Runs(tmp_path / "new" / "runs" / "runs.sqlite").all()
        held = sqlite3.connect(ledger.path)  # while someone reads, the side files are there
        held.execute("SELECT count(*) FROM entry").fetchall()
        ledger.reserve_budget(DIGEST, epsilon=0.5, delta=0, what="")
        found = modes(ledger.path.parent)
        assert {f"ledger.sqlite{end}" for end in ("", "-wal", "-shm", ".key", ".pub")} == set(found)
        assert {name for name, mode in found.items() if mode & 0o077} == {"ledger.sqlite.pub"}
        held.close()
        assert modes(tmp_path / "new" / "runs") == {"runs.sqlite": 0o600}
        for folder in (tmp_path / "new", tmp_path / "new" / "deep", tmp_path / "new" / "runs"):
            assert folder.stat().st_mode & 0o777 == 0o700
        (tmp_path / "old").mkdir()
        old = old_ledger(tmp_path / "old" / "ledger.sqlite")
        reader = sqlite3.connect(old)
        reader.execute("SELECT count(*) FROM entry").fetchall()
        old.chmod(0o644)
        old.with_name("ledger.sqlite-wal").chmod(0o644)
        Ledger(old).account(DIGEST)
        assert not any(mode & 0o077 for name, mode in modes(old.parent).items() if not name.endswith(".pub"))
        reader.close()
    finally:
        os.umask(before)


def test_a_new_ledger_is_said_and_looking_makes_none(ledger_place: Place, tmp_path: Path) -> None:
    said: list[str] = []
    ledger = Ledger(ledger_place, told=said.append)
    assert ledger.account(DIGEST).entries == ()
    assert ledger.accounts() == []
    assert ledger.work() == []
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DataError, match="There is no ledger"):
        ledger.keys()
    assert said == []
    ledger.set_budget(DIGEST, epsilon=1, delta=0)
    ledger.set_budget(DIGEST, epsilon=2, delta=0)
    assert said == [f"A new ledger was begun: {ledger.name}."]
    assert not list(tmp_path.rglob("*.new"))


@pytest.mark.parametrize("kept", [Ledger, Runs])
def test_what_is_not_ours_is_refused_and_left_as_it_is_iv(kept: type, tmp_path: Path) -> None:
    path = tmp_path / "file.sqlite"

    def refused() -> str:
        before = path.read_bytes()
        look = Ledger(path).accounts if kept is Ledger else Runs(path).all
        with pytest.raises(DataError) as error:
            look()
        assert path.read_bytes() == before
        return str(error.value)

    path.write_bytes(b"")
    assert "is empty: something has removed what it held" in refused()
    path.unlink()
    for script, sentence in (
        ("CREATE TABLE song (title TEXT)", "of privlab. Name another file."),
        ("CREATE TABLE budget (x); CREATE TABLE run (x); CREATE TABLE song (x)", "Name another file."),
        ("PRAGMA application_id = 7; CREATE TABLE entry (x); CREATE TABLE run (x)", "Name another file."),
        ("CREATE TABLE entry (x); DROP TABLE entry", "Name another file."),
    ):
        connection = sqlite3.connect(path)
        connection.executescript(script)
        connection.close()
        assert refused().endswith(sentence)
        path.unlink()
    path.mkdir()
    look = Ledger(path).accounts if kept is Ledger else Runs(path).all
    with pytest.raises(DataError, match="is no file"):
        look()


def test_a_file_of_a_later_version_is_refused_iv(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget(DIGEST, epsilon=1, delta=0)
    connection = sqlite3.connect(ledger.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(DataError, match="was written by a later version of privlab"):
        ledger.account(DIGEST)


def test_runs_of_before_are_taken_over(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "runs.sqlite")
    connection.executescript(
        "CREATE TABLE run (key TEXT PRIMARY KEY, made TEXT NOT NULL, name TEXT NOT NULL, parameters TEXT NOT NULL, "
        "data TEXT NOT NULL, versions TEXT NOT NULL);"
        "CREATE TABLE outcome (key TEXT NOT NULL, user TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (key, user));"
        "INSERT INTO outcome VALUES ('k', 'u', 'b')"
    )
    connection.close()
    assert Runs(tmp_path / "runs.sqlite").all() == []
    connection = sqlite3.connect(tmp_path / "runs.sqlite")
    assert connection.execute("SELECT * FROM outcome").fetchall() == [("k", "u", "b")]
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()


def test_missing_damaged_or_foreign_keys_are_refused_iv(tmp_path: Path) -> None:
    ledger, other = Ledger(tmp_path / "ledger.sqlite"), Ledger(tmp_path / "other.sqlite")
    for one in (ledger, other):
        one.set_budget(DIGEST, epsilon=1, delta=0)
    path = key_path_of(ledger.path)
    own = path.read_text()
    path.write_text(key_path_of(other.path).read_text())
    with pytest.raises(DataError, match="are those of another ledger"):
        ledger.reserve_budget(DIGEST, epsilon=1, delta=0, what="")
    for damaged in ("", "[]", "{}", own.replace("naming", "nothing"), own[:60], '{"what": 1' + "0" * 5_000):
        path.write_text(damaged)
        with pytest.raises(DataError, match="does not hold the keys of a ledger"):
            ledger.account(DIGEST)
    path.unlink()
    with pytest.raises(DataError, match=r"The keys of the ledger .* are missing"):
        ledger.account(DIGEST)
    path.write_text(own)
    assert ledger.account(DIGEST).budget_epsilon == 1
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link").symlink_to(ledger.path)
    assert Ledger(tmp_path / "elsewhere" / "link").account(DIGEST).budget_epsilon == 1
    assert public_key_path_of(ledger.path).read_text().strip() == ledger.keys().public_key
    assert set(json.loads(own)) == {"what", "format", "naming", "signing"}


def test_keys_made_anew_replace_the_public_key_of_those_that_are_gone(tmp_path: Path) -> None:
    """Against the cryptography library: what the new keys sign holds under the public key that lies there."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget(DIGEST, epsilon=1, delta=0)
    path = public_key_path_of(ledger.path)
    before, mode = path.read_text(), path.stat().st_mode
    for gone in (ledger.path, key_path_of(ledger.path)):
        gone.unlink()
    ledger.set_budget(DIGEST, epsilon=1, delta=0)
    assert path.read_text() != before
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(path.read_text()))
    public.verify(bytes.fromhex(ledger.keys().signature(b"some words")), b"some words")
    assert path.stat().st_mode == mode
    assert sorted(one.name for one in tmp_path.glob("*ledger.sqlite.*")) == [
        "ledger.sqlite.key",
        "ledger.sqlite.pub",
    ]


def test_budgets_that_were_set_stay_on_record(ledger_place: Place) -> None:
    ledger = Ledger(ledger_place)
    for epsilon in (1, 3, 2):
        ledger.set_budget(DIGEST, epsilon=epsilon, delta=0)
    account = ledger.account(DIGEST)
    assert [change.epsilon for change in account.budget_changes] == [1, 3, 2]
    assert account.budget_epsilon == 2
    assert all(change.made for change in account.budget_changes)


def test_one_dataset_under_an_earlier_name_has_one_account_and_the_narrower_budget(
    ledger_place: Place,
) -> None:
    ledger = Ledger(ledger_place)
    ledger.set_budget(DIGEST, epsilon=2, delta=1e-6)
    ledger.set_budget(OTHER, epsilon=7, delta=0)
    for epsilon in (0.5, 1.0):
        ledger.reserve_budget(DIGEST, epsilon=epsilon, delta=0, what="")
    both = ledger.account(OTHER, DIGEST)
    assert (both.epsilon, both.budget_epsilon, both.budget_delta) == (1.5, 2.0, 0)
    with pytest.raises(BudgetExceeded, match=r"at most 0\.5"):
        ledger.reserve_budget(OTHER, earlier_digest=DIGEST, epsilon=0.6, delta=0, what="")
    assert ledger.account(DIGEST).epsilon == 1.5  # what was refused has moved nothing
    ledger.reserve_budget(OTHER, earlier_digest=DIGEST, epsilon=0.5, delta=0, what="")
    account = ledger.account(OTHER)
    assert (account.epsilon, account.budget_epsilon, len(account.entries)) == (2.0, 2.0, 3)
    assert ledger.account(DIGEST).entries == ()


def test_a_digest_once_noted_is_never_overwritten(ledger_place: Place) -> None:
    ledger = Ledger(ledger_place)
    made, broken = (ledger.reserve_budget(DIGEST, epsilon=1, delta=0, what="") for _ in range(2))
    ledger.record_certificate(made.number, "a" * 64)
    ledger.record_failure(broken.number, "no room")
    for again in (ledger.record_certificate, ledger.record_failure):
        for entry in (made, broken):
            with pytest.raises(DataError, match=f"no open entry {entry.number}"):
                again(entry.number, "b" * 64)
    one, two = ledger.account(DIGEST).entries
    assert (one.certificate, one.failure, one.state) == ("a" * 64, None, "confirmed")
    assert (two.certificate, two.failure, two.state) == (None, "no room", "failed")
    assert ledger.account(DIGEST).epsilon == 2  # the cost of what failed counts


def test_a_budget_by_name_needs_an_account_of_that_name_iv(ledger_place: Place) -> None:
    ledger = Ledger(ledger_place)
    ledger.set_budget(DIGEST, epsilon=1, delta=0)
    ledger.set_budget_of_account(ledger.account(DIGEST).name, epsilon=4, delta=0)
    assert ledger.account(DIGEST).budget_epsilon == 4
    with pytest.raises(DataError, match="has no account"):  # the plain digest is no name
        ledger.set_budget_of_account(DIGEST, epsilon=4, delta=0)
