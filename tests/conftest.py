"""One hand-drawn world that many tests share: 3 users, 4 zones, 2 days; every answer worked out below.

Zones 1 2 3 4. Monday 2026-03-02 and Sunday 2026-03-08 are in one week, Monday 2026-03-09 in the next.

Anna (user 1), Monday: 08:10 zone 1, 08:50 zone 1, 08:55 zone 2 → hour 08 is zone 1 (two votes to one);
    09:05 zone 2 → trip 1→2 at 09; 10:00 zone 1 → trip 2→1 at 10; 12:00 zone 2: no trip, hour 11 is missing.
    Tuesday 08:00 zone 1, 09:00 zone 2 → trip 1→2 again: same week, not a new unique trip.
    So 3 trips, 2 unique: 1→2, 2→1.
Ben (user 2), Sunday 2026-03-08: 22:30 zone 3, 23:59:59 zone 4 → trip 3→4 at 23, week of 2026-03-02.
    Monday 2026-03-09: 00:00 zone 1 → trip 4→1 at 00:00, week of 2026-03-09.
    Hour 01: one record each in zones 2 and 3: a tie, the smaller zone 2 wins → trip 1→2, week of 2026-03-09.
    So 3 trips, 3 unique.
Cleo (user 3), Monday 2026-03-02: 08:00 zone 1, 09:30 zone 2 → trip 1→2 at 09. 1 trip, 1 unique.

OD counts: week 2026-03-02: 1→2: 2 (Anna, Cleo), 2→1: 1, 3→4: 1. Week 2026-03-09: 4→1: 1, 1→2: 1.
Totals: 15 records, 3 users, 7 trips, 6 unique trips, 5 flows.
"""

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer

import privlab
from privlab.kept.kept_places import CACHE_VARIABLE, RUNS_VARIABLE
from privlab.releases.ledger.ledger import LEDGER_VARIABLE
from tests.command_line import Answer, Run, answering, command_line
from tests.compiled_once import queries_compiled_once
from tests.sharing import LONGEST, WholeFiles, place_in_line

WORLD = [
    (1, "2026-03-02 08:10", 1),
    (1, "2026-03-02 08:50", 1),
    (1, "2026-03-02 08:55", 2),
    (1, "2026-03-02 09:05", 2),
    (1, "2026-03-02 10:00", 1),
    (1, "2026-03-02 12:00", 2),
    (1, "2026-03-03 08:00", 1),
    (1, "2026-03-03 09:00", 2),
    (2, "2026-03-08 22:30", 3),
    (2, "2026-03-08 23:59:59", 4),
    (2, "2026-03-09 00:00", 1),
    (2, "2026-03-09 01:10", 3),
    (2, "2026-03-09 01:20", 2),
    (3, "2026-03-02 08:00", 1),
    (3, "2026-03-02 09:30", 2),
]

# A page run by Streamlit's AppTest puts its folder at the head of sys.path and takes it away at its end. Whoever goes
# through sys.path in another thread meanwhile (a job that imports, or asks for a library's version) misses an entry,
# and with it all libraries. A folder that is there already is left alone, as `streamlit run` has it.
sys.path.append(str(Path(privlab.__file__).parent / "ui"))

# Tests assert no seconds, whatever else the machine does, and the same examples are tried in each run. To look for new
# ones: pytest --hypothesis-profile=new.
settings.register_profile("new", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("lab", settings.get_profile("new"), derandomize=True, database=None)
settings.load_profile("lab")

# The collector of garbage looks at what is new every 700 objects, which a page or a query makes in a moment.
gc.set_threshold(100_000, 50, 50)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WholeFiles:
    """Share the tests out among processes, for `-n 2`."""
    config.option.loadscopereorder = False
    return WholeFiles(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take `--quick`, for `make check`."""
    parser.addoption("--quick", action="store_true", help="leave out the files that take longest")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what takes longest, if so asked."""
    takes_long = place_in_line(collection_path.as_posix()) < len(LONGEST)
    return True if takes_long and config.getoption("--quick") else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no process is left with one of them at the end."""
    items.sort(key=lambda item: place_in_line(item.nodeid.partition("::")[0]))


@pytest.fixture(scope="session", autouse=True)
def _ledger_of_the_tests(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[None]:
    """Keep every release, run and sample that a test makes out of the files of whoever runs the tests.

    What is made of the samples is made once for all processes of a run.
    """
    folder, alone = tmp_path_factory.mktemp("ledger"), worker_id == "master"
    shared = folder if alone else tmp_path_factory.getbasetemp().parent
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(LEDGER_VARIABLE, str(folder / "ledger.sqlite"))
        patched.setenv(RUNS_VARIABLE, str(folder / "runs.sqlite"))
        patched.setenv(CACHE_VARIABLE, str(shared / "cache"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _same_queries() -> Iterator[None]:
    """Put each query into SQL once: of tests of commands that takes a sixth of the time."""
    with queries_compiled_once():
        yield


@pytest.fixture(scope="module", autouse=True)
def _what_stays() -> Iterator[list[str]]:
    """Have the collector of garbage pass over what lasts longer than a test: libraries, samples, prepared data.

    It would look at all of it whenever a page ends, which takes longer than the page. Yields a list for those that have
    opened pages: what a file's pages have loaded stays for the next of them, and is looked at when the file ends.
    """
    gc.collect()
    gc.freeze()
    loaded: list[str] = []
    yield loaded
    if loaded:
        gc.unfreeze()
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def _no_work_left(_what_stays: list[str], request: pytest.FixtureRequest) -> Iterator[None]:
    """End the sessions of a test's pages with it, and so their work."""
    yield
    if any(thread.name.startswith("privlab-job") for thread in threading.enumerate()):
        gc.collect()
        if not _what_stays:
            _what_stays.append(request.node.nodeid)
            gc.freeze()


@pytest.fixture
def world() -> pd.DataFrame:
    """Records of the hand-drawn world: user_id, time, zone."""
    frame = pd.DataFrame(WORLD, columns=["user_id", "time", "zone"])
    frame["time"] = pd.to_datetime(frame["time"], format="mixed")
    return frame


@pytest.fixture
def world_csv(world: pd.DataFrame, tmp_path: Path) -> Path:
    """The hand-drawn world as a file."""
    path = tmp_path / "world.csv"
    world.to_csv(path, index=False)
    return path


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A call of the command line that returns exit code, standard output and standard error."""
    return command_line(monkeypatch, capsys)


@pytest.fixture
def answer(cli: Run) -> Answer:
    """A call of the command line that returns its answer, or with `fails` the sentence of its refusal."""
    return answering(cli)
