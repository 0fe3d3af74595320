"""Times as files write them, against times worked out by hand."""

import re
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from privlab.checks import DataError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.records import Dataset
from privlab.datasets.times.timestamps import _shape

SEPTEMBER = datetime(2014, 9, 13, 7, 24)


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


def read_times(
    folder: Path,
    workspace: Workspace,
    texts: list[str],
    time_format: str | None = None,
    timezone: str | None = None,
) -> Dataset:
    path = folder / "times.csv"
    path.write_text("user_id|time|zone\n" + "".join(f"1|{text}|5\n" for text in texts), encoding="utf-8")
    mapping = ColumnMapping(user_id="user_id", timestamp="time", zone="zone", time_format=time_format)
    return read_dataset(path, mapping=mapping, timezone=timezone, workspace=workspace)


def times(dataset: Dataset) -> list[datetime]:
    return dataset.table.order_by("time").time.to_pyarrow().to_pylist()


@pytest.mark.parametrize(
    "text",
    [
        "2014-09-13 07:24:00",
        "2014-09-13T07:24:00",
        "2014-09-13 7:24",
        "2014-9-13 07:24",
        "2014/09/13 07:24",
        "2014-09-13 07:24:00.000",
        "2014-09-13T07:24:00.000000000",
        "2014-09-13T07:24:00Z",
        "2014-09-13T09:24:00+02:00",
        "2014-09-13 09:24:00 +02:00",
        "2014-09-13 09:24:00+0200",
        "2014-09-13T09:24:00+02",
        "2014-09-13 07:24:00 UTC",
        "2014-09-13 02:54:00-04:30",
        "2014-09-13T09:24+02:00[Europe/Berlin]",
        "2014-09-13T07:24:00.000Z[UTC]",
        "2014-09-12T21:24:00-10:00[Etc/GMT+10]",
        "2014-09-13 07:24:00 CEST",
        "2014-09-13T07:24 ET",
        "13.09.2014 07:24 MESZ",
        "9/13/2014 7:24 AM EDT",
        "2014-09-13 07:24:00.000 Europe/Berlin",
        "2014-09-13 07:24:00.000 America/Argentina/Buenos_Aires",
        "9/13/2014 7:24",
        "09/13/2014 07:24:00",
        "9/13/2014 7:24 AM",
        "9/13/2014 7:24:00 am",
        "13/9/2014 7:24",
        "13/09/2014 07:24:00",
        "13.09.2014 07:24",
        "13-09-2014 07:24",
        "13/09/14 07:24",
        "9/13/14 7:24AM",
        "13-Sep-2014 07:24",
        "13 September 2014 07:24:00",
        "Sep 13, 2014 7:24 AM",
        "Sat Sep 13 07:24:00 +0000 2014",
        "Sat Sep 13 09:24:00 +0200 2014",
        "20140913072400",
        "20140913 072400",
        "20140913T072400",
        "201409130724",
        "1410593040",
        "1410593040.0",
        "1410593040000",
        " 2014-09-13 07:24 ",
    ],
)
def test_recognised_against_hand(tmp_path, workspace, text) -> None:
    assert times(read_times(tmp_path, workspace, [text])) == [SEPTEMBER]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2014-09-13", datetime(2014, 9, 13)),
        ("20140913", datetime(2014, 9, 13)),
        ("13/09/2014", datetime(2014, 9, 13)),
        ("9/13/2014 12:05 AM", datetime(2014, 9, 13, 0, 5)),
        ("9/13/2014 12:05 PM", datetime(2014, 9, 13, 12, 5)),
        ("2014-09-13 07:24:59.25", datetime(2014, 9, 13, 7, 24, 59, 250_000)),
        ("13/09/2014 07:24:59.25", datetime(2014, 9, 13, 7, 24, 59, 250_000)),
        ("1410593040.5", datetime(2014, 9, 13, 7, 24, 0, 500_000)),
        ("5/5/2014 7:24", datetime(2014, 5, 5, 7, 24)),  # one day whichever way it is read
    ],
)
def test_parts_of_a_time_against_hand(tmp_path, workspace, text, expected) -> None:
    assert times(read_times(tmp_path, workspace, [text])) == [expected]


