"""Defences by their names: what the command line spells → the defence, and what it is in words.

lpa  lpa-event  gaussian[:DELTA]  fpa[:K]  efpag[:DELTA[:SELECTION]][:common]  release:L[:DELTA]    with an ε
suppress:K  sample:P  generalise:hours=H+zones=N  generalise:zones=RxCofW       without one
"""

import re
from typing import Any

from privlab.aggregates.defences.defence import Defence, DefenceFacts, NoDefence
from privlab.aggregates.defences.fourier_defences import (
    DEFAULT_KEPT,
    DEFAULT_SELECTION,
    ChosenFourierDefence,
    FourierDefence,
)
from privlab.aggregates.defences.noisy_defences import DEFAULT_DELTA, GaussianDefence, LaplaceDefence
from privlab.aggregates.defences.plain_defences import GeneraliseDefence, SampleDefence, SuppressDefence
from privlab.aggregates.defences.release_defence import RELEASE_DELTA, ReleaseDefence
from privlab.checks import ParameterError, number_from_text, require_choice
from privlab.dp.promise import delta_words

NOISY_DEFENCES = ("lpa", "lpa-event", "gaussian", "fpa", "efpag", "release")
PAPER_DEFENCES = ("lpa", "lpa-event", "gaussian", "fpa", "efpag")  # of Pyrgelis et al. (2018)
PLAIN_DEFENCES = ("suppress", "sample", "generalise")
DEFENCES = ("none", *NOISY_DEFENCES, *PLAIN_DEFENCES)

_MOST_VALUES = {"gaussian": 1, "fpa": 1, "efpag": 2, "release": 2, "suppress": 1, "sample": 1}
_LEAST_VALUES = {"release": 1, "suppress": 1, "sample": 1}


def require_defence(spec: str) -> None:
    """Raise ParameterError unless there is a defence of that name; what stands behind it is looked at by whoever makes it."""
    require_choice("defence", spec.split(":")[0], DEFENCES)


def takes_epsilon(spec: str) -> bool:
    """Return whether the defence of that name adds noise, and so needs an ε; False of an unknown name."""
    return spec.split(":")[0] in NOISY_DEFENCES


def defence_from_spec(spec: str, *, epsilon: float | None, facts: DefenceFacts) -> Defence:
    """Return the defence that `spec` names, on aggregates of which `facts` hold.

    Raises ParameterError for an unknown name or a value it does not take, and if ε is missing or too much.
    """
    require_defence(spec)
    kind, *values = spec.split(":")
    if kind in NOISY_DEFENCES:
        if epsilon is None:
            raise ParameterError(f"epsilon must be given for the defence {kind}, got none.")
        common = kind == "efpag" and values[-1:] == ["common"]
        numbers = _numbers(spec, kind, values[:-1] if common else values)
        return _noisy(spec, kind, numbers, epsilon, facts, common=common)
    if epsilon is not None:
        what = "without a defence" if kind == "none" else f"for the defence {kind}, which adds no noise"
        raise ParameterError(f"epsilon must be left out {what}, got {epsilon:g}.")
    if kind == "generalise":
        return _generalise(spec, ":".join(values), facts)
    numbers = _numbers(spec, kind, values)
    if kind == "none":
        return NoDefence()
    if kind == "suppress":
        return SuppressDefence(threshold=_whole(spec, numbers[0]))
    return SampleDefence(share=numbers[0])


def settings_from_defence(defence: Defence) -> dict[str, Any]:
    """Return all that sets a defence and what it promises, for printing: plain values by name."""
    promised = {
        "defence": defence.name,
        "epsilon_user": defence.epsilon_user,
        "delta_user": defence.delta_user,
    }
    return promised | dict(getattr(defence, "settings", {}))


