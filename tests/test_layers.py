"""Who may import whom, and who may open a file. The two tables below are the rule's only definition."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From the ground up. A unit may import units of lower rows and itself, not its neighbours.
ROWS: tuple[dict[str, tuple[str, ...]], ...] = (
    {
        "ground": tuple(
            f"privlab.{name}"
            for name in ("checks", "defaults", "doors", "limits", "progress", "safe_text", "seeds", "stats")
        )
    },
    {"datasets": ("privlab.datasets",), "dp": ("privlab.dp",), "controls": ("privlab.controls",)},
    {"od": ("privlab.od",), "aggregates": ("privlab.aggregates",), "fingerprints": ("privlab.fingerprints",)},
    {"kept": ("privlab.kept",)},
    {"releases": ("privlab.releases",)},
    {"figures": ("privlab.figures",)},
    {"reports": ("privlab.reports",)},
    {"lab": ("privlab.lab",)},
    {"cli": ("privlab.cli", "privlab.__main__"), "ui": ("privlab.ui",)},
    {"pages": ("pages",), "app": ("app",)},
)

# A query lives with its subject.
_DATABASE = (
    "privlab.datasets",
    "privlab.od.matrix",
    "privlab.od.trips",
    "privlab.od.settled.settled_counts",
    "privlab.od.simulating.clipped_counts",
    "privlab.od.simulating.weekly_simulation",
    "privlab.aggregates.presences",
    "privlab.fingerprints.placed_samples",
)

# Who may use what comes from outside: package, or the power to open files.
ONLY: dict[str, tuple[str, ...]] = {
    "streamlit": ("privlab.ui", "pages", "app"),
    "plotly": ("privlab.figures", "privlab.ui", "pages", "app"),
    "sklearn": ("privlab.aggregates.game",),
    "numba": ("privlab.datasets.engines.shipped_code",),
    "ibis": _DATABASE,
    "duckdb": _DATABASE,
    "pyspark": ("privlab.datasets.engines",),
    "py4j": ("privlab.datasets.engines",),
    "opendp": ("privlab.dp",),
    "cryptography": ("privlab.releases.ledger.ledger_keys",),
    "sqlalchemy": tuple(
        f"privlab.releases.ledger.ledger_{name}" for name in ("schema", "tables", "rows", "stores", "server")
    ),
    "psycopg": ("privlab.releases.ledger.ledger_server",),
    "dp_accounting": ("privlab.dp",),
    "python_calamine": ("privlab.datasets.files.workbooks",),
    "shapefile": ("privlab.datasets.zone_files.map_files",),
    "docx": ("privlab.reports.documents.word_and_markdown",),
    "open a file": (
        *(
            f"privlab.datasets.{name}"
            for name in ("read", "settled_read", "catalog", "files", "folders", "engines")
        ),
        *(f"privlab.datasets.rows.{name}" for name in ("raw_rows", "row_positions", "kept_rows")),
        "privlab.datasets.zone_files.zone_readers",
        "privlab.datasets.zone_files.map_files",
        "privlab.datasets.synthetic.sample_files",
        "privlab.kept",
        "privlab.releases",
        "privlab.reports",
        "privlab.ui.serving.page_html",
        "privlab.ui.serving.quicker_scripts",
        *(
            f"privlab.cli.{name}"
            for name in ("main", "options.common_options", "printing.output", "report_command")
        ),
        "app",
    ),
}

# Acts that pages and commands do by one way: through lab, never by the functions below that lab calls for them.
ACTS: dict[str, tuple[str, ...]] = {
    "privlab.lab.loading.load": (
        "read_dataset",
        "read_dataset_on_spark",
        "columns_from_location",
        "cleaned_dataset",
        "zoning_from_spec",
        "dataset_in_zones",
        "profiled",
        "sample_dataset",
        "kept_sample",
        "prepared_trips_from_dataset",
        "trip_tables_from_dataset",
        "flow_counts_from_dataset",
        "unique_trips_from_trip_tables",
        "traces_from_dataset",
        "located_dataset",
        "fingerprints_from_dataset",
    ),
    "privlab.lab.planning.plan": ("planned_points_from_unique_trips", "advice_from_points"),
    "privlab.lab.publishing.release_data": ("settled_trips_from_dataset",),
    "privlab.lab.publishing.publish": (
        "secure_release_from_settled_trips",
        "secure_release_from_settled_counts",
        "write_release",
    ),
    "privlab.lab.publishing.publish_on_cluster": ("settled_counts_from_dataset",),
    "privlab.lab.ledgers.backup": ("back_up_ledger", "restore_ledger"),
    "privlab.lab.ledgers.ledger": ("clear_left_overs", "clear_partial_copies"),
    "privlab.lab.attacking.play": ("PreparedGame", "runs_path_from_environment"),
    "privlab.lab.attacking.recover": ("followed_from_traces", "recovery_from_followed"),
    "privlab.lab.attacking.rehearse": ("write_with_added_rows", "pipeline_audit_from_worlds"),
    "privlab.lab.fingerprints.hide": (
        "hidden_groups_from_fingerprints",
        "verified_table_from_hidden_groups",
        "accuracy_from_hidden_groups",
    ),
    "privlab.lab.fingerprints.study": (
        "level_study_from_fingerprints",
        "level_studies_from_fingerprints",
        "linkages_from_fingerprints",
    ),
    "privlab.lab.reporting.collect": (
        "parts_from_report_plan",
        "html_from_report_parts",
        "pictures_from_parts",
        "pdf_from_html",
        "drawn_figures",
        "markdown_from_parts",
        "word_from_parts",
    ),
}
# Other ways to the same ends, which lab does not take either.
ALSO_BELOW = (
    "outcomes_from_traces",
    "bound_checks_from_result",
    "advice_from_unique_trips",
    "points_from_unique_trips",
    "table_from_hidden_groups",
    "neighbours_from_fingerprints",
    "kgap_from_neighbours",
    "dispersion_from_neighbours",
    "positions_of_query_users",
)
_ABOVE = ("privlab.cli", "privlab.ui", "pages", "app")

_FILE_METHODS = {
    "open", "read_text", "read_bytes", "write_text", "write_bytes", "read_csv", "read_parquet", "read_json",
    "read_feather", "read_excel", "to_parquet", "to_feather", "to_pickle", "write_table", "read_table",
    "ParquetFile", "ParquetWriter", "unlink", "mkdir", "rmdir", "touch", "rmtree", "copyfile", "mkdtemp",
    "mkstemp", "NamedTemporaryFile", "TemporaryDirectory", "savez", "loadtxt", "savetxt", "memmap",
}  # fmt: skip


def within(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def place_of(module: str) -> tuple[int, str] | None:
    """Return row and unit of a module, None if the table does not know it."""
    for row, units in enumerate(ROWS):
        for unit, prefixes in units.items():
            if any(within(module, prefix) for prefix in prefixes):
                return row, unit
    return None


def imports(tree: ast.AST, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything imported; `from a import b` yields a.b."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if (
                name in ("import_module", "__import__")
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                yield node.lineno, str(node.args[0].value)


def file_calls(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "open":
                yield node.lineno, "open"
            if isinstance(node.func, ast.Attribute) and node.func.attr in _FILE_METHODS:
                yield node.lineno, node.func.attr


def violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """Return one sentence per broken rule in the source of a module."""
    tree, found = ast.parse(source), []
    here = place_of(module)
    if module not in ("privlab",) and here is None:
        return [f"{module} stands in no row"]
    for line, name in imports(tree, module, is_package):
        for package, allowed in ONLY.items():
            if within(name, package) and not any(within(module, one) for one in allowed):
                found.append(f"{module}:{line} imports {name}")
        there = place_of(name)
        if there is None:
            if within(name, "privlab") and name not in ("privlab", "privlab.__version__"):
                found.append(f"{module}:{line} imports {name}, which stands in no row")
        elif here is None or (there[0] >= here[0] and there != here):
            found.append(f"{module}:{line} imports {name}")
    if not any(within(module, one) for one in ONLY["open a file"]):
        found += [f"{module}:{line} opens a file ({name})" for line, name in file_calls(tree)]
    return found


def names_in(source: str) -> set[str]:
    """Return every name that a source imports or says."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {part for alias in node.names for part in alias.name.split(".")}
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
    return found


