"""What is taken out on request: each step against plain Python on records written by hand or drawn at random."""

import math
import random
from collections import Counter
from datetime import date, datetime, timedelta

import ibis
import numpy as np
import pytest

from privlab.checks import DataError, ParameterError
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.cleaning.cleaning_steps import cleaned_dataset
from privlab.datasets.cleaning.data_questions import profiled
from privlab.datasets.cleaning.distances_and_speeds import moves_from_records
from privlab.datasets.cleaning.rhythm import rhythm_from_rows
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset

HEAD = "user_id,timestamp,lat,lon\n"


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


def dataset_of(tmp_path, workspace, rows, head=HEAD):
    path = tmp_path / "data.csv"
    path.write_text(head + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return read_dataset(path, workspace=workspace)


def rows_of(dataset):
    return sorted(tuple(row.values()) for row in dataset.table.to_pyarrow().to_pylist())


@pytest.fixture
def drawn(tmp_path, workspace):
    """600 records of 12 users, the first of them rare, with doubles, in one town and a few far away."""
    draw = random.Random(7)
    rows = []
    for n in range(590):
        user = draw.choice([1, 2, *[one for one in range(3, 13) for _ in range(6)]])
        far = n % 97 == 0
        time = datetime(2026, 3, 2) + timedelta(minutes=draw.randrange(14 * 1440))
        lat = 48 + draw.random() / 10 + (5 if far else 0)
        rows.append((user, time, round(lat, 4), round(2 + draw.random() / 10, 4)))
    rows += rows[:10]
    return dataset_of(tmp_path, workspace, rows), rows


def test_nothing_asked_for_changes_nothing_degenerate(drawn) -> None:
    dataset, _ = drawn
    assert cleaned_dataset(dataset, Cleaning()) is dataset


def test_duplicates_against_brute_force(drawn) -> None:
    dataset, rows = drawn
    cleaned = cleaned_dataset(dataset, Cleaning(drop_duplicates=True))
    assert rows_of(cleaned) == sorted(set(rows))
    assert cleaned.report.dropped == {"duplicate": len(rows) - len(set(rows))}
    assert cleaned.report.kept == len(set(rows))


def test_period_keeps_both_days_against_brute_force(drawn) -> None:
    dataset, rows = drawn
    cleaned = cleaned_dataset(dataset, Cleaning(first_day=date(2026, 3, 4), last_day=date(2026, 3, 6)))
    expected = [row for row in rows if date(2026, 3, 4) <= row[1].date() <= date(2026, 3, 6)]
    assert rows_of(cleaned) == sorted(expected)
    assert 0 < len(expected) < len(rows)
    assert (cleaned.report.first, cleaned.report.last) == (
        min(row[1] for row in expected),
        max(row[1] for row in expected),
    )


def test_a_period_ends_with_the_last_moment_of_its_last_day(tmp_path, workspace) -> None:
    """Midnight belongs to the day that it begins, at either end."""
    times = ["2026-03-03 23:59:59", "2026-03-04 00:00:00", "2026-03-06 23:59:59", "2026-03-07 00:00:00"]
    dataset = dataset_of(tmp_path, workspace, [(1, time, 48.0, 2.0) for time in times])
    cleaned = cleaned_dataset(dataset, Cleaning(first_day=date(2026, 3, 4), last_day=date(2026, 3, 6)))
    assert [f"{row[1]:%Y-%m-%d %H:%M:%S}" for row in rows_of(cleaned)] == times[1:3]


def test_rows_that_others_chose_once_stay_so_whatever_is_taken_out_next(drawn) -> None:
    """What a percentile keeps of one person hangs on the others: nothing may be promised of it, nor after another step."""
    dataset, _ = drawn
    chosen = cleaned_dataset(dataset, Cleaning(percentile=90))
    again = cleaned_dataset(chosen, Cleaning(drop_duplicates=True))
    assert (dataset.users_apart, chosen.users_apart, again.users_apart) == (True, False, False)
    assert cleaned_dataset(dataset, Cleaning(drop_duplicates=True)).users_apart


def test_box_against_brute_force(drawn) -> None:
    dataset, rows = drawn
    cleaned = cleaned_dataset(dataset, Cleaning(box=(48.02, 2.01, 48.07, 2.08)))
    expected = [row for row in rows if 48.02 <= row[2] <= 48.07 and 2.01 <= row[3] <= 2.08]
    assert rows_of(cleaned) == sorted(expected)
    assert cleaned.report.dropped == {"outside the box": len(rows) - len(expected)}


def test_a_trip_with_one_end_outside_the_box_is_outside_it_by_hand(tmp_path, workspace) -> None:
    """One person each: both ends inside, the origin alone, the destination alone, none."""
    head = "user_id,timestamp,origin_lat,origin_lon,destination_lat,destination_lon\n"
    inside, outside = (48.5, 2.5), (48.5, 3.5)
    ends = ((inside, inside), (inside, outside), (outside, inside), (outside, outside))
    rows = [(n, "2026-03-02 08:00", *origin, *destination) for n, (origin, destination) in enumerate(ends, 1)]
    cleaned = cleaned_dataset(dataset_of(tmp_path, workspace, rows, head), Cleaning(box=(48, 2, 49, 3)))
    assert [row[0] for row in rows_of(cleaned)] == [1]
    assert cleaned.report.dropped == {"outside the box": 3}


def test_percentile_box_against_numpy(drawn) -> None:
    dataset, rows = drawn
    cleaned = cleaned_dataset(dataset, Cleaning(percentile=95))
    kept = rows_of(cleaned)
    lat = np.round([row[2] for row in rows], 3)
    low, high = np.quantile(lat, [0.025, 0.975], method="inverted_cdf")
    assert min(round(row[2], 3) for row in kept) == pytest.approx(low, abs=0.0011)
    assert max(round(row[2], 3) for row in kept) == pytest.approx(high, abs=0.0011)
    assert max(row[2] for row in kept) < 49 < max(row[2] for row in rows)


def test_percentile_of_trips_in_metres_by_hand(tmp_path, workspace) -> None:
    """Of 402 eastings one is far off, fewer than the 1% that are left out at each end; the others lie within 200 m."""
    rows = [f"u{n},{431_000 + n},5411000,{431_000 + n},5411000" for n in range(200)]
    rows.append("far,431100,5411000,9000000,5411000")
    path = tmp_path / "trips.csv"
    head = "user,origin_x,origin_y,destination_x,destination_y,time\n"
    path.write_text(head + "".join(f"{row},2026-03-02 08:00\n" for row in rows))
    cleaned = cleaned_dataset(read_dataset(path, workspace=workspace), Cleaning(percentile=98))
    assert cleaned.report.dropped == {"outside the percentile box": 1}


def metres(one, other) -> float:
    """Spherical law of cosines: another formula than the code's."""
    (a, b), (c, d) = ((math.radians(x) for x in place) for place in (one, other))
    cosine = math.sin(a) * math.sin(c) + math.cos(a) * math.cos(c) * math.cos(b - d)
    return 6_371_008.8 * math.acos(min(1.0, cosine))


def test_speed_against_hand(tmp_path, workspace) -> None:
    # 0.1° of latitude are 11.12 km: in 10 minutes 66.7 km/h, there and back in 1 minute 667 km/h.
    rows = [
        (1, "2026-03-02 08:00:00", 48.0, 2.0),
        (1, "2026-03-02 08:10:00", 48.1, 2.0),
        (1, "2026-03-02 08:11:00", 48.2, 2.0),  # reached and left at 667 km/h: out
        (1, "2026-03-02 08:12:30", 48.1, 2.0),
        (2, "2026-03-02 08:00:00", 48.0, 2.0),  # left at 667 km/h, but nothing before: stays
        (2, "2026-03-02 08:01:00", 48.1, 2.0),
        (2, "2026-03-02 09:01:00", 48.1, 2.0),
        (3, "2026-03-02 08:00:00", 48.0, 2.0),  # alone: stays
    ]
    dataset = dataset_of(tmp_path, workspace, rows)
    cleaned = cleaned_dataset(dataset, Cleaning(max_speed_km_h=200))
    assert cleaned.report.dropped == {"faster than the limit": 1}
    assert [(row[0], f"{row[1]:%H:%M:%S}") for row in rows_of(cleaned)] == [
        (1, "08:00:00"),
        (1, "08:10:00"),
        (1, "08:12:30"),
        (2, "08:00:00"),
        (2, "08:01:00"),
        (2, "09:01:00"),
        (3, "08:00:00"),
    ]


def test_times_in_whole_minutes_do_not_make_everything_fast_against_hand(tmp_path, workspace) -> None:
    # Five records of one minute, 111 m apart: 6.7 km/h if a minute lies between two of them.
    rows = [(1, "2026-03-02 08:00", 48 + n / 1000, 2.0) for n in range(5)]
    dataset = dataset_of(tmp_path, workspace, rows)
    assert cleaned_dataset(dataset, Cleaning(max_speed_km_h=50)).report.kept == 5


def test_where_times_have_seconds_ten_of_them_are_no_minute_by_hand(tmp_path, workspace) -> None:
    """0.01° of latitude are 1.112 km: in ten seconds 400 km/h, were they a minute 66.7."""
    rows = [(1, f"2026-03-02 08:00:{10 * n:02d}", 48.0 + n % 2 / 100, 2.0) for n in range(3)]
    cleaned = cleaned_dataset(dataset_of(tmp_path, workspace, rows), Cleaning(max_speed_km_h=200))
    assert cleaned.report.dropped == {"faster than the limit": 1}
    profile = profiled(dataset_of(tmp_path, workspace, rows), now=datetime(2026, 4, 1)).report.profile
    assert profile.largest_jump_min == pytest.approx(1 / 6)


def test_a_week_of_rows_begins_with_monday_by_hand(tmp_path, workspace) -> None:
    """2 March 2026 is a Monday: two rows at 8, and one on the Sunday after, at 23."""
    rows = [(1, time, 48.0, 2.0) for time in ("2026-03-02 08:10", "2026-03-02 08:50", "2026-03-08 23:00")]
    found = rhythm_from_rows(dataset_of(tmp_path, workspace, rows).table)
    counted = {(d, h): n for d, day in enumerate(found.by_weekday_and_hour) for h, n in enumerate(day) if n}
    assert counted == {(0, 8): 2, (6, 23): 1}
    assert found.by_day == ((date(2026, 3, 2), 2), (date(2026, 3, 8), 1))


def test_resampling_against_brute_force(drawn) -> None:
    dataset, rows = drawn
    cleaned = cleaned_dataset(dataset, Cleaning(every_min=120))
    slots = {}
    for row in sorted(rows):
        slot = (row[0], (row[1] - datetime(1970, 1, 1)) // timedelta(minutes=120))
        slots.setdefault(slot, row)
    assert rows_of(cleaned) == sorted(slots.values())
    assert len(slots) < len(rows)


def test_least_records_against_brute_force(drawn) -> None:
    dataset, rows = drawn
    counts = Counter(row[0] for row in rows)
    cleaned = cleaned_dataset(dataset, Cleaning(min_records=30))
    assert rows_of(cleaned) == sorted(row for row in rows if counts[row[0]] >= 30)
    assert 0 < cleaned.report.users < 12


def test_sampled_users_are_whole_and_nested(drawn) -> None:
    dataset, rows = drawn
    samples = [{row[0] for row in rows_of(cleaned_dataset(dataset, Cleaning(n_users=n)))} for n in (3, 6, 99)]
    assert [len(sample) for sample in samples] == [3, 6, 12]
    assert samples[0] < samples[1] < samples[2]
    of_three = cleaned_dataset(dataset, Cleaning(n_users=3))
    assert of_three.report.kept == sum(row[0] in samples[0] for row in rows)
    others = {row[0] for row in rows_of(cleaned_dataset(dataset, Cleaning(n_users=3, seed=2)))}
    assert others != samples[0]


def test_what_is_taken_out_otherwise_is_other_data(drawn) -> None:
    """What is worked out of data is kept by its digest: no two ways of cleaning share one. In the ledger all are the file they are of."""
    dataset, _ = drawn
    ways = (Cleaning(n_users=3), Cleaning(n_users=3, seed=2), Cleaning(n_users=4), Cleaning(min_records=2))
    cleaned = [cleaned_dataset(dataset, one) for one in ways]
    digests = {one.digest for one in cleaned}
    assert len(digests | {dataset.digest}) == 5
    assert cleaned_dataset(dataset, Cleaning(n_users=3)).digest in digests
    for one in (*cleaned, cleaned_dataset(cleaned[0], Cleaning(min_records=2))):
        assert (one.source_digest, one.earlier_digest) == (dataset.source_digest, dataset.digest)


def test_steps_add_up_and_change_the_digest(drawn) -> None:
    dataset, rows = drawn
    cleaning = Cleaning(
        drop_duplicates=True, last_day=date(2026, 3, 12), percentile=98, every_min=30, min_records=40
    )
    cleaned = cleaned_dataset(dataset, cleaning)
    report = cleaned.report
    assert report.rows == report.kept + sum(report.dropped.values()) == len(rows)
    assert list(report.dropped) == [
        "duplicate",
        "outside the period",
        "outside the percentile box",
        "not the first of its interval",
        "user with too few records",
    ]
    assert cleaned.digest != dataset.digest
    assert cleaned.digest == cleaned_dataset(dataset, cleaning).digest


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"percentile": 10}, "percentile must be between 50 and 100, got 10."),
        ({"percentile": float("nan")}, "percentile must be a finite number, got nan."),
        ({"box": (49, 2, 48, 3)}, "box must be south,west,north,east with south < north and west < east"),
        ({"box": (48, 2, 91, 3)}, "box north must be between -90 and 90, got 91."),
        ({"max_speed_km_h": 0}, "max_speed_km_h must be between 1 and 100,000, got 0."),
        ({"every_min": 1.5}, "every_min must be a whole number, got 1.5."),
        ({"min_records": 0}, "min_records must be between 1 and 1,000,000, got 0."),
        # A moment would cut the day in two, a text be read by the database in its own way.
        (
            {"first_day": datetime(2026, 3, 2, 12)},
            "first_day must be a day, as datetime.date(2026, 3, 2), got datetime.datetime(2026, 3, 2, 12, 0).",
        ),
        (
            {"last_day": "2026-03-02"},
            "last_day must be a day, as datetime.date(2026, 3, 2), got '2026-03-02'.",
        ),
        (
            {"first_day": date(2026, 3, 3), "last_day": date(2026, 3, 2)},
            "last_day must be 2026-03-03 or later",
        ),
    ],
)
def test_parameters_iv(given, sentence) -> None:
    with pytest.raises(ParameterError) as caught:
        Cleaning(**given)
    assert str(caught.value).startswith(sentence)


