"""The parts of a report → its summary on page one: promise, risk, usefulness and limits, each as a colour and why.

The colours are those of the pages: verdict.py for promises and certainty, the planner's wishes for use.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit

from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import Guarantee, chance_beyond_promise, delta_words
from privlab.figures.wording import people, words
from privlab.lab.judging.refusals import MAX_DELTA, Accepted
from privlab.lab.judging.verdict import (
    AMBER,
    GREEN,
    RED,
    Verdict,
    certain_of_anyone,
    colour_of_certainty,
    colour_of_use,
    verdict_from_promise,
    verdict_from_release,
)
from privlab.limits import MAX_MADE_UP_SHARE
from privlab.od.planning import PlanRequest
from privlab.od.risks import GaussianRisks, PersonRisks
from privlab.od.usefulness import PublishedUse
from privlab.releases.reading import ReleasedCounts
from privlab.reports import ReleasesTogether
from privlab.reports.documents import Judgement, ReportPart
from privlab.reports.exhibits import Limits, accepted_in_words
from privlab.stats import percent_at_least

_NEARLY_ALL = 0.995
_ROUNDING = 1e-9
_OTHERS_UNSAID = "What other releases of the same people add is not said here: ask the publisher."
ORDER = ("Promise", "Risk", "Usefulness", "Limits")


def summary_from_parts(
    parts: Sequence[ReportPart], together: ReleasesTogether | None = None, *, kind: str = "internal"
) -> tuple[Judgement, ...]:
    """Return what a report comes to, in four lines at most: those that its parts can answer.

    A release that was made is judged before a promise on paper, and where several of the same people stand in the ledger, the
    promise by what all of them come to; an external report, which leaves them out, says that it is of the release alone. Risk is
    held against what was wished, where the report says so. A line discloses true data where its part does.
    """
    found: dict[str, Judgement] = {}
    wish = next((part.facts for part in parts if isinstance(part.facts, PlanRequest)), None)
    for part in sorted(parts, key=lambda part: not isinstance(part.facts, ReleasedCounts)):
        judged = _judged(part.facts, together if together is not None and together.n > 1 else None, wish)
        if judged is not None:
            about, colour, sentence = judged
            if kind == "external" and about == "Promise" and isinstance(part.facts, ReleasedCounts):
                sentence = f"{_alone(sentence)} {_OTHERS_UNSAID}"
            new = Judgement(about=about, colour=colour, sentence=sentence, discloses=part.discloses)
            found.setdefault(about, new)
    return tuple(found[about] for about in ORDER if about in found)


def _judged(
    facts: Any, together: ReleasesTogether | None, wish: PlanRequest | None
) -> tuple[str, str, str] | None:
    if isinstance(facts, ReleasedCounts):
        accepted = Accepted(**facts.certificate.get("accepted", {}))
        verdict = verdict_from_release(facts.plan, accepted)
        return "Promise", *_with_others(verdict, together)
    if isinstance(facts, Guarantee):
        return "Promise", *_promise(facts, together)
    if isinstance(facts, PersonRisks | GaussianRisks):
        return "Risk", *_as_wished(*_risk(facts), facts, wish)
    if isinstance(facts, Limits):
        return "Limits", *_limits(facts, together)
    if isinstance(facts, tuple) and len(facts) == 2 and isinstance(facts[1], PlanRequest):
        return "Usefulness", *_use(*facts)
    return None


def _with_others(verdict: Verdict, together: ReleasesTogether | None) -> tuple[str, str]:
    """Return colour and reason of a release, the worse of its own and that of all releases of the same people.

    Of all it is known what they promise, and so how certain anybody can become, e^ε/(1 + e^ε); not how often the best attack is right.
    """
    if together is None:
        return verdict.colour, verdict.reason
    whole = verdict_from_promise(together.epsilon, together.delta, Accepted())
    alone = _alone(verdict.reason)
    if together.delta >= 1:
        return RED, (
            f"All {together.n:,} releases of these people in the ledger together promise nothing to anyone: one of them has a δ that adds up to 1 "
            f"with the others, whatever ε says. {alone}"
        )
    certain = certain_of_anyone(float(expit(together.epsilon)))
    but = ", but for what δ allows" if together.delta else ""
    return max(verdict.colour, whole.colour, key=(GREEN, AMBER, RED).index), (
        f"All {together.n:,} releases of these people in the ledger together promise ε = {together.epsilon:.4g} at δ = "
        f"{delta_words(together.delta)}: whoever knows all else and has no idea beforehand (a coin: 50%) {certain}{but}. "
        f"{alone}"
    )


def _alone(reason: str) -> str:
    return f"This release alone: {reason[0].lower()}{reason[1:]}"


def _promise(guarantee: Guarantee, together: ReleasesTogether | None) -> tuple[str, str]:
    unit = guarantee.user
    if unit is None:
        return RED, "Without a bound on the trips of a person the promise covers one trip and no person."
    promise = guarantee.parameters
    chance = chance_beyond_promise(promise) if isinstance(promise, GaussianParameters) else None
    return _with_others(
        verdict_from_promise(unit.epsilon, unit.delta, Accepted(), chance=chance, person=unit), together
    )


def _risk(risks: PersonRisks | GaussianRisks) -> tuple[str, str]:
    """Say it of those who are counted, and how many are not: the same people as in the part on them."""
    seen = risks.n_trips > 0
    n_people, n_seen = seen.size, int(seen.sum())
    if not n_seen:
        return GREEN, "Nobody who was judged has a trip in the released weeks."
    most, half = float(risks.accuracy[seen].max()), float(np.median(risks.accuracy[seen]))
    right = f"guessed right {words.in_hundred(most)} times in 100"
    if n_people == 1:
        return colour_of_certainty(most), f"The one person judged is {right} (a coin: 50)."
    if n_seen == 1:
        right = f"that one is {right} (a coin: 50)"
    else:
        right = (
            f"the most exposed is {right}, half of them {words.in_hundred(half)} times or more (a coin: 50)"
        )
    if n_seen == n_people:
        return colour_of_certainty(most), f"Of {people(n_people)} judged, {right}."
    others = n_people - n_seen
    return colour_of_certainty(most), (
        f"Of {people(n_people)} judged, {n_seen:,} {'is' if n_seen == 1 else 'are'} counted in the released weeks: {right}. The other "
        f"{f'{others:,} are' if others > 1 else 'one is'} not at risk from this release."
    )


def _as_wished(
    colour: str, sentence: str, risks: PersonRisks | GaussianRisks, wish: PlanRequest | None
) -> tuple[str, str]:
    """Return colour and words of a risk, amber at least and said where somebody is guessed right more often than was wished."""
    seen = risks.n_trips > 0
    if wish is None or not seen.any() or float(risks.accuracy[seen].max()) <= wish.max_accuracy + _ROUNDING:
        return colour, sentence
    most = float(risks.accuracy[seen].max())
    reached, wished = words.reached_and_bound(most, wish.max_accuracy)
    exactly = "" if reached == words.in_hundred(most) else f"{reached}, where it was to be "
    wished = f"More than was wished: {exactly}at most {wished} times in 100."
    return AMBER if colour == GREEN else colour, f"{sentence} {wished}"


def _use(uses: Sequence[PublishedUse], wish: PlanRequest) -> tuple[str, str]:
    worst = min(uses, key=lambda use: use.rank)
    cell = worst.product.cell
    which = f"In the least useful of {len(uses):,} weeks, " if len(uses) > 1 else ""
    if not worst.kept + worst.made_up:
        nothing = "nothing" if which else "Nothing"
        return RED, f"{which}{nothing} is published: no {cell} reaches the threshold."
    made_up = worst.share_made_up
    if made_up > MAX_MADE_UP_SHARE:
        return (
            RED,
            f"{which}{words.share_of(made_up, 0)} of the published {cell}s are false {cell}s: more than {MAX_MADE_UP_SHARE:.0%}.{_taken(worst)}",
        )
    close = worst.share_close
    colour = colour_of_use(close, wish.min_utility)
    met = {
        GREEN: "as much as was wished",
        AMBER: f"wished were {100 * wish.min_utility:g}%",
        RED: f"less than half of the wished {100 * wish.min_utility:g}%",
    }[colour]
    where = which
    if worst.of_estimates:
        where += "in the file of estimates " if which else "In the file of estimates "
    whole = words.whole_of(worst)
    near = f"{where}{words.part_of(close, whole, 0 if close >= 0.1 else 1)}"
    if close < wish.min_utility <= round(close, 2):  # what is missing is not rounded away
        near = f"{where}{percent_at_least(close)} of {whole}"
    return colour, (
        f"{words.capital(near)} lie in {cell}s published within {100 * worst.tolerance:g}% of the truth "
        f"({met}), and {words.share_of(made_up) if made_up else 'none'} of the published {cell}s are false {cell}s.{_taken(worst)}"
    )


def _taken(use: PublishedUse) -> str:
    """Say what all counts together come to where that is well below the truth: most of it is what the limit takes."""
    if not use.share_counted < _NEARLY_ALL:
        return ""
    if use.share_counted < 0:
        return f" {words.fewer_than_none(use.product.counted)}"
    return f" All published counts together are {words.part_of(use.share_counted, words.whole_of(use), 0)}."


def _limits(limits: Limits, together: ReleasesTogether | None) -> tuple[str, str]:
    if not limits.bounded:
        return RED, "No bound on the trips of a person: whoever travels much is hardly protected."
    said = []
    if limits.delta:
        said.append(_but_for(limits.delta, limits.chance))
    weeks = "one week" if limits.n_weeks == 1 else f"{limits.n_weeks:,} weeks together"
    others = "" if together is None else f"the ledger holds {together.n:,} releases of these people, and "
    said.append(f"for {weeks}; {others}every further release of the same people adds to it")
    colour = AMBER if limits.delta or limits.n_weeks > 1 or limits.accepted or others else GREEN
    if limits.delta > MAX_DELTA or "made_up" in limits.accepted:
        colour = RED
    simulated = (
        " This report is of no release: figures after noise are simulated." if limits.simulated else ""
    )
    red = "made_up" in limits.accepted
    why = f"Red because its maker has accepted {accepted_in_words(limits.accepted)}. " if red else ""
    return colour, f"{why}The promise holds {', '.join(said)}.{simulated}"


def _but_for(delta: float, chance: float | None) -> str:
    """Say how often a promise does not hold: with δ, but with Gaussian noise more often, by `chance` or NaN."""
    if chance is None:
        return f"but for a chance of {delta_words(delta)} (δ)"
    if math.isnan(chance):
        return f"but for a chance of more than δ = {delta_words(delta)} of someone who is in"
    return f"but for a chance of {delta_words(chance)} of someone who is in (δ = {delta_words(delta)})"
