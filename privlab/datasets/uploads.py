"""A private place for the files one browser session brings along, gone with the session."""

import shutil
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.private_folders import PrivateFolder


class SessionFolder:
    """A private folder that is removed when the session's state lets go of it."""

    def __init__(self) -> None:
        self._folder = PrivateFolder("session-")
        self.path = self._folder.path

    def saved(self, name: str, content: bytes) -> Path:
        """Write a file under its plain name, whatever folders the name pretends to, and return its path."""
        return _saved(self.path, name, content)

    def subfolder(self, name: str) -> "Subfolder":
        """Return an empty folder inside, made anew."""
        path = self.path / name
        shutil.rmtree(path, ignore_errors=True)
        try:
            path.mkdir()
        except OSError as error:
            raise DataError(f"The upload could not be kept on the server: {error.strerror}.") from None
        return Subfolder(path)


class Subfolder:
    """A folder for the files of one upload; two of one name get different names."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def saved(self, name: str, content: bytes) -> Path:
        """Write a file and return its path."""
        taken = sum(1 for file in self.path.iterdir() if file.name.endswith(Path(name).name))
        return _saved(self.path, f"{taken + 1}-{Path(name).name}" if taken else name, content)


def _saved(folder: Path, name: str, content: bytes) -> Path:
    plain = Path(name.replace("\0", "")).name[-120:]
    path = folder / ("upload" if plain in ("", "..") else plain)
    try:
        path.write_bytes(content)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise DataError(f"{plain!r} could not be kept on the server: {error.strerror}.") from None
    return path
