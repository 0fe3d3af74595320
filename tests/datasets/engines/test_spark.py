"""Spark gives exactly what the embedded database gives, on a real cluster with two workers."""

import hashlib
import json
import random
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.command_line import Run
from tests.datasets.engines.raw_counts import BOUND, SECRET, raw_counts
from tests.datasets.engines.spark_cluster import ROOT, Cluster, Commands, _free_port, running_cluster

SAMPLES = ROOT / "sample_data"
RELEASE = ("--max-trips-per-user", 3, "--epsilon", 0.66, "--threshold", 20, "--seed", 7, "--json")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("spark")) as started:
        yield started


@pytest.fixture(scope="module")
def on_cluster(cluster: Cluster) -> Iterator[Commands]:
    with cluster.commands() as commands:
        yield commands


@pytest.fixture(scope="module")
def on_spark(on_cluster: Commands) -> Commands:
    """Spark within one process: what is counted is the same, and no workers are started for each command.

    It is the process whose commands go to the cluster, so that one Java is started and warm for all tests.
    """
    return replace(on_cluster, engine="spark:local[2]")


@pytest.fixture
def duckdb(cli: Run) -> Run:
    return cli


def assert_same_files(one: Path, other: Path) -> None:
    assert pq.read_metadata(one / "od_matrix.parquet").num_rows > 0
    for name in ("od_matrix.parquet", "simulated_release.parquet"):
        assert pq.read_schema(one / name) == pq.read_schema(other / name)
        assert (one / name).read_bytes() == (other / name).read_bytes()


def part_of_sample(name: str, n_users: int, folder: Path) -> Path:
    """Write the first people of a sample, whose names are their numbers, into a file of their own."""
    path = folder / f"{name}.parquet"
    pq.write_table(pq.read_table(SAMPLES / path.name, filters=[("user_id", "<", n_users)]), path)
    return path


def city_by_positions(n_users: int, folder: Path) -> Path:
    """Write the trips of the first people of the city with positions, a corner of each zone, instead of zones."""
    trips = pq.read_table(part_of_sample("city", n_users, folder))
    zones = json.loads((SAMPLES / "city_zones.geojson").read_text(encoding="utf-8"))["features"]
    corner = {zone["properties"]["zone"]: zone["geometry"]["coordinates"][0][0] for zone in zones}
    moved = {name: trips[name] for name in ("user_id", "timestamp")}
    for end in ("origin", "destination"):
        places = [corner[zone] for zone in trips[end].to_pylist()]
        moved |= {f"{end}_{axis}": [place[n] for place in places] for n, axis in enumerate(("lon", "lat"))}
    pq.write_table(pa.table(moved), folder / "positions.parquet")
    return folder / "positions.parquet"


def test_city_in_hexagons_against_duckdb_on_two_workers(
    cluster: Cluster, on_cluster: Commands, duckdb: Run, tmp_path: Path
) -> None:
    """Hexagons are worked out by Python on the workers, which know nothing of this checkout."""
    city = city_by_positions(10_000, tmp_path)
    words = ("od", city, "--zones", "h3:7", "--group-size", 9000, *RELEASE, "--out")
    done = on_cluster(*words, tmp_path / "spark")
    state = cluster.state()
    assert len({worker["id"] for worker in state["workers"] if worker["state"] == "ALIVE"}) == 2
    assert min(cluster.tasks_by_worker().values()) > 0
    # 140,000 trips and 93,000 unique trips stay on the workers; some thousand flows, twice, come here.
    results = [event["Task Metrics"]["Result Size"] for event in cluster.events("SparkListenerTaskEnd")]
    assert sum(results) < 1_000_000
    assert done == duckdb(*words, tmp_path / "duckdb")
    answer = json.loads(done[1])
    assert answer["utility"]["clipping"] > 0
    assert answer["group_size"] == 9000
    assert_same_files(tmp_path / "spark", tmp_path / "duckdb")


