"""How the machine is said to be: against the operating system's own figures, and problems made on purpose."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from privlab.datasets.folders import PrivateFolder
from privlab.kept.kept_places import RUNS_VARIABLE
from privlab.lab.ledgers import health
from privlab.lab.ledgers.health import health_of_machine
from privlab.releases.ledger.ledger import LEDGER_VARIABLE, Ledger
from privlab.releases.ledger.ledger_places import FOLDER_VARIABLE, ledger_place_from_text
from privlab.ui.work.fair_turns import Turns
from tests.command_line import Run
from tests.releases.folders.test_release_folders import released


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger's place, and places of temporary files and samples, that are this test's own."""
    for variable, name in (("TMPDIR", "scratch"), ("PRIVLAB_CACHE", "cache")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path / "ledger.sqlite"


def test_figures_against_the_system(place: Path, tmp_path: Path) -> None:
    released(tmp_path / "one", Ledger(place))
    (tmp_path / "cache" / "trips-city-0.sample").write_bytes(b"x" * 3_000_000)
    with PrivateFolder("test-") as folder:
        (folder / "rows").write_bytes(b"x" * 2_000_000)
        found = health_of_machine(place)
    assert (found.private_folders, found.left_behind, found.private_mb, found.cache_mb) == (1, 0, 2, 3)
    assert (found.ledger.entries, found.ledger.chain_holds, found.ledger.says) == (1, True, "")
    free = shutil.disk_usage(tmp_path).free / 1e6
    assert all(disk.free_mb == pytest.approx(free, rel=0.2) for disk in found.disks)
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert found.memory_total_mb == pytest.approx(pages / 1e6, rel=0.01)
    assert found.process_mb is not None
    assert 20 < found.process_mb < found.memory_total_mb
    assert str(tmp_path) not in json.dumps([disk.what for disk in found.disks])


def test_what_is_wrong_is_said(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tmp_path / "scratch" / "privlab-dead"
    left.mkdir()
    (left / ".owner").touch()  # nobody holds it
    full = SimpleNamespace(total=10**12, free=4 * 10**8)
    monkeypatch.setattr(health.shutil, "disk_usage", lambda path: full)
    monkeypatch.setattr(
        health, "system_figures_mb", lambda file, names: {"MemTotal": 10_000, "MemAvailable": 100}
    )
    released(tmp_path / "one", Ledger(place))
    with closing(sqlite3.connect(place)) as raw:
        raw.execute("UPDATE entry SET epsilon = 0.01")
        raw.commit()
    found = health_of_machine(place)
    assert not found.is_well
    said = " ".join(found.problems)
    for sentence in (
        "Only 400 MB are free for temporary files.",
        "Only 100 of 10,000 MB of memory are free.",
        "1 private folder was left behind",
        "The ledger's chain does not check: Entry 1",
    ):
        assert sentence in said
    place.write_bytes(b"no ledger")
    damaged = health_of_machine(place).ledger
    assert (damaged.is_there, damaged.answers) == (True, False)


def test_the_disks_are_those_that_are_written_to(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which disk is looked at is told by how much is free: as many bytes as its path has letters, each a million."""

    def usage(path: Path) -> SimpleNamespace:
        return SimpleNamespace(total=10**12, free=len(str(path)) * 10**6)

    monkeypatch.setattr(health.shutil, "disk_usage", usage)
    (tmp_path / "a folder of runs").mkdir()
    for runs, parts in (
        (tmp_path / "runs.sqlite", {"ledger, keys, releases and runs": tmp_path}),
        (
            tmp_path / "a folder of runs" / "runs.sqlite",
            {"ledger, keys and releases": tmp_path, "runs": tmp_path / "a folder of runs"},
        ),
    ):
        monkeypatch.setenv(RUNS_VARIABLE, str(runs))
        found = {disk.what: disk.free_mb for disk in health_of_machine(place).disks}
        assert {what: found.get(what) for what in parts} == {
            what: len(str(folder)) for what, folder in parts.items()
        }
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "scratch"))
    house = ledger_place_from_text("postgresql://ann@127.0.0.1:1/house")
    on_this_machine = {disk.what: disk.free_mb for disk in health_of_machine(house).disks}
    assert on_this_machine["keys and releases"] == len(str(tmp_path / "scratch"))


def test_the_command_answers_with_the_same(cli: Run, place: Path, tmp_path: Path) -> None:
    code, out, err = cli("health", "--json", "--ledger", place)
    told = json.loads(out)
    assert (code, err) == (0 if told["is_well"] else 1, "")
    assert told["ledger"]["is_there"] is False
    place.write_bytes(b"no ledger")
    assert cli("health", "--ledger", place)[0] == 1


def test_turns_are_counted() -> None:
    turns = Turns(1)
    with turns.turn(lambda: None):
        assert turns.counts() == (1, 0)
    assert turns.counts() == (0, 0)


def looked_at() -> None:
    from privlab.ui.publish import health_view

    health_view.health_on_request()


def test_the_view_is_for_who_may_release(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LEDGER_VARIABLE, str(place))
    at = AppTest.from_function(looked_at, default_timeout=900).run()
    assert not at.metric
    at.button(key="look_at_health").click().run()
    assert not at.exception
    shown = {one.label: one.value for one in at.metric}
    assert shown["Jobs running"] == "0"
    assert shown["Kept samples"] == "0 MB"
    assert any("There is no ledger" in one.value for one in at.caption)
    at.secrets["roles"] = {"release": ["ann@house.org"]}  # whom this visitor is not
    at.run()
    assert not at.button
