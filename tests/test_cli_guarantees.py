"""The commands of what holds: one JSON object, figures from outside, one sentence on bad input."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from privlab.cli import run

Answer = Callable[..., Any]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Answer:
    def call(*words: object, fails: bool = False) -> Any:
        monkeypatch.setattr(sys, "argv", ["privlab", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = capsys.readouterr()
        if fails:
            assert (ended.value.code, out) == (2, "")
            assert err.count("\n") == 1
            return err
        assert not ended.value.code, err
        return json.loads(out)

    return call


@pytest.fixture
def world_csv(world: pd.DataFrame, tmp_path: Path) -> Path:
    path = tmp_path / "world.csv"
    world.to_csv(path, index=False)
    return path


def test_guarantee_against_the_paper(answer: Answer) -> None:
    words = ("guarantee", "--epsilon", 0.66, "--cells", "discovered", "--noise", "laplace", "--json")
    result = answer(*words)
    assert f"{result['guarantees']['trip']['delta']:.1e}" == "2.1e-29"
    assert result["guarantees"]["user"] is None
    assert "promised nothing" in result["statement"]
    bounded = answer("guarantee", "--epsilon", 0.66, "--max-trips-per-user", 10, "--weeks", 52, "--json")
    assert bounded["guarantees"]["user"]["epsilon"] == pytest.approx(34.32)
    assert bounded["scale"] == pytest.approx(10 / 0.66)


def test_risk_against_hand(answer: Answer, world_csv: Path) -> None:
    # Week of 2 March: 1→2 has Anna and Cleo, 2→1 Anna, 3→4 Ben; everything is published at threshold 0.
    result = answer("risk", world_csv, "--epsilon", 0.66, "--threshold", 0, "--users", 1000, "--json")
    assert (result["week"], result["users_in_release"], result["users_judged"]) == ("2026-03-02", 3, 3)
    assert result["quantiles"]["1"] == pytest.approx(0.656294, abs=5e-7)  # Anna, two unique trips
    assert result["quantiles"]["0.5"] == pytest.approx(0.640538, abs=5e-7)
    assert result["share_above_claim"] == 0
    flows = result["most_exposed"][0]["flows"]
    assert {(flow["origin"], flow["destination"], flow["others"]) for flow in flows} == {(1, 2, 1), (2, 1, 0)}


def test_risk_of_counts_that_name_nobody_is_refused_iv(answer: Answer, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("origin,destination,count\n1,2,30\n2,3,40\n")
    assert "does not say whose trips" in answer("risk", path, "--epsilon", 1, "--json", fails=True)
