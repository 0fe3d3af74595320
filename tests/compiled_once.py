"""Queries of tests that Ibis puts into SQL once for all tests of a process, which read files of the same columns again and again.

Two queries are one here if all that they are made of is the same, but for the database that their tables lie in: its name is not in
the SQL. Of so many that are found again one is put into SQL anew, and has to come out the same.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import ibis.expr.operations as ops
import ibis.expr.types as ir
import pytest
from ibis.backends import BaseBackend
from ibis.backends.duckdb import Backend
from ibis.common.graph import Node

_MOST_PARTS = 50_000  # that are known apart, before all is forgotten
_ANEW = 50  # of so many that are found again one is put into SQL anew
_parts: dict[tuple[Any, ...], int] = {}
_known: dict[tuple[int, tuple[tuple[str, Any], ...]], str] = {}


@contextmanager
def queries_compiled_once() -> Iterator[None]:
    """Let DuckDB's Ibis remember what SQL a query has become."""
    compiled, n_found = Backend.compile, 0

    def compile(self: Backend, expr: ir.Expr, /, **how: Any) -> str:
        nonlocal n_found
        if len(_parts) > _MOST_PARTS:
            _parts.clear()
            _known.clear()
        part = None if how.get("params") else part_of(expr.op())
        if part is None:
            return str(compiled(self, expr, **how))
        key = part, tuple(sorted(how.items()))
        if key not in _known:
            _known[key] = compiled(self, expr, **how)
            return _known[key]
        n_found += 1
        if n_found % _ANEW == 0:
            assert compiled(self, expr, **how) == _known[key]
        return _known[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Backend, "compile", compile)
        yield


def part_of(query: Node) -> int | None:
    """Return the number that a query has, and every other that is made of the same; None where it holds rows of its own."""
    numbers: dict[int, int] = {}  # of nodes by where they are, which are all kept by the query
    to_do = [(query, False)]
    while to_do:
        node, is_ready = to_do.pop()
        if id(node) in numbers:
            continue
        if is_ready:
            made_of = (type(node), *[_comparable(one, numbers) for one in node.__args__])
            numbers[id(node)] = _parts.setdefault(made_of, len(_parts))
        elif isinstance(node, ops.InMemoryTable):
            return None
        else:
            to_do.append((node, True))
            to_do += [(child, False) for child in node.__children__]
    return numbers[id(query)]


def _comparable(one: Any, numbers: dict[int, int]) -> Any:
    """Return what stands for an argument of a node: for a node its number, and for a value itself with its type, for 1 is True."""
    if isinstance(one, Node):
        return numbers[id(one)]
    if isinstance(one, BaseBackend):
        return Backend
    if isinstance(one, tuple):
        return (tuple, *[_comparable(each, numbers) for each in one])
    if isinstance(one, Mapping):
        return (dict, *[(name, _comparable(each, numbers)) for name, each in one.items()])
    return type(one), one
