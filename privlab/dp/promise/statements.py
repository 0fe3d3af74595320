"""What a release promises → the sentence that may honestly be published with it.

Says two things by name: how often a guess is right, over all that may be published, and how often an attacker
ends certain. Neither tells the other. Knows numbers; computes none.
"""

import math
import re
from typing import TYPE_CHECKING

from privlab.stats import rounded_up_per_cent

if TYPE_CHECKING:
    from privlab.dp.gaussian.gaussian_parameters import GaussianParameters
    from privlab.dp.promise.guarantees import Guarantee, GuaranteeParameters, UnitGuarantee

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_TOO_SMALL = re.compile(
    r"(?:[\d.]+·)?10⁻³(?:⁰[¹²³⁴⁵⁶⁷⁸⁹]|[¹²][⁰¹²³⁴⁵⁶⁷⁸⁹])(?![⁰¹²³⁴⁵⁶⁷⁸⁹])"
)  # a δ that is said as 10⁻³⁰⁰
_TEN_TIMES = re.compile(r"(?<![\d.])10·10⁻([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,9})")  # as 10⁻⁶ was once written: 10·10⁻⁷
_LEAST, _EARLIER_LEAST = "in at most 0.1% of cases", "in at most 0.0% of cases"
_NO_PROTECTION, _EARLIER = "almost always (no protection)", "in as good as all cases"
_WEIGHED = "up to {most} different {what} of one person are counted; where someone has more than {bound}, each of them weighs less"
_WEIGHED_AGAIN = (
    ", and less still where several go between the same two districts, whose sums are counted too"
)
# How that was said before.
_EARLIER_WEIGHED = re.compile(
    r"different (trips|visits) of one person that are counted: at most ([\d,]+), those of whoever has more than ([\d,]+) with less "
    "weight each"
)
_EARLIER_WEIGHED_AGAIN = (
    ", and less again where they are between the same districts, whose sums are counted too"
)
_PARTS = {"trips": "flow", "visits": "count"}  # what a threshold hides, by what is counted
LEAST_SAID = 0.001  # share of cases that Gaussian noise is said to fail in, at least: it has no largest loss
CERTAIN = 0.95  # the certainty that every promise speaks of


def statement_from_units(
    parameters: "GuaranteeParameters | GaussianParameters",
    trip: "UnitGuarantee",
    week: "UnitGuarantee | None",
    user: "UnitGuarantee | None",
) -> str:
    """Return the sentence from what is promised to a trip, to a person's week and to a person."""
    if week is None or user is None:
        return (
            f"Each single trip is protected with ε = {parameters.epsilon:g}{_delta_words(trip)}: whoever knows all "
            f"else guesses right {ceiling(trip.optimal_accuracy)} about whether one trip is counted (a coin: 50%), "
            f"and {_certain_words_of(parameters, trip)} of one that is. A person is "
            f"promised nothing: the losses of a person's different trips add up without a bound. {_who(parameters, 1)}"
        )
    words = (
        f"{_kept(parameters, week)} Whoever knows all else guesses right {ceiling(week.optimal_accuracy)} "
        f"about whether the person is in the data (a coin: 50%), and {_certain_words_of(parameters, week)} of someone "
        "who is."
    )
    if parameters.weeks == 1:
        words += " Every further release of the same people adds to this."
    else:
        words += (
            f" Over {parameters.weeks:,} weekly releases it is ε = {user.epsilon:g}{_delta_words(user)}, and an "
            f"attacker who puts them together guesses right {ceiling(user.optimal_accuracy)}, and "
            f"{_certain_words_of(parameters, user)}."
        )
    return f"{words} {_who(parameters, user.n_cells)}"


def earlier_statement(guarantee: "Guarantee") -> str:
    """Return the sentence that certificates of formats 1 and 2 carry: it says nothing of certainty."""
    parameters, week, user = guarantee.parameters, guarantee.user_week, guarantee.user
    if week is None or user is None:
        trip = guarantee.trip
        return (
            f"Each single trip is protected with ε = {parameters.epsilon:g}{_delta_words(trip)}: whoever knows all "
            f"else is right {ceiling(trip.optimal_accuracy)} about whether one trip is counted. A person is "
            "promised nothing: the losses of a person's different trips add up without a bound."
        )
    words = (
        f"{_kept(parameters, week)} Whoever knows all else is right {ceiling(week.optimal_accuracy)} "
        "about whether the person is in the data; a blind guess is right in 50%."
    )
    if parameters.weeks == 1:
        return words + " Every further release of the same people adds to this."
    return words + (
        f" Over {parameters.weeks:,} weekly releases it is ε = {user.epsilon:g}{_delta_words(user)}, and an "
        f"attacker who puts them together is right {ceiling(user.optimal_accuracy)}."
    )


def statement_of_before(statement: str) -> str:
    """Return the sentence as it was written when it told 95% alone, however far below it nobody can come.

    >>> statement_of_before("right in at most 65.9% of cases, and is never more than 66% certain of someone")
    'right in at most 65.9% of cases, and is never more than 95% certain of someone'
    """
    return re.sub(r"is never more than [\d.]+% certain", certain_words(0.0), statement)