def goes_past_lab(source: str) -> set[str]:
    """Return the functions below lab that a page or a command calls for an act of lab's."""
    return names_in(source) & {name for names in (*ACTS.values(), ALSO_BELOW) for name in names}


def modules() -> dict[str, Path]:
    paths = [*ROOT.glob("privlab/**/*.py"), *ROOT.glob("pages/**/*.py"), ROOT / "app.py"]
    named = {}
    for path in paths:
        if path.is_file():
            parts = path.relative_to(ROOT).with_suffix("").parts
            named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


def test_every_module_keeps_the_layer_rule():
    found = []
    for module, path in modules().items():
        found += violations(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py")
    assert not found, "\n".join(found)


def test_all_modules_are_looked_at():
    known = modules()
    assert {
        "privlab.checks",
        "privlab.dp.attack.exact_accuracy",
        "privlab.od.attack.attack",
        "privlab.datasets",
    } <= set(known)
    assert len(known) > 30


def test_pages_and_commands_call_lab_and_nothing_below_it_for_an_act() -> None:
    above = {module: path for module, path in modules().items() if any(within(module, one) for one in _ABOVE)}
    assert {"privlab.cli.groups.game_commands", "privlab.ui.data.own_file", "pages.plan", "app"} <= set(above)
    found = {module: goes_past_lab(path.read_text(encoding="utf-8")) for module, path in above.items()}
    assert {module: names for module, names in found.items() if names} == {}


@pytest.mark.parametrize("module", ACTS)
def test_the_table_of_acts_names_what_lab_calls(module: str) -> None:
    assert set(ACTS[module]) <= names_in(modules()[module].read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    from privlab.datasets import read_dataset",
        "from privlab.od import counting\ncounting.prepared_trips_from_dataset(1, 2, seed=1)",
        "from privlab.fingerprints.glove import hidden_groups_from_fingerprints as hide",
    ],
)
def test_a_way_past_lab_is_seen(source: str) -> None:
    assert goes_past_lab(source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("privlab.checks", "import privlab.od.attack"),
        ("privlab.stats", "from privlab.dp.certainty import certainty_bounds"),
        ("privlab.dp.certainty.certainty_bounds", "from privlab.datasets.engines import Workspace"),
        ("privlab.dp.certainty.certainty_bounds", "from privlab import od"),
        ("privlab.dp.certainty.certainty_bounds", "from ...od import risks"),
        ("privlab.datasets.records", "import privlab.dp"),
        ("privlab.od.attack.attack", "from privlab.aggregates.game import play"),
        ("privlab.od.attack.attack", "from privlab.figures.risks.attack import attack_figure"),
        ("privlab.od.attack.attack", "def f():\n    import streamlit as st"),
        ("privlab.od.simulating.simulated_release", "import ibis.expr.types as ir"),
        ("privlab.od.usefulness.utility", "import importlib\nimportlib.import_module('duckdb')"),
        ("privlab.datasets.read", "from pyspark.sql import SparkSession"),
        ("privlab.od.trips.trip_tables", "def f():\n    import pyspark"),
        ("privlab.od.usefulness.utility", "from sklearn.metrics import roc_auc_score"),
        ("privlab.od.matrix", "import numba"),
        ("privlab.aggregates.game.play", "from privlab.kept import Runs"),
        ("privlab.figures.flows.flows", "import streamlit"),
        ("privlab.od.risks.person_risks", "import numba"),
        ("privlab.fingerprints.measures.kgap", "import ibis"),
        ("privlab.fingerprints.measures.kgap", "from privlab.od.trips import PreparedTrips"),
        ("privlab.reports.page", "from plotly import graph_objects"),
        ("privlab.reports.exhibits.exhibits_people", "from privlab.lab.attacking import play_game"),
        ("privlab.kept.runs", "from privlab.lab.attacking import play_game"),
        ("privlab.cli.main", "from privlab.ui import words"),
        ("privlab.ui.words", "from privlab.cli.options import common_options"),
        ("privlab.ui.words", "import pages.home"),
        ("privlab.od.attack.attack", "from privlab.brand_new import thing"),
        ("privlab.brand_new", "x = 1"),
        ("privlab.od.matrix", "open('x')"),
        ("privlab.ui.plan", "from pathlib import Path\nPath('x').write_bytes(b'')"),
        ("privlab.datasets.records", "import pandas as pd\npd.read_csv('x')"),
        ("pages.home", "p.read_text()"),
    ],
)  # fmt: skip
def test_the_checker_catches_a_made_up_violation(module, source):
    assert violations(source, module)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("privlab.stats", "from privlab.checks import BoundViolation"),
        (
            "privlab.od.trips.hourly_vote",
            "import ibis\nfrom privlab.datasets.zones import Zoning\nfrom . import trip_tables",
        ),
        ("privlab.datasets.read", "import duckdb\nopen('x')"),
        ("privlab.datasets.engines.spark_session", "def f():\n    from pyspark import SparkContext"),
        ("privlab.ui.main", "import streamlit, plotly\nfrom privlab import __version__, limits"),
        ("privlab.__main__", "from privlab.cli import run"),
        ("pages.home", "import streamlit\nfrom privlab.ui import parts"),
        ("app", "import streamlit\nfrom privlab.ui.main import main\nopen('x')"),
    ],
)
def test_the_checker_lets_the_lawful_pass(module, source):
    assert violations(source, module) == []


