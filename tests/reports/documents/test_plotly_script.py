"""The script of figures in documents as it is kept: what was built, with its licences, and all kinds of figures that there are."""

import hashlib
import json
import re
from pathlib import Path

import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType
from plotly.offline import get_plotlyjs_version

from privlab.reports.documents.document import plotly_script

ROOT = Path(__file__).parents[3]
FRONTEND = ROOT / "frontend" / "plots"
ASSETS = ROOT / "privlab" / "reports" / "assets"
CLASSES = {name: getattr(go, name) for name in go.__all__}
KINDS = {name for name, one in CLASSES.items() if isinstance(one, type) and issubclass(one, BaseTraceType)}


def test_the_files_are_those_that_were_built() -> None:
    sums = (ASSETS / "SHA256SUMS").read_text(encoding="utf-8").split()
    kept = dict(zip(sums[1::2], sums[::2], strict=True))
    assert set(kept) == {path.name for path in ASSETS.iterdir()} - {"SHA256SUMS"}
    for name, digest in kept.items():
        assert hashlib.sha256((ASSETS / name).read_bytes()).hexdigest() == digest, name


def test_it_is_of_the_version_that_figures_are_made_for_and_no_registry_is_named() -> None:
    """Where a newer plotly comes: its number into frontend/plots/package.json, and `make frontend`."""
    package = json.loads((FRONTEND / "package.json").read_text(encoding="utf-8"))
    assert package["dependencies"] == {"plotly.js": get_plotlyjs_version()}
    lock = (FRONTEND / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert json.loads(lock)["packages"][""]["dependencies"] == package["dependencies"]
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
    # Each kind that is registered says its name in the script.
    assert all(re.search(rf'name:"{kind}"|"{kind}"', plotly_script()) for kind in drawn)


def test_it_can_stand_inside_a_document_and_is_a_third_of_the_whole() -> None:
    assert "</script" not in plotly_script().lower()
    assert len(plotly_script()) < 1_500_000