def statement_in_words_of_today(statement: str) -> str:
    """Return the sentence of a certificate as it would be written today: some of its words have changed since.

    >>> statement_in_words_of_today("guesses right in as good as all cases.")
    'guesses right almost always (no protection).'
    >>> statement_in_words_of_today("is more than 95% certain in at most 0.0% of cases")
    'is more than 95% certain in at most 0.1% of cases'
    >>> statement_in_words_of_today("δ = 1·10^-6 beside 95 %, δ = 2.1·10^-29, δ = 10·10⁻⁷, δ = 5·10⁻³²⁴, δ = 2.4·10⁻³⁰⁰")
    'δ = 10⁻⁶ beside 95%, δ = 2.1·10⁻²⁹, δ = 10⁻⁶, δ = 10⁻³⁰⁰, δ = 2.4·10⁻³⁰⁰'
    """
    powers = re.sub(
        r"(?:(?<![\d.])1·)?10\^(-\d+)", lambda found: f"10{found[1].translate(_RAISED)}", statement
    )
    powers = _TEN_TIMES.sub(lambda found: power_of_ten(1 - int(found[1].translate(_LOWERED))), powers)
    powers = _TOO_SMALL.sub("10⁻³⁰⁰", powers)
    plain = re.sub(r"(?<=\d) %", "%", powers).replace(_EARLIER, _NO_PROTECTION)
    plain = plain.replace(_EARLIER_LEAST, _LEAST)
    weighed = _EARLIER_WEIGHED.sub(
        lambda found: _WEIGHED.format(what=found[1], most=found[2], bound=found[3]), plain
    )
    return weighed.replace(_EARLIER_WEIGHED_AGAIN, _WEIGHED_AGAIN)


def certain_words(share: float, above: float = CERTAIN, *, most: float | None = None) -> str:
    """Say how often at most an attacker ends more than so certain, as what follows "an attacker".

    `most` is the most certain that anyone can end, where that is known, for a share of 0.

    >>> certain_words(0.118846), certain_words(0.0, 0.55), certain_words(0.0, most=0.65926)
    ('is more than 95% certain in at most 11.9% of cases', 'is never more than 55% certain', 'is never more than 66% certain')
    """
    if share > 0:
        return f"is more than {100 * above:g}% certain {ceiling(share)}"
    level = 100 * above if most is None else rounded_up_per_cent(most)
    return f"is never more than {level:g}% certain"


def _certain_words_of(parameters: "GuaranteeParameters | GaussianParameters", unit: "UnitGuarantee") -> str:
    """Say it of one unit: where nobody ends more than 95% certain, how certain at most, e^ε/(1 + e^ε)."""
    return certain_words(_certain(parameters, unit), most=unit.proven_accuracy)


def ceiling(share: float) -> str:
    """Say a bound in per cent, never rounded down.

    >>> ceiling(0.65926), ceiling(0.9999), ceiling(1e-29)
    ('in at most 66.0% of cases', 'almost always (no protection)', 'in at most 0.1% of cases')
    """
    most = max(rounded_up_per_cent(share), 0.1 * (share > 0))
    return f"in at most {most:.1f}% of cases" if most < 100 else _NO_PROTECTION


def _certain(parameters: "GuaranteeParameters | GaussianParameters", unit: "UnitGuarantee") -> float:
    """Return the share to say; Gaussian noise has no largest loss, and 0.0% would be less than the truth."""
    return max(unit.certain_share, LEAST_SAID) if hasattr(parameters, "clip") else unit.certain_share


def _kept(parameters: "GuaranteeParameters | GaussianParameters", week: "UnitGuarantee") -> str:
    bound, what = parameters.max_trips_per_user, parameters.counted
    counted = f"different {what} of one person that are counted: at most {bound:,}"
    if getattr(parameters, "clip", "keep") == "l2":
        counted = _WEIGHED.format(what=what, most=f"{week.n_cells:,}", bound=f"{bound:,}")
    if getattr(parameters, "levels", 0):
        counted += _WEIGHED_AGAIN
    return (
        f"Whatever one person did in a week, this release is ε = {parameters.epsilon:g}{_delta_words(week)} "
        f"private for that week ({counted})."
    )


def _who(parameters: "GuaranteeParameters | GaussianParameters", n_cells: int) -> str:
    """Say of whom the certainty is meant: who starts at even odds, in flows that no threshold hides."""
    hidden = parameters.threshold > 0 and n_cells > 1
    where = f", where no {_PARTS[parameters.counted]} of the person is suppressed" if hidden else ""
    return f"Certainty is that of an attacker who held both answers for equally likely{where}."


def _delta_words(unit: "UnitGuarantee") -> str:
    return "" if unit.log10_delta is None else f", δ = {power_of_ten(unit.log10_delta)}"


_LEAST_SAID = 1e-300


def delta_words(delta: float) -> str:
    """Say a δ, never rounded down: the same way everywhere; below 10⁻³⁰⁰, where floats run out of digits, as that.

    >>> delta_words(0.0), delta_words(2.31e-7), delta_words(1.0), delta_words(1e-300), delta_words(5e-324)
    ('0', '2.4·10⁻⁷', '1', '10⁻³⁰⁰', '10⁻³⁰⁰')
    """
    return power_of_ten(math.log10(max(delta, _LEAST_SAID))) if delta else "0"


def power_of_ten(log10: float) -> str:
    """Say a δ that is given as its decimal logarithm, however small.

    >>> power_of_ten(math.log10(0.099)), power_of_ten(-300.0), power_of_ten(math.log10(9.95e-7))
    ('0.099', '10⁻³⁰⁰', '10⁻⁶')
    """
    exponent = math.floor(log10)
    digits = math.ceil(10 ** (log10 - exponent) * 10 - 1e-9) / 10
    if digits == 10:
        exponent, digits = exponent + 1, 1.0
    if exponent >= -2:
        return f"{digits * 10.0**exponent:.2g}"
    power = f"10{str(exponent).translate(_RAISED)}"
    return power if digits == 1 else f"{digits:g}·{power}"
