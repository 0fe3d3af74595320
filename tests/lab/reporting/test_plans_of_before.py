"""Report plans that earlier versions kept: the same data is known as theirs, other data is not."""

import json
from pathlib import Path

import pytest

from tests.command_line import Answer

ROWS = "user,time,origin,destination\na,2026-03-02 08:00,1,2\nb,2026-03-02 08:10,1,2\nc,2026-03-03 09:00,2,3\nc,2026-03-04 09:00,3,1\n"
# What versions 564ca2b3, f0cdf8b0 and 7e13a85b of this program wrote into a plan for these rows.
BEFORE = (
    "f1a29edbdb541f19698f26ac57cb2fab",
    "2f9f1e11a349615b7bc7d2759ada18a7",
    "e800ea2b11dcb32d69455a5eeae7b6b4",
)


def plan_of(digest: str) -> str:
    """Return a plan with one part, as these versions wrote it."""
    release = {"epsilon": 0.66, "threshold": 100, "max_trips_per_user": 10, "noise": "laplace"}
    view = {"release": release, "week": "", "group_size": None, "seed": 1, "options": {}}
    data = {"name": "rows.csv", "sample": False, "digest": digest, "zones": "column"}
    item = {"exhibit": "people", "view": view, "data": data, "note": ""}
    whole = {
        "what": "privlab report plan",
        "format": 1,
        "title": "T",
        "kind": "internal",
        "note": "",
        "items": [item],
    }
    return json.dumps(whole)


@pytest.mark.parametrize("digest", BEFORE)
def test_a_report_is_made_again_from_the_plan_of_an_earlier_version(
    digest: str, tmp_path: Path, answer: Answer
) -> None:
    data, plan = tmp_path / "rows.csv", tmp_path / "plan.json"
    plan.write_text(plan_of(digest))
    data.write_text(ROWS)
    words = ("report", plan, "--data", data, "--zones", "column", "--out", tmp_path / "report.html")
    assert answer(*words, "--json")["parts"] == 1
    data.write_text(ROWS.replace("08:10", "08:11"))
    assert "is not that of the report plan" in answer(*words, fails=True)