def package_of(module: str) -> str | None:
    """Return the package of privlab that a module stands in, None for the ground floor and the rest."""
    parts = module.split(".")
    inside = parts[0] == "privlab" and len(parts) > 1 and (ROOT / "privlab" / parts[1]).is_dir()
    return parts[1] if inside else None


def offered(package: str) -> set[str]:
    """Return the names in `__all__` of a package's front door."""
    path = ROOT / package.replace(".", "/") / "__init__.py"
    if not path.is_file():
        return set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def rooms() -> dict[str, Path]:
    """Return every package of privlab with the path of its front door."""
    return {
        module: path
        for module, path in modules().items()
        if path.name == "__init__.py" and module != "privlab"
    }


def around_the_door(source: str, module: str) -> list[str]:
    """Return one sentence per name that a module takes from another package by another way than its door."""
    here, found = package_of(module), []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            taken = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            taken = [(node.module, alias.name) for alias in node.names]
        else:
            continue
        for where, name in taken:
            there = package_of(where)
            if there is not None and there != here and (not name or name not in offered(where)):
                found.append(f"{module}:{node.lineno} takes {where}.{name}")
    return found


def test_other_packages_come_in_by_the_door():
    front_doors = rooms()
    found = []
    for module, path in modules().items():
        if module not in front_doors:
            found += around_the_door(path.read_text(encoding="utf-8"), module)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("privlab.od.attack.attack", "from privlab.dp.certainty.certainty import certainty_from_parameters"),
        ("privlab.od.attack.attack", "import privlab.dp.attack"),
        ("privlab.lab.publishing.publish", "from privlab.releases.ledger import _tables"),
        ("pages.attack", "from privlab.figures.wording.words import plain"),
    ],
)
def test_the_door_is_watched(module, source):
    assert around_the_door(source, module)


