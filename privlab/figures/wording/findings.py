"""Results → the plain sentences that open each page. Knows numbers; computes none."""

import math

import numpy as np
import numpy.typing as npt

from privlab.defaults import CLOSE, PUBLISHED_EPSILON, TRIPS_OF_THE_AUTHOR
from privlab.dp.certainty import claimed_bound
from privlab.dp.promise import delta_words
from privlab.figures.wording.outlook_words import nothing_published, per_cent
from privlab.figures.wording.words import (
    capital,
    in_hundred_at_most,
    number_of,
    people,
    reached_and_bound,
    share_of,
    trips,
)
from privlab.od.attack import AttackCurve
from privlab.od.simulating import ReleaseParameters
from privlab.od.trips import UNDATED
from privlab.od.usefulness import FlowComparison, Utility

_NO_CLAIM = 0.995  # a claimed accuracy from which on nothing is claimed
NOBODY_NAMED = (
    "**The file does not say whose trips these are.** So no figure per person can be computed: not how many unique "
    "trips anyone makes, nor for how many people the claim fails."
)
SAID_INSTEAD = (
    "What can be said: the exact attack on someone with k unique trips, which does not depend on the data; the "
    "attack on someone who makes chosen flows of this file; which flows a release would keep or suppress, and "
    "which would be false; and how far off its counts would be."
)
PERHAPS_TRIPS = (
    "Such counts may be of trips rather than of people. Someone who made the same trip m times is then counted m "
    "times in that flow. Noise of scale 1/ε promises ε to each single journey, but only m·ε to that unique trip as "
    "a whole: the attack does at least as well as the figures for k unique trips say, which count each once."
)


def attack_finding(
    curve: AttackCurve,
    release: ReleaseParameters,
    your_trips: int,
    bounded: float | None,
    *,
    delta: float = 0.0,
    found: bool = False,
) -> str:
    """Return what an attacker achieves against someone with so many unique trips; `delta` stands beside the promise.

    `found` says that a release would give noise to flows found in the data alone, which this is not about.
    """
    claim = in_hundred_at_most(curve.claimed_bound)
    epsilon = curve.parameters.epsilon
    whose = (
        "the publisher's claim"
        if epsilon == PUBLISHED_EPSILON
        else f"the publisher's claim, read at ε = {epsilon:g},"
    )
    if bounded is not None:
        counted = trips(release.max_trips_per_user or 1)
        reached, claim = reached_and_bound(bounded, curve.claimed_bound)
        limit = (
            f"With Gaussian noise and a limit of {counted} per person (all trips of whoever makes more count, with less weight each), "
            if delta
            else f"With at most {counted} counted per person and noise to match, "
        )
        return (
            f"{limit}{guessed_right(your_trips, reached)}; "
            f"the promise of at most {claim} holds{' where all possible flows get noise' if found else ''}"
            f"{f', beside a δ of {delta_words(delta)}' if delta else ''}."
        )
    accuracy = float(curve.optimal[your_trips])
    reached, claim = reached_and_bound(accuracy, curve.claimed_bound)
    if accuracy > curve.claimed_bound + 1e-12:
        return f"{capital(guessed_right(your_trips, reached))}; {whose} says at most {claim}."
    return (
        f"{capital(guessed_right(your_trips, reached))}, within {whose.rstrip(',')}: at most {claim}. "
        f"{_claim_fails_from(curve)}"
    )


def of_no_release(largest: int, threshold: int) -> str:
    """Return that nothing of the data is published, and what is said of the attack all the same.

    >>> of_no_release(5, 100)
    'Nothing is published: your largest flow has 5 people, and counts below 100 are left out. What follows is of a release with all their trips.'
    """
    return f"{nothing_published(largest, threshold)} What follows is of a release with all their trips."


def mostly_left_out(share: float, threshold: int) -> str:
    """Return that most trips of the data lie in flows that are left out, and of whom what is said of the attack is.

    >>> mostly_left_out(0.973, 5000).partition(". ")[0]
    '97% of all trips lie in flows of fewer than 5,000 people, and counts below 5,000 are left out'
    """
    return (
        f"{per_cent(share)} of all trips lie in flows of fewer than {threshold:,} people, and counts below {threshold:,} are left out. What "
        "follows is of someone all of whose flows are published; Guarantee says how often each person of the data is guessed right."
    )


