"""Runs of the game, kept target by target: what was played, with what, and what came out.

One SQLite file, written ahead (WAL). A process that dies loses at most the targets in work; the next one
goes on where it stopped. The file names people of the data and says how surely they are recognised.
"""

import hashlib
import importlib.metadata
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from privlab import __version__
from privlab.aggregates.bound_checks import BoundCheck, bound_checks_from_result
from privlab.aggregates.game import GAME_VERSION
from privlab.aggregates.groups import targets_from_traces
from privlab.aggregates.outcomes import TargetOutcome, target_outcome_from_dict
from privlab.aggregates.parameters import GameParameters, game_parameters_from_dict
from privlab.aggregates.plan import plan_from_parameters
from privlab.aggregates.play import outcomes_from_traces
from privlab.aggregates.results import GameResult
from privlab.aggregates.traces import Traces
from privlab.checks import ParameterError
from privlab.kept_databases import DatabaseKind, opened_database
from privlab.progress import Report, silent
from privlab.store import data_folder

RUNS_VARIABLE = "PRIVLAB_RUNS"

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
_TABLES = (
    "CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, made TEXT NOT NULL, name TEXT NOT NULL, "
    "parameters TEXT NOT NULL, data TEXT NOT NULL, versions TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS outcome (key TEXT NOT NULL, user TEXT NOT NULL, body TEXT NOT NULL, "
    "PRIMARY KEY (key, user))",
)


def _make_tables(connection: sqlite3.Connection) -> None:
    for table in _TABLES:
        connection.execute(table)


