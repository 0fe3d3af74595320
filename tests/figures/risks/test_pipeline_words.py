"""What an audit of the whole way says: which way it was, and that a broken one is no release's own."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from privlab.dp.audit import CountedTest
from privlab.figures.risks import pipeline_words as words
from privlab.od import PRODUCTS
from privlab.od.auditing import BROKEN_PIPELINES, HONEST, PipelineAudit


def _audit(pipeline: str, *, convicted: bool) -> PipelineAudit:
    test = cast(CountedTest, SimpleNamespace(kind="accuracy", found=0.61, most=0.59))
    canary = SimpleNamespace(name="full", n_others_moved=0, tests=(test,))
    found: Any = SimpleNamespace(
        epsilon=1.0,
        delta=0.0,
        canaries=(canary,),
        worst=(canary, test),
        convicted=convicted,
        n_added=52,
        n_trips=9,
        n_trips_run=9,
        plan=SimpleNamespace(product=SimpleNamespace(n_ends=2, counted="trips", cell="flow"), levels=()),
        parameters=SimpleNamespace(pipeline=pipeline, trials=500, level=0.999, chance="seed", seed=1),
    )
    return cast(PipelineAudit, found)


def test_every_broken_way_has_a_name_in_words() -> None:
    assert set(words.BROKEN) == set(BROKEN_PIPELINES)


@pytest.mark.parametrize("pipeline", BROKEN_PIPELINES)
@pytest.mark.parametrize("convicted", [True, False])
def test_a_way_that_is_broken_on_purpose_is_never_taken_for_a_releases_own(
    pipeline: str, convicted: bool
) -> None:
    found = _audit(pipeline, convicted=convicted)
    said = words.finding(found)
    assert f"broken on purpose ({words.BROKEN[pipeline]})" in said
    assert "the way from this file to the published one" not in said
    assert said.startswith("**Caught.**") is convicted
    assert "No fault found" not in said
    assert "a release's own but for the step that is broken on purpose" in words.account(found)


def test_a_releases_own_way_is_told_as_such() -> None:
    assert words.finding(_audit(HONEST, convicted=False)).endswith(
        "No fault found on the way from this file to the published one (ε = 1)."
    )
    assert "the way from this file to the published one breaks its promise" in words.finding(
        _audit(HONEST, convicted=True)
    )
    assert "broken" not in words.account(_audit(HONEST, convicted=True))


def test_tests_of_one_person_are_told_apart_by_the_columns_that_are_seen_at_once() -> None:
    """A person is tested in four ways; the words before the figures say which row is which, and what was cut how often stands after them."""
    kinds = ("fixed", "accuracy", "rates", "pairs")
    tests = tuple(
        SimpleNamespace(
            kind=kind,
            found=0.61,
            most=0.59,
            convicted=True,
            cut="3 or more",
            n_true=9,
            n_false=8,
            n_counted=10,
        )
        for kind in kinds
    )
    canary = SimpleNamespace(name="choice", n_trips=5, tests=tests)
    found = cast(
        PipelineAudit, SimpleNamespace(plan=SimpleNamespace(product=PRODUCTS["flows"]), canaries=(canary,))
    )
    rows = words.rows(found)
    assert len({(row["person added"], row["what is bounded"]) for row in rows}) == len(kinds)
    assert list(rows[0])[:5] == list(words.WIDTHS)[:5]
    assert {row["trips added"] for row in rows} == {"5"}


def test_a_row_of_an_audit_says_at_least_what_was_seen_and_who_was_added() -> None:
    """What is found is rounded down and what is promised up: 61.27% and 59.01%, to a tenth."""
    test = CountedTest(
        kind="accuracy", cut="5 or more", n_true=300, n_false=190, n_counted=400, may_fail=0.01, found=0.6127, most=0.5901,
        false_rate_high=0.5,
    )  # fmt: skip
    canary = SimpleNamespace(name="alone", n_trips=12, n_asked=20, tests=(test,))
    of_visits, of_trips = (
        cast(PipelineAudit, SimpleNamespace(canaries=(canary,), plan=SimpleNamespace(product=PRODUCTS[name])))
        for name in ("visits", "flows")
    )
    (row,) = words.rows(of_trips)
    assert (row["at least"], row["most promised"], row["verdict"]) == ("61.2%", "59.1%", "breaks the promise")
    assert (row["said to be in, with"], row["said to be in, without"]) == ("300 of 400", "190 of 400")
    assert row["person added"] == "where nobody else moves"
    assert words.rows(of_visits)[0]["person added"] == "where and when nobody else is"
    assert "12 of 20 (where nobody else moves)" in words.lost_trips(of_trips)
    canary.n_asked = 12
    assert words.lost_trips(of_trips) == ""


def test_where_one_person_moves_counts_of_others_the_promise_holds_for_nobody() -> None:
    found = _audit(HONEST, convicted=False)
    found.canaries[0].n_others_moved = 3  # type: ignore[misc]
    assert words.finding(found).startswith(
        "**Caught in reading.** With one person added to the file, 3 counts of"
    )
    found.canaries[0].n_others_moved, found.canaries[0].tests = 0, ()  # type: ignore[misc]
    assert words.finding(found).startswith("Nothing was tested: ")