# New York left summer time on 2014-11-02 at 06:00 UTC and entered it on 2014-03-09 at 07:00 UTC.
DST = [
    ("2014-11-02T05:30:00Z", datetime(2014, 11, 2, 1, 30)),  # EDT, first 1:30
    ("2014-11-02T06:30:00Z", datetime(2014, 11, 2, 1, 30)),  # EST, second 1:30: the same wall-clock time
    ("2014-11-02T07:00:00Z", datetime(2014, 11, 2, 2, 0)),
    ("2014-03-09T06:59:00Z", datetime(2014, 3, 9, 1, 59)),  # EST
    ("2014-03-09T07:00:00Z", datetime(2014, 3, 9, 3, 0)),  # EDT: no 2 o'clock that day
    ("2014-07-01T00:00:00+02:00", datetime(2014, 6, 30, 18, 0)),
]


@pytest.mark.parametrize(("text", "expected"), DST)
def test_daylight_saving_against_hand(tmp_path, workspace, text, expected) -> None:
    dataset = read_times(tmp_path, workspace, [text], timezone="America/New_York")
    assert times(dataset) == [expected]
    assert dataset.report.timezone == (
        "Times carry a zone or offset and were converted to wall-clock time in America/New_York."
    )


def test_zones_named_by_letters_are_wall_clock_time_whatever_they_mean_elsewhere(tmp_path, workspace) -> None:
    """Berlin left summer time on 2014-10-26; Dhaka and London both write BST, six hours apart in winter."""
    dataset = read_times(tmp_path, workspace, ["2014-10-25 07:24:00 CEST", "2014-10-27 07:24:00 CET"])
    assert times(dataset) == [datetime(2014, 10, 25, 7, 24), datetime(2014, 10, 27, 7, 24)]
    said = "Times name their zone (CEST, CET) and no offset: they are kept as they are, as wall-clock time."
    assert dataset.report.timezone == said
    london = read_times(tmp_path, workspace, ["2014-09-13 07:24:00 BST"], timezone="Europe/London")
    assert times(london) == [SEPTEMBER]


def test_times_of_a_named_zone_go_to_another_by_where_they_were_recorded(tmp_path, workspace) -> None:
    path = tmp_path / "times.csv"
    path.write_text("user_id|time|zone\n1|2014-09-13 07:24:00 CEST|5\n", encoding="utf-8")
    mapping = ColumnMapping(user_id="user_id", timestamp="time", zone="zone", recorded_in="Europe/Berlin")
    dataset = read_dataset(path, mapping=mapping, timezone="America/New_York", workspace=workspace)
    assert times(dataset) == [datetime(2014, 9, 13, 1, 24)]  # six hours behind Berlin


def test_instants_and_named_zones_are_not_mixed(tmp_path, workspace) -> None:
    with pytest.raises(DataError, match="mixes formats of time"):
        read_times(tmp_path, workspace, ["2014-09-13 07:24:00 CEST", "2014-09-13 07:24:00 UTC"])


def test_unix_times_in_a_zone_against_hand(tmp_path, workspace) -> None:
    dataset = read_times(
        tmp_path, workspace, ["1414909800"], timezone="America/New_York"
    )  # 2014-11-02 06:30 UTC
    assert times(dataset) == [datetime(2014, 11, 2, 1, 30)]
    assert (
        dataset.report.timezone
        == "Unix times in seconds were converted to wall-clock time in America/New_York."
    )


@pytest.mark.parametrize(
    "texts",
    [
        ["1410593040", "-2208988800", "7258118400", "7258118401", "x"],
        ["2014-09-13 07:24", "1899-12-31 23:59", "2200-01-01 00:00"],
    ],
)
def test_times_in_utc_against_another_name_of_that_zone(
    tmp_path: Path, workspace: Workspace, texts: list[str]
) -> None:
    path = tmp_path / "times.csv"
    path.write_text("user_id|time|zone\n" + "".join(f"1|{text}|5\n" for text in texts), encoding="utf-8")
    unit = "seconds" if "x" in texts else None
    mapping = ColumnMapping(
        user_id="user_id", timestamp="time", zone="zone", time_format=unit, recorded_in="UTC"
    )
    quick, slow = (
        read_dataset(path, mapping=mapping, timezone=zone, workspace=workspace) for zone in ("UTC", "Etc/UTC")
    )
    assert times(quick) == times(slow)
    assert quick.report.dropped == slow.report.dropped


