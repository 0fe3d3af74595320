"""How long a Spark application waits for its first worker: by a clock of its own, without Spark."""

from types import SimpleNamespace
from typing import Any

import pytest

from privlab.checks import ParameterError
from privlab.datasets.engines import spark_session


def require_workers(monkeypatch: pytest.MonkeyPatch, *, allowed: int, comes: int) -> int:
    """Wait for a worker that comes after so many seconds; return when the wait ended."""
    clock = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now
    clock.sleep = lambda seconds: setattr(clock, "now", clock.now + seconds)
    monkeypatch.setattr(spark_session, "time", clock)
    context: Any = SimpleNamespace(
        getConf=lambda: SimpleNamespace(getTimeAsSeconds=lambda name, unset: allowed),
        getExecutorMemoryStatus=lambda: SimpleNamespace(size=lambda: 1 + (clock.now >= comes)),
    )
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(_jsc=SimpleNamespace(sc=lambda: context)))
    spark_session._require_workers(session, "spark://one:7077")
    return round(clock.now)


@pytest.mark.parametrize(("allowed", "comes"), [(0, 0), (0, 59), (30, 59), (900, 700)])
def test_a_worker_that_comes_in_time_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, allowed: int, comes: int
) -> None:
    assert require_workers(monkeypatch, allowed=allowed, comes=comes) == comes


@pytest.mark.parametrize(("allowed", "seconds"), [(0, 60), (30, 60), (900, 900)])
def test_without_a_worker_it_ends_in_one_sentence_iv(
    monkeypatch: pytest.MonkeyPatch, allowed: int, seconds: int
) -> None:
    with pytest.raises(ParameterError, match=f"none joined within {seconds} seconds"):
        require_workers(monkeypatch, allowed=allowed, comes=2_000)