def test_steps_that_do_not_go_with_the_data_iv(tmp_path, workspace) -> None:
    zones = dataset_of(tmp_path, workspace, [(1, "2026-03-02 08:00", "A")], head="user_id,timestamp,zone\n")
    with pytest.raises(ParameterError, match=r"^box does not go with records in zone ids\.$"):
        cleaned_dataset(zones, Cleaning(box=(1, 2, 3, 4)))
    counts = dataset_of(tmp_path, workspace, [("A", "B", 3)], head="origin,destination,count\n")
    with pytest.raises(ParameterError, match=r"^min_records does not go with counts in zone ids\.$"):
        cleaned_dataset(counts, Cleaning(min_records=2))


def test_nothing_left_iv(drawn) -> None:
    dataset, _ = drawn
    with pytest.raises(
        DataError, match=r"^Nothing is left of data\.csv: its last rows are 'outside the period'"
    ):
        cleaned_dataset(dataset, Cleaning(last_day=date(2020, 1, 1)))


@pytest.mark.parametrize("place", ["lat,lon", "x,y"])
def test_repeated_records_against_a_counter(tmp_path, workspace, place) -> None:
    draw = random.Random(5)
    rows = [
        (
            draw.randrange(3),
            f"2026-03-02 08:0{draw.randrange(2)}",
            draw.choice((0.5, -0.5)),
            draw.choice((1.5, 2.5)),
        )
        for _ in range(200)
    ]
    dataset = dataset_of(tmp_path, workspace, rows, head=f"user_id,timestamp,{place}\n")
    moves = moves_from_records(dataset.table, "latlon" if place == "lat,lon" else "xy", onward=False)
    assert "LEAD" not in str(ibis.to_sql(moves, dialect="duckdb"))  # a window costs, used or not
    profile = profiled(dataset, now=datetime(2026, 4, 1)).report.profile
    assert profile.n_duplicates == 200 - len(Counter(rows))