def test_kgaps_on_two_workers_against_one_machine(
    cluster: Cluster, on_cluster: Commands, duckdb: Run, tmp_path: Path
) -> None:
    people = part_of_sample("subscribers", 80, tmp_path)
    asked = ("kgap", people, "--level", "0.1-1", "--k", "2,20", "--json")
    here = json.loads(duckdb(*asked, "--out", tmp_path / "here.parquet")[1])
    code, out, _ = on_cluster(*asked, "--out", tmp_path / "there.parquet")
    assert (code, min(cluster.tasks_by_worker().values()) > 0) == (0, True)
    there = json.loads(out)
    for told in (here, there):  # how many distances are looked at hangs on how people are cut into parts
        del told["levels"][0]["share_compared"]
    assert there == here
    assert (tmp_path / "there.parquet").read_bytes() == (tmp_path / "here.parquet").read_bytes()
    assert not (cluster.folder / "cache" / "numba").exists()  # what is compiled goes with the application
    refused = on_cluster(*asked, "--every-min", 5)
    assert refused[2].startswith("every_min does not go with the engine spark")


def test_a_release_on_two_workers(
    cluster: Cluster, on_cluster: Commands, on_spark: Commands, duckdb: Run, tmp_path: Path
) -> None:
    city, positions = part_of_sample("city", 2_000, tmp_path), tmp_path / "zones.csv"
    lines = (f"{zone},{zone / 1000},{zone / 1000}" for zone in range(100))
    positions.write_text("\n".join(("zone,lat,lon", *lines)) + "\n", encoding="utf-8")
    ledger = ("--ledger", tmp_path / "ledger.sqlite")
    asked = (
        "--ids",
        "number",
        "--zone-positions",
        positions,
        "--week",
        "2026-03-02",
        "--epsilon",
        2,
        *ledger,
    )
    plan = (*asked, "--max-trips-per-user", 5, "--threshold", 25, "--noise", "gaussian", "--json")
    code, out, err = on_cluster("release", city, *plan, "--unbiased", "--out", tmp_path / "out")
    assert (code, err.splitlines()) == (0, [f"A new ledger was begun: {tmp_path / 'ledger.sqlite'}."])
    assert min(cluster.tasks_by_worker().values()) > 0
    # 31,000 trips of 23,000 different ones stay there: what comes back are some 6,000 counts, in lines of 60 bytes.
    results = [event["Task Metrics"]["Result Size"] for event in cluster.events("SparkListenerTaskEnd")]
    assert sum(results) < 1_000_000
    told = json.loads(out)
    verified = json.loads(duckdb("verify", tmp_path / "out" / "certificate.json", *ledger, "--json")[1])
    assert verified["holds"]
    # One machine finds the same account, and expects the same of the same release.
    again = (*plan, "--unbiased", "--preview")
    here = json.loads(duckdb("release", city, *again)[1])
    there = json.loads(on_spark("release", city.as_uri(), *again)[1])  # an address, which Spark alone reads
    assert here["releases"] == there["releases"] == told["releases"] == 1
    assert there["true_data_for_internal_eyes"] == here["true_data_for_internal_eyes"]
    one, other = (
        {what: value for what, value in told["outlook"].items() if isinstance(value, float | int)}
        for told in (there, here)
    )
    assert one == pytest.approx(other, rel=1e-6)


def test_subscribers_on_a_grid_against_duckdb(on_spark: Commands, duckdb: Run, tmp_path: Path) -> None:
    few = part_of_sample("subscribers", 1000, tmp_path)
    words = ("od", few, "--zones", "grid:10000", *RELEASE, "--out")
    answer = on_spark(*words, tmp_path / "spark")
    assert answer == duckdb(*words, tmp_path / "duckdb")
    assert json.loads(answer[1])["utility"]["clipping"] > 0
    assert_same_files(tmp_path / "spark", tmp_path / "duckdb")


def ugly() -> pa.Table:
    """Records with what databases read differently: blanks, NaN, infinity, instants, ids beyond ASCII."""
    users = [" fred", "red\t", "v1", "\\N", "NULL", "NaN", "é", "e\u0301", "😀", "\ufb01", "fred", "v1"]
    lat = [45.0, 45.1, float("nan"), 45.0, 45.0, 45.0, float("inf"), None, 0.0, 91.0, 45.2, 45.3]
    times = [datetime(2026, 3, 29, hour, 30, tzinfo=UTC) for hour in range(12)]
    times[10], times[11] = datetime(1800, 1, 1, tzinfo=UTC), None  # type: ignore[call-overload]
    lon = [0.0 if one == 0.0 else -30.0 for one in lat]
    return pa.table(
        {"user": users, "time": pa.array(times, pa.timestamp("us", "UTC")), "lat": lat, "lon": lon}
    )


