"""The record of what commands answer: what it leaves out, and that it finds what has changed."""

import json
from pathlib import Path

from bench.answers import DRAWN, TIMED, answer_of, commands, content_of, differences, leaves


def test_values_by_their_paths_against_hand() -> None:
    value = {"a": [1, {"b": 2.5}], "made": "today", "c": {}, "d": None}
    assert leaves(value, TIMED) == {"a.0": 1, "a.1.b": 2.5, "c": "empty", "d": None}
    assert leaves({"seen_with": 3, "convicted": False}, DRAWN["audit"]) == {"convicted": False}


def test_changed_new_and_missing_values_are_found() -> None:
    before = {"one": {"x": 1.0, "y": 2}, "two": {"z": 0}}
    assert differences(before, before) == []
    now = {"one": {"x": 1.0000000000000002, "w": 3}, "three": {"z": 0}}
    assert differences(before, now) == [
        "one: w: 'nothing' → 3",
        "one: x: 1.0 → 1.0000000000000002",
        "one: y: 2 → 'nothing'",
        "two: gone",
    ]


def test_a_command_is_run_and_its_answer_taken_apart(tmp_path: Path) -> None:
    assert "cell-attack --epsilon 0.66 --threshold 100 --counts 1000,99,95 --json" in commands()
    found = answer_of(
        "cell-attack --epsilon 0.66 --threshold 100 --counts 95,95,95,95,95,95,95,95,95,95", tmp_path
    )
    assert round(found.pop("optimal"), 6) == 0.5674  # docs/science.md, section 2.4
    assert found == {"exit code": 0, "errors": "", "epsilon": 0.66, "threshold": 100, "noise": "laplace"}
    refused = answer_of("cell-attack --epsilon 0 --threshold 100 --counts 95", tmp_path)
    assert (refused["exit code"], refused["errors"]) == (2, "epsilon must be between 1e-05 and 20, got 0.")


def test_files_are_their_values_or_their_digest(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"made": 1, "x": [2]}))
    (tmp_path / "a.csv").write_text("abc")
    assert content_of(tmp_path / "a.json") == {"x.0": 2}
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, "abc"
    assert content_of(tmp_path / "a.csv") == {"sha256": digest}
