"""Three of Streamlit's scripts, changed on their way to a browser so that its first picture comes sooner.

- The one for charts holds all of Plotly, maps and all, half a second to read on a small machine. The lab's build, which has what its
  figures need, stands in its place: a quarter of the size.
- The one for code holds the grammars of some 300 programming languages, 0.2 s to read. The lab shows sentences and commands, none of
  them coloured: it is left with Streamlit's own way for texts that are too long to colour.
- The first one asks for the script of a kind of control when one is to be drawn. Each control then stands as an empty box and is drawn
  a second time, a hundred of them on a page: 0.2 to 0.4 s. It asks for the scripts of `CONTROLS` at once instead.

Where a script of Streamlit's is not made as expected, it is sent as it is.
"""

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from privlab.reports import plotly_script

# The scripts, by the begin of their names, of what most pages show. Not among them: what is large and stands below the first picture,
# tables above all.
CONTROLS = (
    "BidiComponent",
    "Button",
    "ButtonGroup",
    "Checkbox",
    "DownloadButton",
    "FileUploader",
    "Html",
    "Metric",
    "Multiselect",
    "NumberInput",
    "PageLink",
    "PlotlyChart",
    "Radio",
    "Selectbox",
    "Slider",
    "Spinner",
    "StreamlitSyntaxHighlighter",
    "TextInput",
)
_FOLDER = Path(st.__file__).parent / "static"
_STATIC = _FOLDER / "static" / "js"
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
# How React is told that a control has a script of its own: React's name in the file, and the control's.
_LAZY = re.compile(r"\(0,(\w+)\.lazy\)(?=\(\(\)=>\w+\(\(\)=>import\(`\./(\w+)\.)")
# React's own way to begin with such a script, as it does when the first one is to be drawn. What goes wrong is told then as ever.
_AT_ONCE = """
function privlabAtOnce(load) {
  const control = (0, %s.lazy)(load);
  queueMicrotask(() => {
    try {
      control._init(control._payload);
    } catch {}
  });
  return control;
}
"""


class QuickerScripts:
    """Answers with `quicker_scripts` where a browser asks for those of Streamlit's.

    Their names stay those of Streamlit's, so that a browser asks each time whether they are as before.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on unless it is for one of them."""
        folder, _, name = scope.get("path", "").rpartition("/")
        asked = scope["type"] == "http" and folder.endswith("/static/js") and name in quicker_scripts()
        if not asked:
            await self.app(scope, receive, send)
            return
        script, tag = quicker_scripts()[name]
        headers = {"cache-control": "no-cache", "etag": tag}
        has_it = tag in Request(scope).headers.get("if-none-match", "")
        answer = (
            Response(status_code=304, headers=headers)
            if has_it
            else Response(script, media_type="text/javascript", headers=headers)
        )
        await answer(scope, receive, send)


class Script(NamedTuple):
    """What is sent, and by which mark a browser asks whether it is as before."""

    body: bytes
    tag: str


@cache
def quicker_scripts() -> dict[str, Script]:
    """Return what is sent for each of them, by its name; those that are not made as expected are missing."""
    made = {}
    for file, change in (
        (streamlits_script("PlotlyChart"), _with_own_plotly),
        (streamlits_script("StreamlitSyntaxHighlighter"), _without_grammars),
        (_first_script(), _with_controls_at_once),
    ):
        script = change(file.read_text(encoding="utf-8")) if file else None
        if file and script:
            body = script.encode()
            made[file.name] = Script(body, f'"{hashlib.sha256(body).hexdigest()}"')
    return made


def streamlits_script(kind: str) -> Path | None:
    """Return the file of one of Streamlit's scripts; None where there is none of that name, or more than one."""
    files = list(_STATIC.glob(f"{kind}.*.js"))
    return files[0] if len(files) == 1 else None


def _first_script() -> Path | None:
    named = re.findall(r'src="\./static/js/([^"]+)"', (_FOLDER / "index.html").read_text(encoding="utf-8"))
    return _STATIC / named[0] if len(named) == 1 else None


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


def _with_controls_at_once(script: str) -> str | None:
    lazy = [found for found in _LAZY.finditer(script) if found[2] in CONTROLS]
    reacts = {found[1] for found in lazy}
    if sorted(found[2] for found in lazy) != sorted(CONTROLS) or len(reacts) != 1:
        return None
    changed = _LAZY.sub(lambda found: "privlabAtOnce" if found[2] in CONTROLS else found[0], script)
    return changed + _AT_ONCE % reacts.pop()


def _each_once(script: str, *parts: str) -> bool:
    return all(script.count(part) == 1 for part in parts)
