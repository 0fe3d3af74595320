"""PostgreSQL and nginx, by what the machine offers: `python -m team.programs` makes sure that both are there.

Installed ones are used as they are; otherwise the system's package manager is asked. Fails, rather than let
tests be skipped.
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
    "/usr/sbin",
)
PACKAGES = {  # by the program that is looked for: of Debian, of Fedora, of Homebrew
    "initdb": ("postgresql", "postgresql-server", BREW_POSTGRES),
    "nginx": ("nginx-light", "nginx", "nginx"),
}


def program(name: str) -> str | None:
    """Return the path of a server's program, or None; Debian keeps them out of the usual places."""
    folders = [path for place in PLACES for path in sorted(Path("/").glob(place[1:]), reverse=True)]
    return next((str(folder / name) for folder in folders if (folder / name).exists()), shutil.which(name))


def missing() -> list[str]:
    """Return the programs that are not there."""
    return [name for name in PACKAGES if program(name) is None]


def install(names: list[str]) -> None:
    """Ask the system's package manager for programs."""
    root = [] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["sudo", "-n"]
    debian, fedora, brew = (list(one) for one in zip(*(PACKAGES[name] for name in names), strict=True))
    if shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run([*root, "apt-get", "update", "-qq"], check=False)
        command = [*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *debian]
        subprocess.run(command, check=False, env=quiet)
    elif shutil.which("dnf"):
        subprocess.run([*root, "dnf", "install", "-y", "-q", *fedora], check=False)
    elif shutil.which("brew"):
        subprocess.run(["brew", "install", *brew], check=False)


if __name__ == "__main__":
    if missing():
        install(missing())
    if missing():
        sys.exit(f"Install PostgreSQL's server and nginx: there is no {' and no '.join(missing())}.")
    print(f"PostgreSQL: {program('initdb')}, reverse proxy: {program('nginx')}")