def test_naive_times_ignore_the_zone_against_hand(tmp_path, workspace) -> None:
    dataset = read_times(tmp_path, workspace, ["2014-09-13 07:24"], timezone="America/New_York")
    assert times(dataset) == [SEPTEMBER]
    assert dataset.report.timezone == "Times carry no zone and are kept as they are, as wall-clock time."


def test_one_decisive_day_settles_the_order_against_hand(tmp_path, workspace) -> None:
    texts = ["01/02/2014 10:00", "03/04/2014 10:00", "13/04/2014 10:00"]
    assert times(read_times(tmp_path, workspace, texts))[0] == datetime(2014, 2, 1, 10)
    texts[-1] = "04/13/2014 10:00"
    assert times(read_times(tmp_path, workspace, texts))[0] == datetime(2014, 1, 2, 10)


@pytest.mark.parametrize(
    ("time_format", "text", "expected"),
    [
        ("%d/%m/%Y %H:%M", "01/02/2014 10:00", datetime(2014, 2, 1, 10)),
        ("%m/%d/%Y %H:%M", "01/02/2014 10:00", datetime(2014, 1, 2, 10)),
        ("seconds", "86400", datetime(1970, 1, 2)),
        ("milliseconds", "86400000", datetime(1970, 1, 2)),
        ("%Y-%m-%dT%H%M%S%z", "2014-09-13T092400+0200", SEPTEMBER),
        ("%H:%M on %d.%m.%Y", "07:24 on 13.09.2014", SEPTEMBER),
    ],
)
def test_given_format_against_hand(tmp_path, workspace, time_format, text, expected) -> None:
    assert times(read_times(tmp_path, workspace, [text], time_format)) == [expected]


def test_ambiguous_order_iv(tmp_path, workspace) -> None:
    with pytest.raises(DataError) as caught:
        read_times(tmp_path, workspace, ["05/05/2014 10:00", "01/02/2014 10:00", "03/04/2014 11:00"])
    assert str(caught.value) == (
        "Column 'time' can be read month first and day first throughout (row 3: '01/02/2014 10:00'). "
        "Say how times are written (time_format): '%m/%d/%Y %H:%M' or '%d/%m/%Y %H:%M'."
    )
    assert (caught.value.row, caught.value.column) == (3, "time")
    # The first of February or the second of January: each way reads the whole column.
    (day_first, february), (month_first, january) = caught.value.readings
    assert february == "01/02/2014 10:00 is 01 February 2014"
    assert january == "01/02/2014 10:00 is 02 January 2014"
    assert times(read_times(tmp_path, workspace, ["01/02/2014 10:00"], day_first)) == [
        datetime(2014, 2, 1, 10)
    ]
    assert times(read_times(tmp_path, workspace, ["01/02/2014 10:00"], month_first)) == [
        datetime(2014, 1, 2, 10)
    ]
    # The first of February or the second of January: each way reads the whole column.
    (day_first, february), (month_first, january) = caught.value.readings
    assert (february, january) == (
        "01/02/2014 10:00 is 01 February 2014",
        "01/02/2014 10:00 is 02 January 2014",
    )
    assert times(read_times(tmp_path, workspace, ["01/02/2014 10:00"], day_first)) == [
        datetime(2014, 2, 1, 10)
    ]
    assert times(read_times(tmp_path, workspace, ["01/02/2014 10:00"], month_first)) == [
        datetime(2014, 1, 2, 10)
    ]


@pytest.mark.parametrize(
    ("texts", "one", "other"),
    [
        (
            ["2014-09-13 07:24"] * 3 + ["9/13/2014 7:24"] * 2,
            "'2014-09-13 07:24' (row 2)",
            "'9/13/2014 7:24' (row 5)",
        ),
        (["13/01/2014", "01/02/2014", "01/14/2014"], "'13/01/2014' (row 2)", "'01/14/2014' (row 4)"),
        (
            ["2014-09-13 07:24", "2014-09-13 07:24Z", "2014-09-13 08:24"],
            "(row 2)",
            "'2014-09-13 07:24Z' (row 3)",
        ),
    ],
)
def test_mixed_formats_iv(tmp_path, workspace, texts, one, other) -> None:
    with pytest.raises(
        DataError, match=r"Column 'time' mixes formats of time: .* Write all of them in one"
    ) as caught:
        read_times(tmp_path, workspace, texts)
    assert one in str(caught.value)
    assert other in str(caught.value)