def alike(printed: str) -> dict[str, Any]:
    """What describe says, without what a cluster cannot say: the rows' numbers, and the profile."""
    told: dict[str, Any] = json.loads(printed)
    told.pop("profile")
    examples = told.pop("dropped_examples")
    return told | {"examples of": {reason: some[0]["column"] for reason, some in examples.items()}}


def test_ugly_rows_and_the_hand_drawn_world(
    on_spark: Commands, duckdb: Run, world: pd.DataFrame, tmp_path: Path
) -> None:
    pq.write_table(ugly(), tmp_path / "ugly.parquet")
    world["zone"] = world["zone"].map({1: "é", 2: "\ufb01", 3: "😀", 4: "z"})
    folder = tmp_path / "a [new] world, 100%20"  # a space, and what others take for a pattern or a code
    for day, part in world.groupby(world["time"].dt.date):
        (folder / f"day={day}").mkdir(parents=True)
        part.to_parquet(folder / f"day={day}" / "part.parquet", index=False)
    world.to_parquet(tmp_path / "world.parquet", index=False)
    pq.write_table(ugly().set_column(1, "time", ugly()["time"].cast(pa.string())), tmp_path / "texts.parquet")
    (tmp_path / "nothing").mkdir()
    records = ("describe", tmp_path / "ugly.parquet", "--timezone", "Europe/Paris", "--json")
    flows = (*RELEASE, "--group-size", 2, "--out")
    messy = on_spark(*records)
    described = on_spark("describe", folder, "--zones", "column", "--json")
    counted = on_spark("od", folder, *flows, tmp_path / "spark")
    refused = on_spark("describe", tmp_path / "texts.parquet", "--json")
    empty = on_spark("describe", tmp_path / "nothing", "--json")
    here = duckdb(*records)
    assert (messy[0], messy[2]) == (here[0], here[2]) == (0, "")
    assert alike(messy[1]) == alike(here[1])
    # Only fred and red are usable, and they are two: blanks are stripped, the letter f is not.
    found = json.loads(messy[1])
    assert (found["users"], found["records"]) == (2, 2)
    told = json.loads(described[1])
    # As in conftest: the tie goes to the smaller code point, U+FB01, not to the smaller UTF-16 unit.
    assert (told["records"], told["users"], told["trips"], told["unique_trips"]) == (15, 3, 7, 6)
    assert counted == duckdb("od", tmp_path / "world.parquet", *flows, tmp_path / "duckdb")
    assert_same_files(tmp_path / "spark", tmp_path / "duckdb")
    for answer, sentence in (
        (refused, "Column 'time' holds string, not timestamps; turn it into Parquet with real timestamps"),
        (empty, "nothing cannot be read: it holds no Parquet file; turn it into Parquet"),
    ):
        assert (*answer[:2], answer[2].count("\n")) == (2, "", 1)
        assert answer[2].startswith(sentence)


