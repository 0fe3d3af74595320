"""How kernels are compiled: where nothing can be kept, and what kept code cannot notice."""

import ast
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import pytest

from privlab.fingerprints.search import compiled

FOLDER = Path(compiled.__file__).parents[1]


def test_a_kernel_runs_where_no_cache_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_a_place(**options: Any) -> Callable[..., Any]:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return numba.njit(**options)

    monkeypatch.setattr(compiled, "numba", SimpleNamespace(njit=without_a_place))

    def twice(number: int) -> int:
        return 2 * number

    assert compiled.kernel(twice)(21) == 42


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
