"""The script of figures as it is kept: what was built, with its licences, and all kinds of figures that there are."""

import html
import re
from pathlib import Path
from xml.etree import ElementTree

import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType
from plotly.offline import get_plotlyjs, get_plotlyjs_version

from privlab.reports import plotly_script
from privlab.reports.documents.browser_export import _answered
from privlab.reports.documents.document import ReportPart, html_from_parts
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


# Saves nothing: what would be saved, and under which name, is written into the document.
_PRESSES = """<script>
URL.createObjectURL = blob => { blob.text().then(text => { document.documentElement.dataset.saved = text; }); return "#"; };
HTMLAnchorElement.prototype.click = function () { document.documentElement.dataset.name = this.download; };
addEventListener("load", () => setTimeout(() => {
  const [button] = document.querySelectorAll('.modebar-btn[aria-label="Download plot as an SVG"]');
  const seen = () => getComputedStyle(button.closest(".modebar-container")).opacity, before = seen();
  button.focus();
  document.documentElement.dataset.seen = before + " " + seen();
  document.documentElement.dataset.added = document.querySelector(".js-plotly-plot")._context.modeBarButtonsToAdd.length;
  button.dispatchEvent(new MouseEvent("click"));
}, 1000));
</script>"""


def test_a_figure_of_true_data_is_had_as_lines_and_letters_with_its_mark_and_its_button_is_seen_by_the_keyboard() -> (
    None
):
    part = ReportPart(
        title="Trips <b> & more",
        sentence="s",
        caption="its source",
        discloses=True,
        figure=go.Figure(go.Scatter(y=[1, 2])),
    )
    document = html_from_parts([part], title="T", kind="internal") + _PRESSES
    told = _answered(document, "--dump-dom").decode()
    found = dict(re.findall(r' data-(name|saved|seen|added)="([^"]*)"', told.partition("<head")[0]))
    assert found["name"] == "INTERNAL_privlab_figure-1.svg"
    assert found["seen"] == "0 1"
    assert found["added"] == "0"  # a page that finds other settings than its own draws anew, without end
    picture = ElementTree.fromstring(html.unescape(found["saved"]))
    assert picture.get("width") == "1000"
    words = " ".join("".join(one.itertext()) for one in picture.iter("{http://www.w3.org/2000/svg}text"))
    for said in ("Trips <b> & more", "INTERNAL: true data, not for publication", "its source"):
        assert said in words
