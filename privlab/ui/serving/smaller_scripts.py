"""Two of Streamlit's scripts, made smaller: what a browser reads before its first picture delays it.

- The one for charts holds all of Plotly, maps and all, half a second to read on a small machine. The lab's build, which has what its
  figures need, stands in its place: a quarter of the size.
- The one for code holds the grammars of some 300 programming languages, 0.2 s to read. The lab shows sentences and commands, none of
  them coloured: it is left with Streamlit's own way for texts that are too long to colour.

Where a script of Streamlit's is not made as expected, it is sent as it is.
"""

import hashlib
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from privlab.reports import plotly_script

_STATIC = Path(st.__file__).parent / "static" / "static" / "js"
# Each once in its file: what comes before Plotly, and its end.
_PLOTLY_BEGINS = (
    "=n(((e,t,n)=>{(function(e,n){typeof t==`object`&&t.exports?t.exports=n():e.moduleName=n()})("
)
_PLOTLY_ENDS = "return window.Plotly=e,e})}))"
# The end of what the script for code takes from others; the begin of its own part; what takes up the grammars; and the question
# whether a text has too many lines.
_IMPORTS_END = '.js";var _=i('
_CODE_BEGINS = "Xb=n(a(),1),"
_GRAMMARS = "Zb=Yb(),"
_IS_TOO_LONG = "(0,Xb.useMemo)(()=>$b(a,Qb),[a])"


class SmallerScripts:
    """Answers with `smaller_scripts` where a browser asks for those of Streamlit's.

    Their names stay those of Streamlit's, so that a browser asks each time whether they are as before.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on unless it is for one of them."""
        folder, _, name = scope.get("path", "").rpartition("/")
        asked = scope["type"] == "http" and folder.endswith("/static/js") and name in smaller_scripts()
        if not asked:
            await self.app(scope, receive, send)
            return
        script = smaller_scripts()[name]
        tag = f'"{hashlib.sha256(script).hexdigest()}"'
        headers = {"cache-control": "no-cache", "etag": tag}
        has_it = tag in Request(scope).headers.get("if-none-match", "")
        answer = (
            Response(status_code=304, headers=headers)
            if has_it
            else Response(script, media_type="text/javascript", headers=headers)
        )
        await answer(scope, receive, send)


@cache
def smaller_scripts() -> dict[str, bytes]:
    """Return what is sent for each of them, by its name; those that are not made as expected are missing."""
    made = {}
    for kind, make in (("PlotlyChart", _with_own_plotly), ("StreamlitSyntaxHighlighter", _without_grammars)):
        file = streamlits_script(kind)
        script = make(file.read_text(encoding="utf-8")) if file else None
        if file and script:
            made[file.name] = script.encode()
    return made


def streamlits_script(kind: str) -> Path | None:
    """Return the file of one of Streamlit's scripts; None where there is none of that name, or more than one."""
    files = list(_STATIC.glob(f"{kind}.*.js"))
    return files[0] if len(files) == 1 else None


def _with_own_plotly(script: str) -> str | None:
    if not _each_once(script, _PLOTLY_BEGINS, _PLOTLY_ENDS):
        return None
    before, _, rest = script.partition(_PLOTLY_BEGINS)
    _, _, after = rest.partition(_PLOTLY_ENDS)
    return f"{before}=n(((e,t,n)=>{{{plotly_script()};t.exports=globalThis.Plotly}})){after}"


def _without_grammars(script: str) -> str | None:
    if not _each_once(script, _IMPORTS_END, _CODE_BEGINS, _GRAMMARS, _IS_TOO_LONG):
        return None
    imports, _, _ = script.partition(_IMPORTS_END)
    _, _, code = script.partition(_CODE_BEGINS)
    code = code.replace(_GRAMMARS, "Zb={},").replace(_IS_TOO_LONG, "!0")
    return f'{imports}.js";var {_CODE_BEGINS}{code}'


def _each_once(script: str, *parts: str) -> bool:
    return all(script.count(part) == 1 for part in parts)
