"""Every sentence of the code that speaks of risk is one of the kinds in docs/sentences.md, and no kind there is made up."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SPEAKS_OF_RISK = re.compile(
    r"guess(es|ed)? right|right at most|is right in|% certain|more certain|nobody known to be in|more certainty|"
    r"anonymous\b|\bAUC\b|\bAUC over|recognis|at risk|(made up|made-up|false flow)|singles? out|the claim|private for|"
    r"promised nothing|whatever is promised|nothing is published|sets people apart|exposed",
    re.IGNORECASE,
)
OF_SOMETHING_ELSE = (  # reading files, keys and columns: no sentence of theirs is about a person
    *("cli.options.reading_options", "releases.ledger.ledger_keys", "datasets", "ui.data.column_controls"),
    *("fingerprints.glove.published", "fingerprints.singling_out.unicity"),  # refusals
)
COLUMNS = ("the sentence", "quantity", "prior", "unit", "of", "said by")


def text_of(node: ast.AST) -> str:
    """Return the words of a text; what is filled in stands as braces."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def texts(node: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    """Return every text below a node that is no docstring, with the function or class it stands in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.JoinedStr | ast.Constant):
            yield name, text_of(child)
        elif isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield from texts(child, f"{name}.{child.name}")
        else:
            yield from texts(child, name)


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(set((ROOT / "privlab").rglob("*.py")) - set((ROOT / "privlab").rglob("__init__.py"))):
        name = ".".join(path.relative_to(ROOT / "privlab").with_suffix("").parts)
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def sentences(page: str) -> list[list[str]]:
    rows = [line.strip("| \n").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    assert tuple(rows[0]) == COLUMNS
    return rows[1:]


def test_every_sentence_about_risk_is_in_the_table_issue_16() -> None:
    named = set(re.findall(r"`([\w.]+)`", (ROOT / "docs" / "sentences.md").read_text(encoding="utf-8")))
    found = {
        place: said
        for name, module in modules()
        for place, said in texts(module, name)
        if len(said) > 25 and SPEAKS_OF_RISK.search(said) and not place.startswith(OF_SOMETHING_ELSE)
    }
    assert len(found) > 60
    assert {place: said for place, said in found.items() if place not in named} == {}


def test_every_kind_of_sentence_says_quantity_prior_unit_and_denominator_and_who_says_it() -> None:
    page = (ROOT / "docs" / "sentences.md").read_text(encoding="utf-8")
    known: set[str] = set()
    for name, module in modules():
        known |= {name, *(place for place, _ in texts(module, name))}
    rows = sentences(page)
    assert len(rows) >= 20
    for row in rows:
        assert len(row) == len(COLUMNS), row
        assert all(cell.strip() for cell in row), row
        said_by = re.findall(r"`([\w.]+)`", row[-1])
        assert said_by, row
        assert set(said_by) <= known, row[0]
    named = re.findall(r"`([a-z_]+(?:\.[\w]+)+)`", page)
    assert {name for name in named if not name.endswith(".py")} <= known


def test_a_sentence_that_is_nowhere_in_the_table_is_found() -> None:
    code = ast.parse(
        'def told(k):\n    """No finding."""\n    return f"an attacker guesses right {k} times in 100"\n'
    )
    ((place, said),) = [one for one in texts(code, "figures.new") if SPEAKS_OF_RISK.search(one[1])]
    assert (place, said) == ("figures.new.told", "an attacker guesses right {} times in 100")
