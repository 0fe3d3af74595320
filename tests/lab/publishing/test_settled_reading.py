"""Holes a guarantee can leak through between the file and the noise, one by one, each worked by hand.

In each case one person's rows are added to others' and must change nothing of theirs. `GUESSED` reads as
the lab does for its figures, where one row may decide how others are read; a release never does.
"""

import datetime as dt
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from privlab.checks import DataError, ParameterError
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.cleaning.cleaning_steps import cleaned_dataset
from privlab.datasets.columns.mapping import FILE_NAME, ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.layouts.known_layouts import HEADERLESS
from privlab.datasets.read import read_dataset
from privlab.datasets.rows.second_files import Lookup
from privlab.datasets.zone_kinds.zoning import zoning_from_spec
from privlab.lab.loading.settled_visits import settled_visits_from_dataset
from privlab.lab.publishing.release_data import ReleaseData, settled_trips_from_release_data
from privlab.od.settled.settled_trips import NO_USERS, USERS_NOT_APART, settled_trips_from_dataset
from privlab.od.trips.trip_tables import trip_tables_from_dataset

FIRST, SECOND = "2026-03-02", "2026-03-09"
RECORDS = ColumnMapping(user_id="user", timestamp="time", zone="zone")
TEXT = FileForm(mapping=RECORDS, ids="text")
NUMBER = FileForm(mapping=RECORDS, ids="number")
HEADER = "user,time,zone"
COMMUTER = ["c,2026-03-03 07:00,5", "c,2026-03-03 08:00,9"]  # 5→9 in the first week


