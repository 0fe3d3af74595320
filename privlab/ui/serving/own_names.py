"""What a browser gets that opens the lab under a name it does not answer to: a page that says so, and what to do.

The pages' socket opens for the names in `server.allowedHosts` alone; under any other a page would wait for it without a word.
"""

import html
import re

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

_A_NAME = re.compile(r"[A-Za-z0-9.-]{1,253}")
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>privlab: another name</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1.1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 12vh auto; padding: 0 1.5rem; }}
code {{ overflow-wrap: anywhere; }}
</style>
</head>
<body>
<h1>This lab does not answer to {name}</h1>
<p>It answers only to names that it was told. Under any other, a stranger's page could read through your browser what you load here.</p>
<h2>If it runs on your machine</h2>
<p>Open <a href="http://localhost:{port}/">http://localhost:{port}/</a>.</p>
<h2>If you run it for others</h2>
<p>Add {name} to <code>server.allowedHosts</code> in <code>.streamlit/config.toml</code>, in full and without <code>*</code>, and
start it again; on Streamlit Community Cloud in the repository that the app is made from. docs/privacy.md says more, under “Serving a team”.</p>
</body>
</html>
"""


class OwnNames:
    """Answers a page that is asked for under a name of others with a sentence; Streamlit refuses its socket in any case."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless a browser asks for a page under another name."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        host = headers.get("host")
        if "text/html" not in headers.get("accept", "") or is_host_allowed(host):
            await self.app(scope, receive, send)
            return
        name = (host or "").rpartition(":")[0] or (host or "")
        page = _PAGE.format(
            name=f"the name <code>{html.escape(name)}</code>"
            if _A_NAME.fullmatch(name)
            else "the name it was opened under",
            port=(scope.get("server") or ("", 8501))[1],
        )
        await HTMLResponse(page, status_code=403, headers={"cache-control": "no-store"})(scope, receive, send)
