"""Points of a trade-off → whether they have the shape that Pyrgelis et al. (2018) print for their five mechanisms."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from privlab.aggregates.findings.tradeoff import TradeoffPoint

PROTECTS = 0.5  # gain from which a mechanism is said to protect: half of what the attack had above ½
FALLS = 0.1  # a gain that falls by more is said to fall
LESS = 0.05  # a mean gain that is lower by more is said to be less

_Gains = dict[tuple[str, str, float], TradeoffPoint]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedShape:
    """One statement of the paper on its defences, held against points.

    `measured` is the figure it is judged by, NaN and `holds` None where the points lack what it speaks of; `n_targets` are
    those of the point with fewest.
    """

    name: str
    measured: float
    holds: bool | None
    n_targets: int


def published_shapes_from_points(points: Sequence[TradeoffPoint]) -> list[PublishedShape]:
    """Return the paper's statements on one classifier's points, in the order of docs/science.md, section 3.6.

    "passive protects": the least gain against passive adversaries at ε ≤ 1 is PROTECTS or more. "strategic falls":
    against strategic ones the gain of every mechanism falls by more than FALLS from the least to the largest ε.
    "event least": against them LPA(1/ε) gains least, on average over ε. "fourier error": FPA errs less than
    LPA(Δ/ε), and EFPAG than Gaussian noise, at every ε. "fourier privacy": against strategic adversaries both gain less
    than those, on average, by more than LESS.
    """
    kinds = [one.defence.split(":")[0] for one in points]
    found: _Gains = {
        (kind, str(one.setting.adversary), one.setting.epsilon): one
        for kind, one in zip(kinds, points, strict=True)
        if one.setting.epsilon is not None
    }
    judged: list[tuple[str, float, Callable[[float], bool]]] = [
        ("passive protects", _least_passive(found), lambda gain: gain >= PROTECTS),
        ("strategic falls", _least_fall(found), lambda fall: fall > FALLS),
        ("event least", _event_gap(found), lambda gap: gap > 0),
        ("fourier error", _largest_error_ratio(found), lambda ratio: ratio < 1),
        ("fourier privacy", _fourier_gap(found), lambda gap: gap < -LESS),
    ]
    fewest = min((one.n_targets for one in points), default=0)
    return [
        PublishedShape(
            name=name, measured=value, holds=None if math.isnan(value) else holds(value), n_targets=fewest
        )
        for name, value, holds in judged
    ]


def _gains(found: _Gains, kind: str, adversary: str = "strategic") -> dict[float, float]:
    return {
        epsilon: one.pg_mean
        for (name, who, epsilon), one in found.items()
        if (name, who) == (kind, adversary)
    }


def _least_passive(found: _Gains) -> float:
    gains = [one.pg_mean for (_, who, epsilon), one in found.items() if who == "passive" and epsilon <= 1]
    return min(gains, default=math.nan)


def _least_fall(found: _Gains) -> float:
    series = [_gains(found, kind) for kind in dict.fromkeys(kind for kind, *_ in found)]
    falls = [one[min(one)] - one[max(one)] for one in series if len(one) > 1]
    return min(falls, default=math.nan)


def _event_gap(found: _Gains) -> float:
    event = _gains(found, "lpa-event")
    others = [
        _gains(found, kind) for kind in dict.fromkeys(kind for kind, *_ in found) if kind != "lpa-event"
    ]
    means = [_mean_gap(one, event) for one in others]
    return min((gap for gap in means if not math.isnan(gap)), default=math.nan)


def _mean_gap(one: dict[float, float], other: dict[float, float]) -> float:
    both = [one[epsilon] - other[epsilon] for epsilon in one if epsilon in other]
    return math.fsum(both) / len(both) if both else math.nan


def _largest_error_ratio(found: _Gains) -> float:
    ratios = [
        one.mre / found[plain, who, epsilon].mre
        for fourier, plain in (("fpa", "lpa"), ("efpag", "gaussian"))
        for (kind, who, epsilon), one in found.items()
        if kind == fourier and (plain, who, epsilon) in found
    ]
    return max(ratios, default=math.nan)


def _fourier_gap(found: _Gains) -> float:
    gaps = [
        _mean_gap(_gains(found, fourier), _gains(found, plain))
        for fourier, plain in (("fpa", "lpa"), ("efpag", "gaussian"))
    ]
    return max((gap for gap in gaps if not math.isnan(gap)), default=math.nan)
