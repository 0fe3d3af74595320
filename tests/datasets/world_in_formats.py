"""One small world of records, written in every format that the readers know; its flows, worked out by hand."""

import gzip
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa

from privlab.datasets.zone_kinds.regular_zones import BoxZoning
from privlab.od.simulating.weekly_simulation import od_simulation_from_trip_tables
from privlab.od.trips.trip_tables import trip_tables_from_dataset
from tests.datasets.files_by_hand import TRACK, arrow, parquet, write, zipped

# A world of records: user, UTC time, latitude, longitude. Four zones: the quarters of a box from (0, 0) to
# (2, 2), 0 south-west, 1 south-east, 2 north-west, 3 north-east. 2026-03-08 is a Sunday.
SOUTH_WEST, SOUTH_EAST, NORTH_WEST, NORTH_EAST = (0.5, 0.5), (0.5, 1.5), (1.5, 0.5), (1.5, 1.5)
RECORDS = [
    (user, datetime.strptime(f"2026-{time}", "%Y-%m-%d %H:%M:%S"), *place)
    for user, time, place in (
        (11, "03-02 08:10:00", SOUTH_WEST),
        (11, "03-02 08:50:00", SOUTH_WEST),
        (11, "03-02 08:55:00", SOUTH_EAST),  # hour 08: two votes to one for the south-west
        (11, "03-02 09:05:00", SOUTH_EAST),  # 0 → 1
        (11, "03-02 10:00:00", NORTH_EAST),  # 1 → 3
        (11, "03-02 12:00:00", SOUTH_WEST),  # no trip: no record at 11
        (11, "03-03 08:00:00", SOUTH_WEST),
        (11, "03-03 09:00:00", SOUTH_EAST),  # 0 → 1 again, in the same week
        (23, "03-08 22:30:00", NORTH_WEST),
        (23, "03-08 23:59:59", NORTH_EAST),  # 2 → 3, the last second of the week
        (23, "03-09 00:00:00", SOUTH_WEST),  # 3 → 0, the first of the next
        (23, "03-09 01:10:00", NORTH_EAST),
        (23, "03-09 01:20:00", SOUTH_EAST),  # hour 01: one vote each, zone 1 before zone 3: 0 → 1
        (35, "03-02 08:00:00", SOUTH_WEST),
        (35, "03-02 09:30:00", SOUTH_EAST),  # 0 → 1
        (35, "03-02 10:30:00", (3.5, 0.5)),  # outside
        (35, "03-02 11:30:00", NORTH_WEST),
    )
]
FLOWS = {
    "2026-03-02": {(0, 1): 2, (1, 3): 1, (2, 3): 1},
    "2026-03-09": {(3, 0): 1, (0, 1): 1},
}
QUARTERS = BoxZoning(south=0.0, west=0.0, north=2.0, east=2.0, n_rows=2, n_columns=2)
EPOCH = datetime(1970, 1, 1)


def flows_of(dataset) -> dict[str, dict[tuple[int, int], int]]:
    tables = trip_tables_from_dataset(dataset, QUARTERS)
    matrices = od_simulation_from_trip_tables(tables, None, group_size=None, seed=1).matrices
    return {
        week: {
            (int(matrix.zones[o]), int(matrix.zones[d])): int(n)
            for o, d, n in zip(matrix.origin, matrix.destination, matrix.count, strict=True)
        }
        for week, matrix in matrices.items()
    }


def lines(form, records=RECORDS) -> str:
    return "".join(form(*record) + "\n" for record in records)


def unix(time: datetime) -> int:
    return int((time - EPOCH).total_seconds())


def comma(user: int, time: datetime, lat: float, lon: float) -> str:
    return f"{user},{time},{lat},{lon}"


TABLE = "user_id,timestamp,lat,lon\n" + lines(comma)
COLUMNS = {
    name: [record[n] for record in RECORDS] for n, name in enumerate(("user_id", "timestamp", "lat", "lon"))
}


def per_user(records=RECORDS) -> dict[int, list[tuple]]:
    return {user: [record for record in records if record[0] == user] for user in (11, 23, 35)}


def as_table(folder: Path) -> Path:
    return write(folder, TABLE)


def as_tabs(folder: Path) -> Path:
    form = "lon\tuser\tlat\ttime\r\n" + lines(lambda u, t, a, o: f"{o}\t{u}\t{a}\t{t:%d %B %Y %H:%M:%S}\r")
    return write(folder, form, "data.tsv")


def as_semicolons(folder: Path) -> Path:
    rows = lines(lambda u, t, a, o: f'"{u}";{t:%Y/%m/%d};{t:%I:%M:%S %p};{a};{o}'.replace(".", ","))
    return write(folder, ("\ufeffuser;date;time;lat;lon\n" + rows).encode("utf-16"), "data.csv")