def test_every_door_says_what_its_room_is_for_and_offers_what_others_take():
    taken = {
        (node.module, alias.name)
        for module, path in modules().items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and package_of(node.module)
        if package_of(module) != package_of(node.module)
        for alias in node.names
    }
    for room, path in rooms().items():
        words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        assert len(words.split("\n\n")) == 2, room
        assert "Uses " in words, room
        unused = {name for name in offered(room) if (room, name) not in taken}
        assert not unused, f"{room} offers {unused} to nobody"


def test_a_door_names_all_rooms_of_its_package_and_uses_more_than_the_ground_floor_where_it_does() -> None:
    for room, path in rooms().items():
        words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        inside = {one.rpartition(".")[2] for one in rooms() if one.rpartition(".")[0] == room}
        assert not [one for one in inside if not re.search(rf"\b{one}\b", words)], room
        if re.search(r"Uses the ground floor( only)?\.", words):
            below = {
                node.module
                for module, file in modules().items()
                if module == room or module.startswith(f"{room}.")
                for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                if isinstance(node, ast.ImportFrom) and node.module and package_of(node.module)
            }
            assert not [one for one in below if one != room and not one.startswith(f"{room}.")], room


MOST_NAMES = 18  # of a door
MOST_FILES = 12  # of a room
# Rooms of a page share its session, rooms of reading a file's state: these may use one another.
_MUTUAL = ("privlab.datasets", "privlab.ui")


