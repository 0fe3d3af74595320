"""What is sent where three of Streamlit's scripts are asked for; that pages are drawn with them, browser tests show."""

import re
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

from privlab.reports import plotly_script
from privlab.ui.serving import quicker_scripts

STATIC = Path(st.__file__).parent / "static" / "static" / "js"
CHARTS = next(STATIC.glob("PlotlyChart.*.js"))
CODE = next(STATIC.glob("StreamlitSyntaxHighlighter.*.js"))
FIRST = STATIC / re.findall(r'src="./static/js/(.*?)"', (STATIC.parents[1] / "index.html").read_text())[0]


def answered(name: str, **headers: str) -> Any:
    server = Starlette(
        routes=[Mount("/static/js", StaticFiles(directory=STATIC))],
        middleware=[Middleware(quicker_scripts.QuickerScripts)],
    )
    return TestClient(server).get(f"/static/js/{name}", headers=headers)


def test_all_but_plotly_is_streamlits_and_plotly_is_the_labs() -> None:
    own, streamlits = answered(CHARTS.name).text, CHARTS.read_text()
    before, _, after = own.partition(plotly_script())
    assert after
    assert streamlits.startswith(before)
    assert streamlits.endswith(after.removeprefix(";t.exports=globalThis.Plotly}))"))
    assert 3 * len(own) < len(streamlits)
    assert len(before) + len(after) > 15_000  # the part that is Streamlit's own


def test_the_script_for_code_keeps_its_names_and_loses_its_languages() -> None:
    own, streamlits = answered(CODE.name).text, CODE.read_text()
    assert 100 * len(own) < len(streamlits)
    imports, exports = own.partition(";var ")[0], own.rpartition("export{")[2]
    assert streamlits.startswith(imports)
    assert streamlits.endswith(exports)
    assert '"data-testid":`stCodeUnhighlighted`' in own
    assert "python" not in own
    assert "python" in streamlits


def test_the_first_script_begins_at_once_with_each_control_that_has_a_script_of_its_own() -> None:
    own, streamlits = answered(FIRST.name).text, FIRST.read_text()
    begun = re.findall(r"=privlabAtOnce\(\(\)=>\w+\(\(\)=>import\(`\./(\w+)\.", own)
    assert sorted(begun) == sorted(quicker_scripts.CONTROLS)
    assert all(len(list(STATIC.glob(f"{control}.*.js"))) == 1 for control in begun)
    react = re.search(r"\(0, (\w+)\.lazy\)\(load\)", own)
    assert react
    assert f"{react[1]}.lazy)" in streamlits
    before, _, _ = own.partition("\nfunction privlabAtOnce(load)")
    assert before.replace("privlabAtOnce", f"(0,{react[1]}.lazy)") == streamlits


@pytest.mark.parametrize("name", [CHARTS.name, CODE.name, FIRST.name])
def test_a_browser_asks_each_time_whether_a_script_is_as_before(name: str) -> None:
    first = answered(name)
    assert first.headers["cache-control"] == "no-cache"
    again = answered(name, **{"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = answered(name, **{"if-none-match": '"of before"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_other_scripts_are_streamlits() -> None:
    other = next(STATIC.glob("Selectbox.*.js"))
    assert answered(other.name).content == other.read_bytes()


def test_scripts_that_are_made_in_another_way_are_sent_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for script in (CHARTS, CODE, FIRST):
        (tmp_path / script.name).write_text("export default 1;")
    monkeypatch.setattr(quicker_scripts, "_STATIC", tmp_path)
    made = quicker_scripts.quicker_scripts.__wrapped__()
    assert made == {}
    monkeypatch.setattr(quicker_scripts, "quicker_scripts", lambda: made)
    for script in (CHARTS, CODE, FIRST):
        assert answered(script.name).content == script.read_bytes()


@pytest.mark.parametrize(
    "other",
    [
        lambda script: re.sub(r"\w+(\.lazy\)\(\(\)=>\w+\(\(\)=>import\(`\./Slider)", r"another\1", script),
        lambda script: script.replace("./Slider.", "./Sliders."),  # a control has another name
        lambda script: script + "const x=(0,U.lazy)(()=>H(()=>import(`./Slider.x.js`)))",  # or is there twice
        lambda script: script.replace(
            ".lazy)(()=>", ".lazy)(async()=>", 30
        ),  # or is asked for in another way
    ],
)
def test_a_first_script_that_names_its_controls_otherwise_is_sent_as_it_is(
    other: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = other(FIRST.read_text())
    assert script != FIRST.read_text()
    (tmp_path / FIRST.name).write_text(script)
    monkeypatch.setattr(quicker_scripts, "_STATIC", tmp_path)
    assert quicker_scripts.quicker_scripts.__wrapped__() == {}
