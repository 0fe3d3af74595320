"""What one person's rows may change of a release: their own counts, by at most the bound, and nothing else.

The files are ugly on purpose, written line by line, and read by the real reader in its settled form. The
trips are counted without noise and without a choice among a person's trips: for every bound L the counts
then move by at most L, since the choice is made for each person and week alone.
"""

import datetime as dt
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privlab.checks import DataError
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.layouts.file_form import FileForm
from privlab.lab.publishing.release_data import ReleaseData, settled_trips_from_release_data

SUNDAY, MONDAY = dt.datetime(2026, 3, 8), dt.datetime(2026, 3, 9)
WEEKS = ("2026-03-02", "2026-03-09")
RECORDS = ColumnMapping(user_id="user", timestamp="time", zone="zone")
NOBODY = ("holds no rows", "No row of", "Nothing is left")  # not one row can be used: all that may be refused
WORKSPACE = Workspace()
BOX = "box:10,20,12,24:2x2"

# What people write into files. A line is one person's; nothing in it may reach into another line.
_ZONES = ("5", "9", "10", "05", "A", "-3", "a;b", "é", "7.0", "", "NA", "1e400", '"9"', "9" * 30)
_PLACES = ("10.5,21", "10.5,23", "11.5,21", "13,21", "100,21", "0,0", "x,1", "10.5;21")
_TIMES = (
    lambda t: t.isoformat(" "),
    lambda t: t.isoformat() + "Z",
    lambda t: t.strftime("%m/%d/%Y %H:%M"),
    lambda t: t.strftime("%d/%m/%Y %H:%M"),
    lambda t: str(int(t.timestamp())),
    lambda t: "yesterday",
)
_DAMAGE = (
    lambda line: line,
    lambda line: line + '"',
    lambda line: '"' + line,
    lambda line: line.replace(",", ';"', 1),
    lambda line: line + ",,",
    lambda line: line + ",",
    lambda line: line.replace(",", "\t"),
    lambda line: line[: len(line) // 2],
    lambda line: line + "\r",
    lambda line: line + "\0",
    lambda line: line + "\udcff",  # a byte that is no UTF-8
)

usually_first = lambda options: st.one_of(st.just(options[0]), st.sampled_from(options))  # noqa: E731


@st.composite
def lines(draw, places):
    """Return (user, week, line) of one row."""
    user = draw(st.sampled_from(["u1", "u2", "U2", "3", "03"]))
    hour = draw(st.one_of(st.integers(21, 26), st.integers(0, 47)))
    time = SUNDAY - dt.timedelta(hours=24) + dt.timedelta(hours=hour, minutes=draw(st.integers(0, 59)))
    written = draw(usually_first(_TIMES))(time)
    line = f"{user},{written},{draw(st.one_of(st.sampled_from(places[:3]), st.sampled_from(places)))}"
    return user, WEEKS[time >= MONDAY], draw(usually_first(_DAMAGE))(line)


def counts_of(folder: Path, header: str, rows: list[str], **kind) -> dict[str, Counter]:
    """Return, by week, how many people make each trip; nobody any if not a row of the file can be used."""
    path = folder / "data.csv"
    path.write_bytes("\n".join([header, *rows, ""]).encode("utf-8", "surrogateescape"))
    release = ReleaseData(path=path, geography=None, lookup=None, timezone=None, **kind)
    try:
        with WORKSPACE.tidied():
            trips, _ = settled_trips_from_release_data(release, WORKSPACE, weeks=WEEKS)
    except DataError as error:
        if not any(words in str(error) for words in NOBODY):
            raise
        return {week: Counter() for week in WEEKS}
    zones = trips.zones.tolist()
    found = {}
    for week in WEEKS:
        user, flow = trips.week_of(week)
        pairs = [(zones[one // len(zones)], zones[one % len(zones)]) for one in flow.tolist()]
        assert len(set(zip(user.tolist(), pairs, strict=True))) == len(pairs)  # each pair once per person
        found[week] = Counter(pairs)
    return found


def require_own_trips_alone(folder: Path, header: str, rows, who: str, week: str, **kind) -> None:
    """With a person, counts are those without, plus one for each of the person's own trips; in each week alone."""
    everybody = counts_of(folder, header, [line for _, _, line in rows], **kind)
    others = counts_of(folder, header, [line for user, _, line in rows if user != who], **kind)
    alone = counts_of(folder, header, [line for user, _, line in rows if user == who], **kind)
    for one in WEEKS:
        assert everybody[one] == others[one] + alone[one]
    # The unit is a person's week: without the rows of one week the other week's counts stay as they are.
    rest = [line for user, when, line in rows if user != who or when != week]
    (other_week,) = set(WEEKS) - {week}
    assert counts_of(folder, header, rest, **kind)[other_week] == everybody[other_week]


CLEANINGS = st.sampled_from(
    [Cleaning(), Cleaning(min_records=3), Cleaning(every_min=90), Cleaning(drop_duplicates=True)]
)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(lines(_ZONES), min_size=1, max_size=14),
    st.sampled_from(["number", "text"]),
    CLEANINGS,
    st.data(),
)
def test_a_person_gone_from_any_file_changes_their_own_trips_alone(
    tmp_path, rows, ids, cleaning, data
) -> None:
    who, week = data.draw(st.sampled_from(rows))[:2]
    kind = {"form": FileForm(mapping=RECORDS, ids=ids), "zones": "column", "cleaning": cleaning}
    header = "user,time,zone"
    require_own_trips_alone(tmp_path, header, rows, who, week, **kind)


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(lines(_PLACES), min_size=1, max_size=12),
    st.sampled_from(
        [Cleaning(), Cleaning(max_speed_km_h=30), Cleaning(box=(10, 20, 12, 24)), Cleaning(min_records=2)]
    ),
    st.sampled_from([BOX, "grid:60000:10,20,12,24", "h3:3:10,20,12,24"]),
    st.data(),
)
def test_a_person_gone_from_any_file_of_coordinates(tmp_path, rows, cleaning, zones, data) -> None:
    who, week = data.draw(st.sampled_from(rows))[:2]
    mapping = ColumnMapping(user_id="user", timestamp="time", lat="lat", lon="lon")
    kind = {"form": FileForm(mapping=mapping), "zones": zones, "cleaning": cleaning}
    header = "user,time,lat,lon"
    require_own_trips_alone(tmp_path, header, rows, who, week, **kind)
