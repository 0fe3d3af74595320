"""The normalised rows of data that was read, kept in one file, so that nothing of it is read twice.

Knows how rows are written and taken up again; knows nothing of where the file lies or what rows are used for.
"""

import os
import secrets
import weakref
from dataclasses import fields
from pathlib import Path
from typing import Any

import duckdb

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.records import Dataset
from privlab.limits import MAX_ROWS_KEPT

_OF_THE_WORKSPACE = ("table", "workspace")


class KeptRows:
    """Rows in a Parquet file in a folder inside a private one; gone with this object."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"rows-{secrets.token_hex(8)}.parquet"
        self._held: dict[str, Any] | None = None
        self._finalizer = weakref.finalize(self, _removed, self._path)

    def __getstate__(self) -> tuple[Path, dict[str, Any] | None]:
        """Return what a copy in another process needs: it writes to the same place, and leaves the file there."""
        return self._path, self._held

    def __setstate__(self, state: tuple[Path, dict[str, Any] | None]) -> None:
        """Make a copy, which owns nothing."""
        self._path, self._held = state

    def take_over(self, copy: "KeptRows") -> None:
        """Know what a copy of this object, in another process, has written down."""
        self._held = self._held or copy._held

    def keep(self, dataset: Dataset) -> bool:
        """Write the rows down; return False where they are too many or there is no room for them."""
        if self._held is not None:
            return True
        if dataset.report.kept > MAX_ROWS_KEPT:
            return False
        new = self._path.with_suffix(f".{secrets.token_hex(4)}.partial")
        try:
            self._path.parent.mkdir(exist_ok=True)
            dataset.workspace.connection.to_parquet(dataset.table, new, compression="zstd")
            os.replace(new, self._path)
        except (OSError, duckdb.IOException):  # a full disk: the rows can be read from their file again
            return False
        finally:
            new.unlink(missing_ok=True)
        known = {one.name: getattr(dataset, one.name) for one in fields(Dataset)}
        self._held = {name: known[name] for name in known if name not in _OF_THE_WORKSPACE}
        return True

    def rows(self, workspace: Workspace) -> Dataset | None:
        """Return the dataset as it was, its rows read from what was kept; None where nothing is."""
        if self._held is None:
            return None
        table = workspace.connection.read_parquet(self._path)
        return Dataset(table=table, workspace=workspace, **self._held)


def _removed(path: Path) -> None:
    path.unlink(missing_ok=True)
