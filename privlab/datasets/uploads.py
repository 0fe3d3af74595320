"""A private place for the files one browser session brings along, gone with the session."""

import shutil
import tempfile
import weakref
from pathlib import Path


class SessionFolder:
    """A private folder that is removed when the session's state lets go of it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="privlab-session-"))
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def saved(self, name: str, content: bytes) -> Path:
        """Write a file under its plain name, whatever folders the name pretends to, and return its path."""
        plain = Path(name.replace("\0", "")).name[-120:]
        path = self.path / ("upload" if plain in ("", "..") else plain)
        path.write_bytes(content)
        return path
