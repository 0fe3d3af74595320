"""What is sent where two of Streamlit's scripts are asked for; that charts and commands are drawn with them, browser tests show."""

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
from privlab.ui.serving import smaller_scripts

STATIC = Path(st.__file__).parent / "static" / "static" / "js"
CHARTS = next(STATIC.glob("PlotlyChart.*.js"))
CODE = next(STATIC.glob("StreamlitSyntaxHighlighter.*.js"))


def answered(name: str, **headers: str) -> Any:
    server = Starlette(
        routes=[Mount("/static/js", StaticFiles(directory=STATIC))],
        middleware=[Middleware(smaller_scripts.SmallerScripts)],
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


@pytest.mark.parametrize("name", [CHARTS.name, CODE.name])
def test_a_browser_asks_each_time_whether_a_script_is_as_before(name: str) -> None:
    first = answered(name)
    assert first.headers["cache-control"] == "no-cache"
    again = answered(name, **{"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = answered(name, **{"if-none-match": '"of before"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_other_scripts_are_streamlits() -> None:
    other = next(STATIC.glob("index.*.js"))
    assert answered(other.name).content == other.read_bytes()


def test_scripts_that_are_made_in_another_way_are_sent_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for script in (CHARTS, CODE):
        (tmp_path / script.name).write_text("export default 1;")
    monkeypatch.setattr(smaller_scripts, "_STATIC", tmp_path)
    made = smaller_scripts.smaller_scripts.__wrapped__()
    assert made == {}
    monkeypatch.setattr(smaller_scripts, "smaller_scripts", lambda: made)
    for script in (CHARTS, CODE):
        assert answered(script.name).content == script.read_bytes()
