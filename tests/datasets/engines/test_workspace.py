"""The workspace: tables keep apart, blocks come back whole, a query stops, nothing is left behind."""

import threading
import time

import ibis
import pyarrow as pa
import pytest

from privlab.datasets.engines.workspace import Interrupted, Workspace, has_rows, row_count
from privlab.progress import Progress


@pytest.fixture
def workspace():
    with Workspace() as opened:
        yield opened


def numbers(workspace, n):
    workspace.connection.con.execute(f"CREATE TABLE numbers AS SELECT range AS x FROM range({n})")
    return workspace.connection.table("numbers")


def test_stored_tables_of_one_name_keep_apart_against_hand(workspace) -> None:
    table = numbers(workspace, 10)
    small, large = (
        workspace.materialise("part", table.filter(rule)) for rule in (ibis._.x < 3, ibis._.x >= 3)
    )
    assert (row_count(small), row_count(large)) == (3, 7)
    workspace.forget(small)
    assert row_count(large) == 7


def test_what_is_stored_keeps_its_types_and_any_name_against_hand(workspace) -> None:
    table = numbers(workspace, 3).mutate(**{'a "b", c': ibis.literal(1, "int8"), "none": ibis.null("string")})
    stored = workspace.materialise("odd names", table)
    assert stored.schema() == table.schema()
    assert sorted(stored.to_pyarrow().to_pylist(), key=lambda row: row["x"]) == [
        {"x": x, 'a "b", c': 1, "none": None} for x in range(3)
    ]
    listed = ibis.memtable(pa.table({"x": [1, 2]}))
    assert row_count(workspace.materialise("few", table.semi_join(listed, "x"))) == 2


@pytest.mark.parametrize(("least", "there"), [(9, True), (10, False)])
def test_whether_there_are_rows_against_hand(workspace, least, there) -> None:
    found = numbers(workspace, 10).filter(ibis._.x >= least)
    assert has_rows(found) is there
    assert has_rows(found.order_by("x").limit(5)) is there


@pytest.mark.parametrize("n", [0, 1, 1_200_000])
def test_blocks_come_back_whole_against_hand(workspace, n) -> None:
    table = numbers(workspace, n)
    told: list[float] = []
    doubled = workspace.mapped(
        "doubled",
        table,
        lambda block: pa.table({"y": pa.compute.multiply(block["x"], 2)}),
        n_rows=n,
        progress=Progress(lambda share, words: told.append(share)),
    )
    assert row_count(doubled) == n
    assert told == sorted(told)
    assert told[-1:] == ([1.0] if n else [])
    assert (doubled.y.sum().to_pyarrow().as_py() or 0) == n * (n - 1)
    workspace.forget(doubled)
    assert list(workspace.folder.glob("doubled*")) == []


def test_a_running_query_is_interrupted(workspace) -> None:
    table = numbers(workspace, 200_000)
    endless = table.cross_join(table.rename(z="x")).filter(lambda t: (t.x * t.z) % 1_000_003 == t.x - 300_000)
    ended: list[BaseException] = []

    def run():
        try:
            row_count(endless)
        except Interrupted as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    end = time.monotonic() + 900  # what is said before the query has begun is not heard: it is said again
    while thread.is_alive() and time.monotonic() < end:
        workspace.interrupt()
        thread.join(0.05)
    assert len(ended) == 1
    assert 0 <= workspace.query_share() <= 1


def test_progress_of_a_long_read_moves_and_prints_nothing(workspace, tmp_path, capfd) -> None:
    path = tmp_path / "long.csv"
    hashes = "SELECT range AS a, hash(range) AS b, hash(range + 1) AS c FROM range(3_000_000)"
    workspace.connection.raw_sql(f"COPY ({hashes}) TO '{path}'")
    table = workspace.connection.read_csv(path, all_varchar=True, buffer_size=500_000, table_name="long")
    thread = threading.Thread(target=workspace.materialise, args=("long_stored", table))
    thread.start()
    seen = []
    while thread.is_alive():
        seen.append(workspace.query_share())
        time.sleep(0.001)
    thread.join()
    between = [share for share in seen if 0 < share < 1]
    assert len(set(between)) > 1
    assert between == sorted(between)
    assert all(0 <= share <= 1 for share in seen)
    assert workspace.query_share() == 0
    assert capfd.readouterr() == ("", "")


def test_work_outside_the_database_is_interrupted(workspace) -> None:
    n_blocks = 0

    def change(block):
        nonlocal n_blocks
        n_blocks += 1
        workspace.interrupt()
        return pa.table(block.to_pydict())

    with pytest.raises(Interrupted):
        workspace.mapped("stopped", numbers(workspace, 1_200_000), change)
    assert n_blocks == 1  # the empty one that tells the columns
    with pytest.raises(Interrupted):
        workspace.materialise("later", workspace.connection.table("numbers"))


def test_a_workspace_that_ended_meanwhile_can_be_stopped(tmp_path) -> None:
    # What stops it is another thread's and may come late: a button, a file that replaces another.
    with Workspace(folder_in=tmp_path) as ended:
        numbers(ended, 3)
    ended.interrupt()
    with pytest.raises(Interrupted):
        ended.require_running()


def test_limits_are_those_asked_for(tmp_path) -> None:
    with Workspace(memory_limit_gb=0.5, threads=1, folder_in=tmp_path) as workspace:
        ask = "SELECT current_setting('memory_limit'), current_setting('temp_directory'), current_setting('threads')"
        memory, spill, threads = workspace.connection.con.execute(ask).fetchone()
        assert memory == "476.8 MiB"  # 0.5 GB = 500,000,000 bytes
        assert threads == 1
        assert workspace.folder.parent == tmp_path
        assert spill == str(workspace.folder / "spill")
    assert list(tmp_path.iterdir()) == []


def test_more_groups_than_memory_against_arithmetic(tmp_path) -> None:
    """600,000 groups of 32 bytes and more, grouped within 20 MB."""
    n = 600_000
    with Workspace(memory_limit_gb=0.02, threads=1, folder_in=tmp_path) as workspace:
        table = numbers(workspace, n)
        keyed = table.select("x", a=table.x * 7919 % 1_000_003, b=table.x + 1)
        groups = workspace.materialise("groups", keyed.group_by("a", "b", "x").agg(n=ibis._.count()))
        assert row_count(groups) == n
        assert groups.x.sum().to_pyarrow().as_py() == n * (n - 1) // 2


def test_nothing_is_left_behind() -> None:
    workspace = Workspace()
    folder = workspace.folder
    workspace.materialise("part", numbers(workspace, 5))
    assert folder.exists()
    workspace.close()
    assert not folder.exists()
