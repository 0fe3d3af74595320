"""Streamlit's script for charts, with the lab's own build of Plotly in the place of all of it: a quarter of the size.

A browser reads all of Plotly, maps and all, before it draws its first chart, for half a second on a small machine. The lab's build
has what its figures need. Where Streamlit's script is not made as expected, it is sent as it is.
"""

from functools import cache
from pathlib import Path

import streamlit as st
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from privlab.reports import plotly_script

# Each once in the file: what comes before Plotly, and its end.
_BEGINS = "=n(((e,t,n)=>{(function(e,n){typeof t==`object`&&t.exports?t.exports=n():e.moduleName=n()})("
_ENDS = "return window.Plotly=e,e})}))"
_DAY_S = 24 * 60 * 60


class OwnCharts:
    """Answers with `chart_script` where a browser asks for Streamlit's."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on unless it is for that script."""
        file = streamlits_chart_script()
        asked = file and scope["type"] == "http" and scope["path"].endswith(f"/static/js/{file.name}")
        script = chart_script() if asked else None
        if script is None:
            await self.app(scope, receive, send)
        else:
            kept = {"cache-control": f"public, max-age={_DAY_S}"}
            await Response(script, media_type="text/javascript", headers=kept)(scope, receive, send)


@cache
def streamlits_chart_script() -> Path | None:
    """Return the file of Streamlit's script for charts; None where it has another name."""
    files = list((Path(st.__file__).parent / "static" / "static" / "js").glob("PlotlyChart.*.js"))
    return files[0] if len(files) == 1 else None


@cache
def chart_script() -> bytes | None:
    """Return it with the lab's Plotly; None where it is not made as expected."""
    file = streamlits_chart_script()
    script = file.read_text(encoding="utf-8") if file else ""
    if script.count(_BEGINS) != 1 or script.count(_ENDS) != 1:
        return None
    before, _, rest = script.partition(_BEGINS)
    _, _, after = rest.partition(_ENDS)
    return f"{before}=n(((e,t,n)=>{{{plotly_script()};t.exports=globalThis.Plotly}})){after}".encode()
