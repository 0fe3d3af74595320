"""Data that lies on the server: what the operator allows to be read from there, and nothing else.

The environment variable PRIVLAB_DATA_DIRS names the folders, separated as in PATH. Without it nothing on
the server can be opened from a page.
"""

import os
from collections.abc import Mapping
from itertools import chain, count
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.files.containers import OPENED_SUFFIXES
from privlab.datasets.folders.opened_files import real_path, require_openable

ENVIRONMENT = "PRIVLAB_DATA_DIRS"
_MOST_ENTRIES = 2_000
_DEEPEST = 4


def allowed_folders(environment: Mapping[str, str]) -> dict[str, Path]:
    """Return the folders that may be read, by the name a page calls them; those that are not there are left out."""
    folders: dict[str, Path] = {}
    for text in environment.get(ENVIRONMENT, "").split(os.pathsep):
        path = Path(text.strip()).expanduser()
        if text.strip() and path.is_dir():
            folders[_free_name(path.resolve().name or "/", folders)] = path.resolve()
    return folders


def folders_not_there(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each folder that is named and is not there.

    >>> folders_not_there({"PRIVLAB_DATA_DIRS": "/no/such/folder:/"})
    ['PRIVLAB_DATA_DIRS names /no/such/folder, and there is no such folder: pages do not offer it.']
    """
    named = [text.strip() for text in environment.get(ENVIRONMENT, "").split(os.pathsep)]
    return [
        f"{ENVIRONMENT} names {text}, and there is no such folder: pages do not offer it."
        for text in named
        if text and not Path(text).expanduser().is_dir()
    ]


def _free_name(name: str, taken: Mapping[str, Path]) -> str:
    names = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(one for one in names if one not in taken)


def entries_of_folder(folder: Path) -> list[str]:
    """Return what an allowed folder offers: data files and folders, as paths below it; folders end in "/".

    What begins with a dot, or leads out of the folder by a link, is left out; so is what lies very
    deep, and all beyond the first 2,000.
    """
    root, found = folder.resolve(), [""]
    for here, folders, names in os.walk(root):
        inside = Path(here).relative_to(root)
        folders[:] = sorted(
            name for name in folders if not name.startswith((".", "_")) and _may_be_read(root, inside / name)
        )
        if len(inside.parts) >= _DEEPEST:
            folders.clear()
        found += [f"{(inside / name).as_posix()}/" for name in folders]
        found += [
            (inside / name).as_posix()
            for name in sorted(names)
            if name.lower().endswith(OPENED_SUFFIXES)
            and not name.startswith((".", "_"))
            and _may_be_read(root, inside / name)
        ]
        if len(found) > _MOST_ENTRIES:
            break
    return sorted(found)[:_MOST_ENTRIES]


def path_in_folder(folder: Path, below: str) -> Path:
    """Return the path of an entry, links followed.

    Raises a DataError if it leads out of the folder, is hidden, is not there or cannot be opened.
    """
    path = real_path(folder, below)
    require_openable(path, folder.resolve())
    return path


def _may_be_read(root: Path, below: Path) -> bool:
    try:
        real_path(root, below.as_posix())
    except DataError:
        return False
    return True
