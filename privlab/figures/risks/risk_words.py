"""The risk of each person → sentences: of those whom the release says anything about. Knows numbers."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from privlab.defaults import PUBLISHED_EPSILON
from privlab.dp.certainty import claimed_bound
from privlab.figures.wording.words import chance, people, share_of
from privlab.od.risks import GaussianRisks, PersonRisks, RiskCurve
from privlab.od.simulating import ReleaseParameters
from privlab.stats import percent_at_most

_AS_GOOD_AS = 1e-3


def sums_tell(release: ReleaseParameters) -> str:
    """Return what a release for good with these settings tells beyond its counts; "" where they are of no such release, or hide nothing."""
    if release.noise != "integer" or release.max_trips_per_user is None or not release.threshold:
        return ""
    return (
        "A release for good of all possible flows says in its certificate what all noisy counts of a week add up to, those below the threshold "
        "too. There the threshold hides less of a person than it does here, and at worst nothing: look at threshold 0 as well."
    )


def is_claimed(bound: float) -> bool:
    """Return whether e^ε/(1+e^ε) is what the published release claimed, and not what its claim would be at another ε."""
    return abs(bound - claimed_bound(PUBLISHED_EPSILON)) < _AS_GOOD_AS


def limit_of_one_trip(claimed: float) -> str:
    """Return e^ε/(1+e^ε) in words: the claim where it is that of the release that claimed it, at another ε nobody's.

    >>> limit_of_one_trip(0.6593), limit_of_one_trip(0.9)
    ('claimed 66.0%', '90.0% that e^ε/(1+e^ε) comes to')
    """
    if is_claimed(claimed):
        return f"claimed {percent_at_most(claimed)}"
    return f"{percent_at_most(claimed)} that e^ε/(1+e^ε) comes to"


def guessed_right_in(accuracy: float) -> str:
    """Return in how many of 100 cases somebody is guessed right, as a table has it: noise leaves nobody certain, so never in all.

    >>> guessed_right_in(0.7312), guessed_right_in(0.99996), guessed_right_in(1.0)
    ('73.1%', '> 99.9%', '> 99.9%')
    """
    return chance(accuracy, 1, sure=False)


def _in_words(accuracy: float) -> str:
    """Return the same within a sentence.

    >>> _in_words(0.7312), _in_words(1.0)
    ('73.1%', 'more than 99.9%')
    """
    return guessed_right_in(accuracy).replace(">", "more than")


def moves_finding(curve: RiskCurve) -> str:
    """Return between which shares the most exposed person is guessed right, and for how many of those judged the claim fails."""
    share = curve.share_above_claim
    above = "nobody judged is" if not share.max() else f"{_from_to(share, share_of)} of the people judged are"
    return f"The most exposed person is guessed right in {_from_to(curve.highest, _in_words)}; {above} above the claim."


def _from_to(shares: npt.NDArray[np.float64], written: Callable[[float], str]) -> str:
    """Return the least and the greatest of some shares; once where they are printed alike.

    >>> _from_to(np.array([0.503, 0.917]), share_of), _from_to(np.array([0.7312, 0.7313]), share_of)
    ('50.3% to 91.7%', '73.1%')
    """
    low, high = written(shares.min()), written(shares.max())
    return low if low == high else f"{low} to {high}"


def risks_finding(risks: PersonRisks | GaussianRisks, *, counted: str = "trip") -> str:
    """Return how many of the people with a trip in the released period the claim fails for, and who has none.

    `counted` is the word for what a release counts, "trip" or "visit".
    """
    seen = risks.n_trips > 0
    n_people, n_seen = risks.accuracy.size, int(seen.sum())
    unseen = (
        ""
        if n_seen == n_people
        else f" The other one of {people(n_people)} judged has no {counted} in it, and is not at risk from this release."
        if n_people - n_seen == 1
        else f" The other {n_people - n_seen:,} of {people(n_people)} judged have no {counted} in it: they are not at risk "
        "from this release."
    )
    if not n_seen:
        return f"None of {people(n_people)} judged has a {counted} in the released period: none is at risk from it."
    above = round(risks.share_above_claim * n_people)  # whoever has no trip is never above
    who = (
        ""
        if n_seen == n_people
        else f" who {'has' if n_seen == 1 else 'have'} a {counted} in the released period"
    )
    return (
        f"Of {people(n_seen)} judged{who}, {above:,} ({above / n_seen:.1%}) {'is' if above == 1 else 'are'} guessed right more often than the "
        f"{limit_of_one_trip(risks.claimed_bound)} (a coin: 50%).{unseen}{_alone_in_words(risks)}"
    )


def _alone_in_words(risks: PersonRisks | GaussianRisks) -> str:
    """Return how many people a flow gives away by its being published, where noise goes to flows found in the data; "" where to all."""
    if not risks.n_alone:
        return ""
    are = "is" if risks.n_alone == 1 else "are"
    return (
        f" Only flows found in the data get noise: {risks.n_alone:,} of those judged {are} alone in one, and known for certain wherever it is "
        "published."
    )


def spread_of_risks(risks: PersonRisks | GaussianRisks, *, counted: str = "trip") -> str:
    """Return what follows the finding: the median and the most exposed of those with a trip; nothing where there is nobody."""
    n_seen = int((risks.n_trips > 0).sum())
    if n_seen < 2:
        return (
            f" That person is guessed right in {_in_words(risks.accuracy.max())} of cases." if n_seen else ""
        )
    return (
        f" Of those with a {counted}, half are guessed right in {_in_words(median_risk(risks))} of cases or more, the most exposed in "
        f"{_in_words(risks.accuracy.max())}."
    )


def median_risk(risks: PersonRisks | GaussianRisks) -> float:
    """Return the median accuracy over the people with a trip in the released period, NaN if there are none."""
    seen = risks.n_trips > 0
    return float(np.median(risks.accuracy[seen])) if seen.any() else float("nan")