def room_of(module: str, known: dict[str, Path]) -> str:
    """Return the room that a module stands in, the package itself for a file at its top."""
    while module and module not in known:
        module = module.rpartition(".")[0]
    return module


def uses(files: dict[str, str]) -> set[tuple[str, str]]:
    """Return (who, whom) for rooms of one package, from sources by module; names of a door count for the door's room."""
    known = rooms()
    return {
        (room_of(module, known), room_of(node.module, known))
        for module, source in files.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module and package_of(node.module)
        if package_of(node.module) == package_of(module)
    }


def both_ways(found: set[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(one, other) for one, other in found if one < other and (other, one) in found}


def test_no_door_is_wide() -> None:
    assert {room: len(offered(room)) for room in rooms() if len(offered(room)) > MOST_NAMES} == {}


def test_no_room_is_crowded() -> None:
    files = {room: len(list(path.parent.glob("*.py"))) - 1 for room, path in rooms().items()}
    assert sum(files.values()) > 400
    assert {room: n for room, n in files.items() if n > MOST_FILES} == {}


def test_rooms_of_a_package_use_one_another_in_one_direction() -> None:
    front_doors = rooms()
    files = {
        module: path.read_text(encoding="utf-8")
        for module, path in modules().items()
        if module not in front_doors and not any(within(module, one) for one in _MUTUAL)
    }
    assert len(uses(files)) > 50
    assert both_ways(uses(files)) == set()


def test_rooms_that_use_one_another_are_seen() -> None:
    files = {
        "privlab.od.trips.trip_tables": "def f():\n    from privlab.od.releases.release_plan import ReleasePlan",
        "privlab.od.releases.release_plan": "from privlab.od.trips import TripTables",
    }
    assert both_ways(uses(files)) == {("privlab.od.releases", "privlab.od.trips")}


def test_every_name_at_a_door_is_there():
    for room in rooms():
        package = importlib.import_module(room)
        for name in offered(room):
            assert getattr(package, name) is not None


def test_no_file_has_the_name_of_what_its_door_offers_from_it() -> None:
    """Once such a file is loaded by itself, the door would hand out the file instead."""
    alike = [
        f"{node.module}.{one.name}"
        for room, path in rooms().items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for one in node.names
        if node.module == f"{room}.{one.name}"
    ]
    assert alike == []


def test_a_door_has_no_other_names():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        importlib.import_module("privlab.dp").nonsense  # noqa: B018
