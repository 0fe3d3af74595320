"""Front doors: what a package offers others, found behind it only when it is asked for.

A package's `__init__` says what the room is for and, under `TYPE_CHECKING`, what others may take from it and where that
stands. Nothing behind the door is loaded before: `python -m privlab --help` would load every library otherwise.
"""

import ast
import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module


def door(package: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a package: a name of its imports under `TYPE_CHECKING` → what it stands for.

    Raises AttributeError for every other name.
    """
    source = pkgutil.get_data(package, "__init__.py")
    assert source is not None  # it is this very file that calls
    behind = {
        name.name: node.module
        for block in ast.parse(source).body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for name in node.names
    }

    def taken(name: str) -> object:
        if name not in behind:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        where = behind[name]
        thing = (
            import_module(f"{package}.{name}") if where == package else getattr(import_module(where), name)
        )
        setattr(sys.modules[package], name, thing)
        return thing

    return taken
