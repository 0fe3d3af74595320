"""Who may upload, and how much at once: asked before a file is taken in, while streamlit still would hold it in memory.

Streamlit keeps what is uploaded in memory until the file is taken away or the session ends. So a file beyond
what a session, or the server, may hold is refused by its length, before any of it is read, and any file of who has not logged in
where a login is asked for: a stranger's would take the room of the team's.
"""

from collections import Counter

from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime

from privlab.checks import DataError
from privlab.datasets.folders import require_room_for_upload
from privlab.limits import MAX_UPLOAD_MB
from privlab.ui.sessions import access

_ADDRESS = "/_stcore/upload_file/"
# On its way in a file larger than this would lie on disk for a moment; uploads stay in memory.
MultiPartParser.spool_max_size = (MAX_UPLOAD_MB + 1) * 2**20


class UploadRoom:
    """Refuses uploads for which there is no room, and those of who has not logged in where that is asked for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._coming: Counter[str] = Counter()  # bytes on their way, by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it if it is an upload that is refused."""
        path = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] != "PUT" or _ADDRESS not in path:
            await self.app(scope, receive, send)
            return
        session = path.partition(_ADDRESS)[2].partition("/")[0]
        if not access.may_upload(session):
            await PlainTextResponse("Log in first.", 403)(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"")
        if not length.isdigit():
            await PlainTextResponse("An upload must say how long it is.", 411)(scope, receive, send)
            return
        held = held_bytes() + self._coming
        try:
            require_room_for_upload(int(length), held[session], held.total() - held[session])
        except DataError as error:
            await PlainTextResponse(str(error), 413)(scope, receive, send)
            return
        self._coming[session] += int(length)
        try:
            await self.app(scope, receive, send)
        finally:
            self._coming[session] -= int(length)
            self._coming += Counter()  # without those that are 0


def held_bytes() -> Counter[str]:
    """Return the bytes of uploads that streamlit holds in memory, by session."""
    if not runtime.exists():
        return Counter()
    files = getattr(runtime.get_instance().uploaded_file_mgr, "file_storage", {})
    return Counter(
        {session: sum(len(file.data) for file in list(own.values())) for session, own in list(files.items())}
    )
