"""The first look at files: how much they hold, which of a folder is shown, and what their headers say; by hand."""

from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.previews import quick_counts
from privlab.datasets.previews.previews import mapping_from_header, preview_from_path
from privlab.datasets.previews.quick_counts import Outlook, outlook_from_path
from tests.datasets.files_by_hand import zipped

TRIPS = (
    "user,time,origin,destination\n1,2026-03-02 08:00,a,b\n2,2026-03-02 09:00,b,c\n1,2026-03-02 10:00,b,a\n"
)


def outlook(path: Path) -> Outlook | None:
    return outlook_from_path(path, preview_from_path(path).mapping, format="auto")


def test_a_file_holds_so_many_rows_users_and_zones_by_hand(tmp_path: Path) -> None:
    """Three trips of two people; three zones at either end together, two where trips begin."""
    path = tmp_path / "trips.csv"
    path.write_text(TRIPS)
    assert outlook(path) == Outlook(rows=3, users=2, zones=3)


def test_of_what_would_be_read_whole_or_rewritten_nothing_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, latin, path = tmp_path / "trips.zip", tmp_path / "latin.csv", tmp_path / "trips.csv"
    archive.write_bytes(zipped({"trips.csv": TRIPS}))
    latin.write_bytes(TRIPS.replace(",a,", ",é,").encode("latin-1"))
    path.write_text(TRIPS)
    assert preview_from_path(latin).encoding != "utf-8"
    assert outlook(archive) is outlook(latin) is None
    monkeypatch.setattr(quick_counts, "MOST_BYTES", len(TRIPS))
    assert outlook(path) is not None
    monkeypatch.setattr(quick_counts, "MOST_BYTES", len(TRIPS) - 1)
    assert outlook(path) is None


def test_of_a_folder_the_first_file_with_rows_is_shown_and_all_are_weighed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TRIPS.splitlines()[0] + "\n")
    (tmp_path / "b.csv").write_text(TRIPS)
    (tmp_path / "c.csv").write_text(TRIPS + TRIPS.splitlines()[1] + "\n")
    found = preview_from_path(tmp_path)
    sizes = [one.stat().st_size for one in tmp_path.iterdir()]
    assert (found.n_files, found.n_bytes) == (3, sum(sizes))
    assert found.rows[0] == ("1", "2026-03-02 08:00", "a", "b")
    assert len(found.rows) == 3
    packed = tmp_path / "two.zip"
    packed.write_bytes(zipped({"a.csv": TRIPS, "b.csv": TRIPS}))
    assert preview_from_path(packed).n_files == 2
    assert preview_from_path(packed).n_bytes == packed.stat().st_size


def test_files_of_other_columns_are_refused_before_any_is_loaded_iv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TRIPS)
    (tmp_path / "b.csv").write_text("user,time,zone\n1,2026-03-02 08:00,a\n")
    with pytest.raises(DataError, match="columns"):
        preview_from_path(tmp_path)


def test_a_header_says_the_same_in_any_order_and_an_empty_first_file_nothing(tmp_path: Path) -> None:
    """Two names of one meaning: neither is taken for standing first. Of an archive the first file with a header is looked at."""
    found = []
    for name, header in (("a.csv", "User ID,user_id,time,zone"), ("b.csv", "user_id,User ID,time,zone")):
        path = tmp_path / name
        path.write_text(header + "\n")
        found.append(mapping_from_header(path, FileForm(mapping=mapping_from_columns(()), delimiter=",")))
    assert found[0] == found[1]
    packed = tmp_path / "packed.zip"
    packed.write_bytes(zipped({"a.csv": "", "b.csv": TRIPS}))
    form = FileForm(mapping=mapping_from_columns(()), delimiter=",")
    assert mapping_from_header(packed, form).origin == "origin"
    packed.write_bytes(zipped({"a.csv": "", "b.csv": ""}))
    with pytest.raises(DataError, match=r"packed\.zip is empty"):
        mapping_from_header(packed, form)
