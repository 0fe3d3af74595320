"""The command line: one file per group of commands, each of which loads what it needs when it runs.

Rooms: options, printing; flows, groups, fingerprints, releases (the commands). Uses lab and everything below.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.cli.main import (
        run,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "run",
]
