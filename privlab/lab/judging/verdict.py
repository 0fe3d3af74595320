"""The plan of a release → how far its promise reaches, as a colour and a reason in words.

Nothing of it looks at data: whoever reads the certificate can say the same.
"""

from dataclasses import dataclass

import scipy.special

from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import LEAST_SAID, UnitGuarantee, chance_beyond_promise, delta_words
from privlab.lab.judging.refusals import MAX_DELTA, WANTED_DELTA, Accepted
from privlab.od.releases import ReleasePlan
from privlab.stats import percent_at_most

GREEN, AMBER, RED = "green", "amber", "red"
_MOST_CERTAIN = {GREEN: 0.75, AMBER: 0.95}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How far the promise of a release reaches: `colour` is "green", "amber" or "red", `reason` one sentence or more.

    `is_void` says that it keeps nothing from anyone.
    """

    colour: str
    reason: str
    is_void: bool = False

    @property
    def badge(self) -> str:
        """What a badge says, before the reason."""
        if self.is_void:
            return "It promises nothing"
        return {
            GREEN: "For publication",
            AMBER: "For publication with care",
            RED: "Its promise is weak",
        }[self.colour]


def verdict_from_release(plan: ReleasePlan, accepted: Accepted) -> Verdict:
    """Return how far the promise to a person over all weeks of a release reaches."""
    promise = plan.guarantee.parameters
    chance = None
    if isinstance(promise, GaussianParameters):
        chance = chance_beyond_promise(promise)
    return verdict_from_promise(plan.epsilon, plan.delta, accepted, chance=chance, person=plan.guarantee.user)


def colour_of_certainty(certain: float) -> str:
    """Return the colour of being at most so certain of anyone: green up to 75%, amber up to 95%, red above.

    >>> [colour_of_certainty(one) for one in (0.5, 0.8, 0.99)]
    ['green', 'amber', 'red']
    """
    return next((one for one, most in _MOST_CERTAIN.items() if certain <= most), RED)


def colour_of_use(close: float, wished: float) -> str:
    """Return the colour of so much of all near the truth, as a share: green where it was wished, amber from half of that on, red below.

    >>> [colour_of_use(one, 0.6) for one in (0.6, 0.3, 0.29)]
    ['green', 'amber', 'red']
    """
    return GREEN if close >= wished else AMBER if close >= wished / 2 else RED


def certain_of_anyone(most: float) -> str:
    """Say how certain of anyone an attacker can become; where that is no bound any more, that it is none.

    >>> certain_of_anyone(0.65926), certain_of_anyone(0.99995), certain_of_anyone(1.0)
    ('becomes at most 66.0% certain of anyone', 'becomes at most 99.995% certain of anyone', 'may become certain of anyone')
    """
    said = percent_at_most(most)
    return (
        "may become certain of anyone"
        if said == percent_at_most(1.0)
        else f"becomes at most {said} certain of anyone"
    )


def verdict_from_promise(
    epsilon: float,
    delta: float,
    accepted: Accepted,
    *,
    chance: float | None = None,
    person: UnitGuarantee | None = None,
) -> Verdict:
    """Return how far a promise of (ε, δ) to a person reaches.

    `chance` is how often an attacker may become more certain than e^ε/(1 + e^ε) of someone who is in, where that is
    not δ itself: Gaussian noise has no largest loss, and goes beyond ε more often than with δ, mostly by little. Where ε alone
    keeps nobody from near certainty, the reason says what the noise keeps all the same: how often the best attack on `person` is
    right, and how often it ends certain.

    Green: nobody can become more than 75% certain of anyone, but for a δ of at most 10⁻⁶. Amber: 95% and 10⁻⁴,
    or flows that are made up were accepted. Red: all else.
    """
    certain = float(scipy.special.expit(epsilon))
    of_delta = next((one for one, most in ((GREEN, WANTED_DELTA), (AMBER, MAX_DELTA)) if delta <= most), RED)
    colour = max(colour_of_certainty(certain), of_delta, key=(GREEN, AMBER, RED).index)
    said = [f"whoever knows all else and has no idea beforehand {certain_of_anyone(certain)}"]
    says_how_often = person is not None and certain > _MOST_CERTAIN[AMBER]
    if person is not None and says_how_often:
        said = [
            f"whoever knows all else guesses right in at most {percent_at_most(person.optimal_accuracy)} of cases (a coin: 50%), and with no "
            f"idea beforehand is more than {_MOST_CERTAIN[AMBER]:.0%} certain of someone who is in, in at most "
            f"{percent_at_most(max(person.certain_share, LEAST_SAID))} of cases"
        ]
    if delta >= 1:
        said = ["with a δ of 1 nothing is promised to anyone, whatever ε says"]
    elif chance is not None:
        if not says_how_often:
            beyond = f"but for a chance of {delta_words(chance)} of someone who is in"
            said.append(f"{beyond} (δ = {delta_words(delta)})")
    elif delta > MAX_DELTA:
        said = [f"with a chance of δ = {delta_words(delta)} whatever is promised does not hold"]
    elif delta:
        said.append(f"but for a chance of δ = {delta_words(delta)}")
    words, by_maker = ", ".join(said), []
    if accepted.delta is not None:
        by_maker.append("the δ")
    if accepted.made_up is not None:
        by_maker.append("that some of what is published may be false, or that nothing is published")
        colour = AMBER if colour == GREEN else colour
    if by_maker:
        words += f"; its maker has accepted in words {', and '.join(by_maker)}"
    return Verdict(colour=colour, reason=f"{words[0].upper()}{words[1:]}.", is_void=delta >= 1)
