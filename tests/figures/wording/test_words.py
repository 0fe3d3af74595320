"""Sentences on small groups and unknown people, worked by hand."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privlab.figures.wording.findings import (
    attack_finding,
    claim_finding,
    lost_in_words,
    people_finding,
    release_finding,
)
from privlab.figures.wording.words import plain, share_of
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.od.usefulness.utility import FlowComparison, utility_from_flow_comparison

UNBOUNDED = ReleaseParameters()


@pytest.mark.parametrize(
    ("trips", "share", "sentence"),
    [
        (
            [5],
            1.0,
            "The one person in this group made 5 unique trips in this week. That person is guessed right more often than the 66 times "
            "in 100 that ε = 0.66 claims for one trip (a coin: 50), where none of that person's flows is left out.",
        ),
        (
            [1],
            0.0,
            "The one person in this group made 1 unique trip in this week. That person is guessed right at most the 66 times in 100",
        ),
        (
            [0],
            0.0,
            "The one person in this group made no trip in this week. That person is guessed right at most",
        ),
        (
            [2, 3],
            0.5,
            "Of 2 people, half have 3 or more unique trips in this week. "
            "**50% of all**, those with 3 or more, are guessed right more often than the 66 times in 100 that ε = 0.66 claims for one "
            "trip (a coin: 50), where none of their flows is left out.",
        ),
        (
            [0, 0, 4],
            1 / 3,
            "Of 3 people, 67% made no trip in this week. **33% of all**, those with 3 or more, are",
        ),
        ([], float("nan"), "There is nobody in this group."),
    ],
)
def test_small_groups_by_hand(trips, share, sentence):
    assert people_finding(np.array(trips, dtype=np.int64), 3, share, UNBOUNDED).startswith(sentence)


def test_one_of_many_is_not_nobody_and_all_but_one_are_not_all():
    """200 people make 2 trips and one makes 132: with 0% one would conclude that nobody is exposed, and all but one are not all."""
    said = people_finding(np.array([2] * 200 + [132]), 3, 1 / 201, UNBOUNDED)
    assert "**0.5% of all**, those with 3 or more, are guessed right more often than" in said
    bounded = ReleaseParameters(max_trips_per_user=10)
    said = people_finding(np.array([2] * 200 + [132]), 3, 1 / 201, bounded, weighed=True)
    assert "Without the limit, 0.5% of all, those with 3 or more, would be guessed right" in said
    said = people_finding(np.array([132] * 300 + [2]), 3, 300 / 301, bounded, weighed=True)
    assert "**300 people (99.7%) have more than the limit of 10**" in said
    assert "Without the limit, 99.7% of all, those with 3 or more" in said


def test_a_limit_comes_first_and_what_were_without_it_second():
    bounded = ReleaseParameters(max_trips_per_user=2)
    said = people_finding(np.array([9]), 3, 1.0, bounded, weighed=False)
    assert (
        "**1 person has more than the limit of 2**: that person's further trips are left out. Without the limit, that person"
        in said
    )
    assert "would be guessed right more often than" in said
    said = people_finding(np.array([9, 1, 3, 2]), 3, 0.5, bounded, weighed=True)
    assert said.split("week. ")[1].startswith(
        "**2 people (50%) have more than the limit of 2**: all their trips weigh less. Without the limit, 50% of all, those with 3 or "
        "more, would be guessed right more often than"
    )
    assert "their further trips are left out, or all their trips weigh less." in people_finding(
        np.array([9, 1, 3, 2]), 3, 0.5, bounded
    )
    said = people_finding(np.array([1, 1]), None, 0.0, bounded)
    assert (
        "**Nobody has more than the limit of 2**: all trips count. Without the limit, nobody would be guessed right more"
        in said
    )


def test_markdown_from_a_file_stays_text():
    assert plain("![x](http://a.b)\n`c` $d$ <i>") == r"!\[x\](`http://a.b`)␊\`c\` \$d\$ \<i\>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # An address is a link wherever it stands, with or without escapes (GitHub Flavored Markdown Spec, 6.9); in code nothing is.
        ("at https://e.example/x?a=1.", "at `https://e.example/x?a=1`."),
        ("(www.e.example), Http://e.example", "(`www.e.example`), `Http://e.example`"),
        ("ftp://e.example", "`ftp://e.example`"),
        ("ann@e.example: Ben", "`ann@e.example`: Ben"),
        ("postgresql://lab@db.example/ledger", "postgresql://`lab@db.example`/ledger"),
        # Streamlit draws :smile: as a picture, and leaves out :red before what would be red.
        (":smile:, :material/home: and tag:red", r"`:smile:`, `:material/home:` and tag\:red"),
        ("12:30:00, h3:8:59.28,17.93 and 5 & 6", "12:30:00, h3:8:59.28,17.93 and 5 & 6"),
        ("__init__ _b_ ~~x~~ a_b &lt;b&gt;", r"\_\_init\_\_ \_b\_ \~\~x\~\~ a_b \&lt;b\&gt;"),
        ("# a.csv", r"\# a.csv"),
        ("- a.csv", r"\- a.csv"),
        ("1. a.csv", r"1\. a.csv"),
        ("-5 trips", "-5 trips"),
    ],
)
def test_text_from_a_file_is_no_link_no_picture_and_no_heading(text, shown):
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("published", "false", "near"),
    [
        ([45.0, np.nan, np.nan], "", "No trip** lies in"),
        ([45.0, np.nan, 9.0], "; 1 false flow comes on top", "No trip** lies in"),
        ([72.0, np.nan, np.nan], "", "80%** of all trips lie in"),
    ],
)
def test_what_is_published_and_what_a_limit_takes_are_shares_by_hand(published, false, near):
    """Of 100 trips 80 lie in the flow that is published, as 45 or 72; of these the limit counts 50, and of the other 20 all."""
    flows = FlowComparison(
        flow=np.array([1, 2, 3]),
        true=np.array([80.0, 20.0, 0.0]),
        bounded=np.array([50.0, 20.0, 0.0]),
        published=np.array(published),
    )
    said = release_finding(utility_from_flow_comparison(flows), 30, ReleaseParameters(max_trips_per_user=2))
    assert said == (
        f"From 30 people, **1 of 2 flows** would be published, in which 80% of all trips lie{false}. **{near} a flow whose "
        "published number is within 10% of the true one. The promise covers all that one person does in a week; for it the limit leaves 30% of all "
        "trips uncounted, in published flows too."
    )


def test_of_a_release_without_flows_no_share_of_trips_is_said_by_hand():
    nothing = np.array([np.nan])
    flows = FlowComparison(
        flow=np.array([1]), true=np.array([9.0]), bounded=np.array([9.0]), published=nothing
    )
    said = release_finding(utility_from_flow_comparison(flows), 30, UNBOUNDED)
    assert said.startswith("From 30 people, **0 of 1 flow** would be published. The promise covers one trip")


def test_what_is_not_published_is_said_with_the_largest_of_it_by_hand() -> None:
    flows = FlowComparison(
        flow=np.arange(4),
        true=np.array([9.0, 4.0, 2.0, 0.0]),
        bounded=np.array([9.0, 4.0, 2.0, 0.0]),
        published=np.array([8.0, np.nan, np.nan, 5.0]),
    )
    assert lost_in_words(flows) == "2 flows are not published; the largest of them has 4 trips."
    one = replace(flows, published=np.array([8.0, 3.0, np.nan, 5.0]))
    assert lost_in_words(one) == "One flow is not published; it has 2 trips."
    assert lost_in_words(replace(flows, published=np.ones(4))) == ""


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_a_share_is_never_all_or_none_where_it_is_not(digits: int) -> None:
    """Of 10⁶ things one, and all but one; of 4,229 flows all but three."""
    for part, whole in ((1, 10**6), (10**6 - 1, 10**6), (4226, 4229)):
        said = share_of(part / whole, digits)
        assert float(re.search(r"[\d.]+", said)[0]) not in (0, 100)  # type: ignore[index]
    assert share_of(1.0, digits).startswith("100")
    assert share_of(0.0, digits).startswith("0")


def curve(epsilon: float, claimed: float, optimal: list[float], first: int | None) -> Any:
    """Return an attack on someone with 0, 1, … trips; beyond those given it does as well."""
    padded = np.array([*optimal, *[optimal[-1]] * (33 - len(optimal))])
    return SimpleNamespace(
        parameters=SimpleNamespace(epsilon=epsilon), claimed_bound=claimed, optimal=padded, first_trips_above_claim=first
    )  # fmt: skip


def test_the_claim_is_said_to_hold_up_to_the_trips_before_those_with_which_it_fails() -> None:
    said = claim_finding(curve(0.66, 0.6593, [0.5, 0.63, 0.65, 0.68, 0.9], 3))
    assert (
        "right at most 66 times in 100. As mean accuracy that is true for up to 2 trips, false from 3 unique trips on."
        in said
    )
    assert "With 32 trips a week it is **90.0 in 100** (a coin: 50)." in said
    assert "true for one trip, false from 2 unique trips" in claim_finding(
        curve(0.66, 0.6593, [0.5, 0.63, 0.8], 2)
    )
    assert claim_finding(curve(0.66, 0.6593, [0.5, 0.6], None)).endswith("It holds.")


def test_an_attack_that_reaches_the_claim_and_no_more_is_within_it() -> None:
    """0.6592 and 0.6593 are within a claim of 0.6593, and 0.6604 is above: they are told apart by as many digits as it takes."""
    found = curve(0.66, 0.6593, [0.5, 0.6592, 0.6593, 0.6604], 3)
    for n_trips in (1, 2):
        said = attack_finding(found, UNBOUNDED, n_trips, None)
        assert "**66 times in 100** (a coin: 50), within the publisher's claim: at most 66." in said
        assert "it fails from 3 unique trips on" in said
    above = attack_finding(found, UNBOUNDED, 3, None)
    assert "**66.04 times in 100** (a coin: 50); the publisher's claim says at most 65.93." in above