def as_bars_with_another_zone(folder: Path) -> Path:
    east = timedelta(hours=2)
    return write(
        folder,
        "user|time|lat|lon\n" + lines(lambda u, t, a, o: f"{u}|{t + east:%Y-%m-%dT%H:%M:%S}+02:00|{a}|{o}"),
    )


def as_gzip(folder: Path) -> Path:
    return write(folder, gzip.compress(TABLE.encode()), "data.csv.gz")


def as_zip(folder: Path) -> Path:
    halves = [lines(comma, RECORDS[:9]), lines(comma, RECORDS[9:])]
    head = "user_id,timestamp,lat,lon\n"
    return write(
        folder, zipped({f"deep/{n}/part.csv": head + half for n, half in enumerate(halves)}), "data.zip"
    )


def as_shuffled(folder: Path) -> Path:
    turned = [RECORDS[n * 7 % len(RECORDS)] for n in range(len(RECORDS))]
    return write(folder, "user_id,timestamp,lat,lon\n" + lines(comma, turned))


def as_nested_folders(folder: Path) -> Path:
    for n, record in enumerate(RECORDS):
        text = "user_id,timestamp,lat,lon\n" + comma(*record)
        write(
            folder / "parts",
            gzip.compress(text.encode()) if n % 2 else text,
            f"{n % 3}/{n % 5}/{n}.csv{'.gz' if n % 2 else ''}",
        )
    return folder / "parts"


def as_pattern(folder: Path) -> Path:
    as_nested_folders(folder)
    write(folder / "parts", "user_id,timestamp,lat,lon\n1,2026-03-02 08:00:00,0.5,0.5\n", "other.csv")
    return folder / "parts" / "*" / "**" / "*.csv*"


def as_parquet(folder: Path) -> Path:
    return write(folder, parquet(COLUMNS), "data.parquet")


def as_partitioned_parquet(folder: Path) -> Path:
    for user, records in per_user().items():
        columns = {name: [record[n] for record in records] for n, name in enumerate(COLUMNS) if n}
        write(folder / "set", parquet(columns), f"user_id={user}/part-0.parquet")
    write(folder / "set", "", "_SUCCESS")
    return folder / "set"


def as_partitioned_text(folder: Path) -> Path:
    for record in RECORDS:
        path = folder / "set" / f"date={record[1]:%Y-%m-%d}" / "part.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write("" if file.tell() else "user,time,lat,lon\n")
            file.write(f"{record[0]},{record[1]:%H:%M:%S},{record[2]},{record[3]}\n")
    return folder / "set"


def as_arrow(folder: Path) -> Path:
    columns = {**COLUMNS, "timestamp": pa.array(COLUMNS["timestamp"], pa.timestamp("ns", "UTC"))}
    return write(folder, arrow(columns, "lz4"), "data.feather")


def as_arrow_files(folder: Path) -> Path:
    for n, part in enumerate((slice(0, 5), slice(5, 17))):
        write(
            folder / "parts", arrow({name: values[part] for name, values in COLUMNS.items()}), f"{n}/a.arrow"
        )
    return folder / "parts"


def as_cabs(folder: Path) -> Path:
    for user, records in per_user().items():
        newest_first = lines(lambda u, t, a, o: f"{a} {o} 0 {unix(t)}", records[::-1])
        write(folder / "cabs", newest_first, f"new_{user}.txt")
    return folder / "cabs"


def as_tracks(folder: Path) -> Path:
    for user, records in per_user().items():
        head = "\r\n".join(TRACK.splitlines()[:6]) + "\r\n"
        rows = lines(lambda u, t, a, o: f"{a},{o},0,-777,39745,{t:%Y-%m-%d,%H:%M:%S}\r", records)
        write(folder / "Data", head + rows, f"{user:03}/Trajectory/a.plt")
    return folder / "Data"


def as_check_ins(folder: Path) -> Path:
    return write(folder, lines(lambda u, t, a, o: f"{u}\t{t:%Y-%m-%dT%H:%M:%SZ}\t{a}\t{o}\tspot"), "a.txt")


def as_venues(folder: Path) -> Path:
    row = "{}\tv\tc\tCafé\t{}\t{}\t{}\t{:%a %b %d %H:%M:%S} +0000 {:%Y}"
    east = timedelta(minutes=540)  # local time is what the world has
    return write(
        folder, lines(lambda u, t, a, o: row.format(u, a, o, 540, t - east, t)).encode("cp1252"), "a.txt"
    )


def as_headerless(folder: Path) -> Path:
    return write(folder, lines(comma))


FORMS = [
    as_table,
    as_tabs,
    as_semicolons,
    as_bars_with_another_zone,
    as_gzip,
    as_zip,
    as_shuffled,
    as_nested_folders,
    as_pattern,
    as_parquet,
    as_partitioned_parquet,
    as_partitioned_text,
    as_arrow,
    as_arrow_files,
    as_cabs,
    as_tracks,
    as_check_ins,
    as_venues,
    as_headerless,
]
