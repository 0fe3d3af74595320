"""Files that last, as they are begun: what a killed process left is taken away, and what another still writes is not."""

import os
import time
from pathlib import Path

from privlab.kept.databases import put_in_place


def test_what_a_killed_process_left_goes_and_what_is_being_written_stays(tmp_path: Path) -> None:
    """A process that began keys an hour and more ago, in a folder whose other files are none of ours."""
    left = [tmp_path / f".l[1].sqlite.{'5c97387d5dc9'}.new{end}" for end in ("", "-journal")]
    young = tmp_path / ".l[1].sqlite.0123456789ab.new"
    others = [tmp_path / name for name in (".l2.sqlite.5c97387d5dc9.new", "l[1].sqlite.new", "notes.txt")]
    for path in (*left, young, *others):
        path.write_bytes(b"x")
    for path in (*left, *others):
        os.utime(path, (time.time() - 4_000,) * 2)
    assert put_in_place(tmp_path / "l[1].sqlite", b"whole")
    assert {path.name for path in tmp_path.iterdir()} == {
        "l[1].sqlite",
        young.name,
        *(one.name for one in others),
    }
    assert (tmp_path / "l[1].sqlite").read_bytes() == b"whole"