def test_what_spark_cannot_do_is_one_sentence_iv(
    duckdb: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, csv = SAMPLES / "cabs.parquet", tmp_path / "records.csv"
    csv.write_bytes(b"user,time,zone\na,2026-03-02 08:00,1\n")
    for words, sentence in (
        ((csv, "--engine", "spark"), "records.csv is not Parquet, and the Spark engine reads nothing else"),
        ((tmp_path / "no.parquet", "--engine", "spark"), "There is no file 'no.parquet'."),
        (
            (path, "--engine", f"spark://127.0.0.1:{_free_port()}"),
            "engine must be a Spark master that answers",
        ),
        (
            (path, "--engine", "spark://127.0.0.1"),
            "engine must be spark://HOST:PORT, got 'spark://127.0.0.1'.",
        ),
        ((path, "--engine", "sparkle"), "engine must be duckdb, spark, spark://HOST:PORT or spark:MASTER"),
    ):
        code, out, err = duckdb("describe", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert sentence in err
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "Java 17 or newer is installed (found none)" in duckdb("describe", path, "--engine", "spark")[2]
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert "pip install -r requirements-spark.txt" in duckdb("describe", path, "--engine", "spark")[2]


def cell_counts(path: Path) -> Counter[tuple[int, int]]:
    rows = pq.read_table(path).to_pylist()
    return Counter({(row["origin"], row["destination"]): round(row["count"]) for row in rows})


def test_removing_a_user_changes_nobody_else(on_spark: Commands, tmp_path: Path) -> None:
    """Without a user the bounded counts fall by one in as many of that user's flows as the bound lets count."""
    bound, draw = 2, random.Random(1)
    rows = [
        (draw.randrange(8), datetime(2026, 3, 2, draw.randrange(20), draw.randrange(60)), draw.randrange(5))
        for _ in range(400)
    ]
    removed = (rows[0][0],)
    for name in ("all", *removed):
        kept = [row for row in rows if row[0] != name]
        users, times, zones = (list(column) for column in zip(*kept, strict=True))
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"user_id": users, "time": times, "zone": zones}), path)
        # The same seed draws the same noise for the same cells, all of which are published.
        noise = ("--epsilon", 20, "--threshold", 0, "--seed", 1)
        bounded = ("--zones", "column", "--max-trips-per-user", bound, "--json")
        assert on_spark("od", path, *bounded, *noise, "--out", tmp_path / str(name))[0] == 0
    for user in removed:
        whole, rest = tmp_path / "all", tmp_path / str(user)
        # Unbounded, the counts differ by the user's unique trips; bounded, by those counted and by nothing else.
        mine = cell_counts(whole / "od_matrix.parquet") - cell_counts(rest / "od_matrix.parquet")
        everyone, others = (cell_counts(one / "simulated_release.parquet") for one in (whole, rest))
        everyone.subtract(others)
        counted = Counter({cell: n for cell, n in everyone.items() if n})
        assert set(mine.values()) == set(counted.values()) == {1}
        assert counted.total() == bound < mine.total()
        assert counted <= mine


def few_records(path: Path, rows: Sequence[tuple[object, datetime, int]], n_files: int) -> Path:
    """Write records into a folder of so many files."""
    path.mkdir()
    for part in range(n_files):
        users, times, zones = (list(column) for column in zip(*rows[part::n_files], strict=True))
        pq.write_table(pa.table({"user_id": users, "time": times, "zone": zones}), path / f"{part}.parquet")
    return path


def test_what_a_release_counts_against_duckdb_and_removing_a_user(on_spark: Commands, tmp_path: Path) -> None:
    """Before the noise, to the last unit and whatever the files are cut into; a user moves at most L, or L in squares."""
    draw = random.Random(2)
    rows = [
        (
            min(draw.randrange(10), 7),
            datetime(2026, 3, 2 + draw.randrange(14), draw.randrange(24)),
            draw.randrange(5),
        )
        for _ in range(500)
    ]
    whole = few_records(tmp_path / "all", rows, 1)
    cut = few_records(tmp_path / "cut", rows, 3)
    rest = few_records(tmp_path / "rest", [row for row in rows if row[0] != 7], 2)
    for name, power in (("keep", 1), ("l2", 2)):
        everyone = json.loads(on_spark("raw-counts", cut, name)[1])
        assert everyone == raw_counts(str(cut), name, "duckdb")  # and so is the name of the account
        # Once is enough to see that both engines agree on the rest, too.
        others = raw_counts(str(rest), name, "duckdb")
        if power == 1:
            assert json.loads(on_spark("raw-counts", rest, name)[1]) == others
        alone = raw_counts(str(whole), name, "duckdb")
        assert everyone.pop("digest") != alone.pop("digest")
        assert everyone == alone
        one = 1024 if power == 2 else 1
        assert max(everyone["raw"]) > 0
        for week in range(2):
            moved = cells_of(everyone, week)
            moved.subtract(cells_of(others, week))
            assert 0 < sum(abs(units) ** power for units in moved.values()) <= BOUND * one**power
        assert (sum(everyone["totals"]) > 0) == (power == 2)


def test_people_are_known_again_by_both_engines_however_their_ids_are_spelled(
    on_spark: Commands, tmp_path: Path
) -> None:
    """Ids of which only what stands before the slash is digested: by hand, under the key of both."""
    spelled = (
        "27384/27384.0",
        "27385/00027385",
        "27386/ 27386 ",
        "0/000",
        "a b/a b",
        "10.50/10.50",
        "-07/-07",
        "1e3/1e3",
    )
    rows = [(one.split("/")[1], datetime(2026, 3, 2, hour), hour % 5) for one in spelled for hour in (8, 9)]
    path = few_records(tmp_path / "spelled", rows, 2)
    found = json.loads(on_spark("raw-counts", path, "keep")[1])["people"]
    assert found == raw_counts(str(path), "keep", "duckdb")["people"]
    by_hand = (hashlib.sha256(f"{SECRET}|{one.split('/')[0]}".encode()).hexdigest()[:16] for one in spelled)
    assert found["by_id"] == sorted(by_hand)