def test_few_unparsable_times_are_counted_against_hand(tmp_path, workspace) -> None:
    texts = ["2014-09-13 07:24"] * 300 + [
        "9/13/2014 7:24",
        "soon",
        "2014-02-30 10:00",
        "",
        "3014-09-13 07:24",
    ]
    report = read_times(tmp_path, workspace, texts).report
    assert report.dropped == {"missing time": 1, "unparsable time": 4}
    assert (report.rows, report.kept) == (305, 300)


def test_no_time_at_all_iv(tmp_path, workspace) -> None:
    with pytest.raises(DataError, match=r"2 of 2 have an unparsable time \(column 'time', row 2: 'soon'\)"):
        read_times(tmp_path, workspace, ["soon", "later"])


@pytest.mark.parametrize("timezone", ["Mars/Phobos", "New York", "'; --"])
def test_unknown_timezone_iv(tmp_path, workspace, timezone) -> None:
    with pytest.raises(DataError, match="timezone must be a name such as 'Europe/Paris', got"):
        read_times(tmp_path, workspace, ["2014-09-13T07:24:00Z"], timezone=timezone)


def test_from_one_in_a_hundred_times_on_another_format_is_a_fault_of_the_file(tmp_path, workspace) -> None:
    """Of 300 times three day first are too many to be left out; two are left out and counted."""
    usual = [f"2014-09-13 07:{n // 60:02d}:{n % 60:02d}" for n in range(298)]
    with pytest.raises(DataError, match="mixes formats of time"):
        read_times(tmp_path, workspace, [*usual[:297], *["14/09/2014 07:24"] * 3])
    found = read_times(tmp_path, workspace, [*usual, *["14/09/2014 07:24"] * 2])
    assert found.report.kept == 298
    assert sum(found.report.dropped.values()) == 2


def test_years_of_two_digits_and_of_four_are_years_of_one_century(tmp_path, workspace) -> None:
    found = read_times(tmp_path, workspace, ["13/09/14 07:24", "14/09/2014 07:25"])
    assert times(found) == [datetime(2014, 9, 13, 7, 24), datetime(2014, 9, 14, 7, 25)]


def test_impossible_format_iv(tmp_path, workspace) -> None:
    with pytest.raises(DataError, match="time_format must be a format such as"):
        read_times(tmp_path, workspace, ["2014-09-13"], time_format="%Q")


@pytest.mark.parametrize(("offset", "are_hours"), [(14, True), (-12, True), (15, False)])
def test_no_place_is_more_than_fourteen_hours_ahead_of_utc(tmp_path, workspace, offset, are_hours) -> None:
    """Kiritimati is 14 hours ahead; 15 minutes off is what old local times were."""
    path = tmp_path / "offsets.csv"
    path.write_text(f"user_id,timestamp,timezone_offset,zone\nu1,2026-03-02T12:30:10,{offset},A\n")
    if are_hours:
        with pytest.raises(DataError, match=f"offsets from UTC of at most {abs(offset)}: hours"):
            read_dataset(path, workspace=workspace)
    else:
        moved = datetime(2026, 3, 2, 12, 30, 10) + timedelta(minutes=offset)
        assert times(read_dataset(path, workspace=workspace)) == [moved]


@pytest.mark.parametrize("written", ["2026-03-02T12:30:10Z", "Mon Mar 02 12:30:10 +0000 2026", "1772454610"])
def test_a_row_s_own_offset_says_its_local_time_whatever_zone_is_asked_for(
    tmp_path, workspace, written
) -> None:
    """An hour ahead of UTC it is half past one: a zone for times without an offset moves it no second time."""
    path = tmp_path / "offsets.csv"
    path.write_text(f"user_id,timestamp,timezone_offset,zone\nu1,{written},60,A\n")
    for zone in (None, "America/New_York"):
        found = times(read_dataset(path, timezone=zone, workspace=workspace))
        assert found == [datetime(2026, 3, 2, 13, 30, 10)]


