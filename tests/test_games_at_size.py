"""The tables of docs/defences_at_size.md, and of the network in docs/knock_knock.md, are those of stored results that can be."""

import json
from pathlib import Path

import pytest

from bench.games_at_size import DEFENCES, EPSILONS, tables

ROOT = Path(__file__).parents[1]
STORED = json.loads((ROOT / "docs" / "results" / "defences_9500.json").read_text(encoding="utf-8"))
NETWORK = json.loads((ROOT / "docs" / "results" / "network_commuters.json").read_text(encoding="utf-8"))
MOST_REPORTS = 196  # of one user of the sample in its first week, docs/knock_knock.md


def test_the_page_shows_what_is_stored() -> None:
    lines = (ROOT / "docs" / "defences_at_size.md").read_text(encoding="utf-8").splitlines()
    stored = {row for rows in tables(STORED).values() for row in rows}
    assert {line for line in lines if line.startswith("|") and "[" in line} == stored
    assert len(stored) == 2 * len(DEFENCES)


def test_the_stored_result_against_theory() -> None:
    # Every mechanism, ε, attacker and classifier once; gains from the AUC's own formula; Laplace noise errs as its scale.
    points, error = STORED["points"], {}
    keys = {(one["defence"], *(value for _, value in sorted(one["setting"].items()))) for one in points}
    assert len(keys) == len(points) == len(DEFENCES) * len(EPSILONS) * 2 * 2
    for one in points:
        assert one["n_targets"] == STORED["targets"] == 30
        assert 0 <= one["pg_literal"] <= one["pg_mean"] + 1e-9
        assert one["pg_low"] <= one["pg_mean"] <= one["pg_high"]
        assert one["auc_low"] <= one["auc"] <= one["auc_high"]
        if one["auc"] > 0.75:  # no target below one half: the mean gain is the gain of the mean, raw AUC 1
            assert one["pg_mean"] == pytest.approx(
                (one["auc_raw"] - one["auc"]) / (one["auc_raw"] - 0.5), abs=0.06
            )
        error[one["defence"], one["setting"]["epsilon"]] = one["mre"]
    for epsilon in EPSILONS:
        assert error["lpa", epsilon] == pytest.approx(error["lpa", 1.0] / epsilon, rel=0.02)
        assert error["lpa", epsilon] == pytest.approx(MOST_REPORTS * error["lpa-event", epsilon], rel=0.02)


def test_the_network_over_group_sizes_is_what_is_stored() -> None:
    lines = (ROOT / "docs" / "knock_knock.md").read_text(encoding="utf-8").splitlines()
    rows = tables(NETWORK)["sizes"]
    assert set(rows) <= set(lines)
    for one in NETWORK["points"]:
        low, high = one["auc"][1:]
        assert 0 <= low <= one["auc"][0] <= high <= 1
        # Privacy loss is at least that of the mean AUC, since it is none below one half.
        assert one["pl"] >= 2 * one["auc"][0] - 1 - 1e-5  # figures are stored to six digits
    assert len({(one["prior"], one["group_size"]) for one in NETWORK["points"]}) == len(NETWORK["points"])