def guessed_right(n_trips: int, times: str) -> str:
    """Return how often the best guess about someone is right, with what a coin would do.

    >>> guessed_right(12, "85")
    'about someone with 12 unique trips an attacker guesses right **85 times in 100** (a coin: 50)'
    """
    return (
        f"about someone with {trips(n_trips)} an attacker guesses right **{times} times in 100** (a coin: 50)"
    )


def _claim_fails_from(curve: AttackCurve) -> str:
    first = curve.first_trips_above_claim
    return "" if first is None else f"As mean accuracy it fails from {trips(first)} on."


def release_finding(utility: Utility, n_users: int | None, release: ReleaseParameters) -> str:
    """Return what a release keeps, loses and makes up."""
    flows = utility.cells_kept + utility.cells_lost
    if not flows:
        return f"{people(n_users).capitalize()} made no trip in this week: there is nothing to release."
    kept = f"**{utility.cells_kept:,} of {number_of('flow', flows)}** would be published"
    if utility.cells_kept:
        kept += f", in which {utility.flow_kept:.0%} of all trips lie"
    made_up, close = "", ""
    if utility.cells_kept:
        close = f" {_near(utility.within_10_percent)} a flow whose published number is within {CLOSE:.0%} of the true one."
    if utility.cells_spurious:
        one = utility.cells_spurious == 1
        made_up = f"; {utility.cells_spurious:,} false flow{' comes' if one else 's come'} on top"
    promise = "The promise covers one trip, not a person."
    if release.max_trips_per_user is not None:
        promise = f"The promise covers all that one person does in a week{_clipped(utility)}."
    return f"From {people(n_users)}, {kept}{made_up}.{close} {promise}"


def _near(share: float) -> str:
    return f"**{capital(per_cent(share))}** of all trips lie in" if share else "**No trip** lies in"


def _clipped(utility: Utility) -> str:
    """Return what the limit that the promise needs leaves out; nothing where nobody has more trips."""
    if not utility.clipping or not utility.total_true:
        return ""
    share = per_cent(utility.clipping / utility.total_true)
    return f"; for it the limit leaves {share} of all trips uncounted, in published flows too"


def lost_in_words(flows: FlowComparison) -> str:
    """Return how many flows a release leaves out and how large they are, so that a map of the largest is not taken for all; or nothing.

    A true figure.
    """
    lost = flows.true[flows.lost]
    if not lost.size:
        return ""
    most = int(lost.max())
    size = f"{most:,} {'trip' if most == 1 else 'trips'}"
    if lost.size == 1:
        return f"One flow is not published; it has {size}."
    return f"{lost.size:,} flows are not published; the largest of them has {size}."


def people_finding(
    n_unique_trips: npt.NDArray[np.int64],
    first: int | None,
    share: float,
    release: ReleaseParameters,
    *,
    weighed: bool | None = None,
) -> str:
    """Return how many people of the loaded data the claim for one trip does not cover; with a limit, first whom the limit touches.

    `weighed` says whether all trips of whoever has more weigh less, rather than that further ones are left out; None: either.
    """
    if not n_unique_trips.size:
        return "There is nobody in this group."
    epsilon = release.epsilon
    claim = f"the {in_hundred_at_most(claimed_bound(epsilon))} times in 100 that ε = {epsilon:g} claims for one trip"
    limit = release.max_trips_per_user
    bounded = limit is not None
    guessed = "would be guessed" if bounded else "is guessed"
    unlimited = "Without the limit, " if bounded else ""
    over = "" if limit is None else f" {_over_the_limit(n_unique_trips, limit, weighed)}"
    if n_unique_trips.size == 1:
        made = trips(int(n_unique_trips[0])) if n_unique_trips[0] else "no trip"
        often = "more often than" if first is not None and share else "at most"
        where = (
            ", where none of that person's flows is left out"
            if often != "at most" and release.threshold
            else ""
        )
        said = capital(f"{unlimited}that person {guessed} right {often} {claim} (a coin: 50){where}.")
        return f"The one person in this group made {made} in this week.{over} {said}"
    everyone = people(n_unique_trips.size)
    start = f"Of {everyone}, {_middle_in_words(n_unique_trips)}"
    if first is None or not share:
        return f"{start}.{over} {capital(f'{unlimited}nobody {guessed}')} right more often than {claim} (a coin: 50)."
    guessed = guessed.replace("is", "are")
    all_those = f"{_percent(share)} of all" if bounded else f"**{_percent(share)} of all**"
    where = ", where none of their flows is left out" if release.threshold else ""
    return f"{start}.{over} {unlimited}{all_those}, those with {first} or more, {guessed} right more often than {claim} (a coin: 50){where}."


