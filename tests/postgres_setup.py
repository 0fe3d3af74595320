"""Make sure there is a PostgreSQL server that the tests of the ledger can start, by what the machine offers.

An installed one is used as it is; otherwise the system's package manager is asked. Fails, rather
than let tests be skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

BREW_POSTGRES = "postgresql@16"
PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    f"/opt/homebrew/opt/{BREW_POSTGRES}/bin",
    f"/usr/local/opt/{BREW_POSTGRES}/bin",
)


def program(name: str) -> str | None:
    """Return the path of one of the server's programs, or None; Debian keeps them out of the usual places."""
    folders = [path for place in PLACES for path in sorted(Path("/").glob(place[1:]), reverse=True)]
    return next((str(folder / name) for folder in folders if (folder / name).exists()), shutil.which(name))


def is_there() -> bool:
    """Return whether a server could be made and started."""
    return program("initdb") is not None and program("postgres") is not None


def install() -> None:
    """Ask the system's package manager for a server."""
    root = [] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run([*root, "apt-get", "update", "-qq"], check=False)
        command = [*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "postgresql"]
        subprocess.run(command, check=False, env=quiet)
    elif shutil.which("dnf"):
        subprocess.run([*root, "dnf", "install", "-y", "-q", "postgresql-server"], check=False)
    elif shutil.which("brew"):
        subprocess.run(["brew", "install", BREW_POSTGRES], check=False)


if __name__ == "__main__":
    if not is_there():
        install()
        if not is_there():
            sys.exit(
                "No PostgreSQL could be found or installed; install its server, with initdb and postgres."
            )
    print(f"PostgreSQL for the tests: {program('postgres')}")
