"""What the parts of a work on a cluster share: made once in a process, of what was sent, and only that of one work kept."""

import pickle

import pytest

from privlab.datasets.engines import shared_work
from privlab.datasets.engines.shared_work import SharedWork

made: list[tuple[int, int]] = []


def total(one: int, other: int) -> list[int]:
    made.append((one, other))
    return [one + other]


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_work, "_prepared", {})
    made.clear()


def test_it_is_made_once_however_often_it_is_sent() -> None:
    work = SharedWork(total, 2, 3)
    sent = pickle.dumps(work)
    found = [pickle.loads(sent).prepared() for _ in range(3)]
    assert found[0] == [5]
    assert found[0] is found[1] is found[2]
    assert made == [(2, 3)]


def test_nothing_is_made_where_nothing_is_asked() -> None:
    SharedWork(total, 2, 3)
    assert made == []


def test_works_are_told_apart_though_they_are_alike_and_one_is_kept() -> None:
    one, other = SharedWork(total, 2, 3), SharedWork(total, 2, 3)
    assert one.prepared() is not other.prepared()
    assert list(shared_work._prepared) == [other.name]
    one.prepared()
    assert made == [(2, 3)] * 3
