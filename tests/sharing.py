"""How `make test` shares the tests out among its processes: whole files, the longest first, so that all end together.

A file is the unit because its fixtures (a server, a browser, a cluster) are made once for it.
"""

from pathlib import PurePosixPath

from xdist.scheduler import LoadScopeScheduling

# What takes longest, longest first, measured with `--junitxml`; all other files follow in their order.
LONGEST: tuple[str, ...] = ()


def place_in_line(nodeid: str) -> int:
    """Return the place of a test's file among those handed out."""
    name = PurePosixPath(nodeid.partition("::")[0]).name
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


class WholeFiles(LoadScopeScheduling):
    """Gives a process one file after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0]