def cells_of(counts: dict[str, Any], week: int) -> Counter[int]:
    part = slice(counts["week_starts"][week], counts["week_starts"][week + 1])
    return Counter(dict(zip(counts["cell"][part], counts["raw"][part], strict=True)))


def test_releases_that_a_cluster_does_not_make_iv(duckdb: Run, tmp_path: Path) -> None:
    asked = ("--epsilon", 2, "--max-trips-per-user", 5, "--week", "2026-03-02", "--engine", "spark")
    for words, sentence in (
        (("--product", "visits"), "product must be flows or flows-by-slot on a cluster"),
        (("--noise", "gaussian", "--levels", "blocks:2"), "levels must be left out on a cluster"),
        (("--min-records", 2), "min_records does not go with the engine spark"),
    ):
        code, out, err = duckdb("release", SAMPLES / "city.parquet", *asked, *words, "--preview")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert sentence in err


def test_a_release_reads_no_file_by_what_another_says_iv(on_spark: Commands, tmp_path: Path) -> None:
    """Spark would read all files by the columns and types of the first, whoever's file that is."""
    times = [datetime(2026, 3, 8, hour) for hour in (21, 22, 23)]
    others = pa.table({"user": ["a"] * 3, "time": pa.array(times, pa.timestamp("us")), "zone": [1, 2, 3]})
    folder = tmp_path / "taps of, 100%20"
    folder.mkdir()
    pq.write_table(others, folder / "b.parquet")
    asked = ("--ids", "number", "--cells", "discovered", "--week", "2026-03-02", "--epsilon", 2)
    asked = (*asked, "--max-trips-per-user", 5, "--ledger", tmp_path / "ledger.sqlite", "--preview")
    assert on_spark("release", folder, *asked)[2] == ""
    instants = others.set_column(1, "time", others["time"].cast(pa.timestamp("us", "UTC")))
    wide = others.append_column("user_id", others["user"])
    narrow = others.set_column(2, "zone", others["zone"].cast(pa.int32()))
    address = f"file://{folder}"  # which Spark alone reads
    for somebodys, location, sentence in (
        (
            instants,
            folder,
            "Column 'time' is timestamp[us, tz=UTC] in a.parquet and timestamp[us] in b.parquet.",
        ),
        (wide, folder, "The files differ in their columns: a.parquet has 'user_id', b.parquet has not."),
        (
            narrow,
            address,
            "Column 'zone' is int32 in a.parquet and int64 in b.parquet. For a secure release, write",
        ),
    ):
        pq.write_table(somebodys, folder / "a.parquet")
        code, out, err = on_spark("release", location, *asked)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(sentence)
    pq.write_table(others.select(["zone", "time", "user"]), folder / "a.parquet")
    assert on_spark("release", folder, *asked)[2] == ""


