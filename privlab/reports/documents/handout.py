"""The walk of the tour → a handout for a class: eleven steps on two pages, each with its figures and without a picture.

Steps 1 to 5 are computed. Those of 6 to 11 need data: they are what docs/science.md says, in sections 3.5, 3.6 and 4.3.
"""

from dataclasses import dataclass
from typing import Any

from privlab.defaults import PUBLISHED_EPSILON, PUBLISHED_THRESHOLD, QUOTED_TRIPS, TRIPS_OF_THE_AUTHOR
from privlab.dp.attack import accuracy_from_cells
from privlab.dp.certainty import claimed_bound
from privlab.dp.noise import half_width
from privlab.figures.wording import STEPS_IN_WORDS
from privlab.figures.wording import words as wording
from privlab.od.attack import (
    AttackParameters,
    attack_curve_from_parameters,
    bounded_attack_from_release_parameters,
)
from privlab.od.simulating import ReleaseParameters
from privlab.reports.documents.document import MADE_WITH, template
from privlab.seeds import generator

TITLE = "What a count of trips tells about a person"
# The published release that the walk is about.
_EPSILON, _THRESHOLD = PUBLISHED_EPSILON, PUBLISHED_THRESHOLD
_BOUND, _OTHERS, _AUTHOR = 10, 1000, TRIPS_OF_THE_AUTHOR
_OPENING = (
    f"Eleven steps through three papers, as the page Tour of privlab shows them. Steps 1 to 5: the best attack at ε = {_EPSILON}, computed "
    "exactly; a coin is right 50 times in 100. Steps 6 to 11: published, or measured on public or invented data (docs/science.md, 3.5, 3.6, 4.3). "
    "The page shows steps 6 to 11 on its own samples, with other figures of the same kind."
)
_OF_GROUPS = {5: 0.97, 10: 0.91, 100: 0.70}  # AUC by people in a group, cabs, logistic regression


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a step comes to, in words that need no picture, and perhaps one table row by column."""

    words: str
    row: dict[str, str] | None = None


def handout_html() -> str:
    """Return the handout as one HTML document: no true data, no script, two pages of A4 on paper."""
    found = [*_of_trips(), _threshold(), _bound(), *_of_groups(), *_of_fingerprints()]
    steps: list[dict[str, Any]] = [
        {
            "title": words.title,
            "argument": words.argument,
            "found": one.words,
            "rows": [] if one.row is None else [one.row],
            "source": source,
        }
        for words, one, source in zip(STEPS_IN_WORDS, found, _sources(), strict=True)
    ]
    html: str = template("handout.html.j2").render(
        title=TITLE, opening=_OPENING, steps=steps, footer=MADE_WITH
    )
    return html


def _sources() -> list[str]:
    """Return whose argument each step is: once for steps in a row of one source, below the last of them."""
    # The samples of the tour are not what the figures here are of.
    said = [words.source.partition(" Sample")[0] for words in STEPS_IN_WORDS]
    sources = []
    for number, source in enumerate(said, start=1):
        first = said.index(source) + 1
        steps = f"Steps {first} to {number}: " if first < number else ""
        sources.append("" if said[number : number + 1] == [source] else f"{steps}{source}")
    return sources


def _in_100(share: float) -> str:
    return f"{100 * share:.1f}"


_CLAIM = wording.in_hundred_at_most(claimed_bound(_EPSILON))


def _of_trips() -> list[_Found]:
    """Return what the first three steps come to: one trip, the first number above the claim, and many."""
    curve = attack_curve_from_parameters(AttackParameters(epsilon=_EPSILON), generator(1, "attack games"))
    right = {k: _in_100(float(one)) for k, one in enumerate(curve.optimal)}
    first = next(k for k, one in enumerate(curve.optimal) if one > claimed_bound(_EPSILON))
    return [
        _Found(
            words=f"whoever knows all other records and the one trip of a person is right in {right[1]} of 100 cases, which is less than the "
            f"{_CLAIM} claimed, as it is at any other ε. For one trip the claim is true."
        ),
        _Found(
            words=f"with {first - 1} unique trips the attacker is right in {right[first - 1]} of 100 cases, still below the {_CLAIM} "
            f"claimed; with {first} in {right[first]}, which is above."
        ),
        _Found(
            words=f"with {_AUTHOR} unique trips the attacker is right in {right[_AUTHOR]} of 100 cases. What is proven adds up trip by trip: "
            f"{_AUTHOR} of them have an ε of {_AUTHOR * _EPSILON:.1f} together, which keeps nothing from anyone.",
            row={
                "unique trips in the week": "right, in 100",
                **{str(k): right[k] for k in QUOTED_TRIPS},
            },
        ),
    ]


def _threshold() -> _Found:
    cells = {n: (_OTHERS,) * (10 - n) + (0,) * n for n in (0, 5, 10)}
    right = {
        n: _in_100(accuracy_from_cells("laplace", _EPSILON, _THRESHOLD, one)) for n, one in cells.items()
    }
    return _Found(
        words=f"a trip that nobody else makes is hidden; one that {_OTHERS:,} others make gives its person away as before. About ten trips of "
        f"the second kind the attacker is right in {right[0]} of 100 cases, as without a threshold; about ten of the first kind in {right[10]}.",
        row={"of ten trips, nobody else makes": "right, in 100", **{str(n): one for n, one in right.items()}},
    )


def _bound() -> _Found:
    release = ReleaseParameters(epsilon=_EPSILON, max_trips_per_user=_BOUND)
    bounded = bounded_attack_from_release_parameters(release, max(QUOTED_TRIPS))
    assert bounded is not None
    most = wording.in_hundred_at_most(float(bounded.optimal.max()))
    once, wide = half_width(1 / _EPSILON), half_width(release.mechanism.scale)
    return _Found(
        words=f"with L = {_BOUND} the attacker is right in at most {most} of 100 cases about anybody, however "
        f"many trips they make; {_CLAIM} were claimed. The price: of each person the trips beyond {_BOUND} are missing, and noise moves a count by "
        f"up to {wide} in 95 of 100 flows, where without the limit it was {once}.",
        row={
            f"unique trips, at most {_BOUND} counted": "right, in 100",
            **{str(k): _in_100(float(bounded.optimal[k])) for k in QUOTED_TRIPS},
        },
    )


def _of_groups() -> list[_Found]:
    """Return what steps 6 to 8 come to: of pairs of groups, one with the target and one without, how many are told apart."""
    told = {str(size): f"{100 * auc:.0f}" for size, auc in _OF_GROUPS.items()}
    return [
        _Found(
            words="of two groups, one with the target and one without, which is which? Measured by others on the public files: an attacker who "
            f"knows where a fifth of the cabs of San Francisco were, the target among them, says it rightly of {told['10']} of 100 pairs of "
            "groups of ten (a blind guess: 50). Larger groups hide people better.",
            row={"cabs in a group": "pairs told apart, in 100", **told},
        ),
        _Found(
            words="whoever has seen earlier weeks of the same small groups tells more than 90 of 100 pairs apart for travel cards, which are "
            "regular, and 60 to 70 for cabs, which are not (the paper). But hours are not all: who knows the places of the lab's invented "
            "commuters, in groups of 50, is right about 80.8 of 100 pairs as they are, and 81.4 with everybody's hours shuffled."
        ),
        _Found(
            words="500 cabs, ε = 1, measured by others on the public files. Noise for one report leaves 51 of 100 pairs to an attacker who "
            "expects true counts, and 88 to one who has learned on noisy ones. Noise for a whole person leaves 50 or 51 to either, and counts "
            "that are off by 4.4 times their size."
        ),
    ]


def _of_fingerprints() -> list[_Found]:
    """Return what steps 9 to 11 come to."""
    return [
        _Found(
            words="nobody has a twin. Call two people 0 apart if all they did is the same, and 1 if they are always 20 km and 8 hours apart or "
            "more: half of 82,000 people are more than 0.09 from the one most like them. Hiding among 100 is not much harder than among 2."
        ),
        _Found(
            words="then about 30 of 100 people have a twin in the paper's data, and 70 have none. Of the lab's invented people 1.4 in 100 have one "
            "among 82,000, and 0.12 in 100 among 5,000."
        ),
        _Found(
            words="for half of the people 80% or more of what keeps them apart from those most like them is time, not place: a few moments at "
            "which nobody else was about. Other data need not agree: of GPS and check-ins it was 45% to 68%."
        ),
    ]