def sentence_from_defence(defence: Defence, called: str | None = None) -> str:
    """Return what the defence promises one user, in one sentence; `called` is another name for it than the command line's.

    >>> facts = DefenceFacts(max_reports=728, max_zones=9, n_zones=583, n_epochs=168, null_zone=True)
    >>> sentence_from_defence(defence_from_spec("lpa-event", epsilon=1.0, facts=facts))
    'lpa-event: ε = 1 for one report, 728 for all reports of one user.'
    """
    name = defence.name if called is None else called
    if defence.epsilon_user is None:
        return f"{name}: no promise to anybody."
    user = f"{defence.epsilon_user:,.4g}" if defence.epsilon_user < 1e4 else f"{defence.epsilon_user:,.0f}"
    if isinstance(defence, LaplaceDefence) and defence.unit == "report":
        return f"{name}: ε = {defence.epsilon:g} for one report, {user} for all reports of one user."
    if isinstance(defence, ReleaseDefence):
        return (
            f"{name}: ε = {user}, δ = {delta_words(defence.delta_user)} for a user's whole week, whoever it is: what is released "
            f"for good with at most {defence.bound:,} visits of a person at full weight."
        )
    delta = f", δ = {delta_words(defence.delta_user)}" if defence.delta_user else ""
    return f"{name}: ε = {user}{delta} for all reports of one user."


def _noisy(
    spec: str, kind: str, values: list[float], epsilon: float, facts: DefenceFacts, *, common: bool
) -> Defence:
    if kind in ("lpa", "lpa-event"):
        return LaplaceDefence(epsilon=epsilon, facts=facts, unit="user" if kind == "lpa" else "report")
    if kind == "gaussian":
        return GaussianDefence(epsilon=epsilon, facts=facts, delta=(*values, DEFAULT_DELTA)[0])
    if kind == "fpa":
        n_kept = _whole(spec, values[0]) if values else min(DEFAULT_KEPT, facts.n_epochs)
        return FourierDefence(epsilon=epsilon, facts=facts, n_kept=n_kept)
    if kind == "release":
        delta = (*values[1:], RELEASE_DELTA)[0]
        return ReleaseDefence(epsilon=epsilon, facts=facts, bound=_whole(spec, values[0]), delta=delta)
    delta, selection = (*values, *(DEFAULT_DELTA, DEFAULT_SELECTION)[len(values) :])
    return ChosenFourierDefence(epsilon=epsilon, facts=facts, delta=delta, selection=selection, common=common)


def _generalise(spec: str, text: str, facts: DefenceFacts) -> Defence:
    found: dict[str, int] = {}
    for part in text.split("+"):
        hours = re.fullmatch(r"hours=(\d{1,9})", part)
        zones = re.fullmatch(r"zones=(\d{1,9})(?:x(\d{1,9})of(\d{1,9}))?", part)
        if hours and "hours" not in found:
            found["hours"] = int(hours[1])
        elif zones and "zone_columns" not in found and zones[2] is None:
            found["zone_columns"] = int(zones[1])
        elif zones and "zone_columns" not in found:
            names = ("zone_rows", "zone_columns", "grid_columns")
            found |= {name: int(number) for name, number in zip(names, zones.groups(), strict=True)}
        else:
            raise ParameterError(
                f"defence must be generalise:hours=H, :zones=N, :zones=RxCofW or hours and zones joined by +, "
                f"got {spec!r}."
            )
    return GeneraliseDefence(facts=facts, **found)


def _numbers(spec: str, kind: str, values: list[str]) -> list[float]:
    """Return the values of a spec as numbers, as many as the defence takes."""
    least, most = _LEAST_VALUES.get(kind, 0), _MOST_VALUES.get(kind, 0)
    try:
        numbers = [number_from_text("defence", one) for one in values]
    except ValueError:
        numbers = []
    if len(numbers) != len(values) or not least <= len(numbers) <= most:
        wanted = (
            f"{least} number" if least == most == 1 else f"{least} to {most} numbers" if most else "nothing"
        )
        raise ParameterError(f"defence must have {wanted} after the name {kind}, got {spec!r}.")
    return numbers


def _whole(spec: str, number: float) -> int:
    if number != int(number) if abs(number) < 1e15 else True:
        raise ParameterError(f"defence must have a whole number after its name, got {spec!r}.")
    return int(number)