def _middle_in_words(n_unique_trips: npt.NDArray[np.int64]) -> str:
    """Return how many people have as many trips as the one in the middle, or more; or that most made none.

    >>> _middle_in_words(np.array([2, 3])), _middle_in_words(np.array([1, 2, 2, 2]))
    ('half have 3 or more unique trips in this week', '75% have 2 or more unique trips in this week')
    >>> _middle_in_words(np.array([0] * 22 + [5]))
    '96% made no trip in this week'
    """
    median = math.ceil(np.median(n_unique_trips))  # half have 2.5 or more: these have 3 or more
    those = float((n_unique_trips >= median).mean() if median else (n_unique_trips == 0).mean())
    if those == 1:
        return (
            f"all have {median} or more unique trips in this week"
            if median
            else "nobody made a trip in this week"
        )
    share = "half" if f"{those:.0%}" == "50%" else _percent(min(those, 0.99))
    return (
        f"{share} have {median} or more unique trips in this week"
        if median
        else f"{share} made no trip in this week"
    )


def _over_the_limit(n_unique_trips: npt.NDArray[np.int64], limit: int, weighed: bool | None) -> str:
    """Return how many people have more trips than are counted of each, and what becomes of those trips."""
    over = int((n_unique_trips > limit).sum())
    if not over:
        return f"**Nobody has more than the limit of {limit}**: all trips count."
    one = over == 1
    less = "all trips of that person weigh less" if one else "all their trips weigh less"
    beyond = "that person's further trips are left out" if one else "their further trips are left out"
    what = beyond if weighed is False else less if weighed else f"{beyond}, or {less}"
    who = f"{'1 person has' if one else f'{people(over)} ({_percent(over / n_unique_trips.size)}) have'}"
    return f"**{who} more than the limit of {limit}**: {what}."


def counts_finding(n_trips: int, n_flows: int, week: str) -> str:
    """Return what is known of one week of data that names no users."""
    when = "without a date" if week == UNDATED else "in this week"
    return f"The file counts **{number_of('trip', n_trips)} in {number_of('flow', n_flows)}** {when}, of {people(None)}."


def claim_finding(curve: AttackCurve) -> str:
    """Return what the claim of a per-trip guarantee is worth."""
    author = float(curve.optimal[TRIPS_OF_THE_AUTHOR])
    with_as_many = f"With {TRIPS_OF_THE_AUTHOR} trips a week it is"
    reached, limit = reached_and_bound(author, curve.claimed_bound)
    epsilon = curve.parameters.epsilon
    claim = "The publisher's claim, “an attacker gains at most 16%”"
    if epsilon != PUBLISHED_EPSILON:
        claim += f", made for ε = {PUBLISHED_EPSILON:g} and read anew at ε = {epsilon:g}"
    claim += f": right at most {limit} times in 100"
    first = curve.first_trips_above_claim
    if first is None:
        return f"{claim}. It holds."
    if curve.claimed_bound > _NO_CLAIM:
        return f"{claim}. That promises nothing: anybody may be known for certain. {with_as_many} **{reached} in 100** (a coin: 50)."
    holds = "one trip" if first == 2 else f"up to {first - 1} trips"
    return (
        f"{claim}. As mean accuracy that is true for {holds}, false from {trips(first)} on. "
        f"{with_as_many} **{reached} in 100** (a coin: 50)."
    )


def error_in_words(utility: Utility) -> str:
    """Return the error split as a sentence."""
    total = utility.total_true or float("nan")
    return (
        f"Of all true trips, trips over the limit are {utility.clipping / total:.1%}, noise shifts "
        f"{utility.noise / total:.1%}, suppression drops {utility.suppression / total:.1%}, and false "
        f"flows add {utility.spurious / total:.1%}."
    )


def _percent(share: float) -> str:
    """Return a share of people: never as 0% where there is anybody, never as 100% where it is not everybody.

    >>> _percent(1 / 201), _percent(0.78), _percent(300 / 301), _percent(1.0)
    ('0.5%', '78%', '99.7%', '100%')
    """
    return f"{100 * share:.1g}%" if 1e-6 <= share < 0.01 else share_of(share, 0)
