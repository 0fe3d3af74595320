"""The HTML of every page: Streamlit's own and three scripts more.

- The first, before all others, makes a page one step of the browser's history: a page writes its settings into its address, and each
  would be a step of its own, so that Back would lead from a page to itself. Of the tour each of its steps is one. Back finds a page as it was
  left, with its settings.
- The second says where the server is. Streamlit's script would ask for it, at two addresses one after the other, before it connects:
  0.15 s. A page in a frame, as hosts of many apps show it, leaves that to Streamlit: the host's answer says what the frame may do.
- The last is Streamlit's own for charts, which it would fetch once it has a chart to draw: read beforehand, it is there when the first
  one comes.
"""

import base64
import hashlib
import json
import re
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privlab.ui.serving.quicker_scripts import streamlits_script
from privlab.ui.shell.page_list import DOORS, HOME

_STREAMLITS = (Path(st.__file__).parent / "static" / "index.html").read_bytes()
_ONE_STEP_A_PAGE = """
      {
        const push = history.pushState;
        let before = location.href; // the address as it was when a key or a button was last pressed
        const note = () => { before = location.href; };
        for (const event of ["pointerdown", "keydown", "popstate"]) addEventListener(event, note, true);
        history.pushState = (state, unused, url) => {
          const from = location, to = new URL(url ?? "", from.href);
          if (to.pathname !== from.pathname) {
            // Streamlit has taken all settings off the page that is left: Back is to find them there.
            if (new URL(before).pathname === from.pathname) history.replaceState(history.state, "", before);
            push.call(history, state, unused, url);
            note();
            return;
          }
          const step = (at) => new URLSearchParams(at.search).get("step"); // none of the first, nor of a page that is left
          const turns = to.pathname.endsWith("/tour") && step(to) && step(from) !== step(to);
          (turns ? push : history.replaceState).call(history, state, unused, url);
        };
      }
    """
_PAGES = [door.page for door in (HOME, *DOORS)]
_SAYS_WHERE_THE_SERVER_IS = f"""
      if (parent === window) {{
        const folders = location.pathname.replace(/[/]+$/, "").split("/");
        if ({json.dumps(_PAGES)}.includes(folders.at(-1))) folders.pop();
        window.__streamlit = {{
          BACKEND_BASE_URL: location.origin + folders.join("/"),
          HOST_CONFIG: {{ allowedOrigins: [location.origin], useExternalAuthToken: false }},
        }};
      }}
    """
_FILE = streamlits_script("PlotlyChart")
_CHARTS = f'  <script type="module" crossorigin src="./static/js/{_FILE.name}"></script>\n  ' if _FILE else ""
PAGE = (
    _STREAMLITS.decode()
    .replace(
        "<head>",
        f"<head>\n    <script>{_ONE_STEP_A_PAGE}</script>\n    <script>{_SAYS_WHERE_THE_SERVER_IS}</script>",
        1,
    )
    .replace("</head>", f"{_CHARTS}</head>", 1)
    .encode()
)
# Who has logged in before, and whose browser has forgotten the token that belongs to it, gets one with the answer to the question.
_PAGE_THAT_ASKS = PAGE.replace(_SAYS_WHERE_THE_SERVER_IS.encode(), b"")
_LOGIN, _TOKEN = "_streamlit_user", "_streamlit_xsrf"
# The digests by which a content security policy allows the scripts in it.
SCRIPT_DIGESTS = " ".join(
    f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
    for script in re.findall(rb"<script>(.*?)</script>", PAGE, re.S)
)
# With these a server may answer "as before", or in a form that cannot be compared.
_ASKS_FOR_ANOTHER_FORM = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")


class OwnPage:
    """Answers with `PAGE` where Streamlit would answer with its own page, whatever the address; a page in capitals leads to it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; what a browser opens as a page is looked at before it is sent."""
        headers = scope.get("headers", [])
        if scope["type"] != "http" or not any(
            name == b"accept" and b"text/html" in value for name, value in headers
        ):
            await self.app(scope, receive, send)
            return
        page = scope["path"].rstrip("/").rpartition("/")[-1]
        if page not in _PAGES and page.lower() in _PAGES:
            up = "." if not scope["path"].endswith("/") else ".."
            query = f"?{scope['query_string'].decode('latin-1')}" if scope.get("query_string") else ""
            await RedirectResponse(f"{up}/{page.lower()}{query}")(scope, receive, send)
            return
        cookies = Request(scope).cookies
        asks = _TOKEN not in cookies and any(name.startswith(_LOGIN) for name in cookies)
        own = _PAGE_THAT_ASKS if asks else PAGE
        start: Message | None = None
        body = b""

        async def send_page(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_html(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    await send(_of_length(start, own) if body == _STREAMLITS else start)
                    await send({"type": "http.response.body", "body": own if body == _STREAMLITS else body})

        asked = [(name, value) for name, value in headers if name not in _ASKS_FOR_ANOTHER_FORM]
        await self.app({**scope, "headers": asked}, receive, send_page)


def _is_html(start: Message) -> bool:
    return MutableHeaders(scope=start).get("content-type", "").startswith("text/html")


def _of_length(start: Message, page: bytes) -> Message:
    """Return the start of an answer for another body, of which a browser keeps nothing."""
    headers = MutableHeaders(scope=start)
    headers["content-length"] = str(len(page))
    for kept in ("etag", "last-modified"):
        del headers[kept]
    return start
