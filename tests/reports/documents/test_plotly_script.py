"""The script of figures as it is kept: what was built, with its licences, and all kinds of figures that there are."""

import re
from pathlib import Path

import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType
from plotly.offline import get_plotlyjs, get_plotlyjs_version

from privlab.reports import plotly_script
from tests.built_files import locked_package, require_as_built

ROOT = Path(__file__).parents[3]
FRONTEND = ROOT / "frontend" / "plots"
ASSETS = ROOT / "privlab" / "reports" / "assets"
CLASSES = {name: getattr(go, name) for name in go.__all__}
KINDS = {name for name, one in CLASSES.items() if isinstance(one, type) and issubclass(one, BaseTraceType)}


def test_the_files_are_those_that_were_built() -> None:
    require_as_built(ASSETS)


def test_it_is_of_the_version_that_figures_are_made_for_and_no_registry_is_named() -> None:
    """Where a newer plotly comes: its number into frontend/plots/package.json, and `make frontend`."""
    assert locked_package(FRONTEND)["dependencies"] == {"plotly.js": get_plotlyjs_version()}
    licences = (ASSETS / "LICENCES.txt").read_text(encoding="utf-8")
    assert f"plotly.js {get_plotlyjs_version()}, MIT" in licences


def test_it_draws_every_kind_that_a_figure_has() -> None:
    """Kinds by the names of plotly's classes, in whatever way a figure gets them."""
    source = (FRONTEND / "src" / "plotly.js").read_text(encoding="utf-8")
    drawn = {"scatter", *re.findall(r'from "plotly\.js/lib/(\w+)"', source)} - {"core"}
    code = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("privlab/figures/**/*.py"))
    asked = {name.lower() for name in re.findall(r"\bgo\.(\w+)", code) if name in KINDS}
    asked |= set(re.findall(r"\.add_(\w+)\(", code)) & {name.lower() for name in KINDS}
    assert {"bar", "heatmap"} < asked
    assert asked <= drawn
    assert set(re.findall(r'moduleType:"trace",name:"(\w+)"', plotly_script())) == drawn


def test_it_can_stand_inside_a_document_and_is_a_third_of_the_whole_at_most() -> None:
    assert "</script" not in plotly_script().lower()
    assert 3 * len(plotly_script()) < len(get_plotlyjs())