def trips(
    path: Path, form: FileForm, *, zones="column", cleaning=None, lookup=None, timezone=None
) -> dict[str, dict[tuple[object, object], int]]:
    """Return how many people make each trip in the two weeks."""
    data = ReleaseData(
        path=path,
        form=form,
        zones=zones,
        geography=None,
        lookup=lookup,
        timezone=timezone,
        cleaning=cleaning or Cleaning(),
    )
    with Workspace() as workspace:
        found, _ = settled_trips_from_release_data(data, workspace, weeks=(FIRST, SECOND))
    ids = found.zones.tolist()
    by_week = {}
    for week in (FIRST, SECOND):
        flow = found.week_of(week)[1].tolist()
        by_week[week] = dict(Counter((ids[one // len(ids)], ids[one % len(ids)]) for one in flow))
    return by_week


def written(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_bytes("\n".join([header, *rows, ""]).encode("utf-8", "surrogateescape"))
    return path


def test_one_row_with_a_letter_moves_nobodys_ties(tmp_path: Path) -> None:
    """Zones 9 and 10 tie at 07; 9 wins whether another person's zone A makes the ids text or not."""
    others = [f"{n},2026-03-03 07:{minute},{zone}" for n in range(3) for minute, zone in ((10, 10), (20, 9))]
    others += [f"{n},2026-03-03 08:00,5" for n in range(3)]
    alone = written(tmp_path / "others.csv", *others)
    with_a = written(tmp_path / "with.csv", *others, "x,2026-03-03 07:00,A")
    assert trips(alone, TEXT)[FIRST] == trips(with_a, TEXT)[FIRST] == {("9", "5"): 3}
    assert trips(alone, NUMBER)[FIRST] == trips(with_a, NUMBER)[FIRST] == {(9, 5): 3}
    with Workspace() as workspace:  # and in the figures, where the kind is guessed
        for path, nine in ((alone, 9), (with_a, "9")):
            dataset = read_dataset(path, workspace=workspace)
            zoning = zoning_from_spec("column", place="zone", table=dataset.table)
            origins = trip_tables_from_dataset(dataset, zoning).unique_trips.origin.to_pyarrow().to_pylist()
            assert origins == [nine] * 3


@pytest.mark.parametrize(
    ("zones", "number", "text"),
    [
        (("7", "8"), {(7, 8): 1}, {("7", "8"): 1}),
        (("07", "8"), {}, {("07", "8"): 1}),
        (("7.0", "8"), {}, {("7.0", "8"): 1}),
        (("-3", "8"), {(-3, 8): 1}, {("-3", "8"): 1}),
        (("1" * 30, "8"), {}, {("1" * 30, "8"): 1}),
    ],
)
def test_ids_are_what_they_are_said_to_be(tmp_path: Path, zones, number, text) -> None:
    rows = [f"u,2026-03-03 07:00,{zones[0]}", f"u,2026-03-03 08:00,{zones[1]}"]
    path = written(tmp_path / "ids.csv", *rows)
    assert trips(path, NUMBER)[FIRST] == number
    assert trips(path, TEXT)[FIRST] == text


def test_a_move_over_sunday_midnight_is_in_no_week(tmp_path: Path) -> None:
    """Sunday 23 h zone 1, Monday 0 h zone 2, Monday 1 h zone 3: the second week knows 2→3 alone, whatever was on Sunday."""
    monday = ["u,2026-03-09 00:10,2", "u,2026-03-09 01:10,3"]
    sunday = ["u,2026-03-08 22:10,4", "u,2026-03-08 23:10,1"]
    whole = trips(written(tmp_path / "whole.csv", *sunday, *monday), NUMBER)
    assert whole == {FIRST: {(4, 1): 1}, SECOND: {(2, 3): 1}}
    assert trips(written(tmp_path / "rest.csv", *monday), NUMBER)[SECOND] == whole[SECOND]


def test_moments_are_read_in_the_time_zone_that_was_said_by_hand(tmp_path: Path) -> None:
    """Sunday 23:30 and Monday 00:30 in UTC, a move over midnight, are Monday 00:30 and 01:30 in Paris; in New York both are Sunday's."""
    sunday = dt.datetime(2026, 3, 8, 23, 30, tzinfo=dt.UTC)
    rows = [f"u,{(sunday + dt.timedelta(hours=n)).timestamp():.0f},{n + 1}" for n in range(2)]
    path = written(tmp_path / "moments.csv", *rows)
    form = FileForm(mapping=replace(RECORDS, time_format="seconds"), ids="number")
    move = {(1, 2): 1}
    assert trips(path, form) == {FIRST: {}, SECOND: {}}
    assert trips(path, form, timezone="Europe/Paris") == {FIRST: {}, SECOND: move}
    assert trips(path, form, timezone="America/New_York") == {FIRST: move, SECOND: {}}


def test_cleaning_asks_each_week_by_itself(tmp_path: Path) -> None:
    """Three records in the first week, two in the second: with three wanted the second week has none."""
    first = ["u,2026-03-03 07:00,1", "u,2026-03-03 08:00,2", "u,2026-03-03 09:00,1"]
    second = ["u,2026-03-10 07:00,1", "u,2026-03-10 08:00,2"]
    least = Cleaning(min_records=3)
    found = trips(
        written(tmp_path / "both.csv", *first, *second, *COMMUTER, *COMMUTER), NUMBER, cleaning=least
    )
    assert found == {FIRST: {(1, 2): 1, (2, 1): 1, (5, 9): 1}, SECOND: {}}
    # Every 100 minutes since 1970, one begins on Sunday at 22:20: Monday's first record counts all the same.
    late = ["u,2026-03-08 23:50,1", "u,2026-03-09 00:00,1", "u,2026-03-09 01:00,2"]
    every = Cleaning(every_min=100)
    for n, rows in enumerate((late, late[1:])):
        assert trips(written(tmp_path / f"{n}.csv", *rows), NUMBER, cleaning=every)[SECOND] == {(1, 2): 1}


def test_one_persons_seconds_do_not_decide_what_is_too_fast_for_others(tmp_path: Path) -> None:
    """Times of u in whole minutes: 2.2 km twice within a minute are 133 km/h; in a second they would be 8,000.

    Zone 2 has two of the hour's four records; without the one in the middle of the minute it ties with zone 0.
    """
    mapping = ColumnMapping(user_id="user", timestamp="time", lat="lat", lon="lon")
    header, zones = "user,time,lat,lon", "box:45,5,46,6:100x1"
    rows = [
        "u,2026-03-03 07:00,45.001,5.5",
        "u,2026-03-03 08:00,45.001,5.5",
        "u,2026-03-03 08:00,45.021,5.5",
        "u,2026-03-03 08:00,45.041,5.5",
        "u,2026-03-03 08:30,45.021,5.5",
    ]
    fast = Cleaning(max_speed_km_h=300)
    found = []
    for n, more in enumerate(([], ["x,2026-03-03 07:00:01,45.5,5.5"])):
        path = written(tmp_path / f"{n}.csv", *rows, *more, header=header)
        found.append(trips(path, FileForm(mapping=mapping), zones=zones, cleaning=fast))
        with Workspace() as workspace:
            cleaned = cleaned_dataset(read_dataset(path, mapping=mapping, workspace=workspace), fast)
            found.append(cleaned.report.kept - len(more))
    assert found[0] == found[2] == {FIRST: {(0, 2): 1}, SECOND: {}}
    assert found[1] != found[3]  # what the figures do: x's second takes one of u's records out


@pytest.mark.parametrize(
    "row",
    ['x,2026-03-03 07:00,"5', '"x,2026-03-03 07:00,5', "x,2026-03-03 07:00,\udcfc", "x,2026-03-03\t07:00\t5",
     "x;2026-03-03 07:00;5", "x,03/13/2026 07:00,5", "x,1772521200,5", "x,2026-03-03 07:00,5,", "x", "x,\0,5",
     "x,2026-03-03 07:00,5\r", "x," + "y" * 1_100_000 + ",5"],
)  # fmt: skip
def test_an_odd_row_costs_nobody_elses(tmp_path: Path, row: str) -> None:
    """Zürich stays Zürich, quotes left open swallow no line, and times are read as they are said to be written."""
    rows = ["c,2026-03-03 07:00,Zürich", "c,2026-03-03 08:00,9"]
    first, last = (
        written(tmp_path / f"{n}.csv", *order) for n, order in enumerate(([row, *rows], [*rows, row]))
    )
    for path in (first, last):
        assert trips(path, TEXT)[FIRST] == {("Zürich", "9"): 1}


def test_columns_and_delimiter_go_by_the_header_alone(tmp_path: Path) -> None:
    rows = ["c;2026-03-03 07:00;5", "c;2026-03-03 08:00;9", *["x,x,x,x,x,x"] * 5]
    assert trips(written(tmp_path / "a.csv", *rows, header="user;time;zone"), NUMBER)[FIRST] == {(5, 9): 1}


def test_a_table_without_a_header_needs_its_form(tmp_path: Path) -> None:
    mapping = ColumnMapping(user_id="column 1", timestamp="column 2", zone="column 3")
    path = written(tmp_path / "bare.csv", "c|2026-03-03 08:00|9|more", header="c|2026-03-03 07:00|5")
    form = FileForm(mapping=mapping, format=HEADERLESS, delimiter="|", ids="number")
    assert trips(path, form)[FIRST] == {(5, 9): 1}
    with pytest.raises(ParameterError, match="delimiter must be named for a table without a header"):
        trips(path, FileForm(mapping=mapping, format=HEADERLESS, ids="number"))
    named = FileForm(mapping=RECORDS, format=HEADERLESS, delimiter="|", ids="number")
    with pytest.raises(ParameterError, match="by their place in a table without a header"):
        trips(path, named)


def test_a_persons_empty_file_leaves_the_folder_readable(tmp_path: Path) -> None:
    folder = tmp_path / "cabs"
    folder.mkdir()
    (folder / "new_a.txt").write_text("37.76 -122.40 0 1772521200\n37.81 -122.40 0 1772524800\n")
    (folder / "new_b.txt").write_text("")
    mapping = ColumnMapping(
        user_id=FILE_NAME, timestamp="unixtime", lat="lat", lon="lon", time_format="seconds"
    )
    form = FileForm(mapping=mapping, format="cabspotting")
    assert trips(folder, form, zones="box:37.7,-122.5,37.9,-122.3:4x1") == {FIRST: {(1, 2): 1}, SECOND: {}}


def test_a_run_with_a_passenger_ends_with_its_week(tmp_path: Path) -> None:
    """Occupied from Sunday 23:30 in stripe 0 to Monday 00:30 in stripe 3, by 00:10 in 1: Monday's trip is 1→3."""
    times = [dt.datetime(2026, 3, 8, 23, 30), dt.datetime(2026, 3, 9, 0, 10), dt.datetime(2026, 3, 9, 0, 30)]
    lines = [
        f"{lat} -122.40 1 {int(time.replace(tzinfo=dt.UTC).timestamp())}"
        for lat, time in zip((37.72, 37.78, 37.88), times, strict=True)
    ]
    mapping = ColumnMapping(
        user_id=FILE_NAME,
        timestamp="unixtime",
        lat="lat",
        lon="lon",
        occupied="occupied",
        time_format="seconds",
    )
    form = FileForm(mapping=mapping, format="cabspotting-trips")
    for name, rows in (("new_whole.txt", lines), ("new_rest.txt", lines[1:])):
        path = tmp_path / name
        path.write_text("\n".join(rows) + "\n")
        assert trips(path, form, zones="box:37.7,-122.5,37.9,-122.3:4x1")[SECOND] == {(1, 3): 1}


def test_typed_files_keep_ids_whatever_the_column_became(tmp_path: Path) -> None:
    """One row without a zone makes decimals of whole numbers: 5.0 is still 5."""
    import pandas as pd

    rows = pd.DataFrame(
        {"user": [1, 1], "time": pd.to_datetime(["2026-03-03 07:00", "2026-03-03 08:00"]), "zone": [5, 9]}
    )
    gap = pd.DataFrame({"user": [2], "time": pd.to_datetime(["2026-03-03 07:00"]), "zone": [float("nan")]})
    for n, table in enumerate((rows, pd.concat([rows, gap]))):
        path = tmp_path / f"{n}.parquet"
        table.to_parquet(path)
        assert trips(path, NUMBER)[FIRST] == {(5, 9): 1}
        assert trips(path, TEXT)[FIRST] == {("5", "9"): 1}


def test_a_folder_of_types_that_differ_is_refused_iv(tmp_path: Path) -> None:
    import pandas as pd

    for name, zone in (("a", 5), ("b", "A")):
        time = pd.to_datetime(["2026-03-03 07:00"])
        pd.DataFrame({"user": [1], "time": time, "zone": [zone]}).to_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(DataError, match=r"Column 'zone' is int64 in a\.parquet and"):
        trips(tmp_path, NUMBER)


def test_a_second_file_is_read_by_its_header_too(tmp_path: Path) -> None:
    main = written(
        tmp_path / "taps.csv", "1,2026-03-03 07:00,5", "1,2026-03-03 08:00,9", header="card,time,zone"
    )
    owners = written(tmp_path / "owners.csv", "1,ann", '2,"bob', header="card,user")
    lookup = Lookup(path=owners, on="card", key="card")
    assert trips(main, NUMBER, lookup=lookup)[FIRST] == {(5, 9): 1}


def test_guessed_data_is_not_released_iv(tmp_path: Path) -> None:
    with Workspace() as workspace:
        dataset = read_dataset(written(tmp_path / "a.csv", *COMMUTER), workspace=workspace)
        zoning = zoning_from_spec("column", place="zone", table=dataset.table)
        for count in (settled_trips_from_dataset, settled_visits_from_dataset):
            with pytest.raises(ParameterError, match="form must be given for a secure release"):
                count(dataset, zoning, weeks=[FIRST])


def test_data_in_which_one_decides_what_is_kept_of_another_is_not_counted_iv(tmp_path: Path) -> None:
    """People drawn at random: whom the draw takes hangs on how many there are. Nor are counts, which name nobody."""
    with Workspace() as workspace:
        read = read_dataset(written(tmp_path / "a.csv", *COMMUTER), form=NUMBER, workspace=workspace)
        drawn = cleaned_dataset(read, Cleaning(n_users=1))
        zoning = zoning_from_spec("column", place="zone", table=read.table)
        for count in (settled_trips_from_dataset, settled_visits_from_dataset):
            assert len(count(read, zoning, weeks=[FIRST]).user) > 0
            for dataset, sentence in (
                (drawn, USERS_NOT_APART),
                (replace(drawn, kind="counts", users_apart=True), NO_USERS),
            ):
                with pytest.raises(ParameterError, match=re.escape(sentence)):
                    count(dataset, zoning, weeks=[FIRST])


@pytest.mark.parametrize(
    ("form", "cleaning", "zones", "sentence"),
    [
        (FileForm(mapping=RECORDS), Cleaning(), "column", "ids must be number or text, named by you"),
        (TEXT, Cleaning(percentile=90), "column", "percentile and sample_users must be left out"),
        (TEXT, Cleaning(), "grid:500", "zones must not depend on the data"),
        (
            FileForm(mapping=ColumnMapping(origin="a", destination="b")),
            Cleaning(),
            "column",
            "does not say whose",
        ),
    ],
)
def test_release_data_iv(tmp_path: Path, form, cleaning, zones, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        ReleaseData(
            path=tmp_path,
            form=form,
            zones=zones,
            geography=None,
            lookup=None,
            timezone=None,
            cleaning=cleaning,
        )


def test_numbers_for_times_need_their_unit_iv(tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"user": [1], "time": [1772521200], "zone": [5]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match="Column 'time' holds numbers: say how times are written"):
        trips(tmp_path / "a.parquet", NUMBER)


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-03-03 07:00", 7),
        ("2026-03-03T07:00:00.5", 7),
        ("2026-03-03T07:00Z", 7),
        ("2026-03-03 07:00+02:00", 5),
        ("2026-03-03T07:00+02:00[Europe/Berlin]", 5),
        ("2026-03-03T07:00[Europe/Berlin]", None),
        ("2026-03-03T07:00Z[UTC", None),
        ("2026/3/3 7:00", 7),
        ("03/03/2026 07:00", None),
        ("2026-13-03 07:00", None),
        ("1772521200", None),
    ],
)
def test_iso_times_are_read_one_by_one(tmp_path: Path, text: str, hour: int | None) -> None:
    path = written(tmp_path / "t.csv", f"u,{text},1", "v,2026-03-03 00:00,1")
    with Workspace() as workspace:
        table = read_dataset(path, form=NUMBER, workspace=workspace).table
        times = {row["user_id"]: row["time"] for row in table.to_pyarrow().to_pylist()}
    assert (times["u"].hour if "u" in times else None) == hour


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_was_recognised_reads_the_same_again(tmp_path: Path, ending: str) -> None:
    """The form that a load recognised, taken as settled, gives the same rows and the same digest."""
    import pandas as pd

    path = tmp_path / f"a.{ending}"
    times = ["03/13/2026 07:00", "03/14/2026 08:00"]
    if ending == "csv":
        path.write_bytes("phone;when;cell\nMüller;{};5\nMüller;{};9\n".format(*times).encode("cp1252"))
    else:
        pd.DataFrame({"phone": ["Müller"] * 2, "when": times, "cell": [5, 9]}).to_parquet(path)
    mapping = ColumnMapping(user_id="phone", timestamp="when", zone="cell")
    with Workspace() as workspace:
        guessed = read_dataset(path, mapping=mapping, workspace=workspace)
        assert guessed.form is not None
        settled = read_dataset(path, form=guessed.form, workspace=workspace)
        rows = [sorted(one.table.to_pyarrow().to_pylist(), key=str) for one in (guessed, settled)]
    assert rows[0] == rows[1]
    assert guessed.digest == settled.digest
    assert (guessed.is_settled, settled.is_settled) == (False, True)


def test_a_row_is_named_by_its_line_in_the_file_against_hand(tmp_path: Path) -> None:
    """Line 1 is the header, line 3 blank, line 4 has a field too many: the id that is no number stands in line 6."""
    path = written(
        tmp_path / "lines.csv",
        "a,2026-03-03 07:00,5",
        "",
        "a,2026-03-03 07:30,5,6",
        "a,2026-03-03 08:00,9",
        "b,2026-03-03 07:00,S11",
    )
    with Workspace() as workspace:
        report = read_dataset(path, workspace=workspace, form=NUMBER).report
    (no_number,) = report.examples["id that is no whole number"]
    (malformed,) = report.examples["malformed row"]
    assert (str(no_number.position), str(malformed.position)) == ("row 6", "row 4")
