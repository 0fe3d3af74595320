"""Rows kept after the first reading: the same dataset and the same results as from the file, which may be gone."""

from dataclasses import fields

import numpy as np
import pytest

from privlab.aggregates.traces import traces_from_dataset
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.folders.uploads import SessionFolder
from privlab.datasets.read import read_dataset
from privlab.datasets.rows import kept_rows
from privlab.datasets.rows.kept_rows import KeptRows
from privlab.fingerprints.fingerprints import fingerprints_from_dataset
from privlab.progress import UNHEARD
from privlab.ui.data.own_file import LoadRequest, OwnFile, read_rows
from tests.datasets.files_by_hand import rows_of, write

LINES = [
    f"{user},2026-03-{2 + day:02} {hour:02}:0{user},{45 + user / 100},{-30 + hour / 100 + day / 50}"
    for user in (3, 1, 2)
    for day in range(3)
    for hour in (7, 9, 18)
]
TEXT = "\n".join(["user,time,lat,lon", *LINES, "9,no time,45,-30"]) + "\n"


def results(dataset, zoning):
    made = (fingerprints_from_dataset(dataset), traces_from_dataset(dataset, zoning))
    return {(i, one.name): getattr(part, one.name) for i, part in enumerate(made) for one in fields(part)}


def test_a_file_of_a_session_is_read_once_and_results_are_equal(tmp_path) -> None:
    path = write(tmp_path, TEXT, "moves.csv")
    request = LoadRequest(
        own=OwnFile(id="1", path=path), format="auto",
        mapping=ColumnMapping(user_id="user", timestamp="time", lat="lat", lon="lon"),
        lookup=None, timezone=None, cleaning=Cleaning(), zones="grid:1000", geography=None,
        kept=KeptRows(tmp_path),
    )  # fmt: skip
    with Workspace(threads=1) as workspace:
        first, zoning = read_rows(request, workspace, UNHEARD)
        rows, before, report = rows_of(first), results(first, zoning), first.report
    path.unlink()
    with Workspace(threads=1) as workspace:
        again, zoning_again = read_rows(request, workspace, UNHEARD)
        assert sorted(rows_of(again)) == sorted(rows)
        assert (again.report, again.digest, again.mapping, zoning_again) == (
            report,
            first.digest,
            first.mapping,
            zoning,
        )
        after = results(again, zoning_again)
    assert before.keys() == after.keys()
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value, err_msg=str(name))


def test_kept_rows_are_gone_with_what_holds_them(tmp_path) -> None:
    path, session = write(tmp_path, TEXT, "moves.csv"), SessionFolder()
    folder = session.kept
    kept = KeptRows(folder)
    with Workspace(threads=1) as workspace:
        dataset = read_dataset(path, workspace=workspace)
        assert kept.keep(dataset)
    assert len(list(folder.iterdir())) == 1
    assert session.n_bytes == SessionFolder().n_bytes  # what is kept is no upload
    del kept
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("room", [False, True])
def test_what_cannot_be_kept_is_read_again(tmp_path, monkeypatch, room) -> None:
    path = write(tmp_path, TEXT, "moves.csv")
    kept = KeptRows(tmp_path / ("session" if room else "gone/kept"))
    (tmp_path / "session").mkdir()
    if room:
        monkeypatch.setattr(kept_rows, "MAX_ROWS_KEPT", 26)
    with Workspace(threads=1) as workspace:
        dataset = read_dataset(path, workspace=workspace)
        assert dataset.report.kept == 27
        assert not kept.keep(dataset)
        assert kept.rows(workspace) is None
    assert list((tmp_path / "session").iterdir()) == []
