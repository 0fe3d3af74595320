"""Runs of the game, kept target by target: what was played, with what, and what came out.

One SQLite file, written ahead (WAL). A process that dies loses at most the targets in work; the next one
goes on where it stopped. The file names people of the data and says how surely they are recognised.
"""

import hashlib
import importlib.metadata
import json
import logging
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from privlab import __version__
from privlab.aggregates import Traces
from privlab.aggregates.findings import GameResult, TargetOutcome, target_outcome_from_dict
from privlab.aggregates.game import GAME_VERSION
from privlab.aggregates.game_rules import GameParameters, game_parameters_from_dict
from privlab.checks import ParameterError
from privlab.kept.databases import opened_database
from privlab.kept.kept_places import RUNS_KIND

_UNREADABLE = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError)
_log = logging.getLogger(__name__)
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


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


def versions_of_runs() -> dict[str, str]:
    """Return the versions that the outcome of a game may depend on."""
    own = {"privlab": __version__, "game": str(GAME_VERSION)}
    return own | {name: importlib.metadata.version(name) for name in _LIBRARIES}


class Runs:
    """The runs in one file, made where it is missing. Every call is one transaction of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open = threading.local()  # a connection belongs to the thread that opened it

    def __reduce__(self) -> tuple[type["Runs"], tuple[Path]]:
        """Be pickled as the path: another process opens the file itself."""
        return Runs, (self.path,)

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Make all calls of this thread within the block by one connection; each still is a transaction."""
        if getattr(self._open, "connection", None) is not None:
            yield
            return
        with opened_database(self.path, RUNS_KIND) as connection:
            self._open.connection = connection
            try:
                yield
            finally:
                self._open.connection = None

    def begin_run(self, traces: Traces, parameters: GameParameters) -> Run:
        """Return the run of these parameters on these traces, written down if it is new.

        A run that is there already is given the number of targets asked for now.
        """
        data, versions = _data(traces) | _positions(traces, parameters), versions_of_runs()
        key = _key(parameters, data, versions)
        made = datetime.now(UTC).isoformat(timespec="seconds")
        values = (key, made, traces.name, _json(parameters.as_dict()), _json(data), _json(versions))
        with self._connection() as connection:
            connection.execute(
                "INSERT INTO run (key, made, name, parameters, data, versions) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET name = excluded.name, parameters = excluded.parameters, "
                "data = excluded.data, versions = excluded.versions",
                values,
            )
            return _runs(connection, key)[0]

    def save_outcome(self, key: str, outcome: TargetOutcome) -> None:
        """Write down the outcome of one target of a run."""
        with self._connection() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO outcome (key, user, body) VALUES (?, ?, ?)",
                (key, str(outcome.user), _body(key, outcome)),
            )

    def outcomes(self, key: str) -> dict[str, TargetOutcome]:
        """Return what is there of a run, by the target's id as text, in the order of their turns.

        An outcome that was changed or damaged is not there: its target is played anew, and the log says so.
        """
        with self._connection() as connection:
            rows = connection.execute("SELECT user, body FROM outcome WHERE key = ?", (key,)).fetchall()
        found = {}
        for user, body in rows:
            try:
                found[user] = _outcome(key, user, body)
            except _UNREADABLE:
                _log.warning("An outcome of the run %s is damaged: its target is played anew.", key)
        return dict(sorted(found.items(), key=lambda pair: pair[1].turn))

    def all(self) -> list[Run]:
        """Return all runs that can be read, the newest first, whatever the clock said when they were made."""
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

    def delete_run(self, key: str) -> None:
        """Remove a run and its outcomes."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM outcome WHERE key = ?", (key,))
            connection.execute("DELETE FROM run WHERE key = ?", (key,))
            connection.execute("COMMIT")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with self.kept_open():
            yield self._open.connection


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


def _positions(traces: Traces, parameters: GameParameters) -> dict[str, Any]:
    """Return where zones lie, of a game that asks for it."""
    if parameters.prior != "zero-knowledge" or traces.positions is None:
        return {}
    return {"positions": hashlib.blake2b(traces.positions.tobytes(), digest_size=16).hexdigest()}


def _key(parameters: GameParameters, data: dict[str, Any], versions: dict[str, str]) -> str:
    played = {name: value for name, value in parameters.as_dict().items() if name != "targets"}
    text = _json({"parameters": played, "data": data, "versions": versions})
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _body(key: str, outcome: TargetOutcome) -> str:
    """Return what is kept of an outcome: all of it, and a digest by which it is known again."""
    said = outcome.as_dict()
    return _json(said | {"digest": _digest(key, said)})


def _digest(key: str, said: dict[str, Any]) -> str:
    return hashlib.blake2b(f"{key}\n{_json(said)}".encode(), digest_size=16).hexdigest()


def _outcome(key: str, user: str, body: str) -> TargetOutcome:
    """Return the outcome that was kept. Raises one of _UNREADABLE for what no run wrote; earlier ones wrote no digest."""
    said = json.loads(body)
    digest = said.pop("digest", None)
    outcome = target_outcome_from_dict(said)
    is_whole = bool(outcome.scores) and isinstance(outcome.turn, int) and str(outcome.user) == user
    if not is_whole or _json(outcome.as_dict()) != _json(said) or digest not in (None, _digest(key, said)):
        raise ValueError(user)
    return outcome


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)


def _runs(connection: sqlite3.Connection, key: str | None) -> list[Run]:
    rows: Sequence[Any] = connection.execute(
        "SELECT key, made, name, parameters, data, versions, "
        "(SELECT count(*) FROM outcome WHERE outcome.key = run.key) FROM run "
        "WHERE ?1 IS NULL OR key = ?1 ORDER BY rowid DESC",
        (key,),
    ).fetchall()
    found = []
    for row in rows:
        try:
            run = Run(
                key=row[0],
                made=row[1],
                name=row[2],
                parameters=game_parameters_from_dict(json.loads(row[3])),
                data=json.loads(row[4]),
                versions=json.loads(row[5]),
                n_outcomes=row[6],
            )
        except (*_UNREADABLE, ParameterError):
            _log.warning("The run %s is damaged, and left out until it is played again.", row[0])
        else:
            found.append(run)
    return found
