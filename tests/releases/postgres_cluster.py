"""A real PostgreSQL of the tests' own: a cluster in a folder, on a port that is free, gone when the tests end.

It asks for a password, so that every address holds one that must never be seen. Nothing is synchronised to
the disk: the server falls and rises in these tests, the machine does not.
"""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from privlab.releases.ledger.ledger_places import Place
from team.programs import program

PASSWORD = "seven/owls&a moon"
USER = "steward"


class Cluster:
    """A server that can be stopped and started; `address` names a schema of its own each time."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="privlab-postgres-"))
        self._numbers = itertools.count(1)
        self._server: subprocess.Popen[bytes] | None = None
        # PostgreSQL does not run as root; Debian's package brings a user for it.
        self._as: dict[str, Any] = {"cwd": self.folder}
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self._as |= {"user": "postgres", "group": "postgres", "extra_groups": []}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        command = [str(program("initdb")), "-D", "data", "-U", USER, "--pwfile", str(secret)]
        command += ["--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--locale=C"]
        subprocess.run(command, check=True, capture_output=True, **self._as)
        self.start()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        command = [
            str(program("postgres")),
            "-D",
            "data",
            "-F",
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-k",
            "",
        ]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(command, stdout=log, stderr=log, **self._as)
        end = time.monotonic() + 900
        while True:
            try:
                with self.connection():
                    return
            except psycopg.OperationalError:
                if self._server.poll() is not None or time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: at once with SIGINT, as in a fall with SIGQUIT. Connections are cut."""
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(900)
            self._server = None

    def remove(self) -> None:
        """End the server and remove all that was its."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def connection(self) -> "psycopg.Connection[Any]":
        """Return a connection beside those of the ledger."""
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, password=PASSWORD, dbname="postgres", autocommit=True
        )

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements, and return the rows of the last one."""
        with self.connection() as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def address(self) -> str:
        """Return the address of a ledger that is not there yet, in a schema of its own."""
        schema = f"ledger_{next(self._numbers)}"
        self.run(f"CREATE SCHEMA {schema}")
        whose = f"{USER}:{quote(PASSWORD, safe='')}"
        return f"postgresql://{whose}@127.0.0.1:{self.port}/postgres?options=-csearch_path%3D{schema}"


def named(place: Place) -> str:
    """Return what a command is given for a place."""
    return str(place) if isinstance(place, Path) else place.address


def schema_of(address: str) -> str:
    """Return the schema that an address names."""
    return address.rpartition("%3D")[2]
