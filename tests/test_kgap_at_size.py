"""The tables of docs/kgap_at_size.md are those of the stored result, and the result is one that can be."""

import json
from pathlib import Path

from bench.kgap_at_size import tables

ROOT = Path(__file__).parents[1]
STORED = ROOT / "docs" / "results" / "kgap_82000.json"


def test_the_page_shows_what_is_stored() -> None:
    lines = (ROOT / "docs" / "kgap_at_size.md").read_text(encoding="utf-8").splitlines()
    stored = {row for rows in tables(json.loads(STORED.read_text(encoding="utf-8"))).values() for row in rows}
    shown = {line for line in lines if line.startswith("|") and "[" in line and "](" not in line}
    assert shown == stored
    assert len(stored) > 20


def test_the_stored_result_against_theory() -> None:
    # No k-gap falls with k, all lie in [0, 1]; weeks laid onto one bring people together.
    studies = json.loads(STORED.read_text(encoding="utf-8"))["studies"]
    assert {one["axis"] for one in studies} == {"users", "level", "days", "fold"}
    for one in studies:
        medians = [found["quantiles"]["0.5"][0] for found in one["k"].values()]
        assert medians == sorted(medians)
        for found in one["k"].values():
            for middle, low, high in found["quantiles"].values():
                assert 0 <= low <= middle <= high <= 1
            count, judged, low, high = found["shares"]["at_zero"]
            assert judged == one["query_users"]
            assert low <= count / judged <= high
    folded, plain = (
        next(one for one in studies if one["axis"] == axis and one["level"] == "20-480")
        for axis in ("fold", "level")
    )
    assert folded["k"]["2"]["shares"]["at_zero"][0] > plain["k"]["2"]["shares"]["at_zero"][0]