_KIND = DatabaseKind(
    name="runs", application_id=0x7072526E, unmarked=frozenset({"run", "outcome"}), steps=(_make_tables,)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A game in the store: parameters, data and versions, and how many of its targets are there.

    `key` is their digest; the number of targets is no part of it, so that a run can be carried on to
    more of them. `data` tells digest, zones, days and users; `name` is that of the dataset.
    """

    key: str
    made: str
    name: str
    parameters: GameParameters
    data: dict[str, Any]
    versions: dict[str, str]
    n_outcomes: int


def runs_path_from_environment() -> Path:
    """Return where runs are kept: the variable PRIVLAB_RUNS, else the user's data folder."""
    named = os.environ.get(RUNS_VARIABLE)
    return Path(named) if named else data_folder() / "runs.sqlite"


def versions_of_runs() -> dict[str, str]:
    """Return the versions that the outcome of a game may depend on."""
    own = {"privlab": __version__, "game": str(GAME_VERSION)}
    return own | {name: importlib.metadata.version(name) for name in _LIBRARIES}


class Runs:
    """The runs in one file, made where it is missing. Every call is one transaction of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begun(self, traces: Traces, parameters: GameParameters) -> Run:
        """Return the run of these parameters on these traces, written down if it is new.

        A run that is there already is given the number of targets asked for now.
        """
        data, versions = _data(traces), versions_of_runs()
        key = _key(parameters, data, versions)
        made = datetime.now(UTC).isoformat(timespec="seconds")
        values = (key, made, traces.name, _json(parameters.as_dict()), _json(data), _json(versions))
        with self._connection() as connection:
            connection.execute(
                "INSERT INTO run (key, made, name, parameters, data, versions) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET parameters = excluded.parameters",
                values,
            )
            return _runs(connection, key)[0]

    def save(self, key: str, outcome: TargetOutcome) -> None:
        """Write down the outcome of one target of a run."""
        with self._connection() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO outcome (key, user, body) VALUES (?, ?, ?)",
                (key, str(outcome.user), _json(outcome.as_dict())),
            )

    def outcomes(self, key: str) -> dict[str, TargetOutcome]:
        """Return what is there of a run, by the target's id as text, in the order of their turns."""
        with self._connection() as connection:
            rows = connection.execute("SELECT user, body FROM outcome WHERE key = ?", (key,)).fetchall()
        found = [(user, target_outcome_from_dict(json.loads(body))) for user, body in rows]
        return dict(sorted(found, key=lambda pair: pair[1].turn))

    def all(self) -> list[Run]:
        """Return all runs, the newest first, whatever the clock said when they were made."""
        with self._connection() as connection:
            return _runs(connection, None)

    def reopened(self, key: str) -> tuple[Run, GameResult]:
        """Return a run and its result so far. Raises ParameterError if there is no such run."""
        with self._connection() as connection:
            found = _runs(connection, key)
        if not found:
            raise ParameterError(f"run must be one of the {len(self.all())} that are kept, got {key!r}.")
        outcomes = tuple(self.outcomes(key).values())
        n_left = max(0, found[0].parameters.targets - len(outcomes))
        return found[0], GameResult(parameters=found[0].parameters, outcomes=outcomes, n_left=n_left)

    def forgotten(self, key: str) -> None:
        """Remove a run and its outcomes."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM outcome WHERE key = ?", (key,))
            connection.execute("DELETE FROM run WHERE key = ?", (key,))
            connection.execute("COMMIT")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with opened_database(self.path, _KIND) as connection:
            yield connection


def game_result_from_traces(
    traces: Traces,
    parameters: GameParameters,
    *,
    runs: Runs | None = None,
    workers: int = 1,
    report: Report = silent,
    heard: Callable[[TargetOutcome], None] = lambda outcome: None,
) -> GameResult:
    """Return the result of a game, held against its bounds as `checked_game_from_traces` does."""
    return checked_game_from_traces(
        traces, parameters, runs=runs, workers=workers, report=report, heard=heard
    )[0]


def checked_game_from_traces(
    traces: Traces,
    parameters: GameParameters,
    *,
    runs: Runs | None = None,
    workers: int = 1,
    report: Report = silent,
    heard: Callable[[TargetOutcome], None] = lambda outcome: None,
) -> tuple[GameResult, list[BoundCheck]]:
    """Return the result of a game, and each AUC of a defended release beside its bound.

    Raises BoundViolation if a proven bound is exceeded beyond sampling error. Targets that `runs` has
    already are not played again.

    `report(share, words)` is told how far the game is and how long it may still take, and may end it by
    raising: what was played stays in `runs`. `heard` is given each outcome as it is there. The result
    is the same for any number of `workers`, and however often the game was stopped on the way.
    """
    plan_from_parameters(parameters, traces)
    targets = targets_from_traces(traces, parameters.targets, seed=parameters.seed)
    run = None if runs is None else runs.begun(traces, parameters)
    known = {} if runs is None or run is None else runs.outcomes(run.key)
    done = {target.user: known[str(target.user)] for target in targets if str(target.user) in known}
    for outcome in done.values():
        heard(outcome)
    progress = _Progress(len(done), len(targets), report)
    left = [target for target in targets if target.user not in done]
    if left:
        for outcome in outcomes_from_traces(traces, parameters, left, workers=workers, waiting=progress.told):
            if runs is not None and run is not None:
                runs.save(run.key, outcome)
            done[outcome.user] = outcome
            heard(outcome)
            progress.advanced()
    outcomes = tuple(done[target.user] for target in targets)
    result = GameResult(parameters=parameters, outcomes=outcomes, n_left=0)
    return result, bound_checks_from_result(traces, result)


class _Progress:
    """How many targets are done, and how long the rest may take at the pace so far."""

    def __init__(self, n_known: int, n_targets: int, report: Report) -> None:
        self._n_known, self._n_done, self._n_targets = n_known, n_known, n_targets
        self._report, self._began = report, time.monotonic()

    def advanced(self) -> None:
        self._n_done += 1
        self.told()

    def told(self) -> None:
        played, words = self._n_done - self._n_known, f"{self._n_done} of {self._n_targets} targets"
        if played and self._n_done < self._n_targets:
            seconds = (time.monotonic() - self._began) / played * (self._n_targets - self._n_done)
            words += f", about {_span(seconds)} left"
        self._report(self._n_done / self._n_targets, words)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _data(traces: Traces) -> dict[str, Any]:
    return {
        "digest": traces.digest,
        "zones": traces.zones_spec,
        "zone_ids": hashlib.blake2b(repr(traces.zones.tolist()).encode(), digest_size=16).hexdigest(),
        "null_zone": traces.null_zone,
        "first_day": traces.first_day.isoformat(),
        "last_day": traces.last_day.isoformat(),
        "users": traces.n_users,
        "reports": int(traces.zone.size),
    }


def _key(parameters: GameParameters, data: dict[str, Any], versions: dict[str, str]) -> str:
    played = {name: value for name, value in parameters.as_dict().items() if name != "targets"}
    text = _json({"parameters": played, "data": data, "versions": versions})
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)


def _runs(connection: sqlite3.Connection, key: str | None) -> list[Run]:
    rows: Sequence[Any] = connection.execute(
        "SELECT key, made, name, parameters, data, versions, "
        "(SELECT count(*) FROM outcome WHERE outcome.key = run.key) FROM run "
        "WHERE ?1 IS NULL OR key = ?1 ORDER BY rowid DESC",
        (key,),
    ).fetchall()
    return [
        Run(
            key=row[0],
            made=row[1],
            name=row[2],
            parameters=game_parameters_from_dict(json.loads(row[3])),
            data=json.loads(row[4]),
            versions=json.loads(row[5]),
            n_outcomes=row[6],
        )
        for row in rows
    ]