def test_files_in_folders_that_say_different_columns_are_refused_on_both_engines(
    on_spark: Commands, duckdb: Run, tmp_path: Path
) -> None:
    """Spark passes over files that lie beside such folders, without a word: one person's folder would shut all others out."""
    times = [datetime(2026, 3, 8, hour) for hour in (21, 22, 23)]
    table = pa.table({"time": pa.array(times, pa.timestamp("us")), "zone": [1, 2, 3]})
    named = table.append_column("user", pa.array(["a"] * 3))
    asked = ("--ids", "number", "--cells", "discovered", "--week", "2026-03-02", "--epsilon", 2)
    asked = (*asked, "--max-trips-per-user", 5, "--ledger", tmp_path / "ledger.sqlite", "--preview")
    for folder, files, sentences in (
        ("said", {"user=a/p.parquet": table, "user=b/p.parquet": table}, ("", "")),
        (
            "beside",
            {"p.parquet": named, "user=b/p.parquet": table},
            (
                "The name of a folder says 'user' of user=b/p.parquet and not of p.parquet, whose rows Spark would pass over. Put all",
                "Column 'user' stands in p.parquet itself, and of user=b/p.parquet the name of its folder says it. For a secure",
            ),
        ),
        (
            "twice",
            {"user=a/p.parquet": named, "user=b/p.parquet": named},
            (
                "Column 'user' stands in the files, and the names of their folders say it too. Rename the folders or the column.",
                "Column 'user' stands in user=a/p.parquet, and the name of its folder says it too. For a secure release, rename",
            ),
        ),
    ):
        for name, part in files.items():
            (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(part, tmp_path / folder / name)
        there = [on_spark("release", at, *asked) for at in (tmp_path / folder, f"file://{tmp_path / folder}")]
        for answer, sentence in (
            *((one, sentences[0]) for one in there),
            (duckdb("release", tmp_path / folder, *asked), sentences[1]),
        ):
            assert answer[0] == (2 if sentence else 0), answer
            assert answer[2].startswith(sentence)
            assert answer[2].count("\n") == bool(sentence)


def test_plan_and_risk_against_duckdb(on_spark: Commands, duckdb: Run, tmp_path: Path) -> None:
    city = part_of_sample("city", 500, tmp_path)
    wishes = ("--max-accuracy", 0.9, "--min-utility", 0.01, "--json")
    planned = on_spark("plan", city, *wishes, "--noise", "integer")
    assert json.loads(planned[1])["frontier"]
    assert planned == duckdb("plan", city, *wishes, "--noise", "integer")
    (note,) = json.loads(on_spark("plan", city, *wishes)[1])["notes"]
    assert note.startswith(
        "On a cluster releases with integer noise are planned, none with Gaussian noise yet."
    )
    judged = ("risk", city, "--epsilon", 2, "--users", 20, "--json")
    assert on_spark(*judged, *(gauss := ("--max-trips-per-user", 3, "--noise", "gaussian"))) == duckdb(
        *judged, *gauss
    )
    there, here = (
        json.loads(run(*judged, "--threshold", 2, "--max-trips-per-user", 3)[1]) for run in (on_spark, duckdb)
    )
    for person in here["most_exposed"]:
        for flow in person["flows"]:  # which flows they are does not leave the cluster
            del flow["origin"], flow["destination"]
    (why,) = there["notes"]
    assert "where one person goes does not leave it" in why
    assert there == here | {"notes": [why]}
    promise = ("guarantee", "--epsilon", 2, "--threshold", 2, "--max-trips-per-user", 3, "--noise", "laplace")
    promised = json.loads(on_spark(*promise, "--data", city, "--users", 20, "--json")[1])
    assert promised["people"] == {name: there[name] for name in promised["people"]}
    assert {name: promised[name] for name in promised if name != "people"} == json.loads(
        duckdb(*promise, "--cells", "discovered", "--json")[1]
    )
    refused = on_spark("plan", city, *wishes, "--total-epsilon", 10)
    assert refused[2].startswith("total_epsilon must be left out on a cluster")
    for asked in (("--epsilon", 1), ("--min-utility", 0.5)):
        refused = on_spark("plan", city, *asked)
        assert refused[2].startswith("epsilon, and min_utility alone, must be left out on a cluster")


def test_a_game_against_one_machine(on_spark: Commands, duckdb: Run, tmp_path: Path) -> None:
    city = part_of_sample("city", 100, tmp_path)
    asked = (
        "--group-size",
        5,
        "--targets",
        3,
        "--train-groups",
        20,
        "--test-groups",
        10,
        "--seed",
        3,
        "--json",
    )
    runs = ("--runs", tmp_path / "runs.sqlite")
    there = json.loads(on_spark("game", city, *asked, *runs, "--out", tmp_path / "there.parquet")[1])
    here = json.loads(duckdb("game", city, *asked, "--fresh", "--out", tmp_path / "here.parquet")[1])
    assert there == here
    assert (tmp_path / "there.parquet").read_bytes() == (tmp_path / "here.parquet").read_bytes()
    # What the cluster played is kept under the name that one machine gives the same file: nothing is played again.
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as store, store:
        kept = store.execute("SELECT count(*) FROM outcome").fetchone()
        duckdb("game", city, *asked, *runs)
        assert store.execute("SELECT count(*) FROM outcome").fetchone() == kept == (3,)
