"""Caches keep sessions apart: what every session shares knows nothing of anybody's data, and samples are public."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

# What all sessions may share: results of these alone, which hold no data.
PURE = {
    "str",
    "int",
    "float",
    "AttackParameters",
    "ReleaseParameters",
    "GuaranteeParameters",
    "tuple[int, ...]",
}


def cached_functions() -> Iterator[tuple[str, ast.FunctionDef, ast.expr]]:
    for path in [*ROOT.glob("privlab/ui/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    if "cache" in ast.unparse(decorator):
                        yield path.name, node, decorator


def test_what_is_cached_of_data_is_cached_for_its_session() -> None:
    found = 0
    for file, function, decorator in cached_functions():
        found += 1
        if 'scope="session"' in ast.unparse(decorator).replace("'", '"'):
            continue
        kinds = {ast.unparse(argument.annotation or ast.Constant(None)) for argument in function.args.args}
        assert kinds <= PURE, f"{file}: {function.name} is shared by all sessions and takes {kinds - PURE}"
    assert found > 5


def test_no_other_memory_is_shared_but_of_samples() -> None:
    """Names at the top of a module that are written to: each is listed here with what it holds."""
    known = {
        "_sample_jobs": "samples",
        "_of_samples": "samples",
        "_gone_since": "ids of sessions",
    }
    for path in ROOT.glob("privlab/ui/*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict | ast.List):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                name = ast.unparse(target)
                empty = not ast.literal_eval(node.value) if _is_literal(node.value) else False
                assert not empty or name in known, f"{path.name}: {name}"


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except ValueError:
        return False
    return True
