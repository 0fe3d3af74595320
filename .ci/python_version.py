"""End with a sentence if this is no Python that the pinned packages are built for. Runs on any Python, even an old one."""

import sys

OLDEST, NEWEST = (3, 11), (3, 14)
SAID = (
    "The packages that privlab needs are built for Python {0}.{1} to {2}.{3}; this is {4}. "
    "Name another: make run PYTHON=python{2}.{3}"
)
if not OLDEST <= sys.version_info[:2] <= NEWEST:
    sys.exit(SAID.format(*(OLDEST + NEWEST + (sys.version.split()[0],))))