def test_offsets_that_are_hours_are_no_minutes_iv(tmp_path, workspace) -> None:
    head, path = "user_id,timestamp,timezone_offset,zone\n", tmp_path / "offsets.csv"
    path.write_text(head + "u1,2026-03-02T02:30:10,-5,A\nu1,2026-03-10T12:00:20,6,B\n")
    with pytest.raises(
        DataError, match="'timezone_offset' holds offsets from UTC of at most 6: hours, where minutes"
    ):
        read_dataset(path, workspace=workspace)
    path.write_text(head + "u1,2026-03-02T02:30:10,-300,A\nu1,2026-03-10T12:00:20,0,B\n")
    assert times(read_dataset(path, workspace=workspace)) == [
        datetime(2026, 3, 1, 21, 30, 10), datetime(2026, 3, 10, 12, 0, 20)
    ]  # fmt: skip
    path.write_text(head + "u1,2026-03-02T02:30:10,0,A\n")  # in UTC throughout
    assert times(read_dataset(path, workspace=workspace)) == [datetime(2026, 3, 2, 2, 30, 10)]


@pytest.mark.parametrize("time_format", ["%H%M", "%H:%M", "%d/%m %H:%M", "%Y %H:%M", "nonsense"])
def test_a_format_without_year_or_day_iv(tmp_path, workspace, time_format) -> None:
    """It would put every row on the first day of 1900, or of a year; of a time of day alone another column may hold the date."""
    with pytest.raises(DataError, match="time_format must name the year and the day, such as") as caught:
        read_times(tmp_path, workspace, ["0608"], time_format=time_format)
    assert (f"'%d/%m/%Y {time_format}'" in str(caught.value)) == (time_format in ("%H%M", "%H:%M"))


def test_years_in_front_are_asked_about_where_they_differ_less_than_what_ends(tmp_path, workspace) -> None:
    texts = ["26/03/02 08:00", "26/03/03 08:00", "26/03/15 08:00"]
    with pytest.raises(DataError, match="can be read with the year first throughout") as caught:
        read_times(tmp_path, workspace, texts)
    assert caught.value.readings == (
        ("%y/%m/%d %H:%M", "26/03/02 08:00 is 02 March 2026"),
        ("%d/%m/%y %H:%M", "26/03/02 08:00 is 26 March 2002"),
    )
    assert times(read_times(tmp_path, workspace, texts, time_format="%y/%m/%d %H:%M")) == [
        datetime(2026, 3, day, 8) for day in (2, 3, 15)
    ]
    # Days of one year: what stands in front differs more than what ends, and nobody is asked.
    texts = ["02.03.26", "03.03.26", "15.03.26", "31.12.25"]
    assert times(read_times(tmp_path, workspace, texts)) == [
        datetime(2025, 12, 31), datetime(2026, 3, 2), datetime(2026, 3, 3), datetime(2026, 3, 15)
    ]  # fmt: skip
    # 40 is no day: the year is not in front of all of them.
    assert times(read_times(tmp_path, workspace, ["13/03/40", "14/03/41"]))[0] == datetime(2040, 3, 13)


def test_shapes_are_every_digit_a_9_against_python(workspace: Workspace) -> None:
    usual, other = "2014-09-13 07:24", "13.9.2014 7:24"
    odd = [
        *("12014-09-13 07:24", "2014-09-13 07:24:00", "2014-09-13T07:24", "2014-09-13 07:24\n", "2014-09-1x 07:24"),
        *("٢٠١٤-09-13 07:24", "13x9.2014 7:24", "9999-99-99 99:99", "", None),
    ]  # fmt: skip
    texts = [usual] * 900 + [other] * 500 + odd
    for rows in (texts, odd):  # with what most rows look like, and without
        table = workspace.connection.create_table(
            "texts", pa.table({"text": rows}), temp=True, overwrite=True
        )
        shape = table.select("text", shape=_shape(table.text)).to_pyarrow().to_pylist()
        assert [one["text"] for one in shape] == rows
        said = [None if one is None else re.sub("[0-9]", "9", one) for one in rows]
        assert [one["shape"] for one in shape] == said