def test_profile_against_hand(tmp_path, workspace) -> None:
    rows = [
        (1, "2026-03-02 08:00:10", 48.0, 2.0),
        (1, "2026-03-02 08:00:10", 48.0, 2.0),  # the same again
        (1, "2026-03-02 08:30:10", 48.5, 2.0),  # 55.6 km in 30 minutes
        (2, "2026-03-02 09:00:00", 10.0, 10.0),
        (2, "2026-03-02 10:00:00", 10.0, 30.0),  # the largest jump, in an hour: faster than 1,000 km/h
        (3, "2026-03-02 09:00:00", 5.0, 5.0),
    ]
    profile = profiled(dataset_of(tmp_path, workspace, rows), now=datetime(2026, 4, 1)).report.profile
    assert (profile.n_duplicates, profile.n_single_record_users) == (1, 1)
    assert (profile.median_records_per_user, profile.most_records_of_a_user) == (2, 3)
    assert profile.largest_jump_km == pytest.approx(metres((10, 10), (10, 30)) / 1000, rel=1e-9)
    assert profile.largest_jump_min == 60
    assert profile.n_fast == 1
    assert [question.split(":")[0] for question in profile.questions] == [
        "17% of the rows repeat another one exactly",
        "1 move of more than 10 km is faster than 1,000 km/h",
    ]


