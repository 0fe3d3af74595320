"""What is sent where Streamlit's script for charts is asked for; that charts are drawn with it, browser tests show."""

from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

from privlab.reports import plotly_script
from privlab.ui import chart_script

STATIC = Path(st.__file__).parent / "static" / "static" / "js"
STREAMLITS = next(STATIC.glob("PlotlyChart.*.js"))


def answered(path: str) -> bytes:
    server = Starlette(
        routes=[Mount("/static/js", StaticFiles(directory=STATIC))],
        middleware=[Middleware(chart_script.OwnCharts)],
    )
    return TestClient(server).get(path).content


def test_all_but_plotly_is_streamlits_and_plotly_is_the_labs() -> None:
    own, streamlits = answered(f"/static/js/{STREAMLITS.name}").decode(), STREAMLITS.read_text()
    before, _, after = own.partition(plotly_script())
    assert after
    assert streamlits.startswith(before)
    assert streamlits.endswith(after.removeprefix(";t.exports=globalThis.Plotly}))"))
    assert 3 * len(own) < len(streamlits)
    assert len(before) + len(after) > 15_000  # the part that is Streamlit's own


def test_other_scripts_are_streamlits() -> None:
    other = next(STATIC.glob("index.*.js"))
    assert answered(f"/static/js/{other.name}") == other.read_bytes()


def test_a_script_that_is_made_in_another_way_is_sent_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / STREAMLITS.name).write_text("export default 1;")
    monkeypatch.setattr(chart_script, "streamlits_chart_script", lambda: tmp_path / STREAMLITS.name)
    assert chart_script.chart_script.__wrapped__() is None
    monkeypatch.setattr(chart_script, "chart_script", lambda: None)
    assert answered(f"/static/js/{STREAMLITS.name}") == STREAMLITS.read_bytes()
