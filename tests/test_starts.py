"""What commands load: no library of data for help or for figures that need none. Modules are counted, not seconds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_CHILD = """
import contextlib, io, json, sys
from privlab.cli import run
try:
    with contextlib.redirect_stdout(io.StringIO()):
        run()
except SystemExit as end:
    assert end.code in (None, 0) or "verify" in sys.argv, end.code
print(json.dumps(sorted(name for name in sys.modules if "." not in name or name.startswith("scipy."))))
"""
NUMBERS = {"numpy", "scipy"}
HEAVY = {
    "pandas", "pyarrow", "ibis", "duckdb", "sqlglot", "sklearn", "numba", "opendp", "dp_accounting", "h3",
    "pyproj", "shapely", "plotly", "pydeck", "jinja2", "rich", "streamlit", "pyspark", "docx", "python_calamine", "lxml",
    "scipy.stats", "scipy.optimize", "scipy.interpolate", "scipy.sparse",
}  # fmt: skip


def loaded(*given: str) -> set[str]:
    """Return the packages that a command has loaded when it ends."""
    command = [sys.executable, "-c", _CHILD, *given]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


@pytest.mark.parametrize("given", [["--help"], ["attack-curve", "--help"], ["game", "--help"]])
def test_help_loads_no_library_of_numbers_or_data(given: list[str]) -> None:
    assert loaded(*given) & (HEAVY | NUMBERS) == set()


@pytest.mark.parametrize(
    "given",
    [
        "attack-curve --epsilon 0.66 --repetitions 100 --json",
        "attack-curve --epsilon 0.66 --noise integer --json",
        "cell-attack --epsilon 0.66 --threshold 100 --counts 1000,99 --json",
        "cell-attack --epsilon 0.66 --threshold 100 --counts 1000,99 --noise integer --json",
        "guarantee --epsilon 0.66 --max-trips-per-user 10 --weeks 52 --json",
    ],
)
def test_figures_without_data_load_numbers_alone(given: str) -> None:
    found = loaded(*given.split())
    assert found >= NUMBERS
    assert found & HEAVY == set()


def test_the_ledger_is_shown_without_any_of_them(tmp_path: Path) -> None:
    assert loaded("ledger", "show", "--ledger", str(tmp_path / "none.sqlite")) & (HEAVY | NUMBERS) == set()


def test_describing_a_file_loads_neither_statistics_nor_learning() -> None:
    found = loaded("describe", str(ROOT / "sample_data" / "cabs.parquet"), "--json")
    assert "duckdb" in found
    assert found & (HEAVY - {"duckdb", "ibis", "pandas", "pyarrow", "sqlglot", "rich"} | {"scipy"}) == set()


def test_a_release_is_verified_without_a_database(tmp_path: Path) -> None:
    """There is none here; what would check it is loaded all the same."""
    found = loaded("verify", str(tmp_path / "certificate.json"))
    assert "pyarrow" in found
    assert found & (HEAVY - {"pyarrow"}) == set()


def test_a_server_starts_and_greets_without_database_statistics_or_learning() -> None:
    """What stands before the first words of the first page; the rest is loaded in the background."""
    program = (
        "import json, sys\nfrom privlab.ui.shell import loading\nloading.begin = lambda: None\nimport app\n"
        "from privlab.ui.shell import addresses, glossary_button, page_list, presentation\n"
        "from privlab.ui.sessions import access, sessions\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    heavy = {"ibis", "duckdb", "scipy", "sklearn", "numba", "opendp", "dp_accounting", "shapely", "h3"}
    assert set(json.loads(run.stdout)) & heavy == set()


def test_the_run_of_a_page_leaves_the_places_of_packages_as_they_are() -> None:
    """Streamlit's own change of them let a thread that looked the database up at that moment miss it: DuckDB “is not installed”."""
    program = (
        "import sys\nfrom privlab.ui.shell import loading\nloading.begin = lambda: None\nimport app\n"
        "from streamlit.runtime.scriptrunner.exec_code import modified_sys_path\nbefore = list(sys.path)\n"
        "with modified_sys_path(str(app.app._resolve_script_path())):\n    assert sys.path == before\n"
        "assert sys.path == before"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_secure_noise_loads_no_classifiers() -> None:
    """OpenDP's usual way in loads scikit-learn, which takes longer than the noise."""
    program = (
        "import sys\nfrom privlab.dp.noise.secure_noise import measurement_from_scale\nmeasurement_from_scale(2.0)\n"
        "assert 'opendp' in sys.modules and 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_the_first_game_of_a_process_that_waits_loads_nothing_more_issue_17() -> None:
    """What a game needs is there before anybody asks for one: classifiers, and counting that was compiled."""
    program = (
        "import sys\nfrom privlab.ui.work.heavy_work import _load\n_load()\n"
        "from tests.aggregates.worlds import habitual_traces\n"
        "from tests.aggregates.game.test_one_target import played\n"
        "loaded = set(sys.modules)\nassert {'sklearn', 'numba'} <= loaded\n"
        "played(habitual_traces(80), targets=1, group_size=5, classifiers=('lr',))\n"
        "more = {name for name in set(sys.modules) - loaded}\nassert not more, more"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