def test_the_largest_jump_of_times_with_fractions_of_a_second_by_hand(tmp_path, workspace) -> None:
    rows = [(1, "1969-12-31 23:59:59.75", 48.0, 2.0), (1, "1970-01-01 00:01:30.5", 48.5, 2.0)]
    profile = profiled(dataset_of(tmp_path, workspace, rows), now=datetime(2026, 4, 1)).report.profile
    assert profile.largest_jump_min == pytest.approx(90.75 / 60, rel=1e-12)


@pytest.mark.parametrize(
    ("rows", "question"),
    [
        ([(n % 3, f"2026-03-{2 + n:02}", 1, n) for n in range(6)], "Every time is midnight"),
        ([(n % 3, f"2026-03-02 {n:02}:00", 1, n) for n in range(6)], "Every time is on the full hour"),
        ([(n, f"2026-03-02 0{n}:15", 1, n) for n in range(6)], "Every row has a user of its own"),
        ([(1 + n // 29, f"2026-03-02 00:{10 + n}", 1, n) for n in range(30)], "One user has 97% of all rows"),
        (
            [(n % 3, f"2031-03-02 0{n}:15", 1, n) for n in range(6)],
            "The last time, 2031-03-02 05:15, lies in",
        ),
        # Anna and anna; é as one sign and as two: two people in two spellings each. Bob and bo are two people.
        (
            [
                (name, "2026-03-02 08:15", 1, 2)
                for name in ("Anna", "anna", "Ren\u00e9", "Rene\u0301", "Bob", "bo")
            ],
            "2 user ids stand there in several spellings",
        ),
        # A spreadsheet takes 007 for a number: person 7 twice, and 70 and 700 are others.
        (
            [(one, "2026-03-02 08:15", 1, 2) for one in ("007", "7", "70", "700", "07a")],
            "1 user id stands there in several spellings",
        ),
    ],
)
def test_questions_against_hand(tmp_path, workspace, rows, question) -> None:
    dataset = profiled(dataset_of(tmp_path, workspace, rows), now=datetime(2026, 4, 1))
    assert any(asked.startswith(question) for asked in dataset.report.profile.questions)


@pytest.mark.parametrize(
    ("head", "rows", "asked"),
    [
        # Postcodes with and without the zero in front, an H3 id in capitals once; the last two differ by what follows.
        (
            "user_id,timestamp,origin,destination\n",
            [
                ("a", "2026-03-02 08:15", "01067", "1129"),
                ("b", "2026-03-02 09:15", "1067", "01129"),
                ("c", "2026-03-02 09:15", "881f1b02a3fffff", "881F1B02A3FFFFF"),
                ("c", "2026-03-02 10:15", "10670", "1067a"),
            ],
            "3 zone ids stand there in several spellings, alike but for capitals, the form of accents or zeros in front "
            "('01067' and '1067'): one zone each? As two, each has a part of the trips.",
        ),
        (
            "user_id,timestamp,zone\n",
            [
                ("a", "2026-03-02 08:15", "North"),
                ("b", "2026-03-02 09:15", "north"),
                ("b", "2026-03-02 09:15", "south"),
            ],
            "1 zone id stands there in several spellings, alike but for capitals, the form of accents or zeros in front "
            "('North' and 'north'): one zone each? As two, each has a part of the trips.",
        ),
        ("user_id,timestamp,zone\n", [("a", "2026-03-02 08:15", 7), ("b", "2026-03-02 09:15", 70)], None),
        # An id that is written in one way, however often.
        ("user_id,timestamp,zone\n", [("a", f"2026-03-02 0{n}:15", "N") for n in range(4)], None),
    ],
)
def test_zones_of_several_spellings_against_hand(tmp_path, workspace, head, rows, asked) -> None:
    dataset = profiled(dataset_of(tmp_path, workspace, rows, head=head), now=datetime(2026, 4, 1))
    found = [one for one in dataset.report.profile.questions if "spellings" in one]
    assert found == ([] if asked is None else [asked])


@pytest.mark.parametrize(
    ("column", "asked"),
    [
        ("Bike number", "a column of vehicles by its name: what is said of a person then holds of a vehicle"),
        ("medallion", "a column of vehicles by its name"),
        ("traj_id", "a column of journeys by its name: what is said of a person then holds of a journey"),
        ("card_id", None),
        ("driver_id", None),  # a person
        ("user_id", None),
    ],
)
def test_ids_that_by_their_name_are_not_of_people_are_asked_about(tmp_path, workspace, column, asked) -> None:
    rows = [(n % 3, f"2026-03-02 0{n}:15", "A") for n in range(6)]
    dataset = dataset_of(tmp_path, workspace, rows, head=f"{column},timestamp,zone\n")
    questions = profiled(dataset, now=datetime(2026, 4, 1)).report.profile.questions
    found = [one for one in questions if "told apart" in one]
    assert len(found) == (asked is not None)
    assert all(repr(column) in one and asked in one for one in found)


def rows_of_ids(n_people: int, n_days: int, days_of_an_id: int) -> list[tuple[str, str, str]]:
    """Return a row at 8:05 and at 18:05 of each person and day, under an id that is new after so many days."""
    return [
        (f"{person}-{day // days_of_an_id}", f"{datetime(2026, 3, 2, hour, 5) + timedelta(days=day)}", "A")
        for person in range(n_people)
        for day in range(n_days)
        for hour in (8, 18)
    ]


@pytest.mark.parametrize(
    ("rows", "asked"),
    [
        (
            rows_of_ids(5, 7, 1),
            "Of 35 ids with several rows, 35 are seen for less than a day, in data of 7 days: are ids new each day? What is said of a "
            "person's week then holds of one id, that is of a day: a person has up to 7 ids in a week, and their ε add up. A ledger then "
            "knows nobody again: name the account of these people in each release.",
        ),
        (
            rows_of_ids(8, 21, 7),
            "Of 24 ids with several rows, 24 are seen for less than a week, in data of 21 days: are ids new each week? A ledger then "
            "knows nobody again: name the account of these people in each release.",
        ),
        (rows_of_ids(20, 7, 7), None),  # the same people all week: one release sees no more of them
        (rows_of_ids(30, 1, 1), None),  # one day of data
        (rows_of_ids(5, 3, 1), None),  # too few ids to tell
        (rows_of_ids(5, 7, 1) + rows_of_ids(10, 7, 7), None),  # 10 of 40 ids (5 of them written alike) are of the week
        # Night is of the day before: no id is seen on one date alone, and none for 24 hours.
        (
            [(f"{n}-{d}", f"2026-03-0{2 + d + late} {1 if late else 22}:05", "A") for n in range(9) for d in range(3) for late in (0, 1)],
            "Of 27 ids with several rows, 27 are seen for less than a day, in data of 4 days: are ids new each day? What is said of a "
            "person's week then holds of one id, that is of a day: a person has up to 4 ids in a week, and their ε add up. A ledger then "
            "knows nobody again: name the account of these people in each release.",
        ),
    ],
)  # fmt: skip
def test_ids_that_are_new_each_day_or_week_are_asked_about_by_hand(tmp_path, workspace, rows, asked) -> None:
    dataset = dataset_of(tmp_path, workspace, rows, head="user_id,timestamp,zone\n")
    questions = profiled(dataset, now=datetime(2026, 5, 1)).report.profile.questions
    assert [one for one in questions if "are ids new" in one] == ([] if asked is None else [asked])


def test_profile_of_zones_and_counts_degenerate(tmp_path, workspace) -> None:
    zones = dataset_of(tmp_path, workspace, [(1, "2026-03-02 08:00", "A")], head="user_id,timestamp,zone\n")
    profile = profiled(zones, now=datetime(2026, 4, 1)).report.profile
    assert (profile.largest_jump_km, profile.largest_jump_min, profile.n_fast) == (None, None, 0)
    counts = dataset_of(tmp_path, workspace, [("A", "B", 3)], head="origin,destination,count\n")
    assert profiled(counts, now=datetime(2026, 4, 1)).report.profile is None
