"""How kernels are compiled: where nothing can be kept, and what kept code cannot notice."""

import ast
import os
import subprocess
import sys
from pathlib import Path

from privlab.fingerprints.search import compiled

FOLDER = Path(compiled.__file__).parents[1]


_WITHOUT_A_PLACE = """
import numpy as np
from privlab.aggregates.counting import statistics_from_aggregates
from privlab.fingerprints.search.compiled import kernel

@kernel
def twice(number):
    return 2 * number

assert not twice.stats.cache_path
mean, _, _, median, *rest = statistics_from_aggregates(np.array([[[1, 2, 6]]]))[0].tolist()
print(twice(21), mean, median, rest)
"""


def test_kernels_run_where_no_machine_code_can_be_kept() -> None:
    """As for a service without a home whose program lies where it may not write; 1, 2 and 6 have the mean 3 and the median 2."""
    nowhere = {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator", "NUMBA_CACHE_DIR": "/proc/none"}
    command = [sys.executable, "-c", _WITHOUT_A_PLACE]
    ended = subprocess.run(
        command, env=os.environ | nowhere, capture_output=True, text=True, timeout=600, check=False
    )
    assert (ended.stdout, ended.stderr) == ("42 3.0 2.0 [1.0, 6.0, 9.0]\n", "")


def test_kernels_call_kernels_of_their_own_file_only() -> None:
    # Compiled code that is kept on disk does not notice a change in another file.
    found = 0
    for path in sorted(FOLDER.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        kernels = [
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            and any(isinstance(one, ast.Name) and one.id == "kernel" for one in node.decorator_list)
        ]
        imported = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("privlab")
            for alias in node.names
        }
        for one in kernels:
            found += 1
            used = {node.id for part in one.body for node in ast.walk(part) if isinstance(node, ast.Name)}
            assert not used & imported, (path.name, one.name)
    assert found > 10
