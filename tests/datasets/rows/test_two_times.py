"""Rows with a start and an end, some turned round by hand."""

from pathlib import Path

import pandas as pd
import pytest

from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.read import read_dataset

HEAD = "card,started_at,ended_at,from_zone,to_zone\n"
SOUND = "a,2026-03-02 08:00,2026-03-02 08:20,1,2\n"
TURNED = "b,2026-03-02 09:30,2026-03-02 09:10,2,3\n"


def asked(path: Path, **how: object) -> list[str]:
    return [note for note in read_dataset(path, **how).report.notes if "before" in note]  # type: ignore[arg-type]


def written(folder: Path, text: str) -> Path:
    (folder / "t.csv").write_text(text)
    return folder / "t.csv"


def test_rows_that_end_before_they_start_are_counted_and_asked_about(tmp_path) -> None:
    (question,) = asked(written(tmp_path, HEAD + 3 * SOUND + 2 * TURNED + SOUND))
    assert question == (
        "2 of the rows end before they start ('ended_at' lies before 'started_at', first in row 5): are the two swapped, "
        "or is a clock wrong? 'ended_at' is what counts."
    )
    (one,) = asked(written(tmp_path, HEAD + SOUND + TURNED))
    assert one.startswith("1 of the rows ends before it starts")


def test_nothing_is_asked_of_sound_rows_nor_of_those_that_are_dropped(tmp_path) -> None:
    assert not asked(written(tmp_path, HEAD + 3 * SOUND))
    assert not asked(written(tmp_path, HEAD + SOUND + TURNED.replace("b,", ",")))  # no user: not kept
    assert not asked(written(tmp_path, HEAD + SOUND + SOUND.replace("2026-03-02 08:00", "unknown")))
    alike = SOUND.replace("08:20", "08:00")
    assert not asked(written(tmp_path, HEAD + alike))


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_days_and_units_of_any_kind(tmp_path, suffix: str) -> None:
    start = pd.to_datetime(["2026-03-02 08:00", "2026-03-02 09:30"])
    end = pd.to_datetime(["2026-03-02 08:20", "2026-03-02 09:10"])
    frame = pd.DataFrame(
        {"card": ["a", "b"], "started_at": start, "ended_at": end, "from_zone": 1, "to_zone": 2}
    )
    path = tmp_path / f"t.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    else:
        for name in ("started_at", "ended_at"):
            frame[name] = frame[name].dt.strftime("%d/%m/%Y %H:%M")
        frame.loc[2] = [
            "c",
            "25/03/2026 08:00",
            "25/03/2026 08:05",
            1,
            2,
        ]  # which says that the day comes first
        frame.to_csv(path, index=False)
    assert len(asked(path)) == 1


def test_the_hour_that_comes_twice_turns_nothing_round(tmp_path) -> None:
    """From 02:50 to 02:10 Berlin time, of 25 October 2026, are twenty minutes."""
    row = "a,2026-10-25T02:50:00+02:00,2026-10-25T02:10:00+01:00,1,2\n"
    assert not asked(written(tmp_path, HEAD + row + row), timezone="Europe/Berlin")


def test_who_leaves_a_place_has_come_before(tmp_path) -> None:
    stay = "user,arrival,departure,zone\na,2026-03-02 08:00,2026-03-02 09:00,1\n"
    assert not asked(written(tmp_path, stay))
    call = "user,start_time,end_time,cell_id\na,2026-03-02 08:00,2026-03-02 07:00,1\n"
    (question,) = asked(written(tmp_path, call))
    assert "'start_time' is what counts" in question


def test_a_column_taken_by_hand(tmp_path) -> None:
    mapping = ColumnMapping(user_id="card", timestamp="started_at", origin="from_zone", destination="to_zone")
    (question,) = asked(written(tmp_path, HEAD + SOUND + TURNED), mapping=mapping)
    assert "'started_at' is what counts" in question


def test_a_release_reads_each_row_by_itself_and_asks_nothing(tmp_path) -> None:
    path = written(tmp_path, HEAD + SOUND + TURNED)
    dataset = read_dataset(path)
    settled = read_dataset(path, form=dataset.form)
    assert settled.report.kept == 2
    assert not [note for note in settled.report.notes if "before" in note]
