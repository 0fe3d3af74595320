"""The launcher: `streamlit run app.py` serves privlab/ui/main.py under headers that forbid outside requests.

Of streamlit's own addresses only those answer that a page needs: its counters tell what all sessions do.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privlab.ui.serving import (
    SCRIPT_DIGESTS,
    OwnNames,
    OwnPage,
    QuickerScripts,
    send_at_once,
    use_few_arenas,
)
from privlab.ui.sessions import UploadRoom, tidy
from privlab.ui.shell import loading

# The street map, where someone turns it on, is the only thing that may come from elsewhere.
_TILES = "https://*.cartocdn.com https://*.carto.com"
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; "
    f"script-src 'self' {SCRIPT_DIGESTS} 'wasm-unsafe-eval' blob:; "
    "worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
    f"img-src 'self' data: blob: {_TILES}; font-src 'self' data:; "
    f"connect-src 'self' data: blob: {_TILES}; "
    "object-src 'none'; base-uri 'self'; frame-ancestors 'self'"
)
_HEADERS = [
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]
_OWN = "_stcore"
_NEEDED = ("health", "host-config", "upload_file", "bidi-components")


class OnlyNeededAddresses:
    """Answers 404 for streamlit's own addresses that no page needs: counters of caches and sessions among them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if a page may make it."""
        parts = [part for part in scope.get("path", "").split("/") if part]
        own = parts[parts.index(_OWN) + 1 :] if _OWN in parts else None
        if scope["type"] == "http" and own is not None and own[:1] and own[0] not in _NEEDED:
            await PlainTextResponse("Not Found", status_code=404)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


class StrictHeaders:
    """Adds the headers to every HTTP response and leaves WebSockets alone."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers to its response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", []).extend(_HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


@asynccontextmanager
async def while_it_serves(app: st.App) -> AsyncIterator[None]:
    """Have answers sent at once, and sessions ended, as long as the server runs."""
    send_at_once()
    async with tidy(app):
        yield


# An answer is sent in a hundred pieces, and after each its thread waits so long for heavy work in another thread. Python's own 5 ms
# would add half a second.
sys.setswitchinterval(0.0005)
use_few_arenas()  # before there are threads

# Streamlit puts the folder of its script before all others for each run, and takes it out again, unless it is there: whoever looks a
# package up meanwhile, in another thread, as the database does, may miss one that is installed.
_MAIN = Path(__file__).absolute().parent / "privlab" / "ui" / "main.py"
sys.path.append(str(_MAIN.parent))

app = st.App(
    _MAIN,
    middleware=[
        Middleware(StrictHeaders),
        Middleware(OnlyNeededAddresses),
        Middleware(OwnNames),
        Middleware(UploadRoom),
        Middleware(OwnPage),
        Middleware(QuickerScripts),
    ],
    lifespan=while_it_serves,
)
loading.begin()
