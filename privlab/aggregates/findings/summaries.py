"""Outcomes of many targets → the figures of a game: mean AUC with interval, losses, gains, groups, factors.

Complete or not: every figure says how many targets it is of. Figures of true data.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from privlab.aggregates.factors import FACTORS
from privlab.aggregates.findings.outcomes import Setting, TargetOutcome, TargetScore
from privlab.aggregates.game_rules.groups import MOBILITY
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.seeds import generator
from privlab.stats import (
    auc_interval,
    holm_adjusted,
    permuted_rank_correlation,
    powerless_privacy_loss,
    student_reach,
)

Floats = npt.NDArray[np.float64]

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
FALSE_RATES = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spread:
    """AUC over some targets: mean with its 95% interval, quantiles at `LEVELS`, mean PL, mean TPRs.

    The interval holds what the targets drawn and the groups drawn for them leave open. `tpr_1` and
    `tpr_10` are mean true positive rates at no more than 1% and 10% false ones.
    """

    n_targets: int
    auc_mean: float
    auc_low: float
    auc_high: float
    auc_quantiles: tuple[float, ...]
    pl_mean: float
    tpr_1: float
    tpr_10: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanEstimate:
    """Means over targets of what was estimated from one release each: visits per user, and distances (0 to 1).

    `visits_low` and `visits_high` are the 5% and 95% quantiles of the estimates.
    """

    visits: float
    visits_low: float
    visits_high: float
    true_visits: float
    space_apart: float
    time_apart: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summary:
    """What one adversary reached over all targets so far.

    `auc` (n,) are the targets' AUCs in the order played; `mobility` the spread in each third of the
    users; `roc` the mean true positive rate at `FALSE_RATES`. `pl_baseline` is the mean PL that an attack
    without power reads. `pg_mean` is the mean privacy gain of the defence with AUC' below ½ taken for
    ½, with its 95% interval over targets, `pg_literal` as printed (0 there); `mre` its mean relative error; all None for
    true counts.
    `correlations` are Spearman's between AUC and each factor, NaN where it is not defined; `chances` how
    often one as large comes of targets put in random order, held against all factors (Holm 1979). `estimate` is
    what attackers of zero knowledge took from their releases, None under other priors.
    """

    setting: Setting
    overall: Spread
    mobility: dict[str, Spread]
    auc: Floats
    roc: Floats
    pl_baseline: float
    pg_mean: float | None
    pg_interval: tuple[float, float] | None
    pg_literal: float | None
    mre: float | None
    correlations: dict[str, float]
    chances: dict[str, float]
    seconds: float
    estimate: MeanEstimate | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GameResult:
    """The outcomes of a game so far, in the order of its targets; complete where `n_left` is 0.

    `n_unseen` targets were played, are seen nowhere in the released period, and have no outcome here: see seen_from_result.
    """

    parameters: GameParameters
    outcomes: tuple[TargetOutcome, ...]
    n_left: int
    n_unseen: int = 0


def seen_from_result(result: GameResult) -> GameResult:
    """Return a game without the targets whom the released period does not see: no attack finds them, and their mean hides the others.

    As it is where all of them are seen, and where none is.
    """
    seen = tuple(one for one in result.outcomes if one.is_seen)
    if not seen:
        return result
    n_unseen = result.n_unseen + len(result.outcomes) - len(seen)
    return replace(result, outcomes=seen, n_unseen=n_unseen)


def summaries_from_result(result: GameResult) -> list[Summary]:
    """Return one summary per arm, classifier, ε and adversary; none before the first outcome."""
    if not result.outcomes:
        return []
    settings = [score.setting for score in result.outcomes[0].scores]
    return [_summary(result.outcomes, at, setting) for at, setting in enumerate(settings)]


def spread_from_scores(scores: Sequence[TargetScore]) -> Spread:
    """Return mean AUC with interval, quantiles, PL and TPRs of some targets, one at least."""
    auc = np.array([score.auc for score in scores])
    low, high = _interval(auc, scores)
    return Spread(
        n_targets=auc.size,
        auc_mean=float(auc.mean()),
        auc_low=low,
        auc_high=high,
        auc_quantiles=tuple(np.quantile(auc, LEVELS).tolist()),
        pl_mean=float(np.mean([score.privacy_loss for score in scores])),
        tpr_1=float(np.mean([score.true_positives(0.01) for score in scores])),
        tpr_10=float(np.mean([score.true_positives(0.1) for score in scores])),
    )


def paired_difference(one: Floats, other: Floats) -> tuple[float, float]:
    """Return the mean of one − other over the targets of both, in the order played, and the half width of its 95% interval.

    Student's; NaN for fewer than two targets.

    >>> paired_difference(np.array([0.5, 0.9]), np.array([0.5, 0.9, 0.7]))
    (0.0, 0.0)
    """
    n = min(one.size, other.size)
    apart = one[:n] - other[:n]
    if n < 2:
        return float(apart.mean()) if n else math.nan, math.nan
    return float(apart.mean()), student_reach(apart)


def privacy_gain(raw: float, defended: float, *, literal: bool) -> float:
    """Return how much of the AUC above ½ a defence took away (Pyrgelis et al. 2018).

    As printed, a defended AUC below ½ counts as no gain at all; otherwise it counts as ½.

    >>> privacy_gain(0.9, 0.6, literal=True), privacy_gain(0.9, 0.4, literal=True)
    (0.75, 0.0)
    >>> privacy_gain(0.9, 0.4, literal=False)
    1.0
    """
    if defended < 0.5 and not literal:
        defended = 0.5
    if not raw > defended >= 0.5:
        return 0.0
    return round((raw - defended) / (raw - 0.5), 12)


def _summary(outcomes: Sequence[TargetOutcome], at: int, setting: Setting) -> Summary:
    scores = [outcome.scores[at] for outcome in outcomes]
    auc = np.array([score.auc for score in scores])
    thirds = {
        name: [score for score, one in zip(scores, outcomes, strict=True) if one.mobility == name]
        for name in MOBILITY
    }
    gains, mre = None, None
    if setting.adversary is not None:
        plain = [_undefended(outcome, setting) for outcome in outcomes]
        gains = [
            np.array([privacy_gain(a, b, literal=literal) for a, b in zip(plain, auc, strict=True)])
            for literal in (False, True)
        ]
        mre = float(np.mean([dict(outcome.errors)[setting.epsilon] for outcome in outcomes]))
    correlations = {name: _correlation(auc, outcomes, name) for name in FACTORS}
    rates = [np.interp(FALSE_RATES, *_steps(score)) for score in scores]
    baselines = [powerless_privacy_loss(len(score.inside), len(score.outside)) for score in scores]
    return Summary(
        setting=setting,
        overall=spread_from_scores(scores),
        mobility={name: spread_from_scores(part) for name, part in thirds.items() if part},
        auc=auc,
        roc=np.mean(rates, axis=0),
        pl_baseline=float(np.mean(baselines)),
        pg_mean=None if gains is None else float(gains[0].mean()),
        pg_interval=None if gains is None else _gain_interval(gains[0]),
        pg_literal=None if gains is None else float(gains[1].mean()),
        mre=mre,
        correlations=correlations,
        chances=_chances(auc, outcomes, correlations),
        seconds=math.fsum(outcome.seconds for outcome in outcomes),
        estimate=_mean_estimate(outcomes, setting),
    )


def _gain_interval(gains: Floats) -> tuple[float, float]:
    """Return Student's interval of a mean gain over targets, cut to [0, 1]; nothing is known from one target."""
    if gains.size < 2:
        return 0.0, 1.0
    reach = student_reach(gains)
    return max(0.0, float(gains.mean()) - reach), min(1.0, float(gains.mean()) + reach)


def _mean_estimate(outcomes: Sequence[TargetOutcome], setting: Setting) -> MeanEstimate | None:
    found = [one for one in (outcome.estimate(setting) for outcome in outcomes) if one is not None]
    if not found:
        return None
    visits = [one.visits for one in found]
    low, high = np.quantile(visits, (0.05, 0.95)).tolist()
    return MeanEstimate(
        visits=float(np.mean(visits)),
        visits_low=low,
        visits_high=high,
        true_visits=found[0].true_visits,
        space_apart=float(np.mean([one.space_apart for one in found])),
        time_apart=float(np.mean([one.time_apart for one in found])),
    )


def _undefended(outcome: TargetOutcome, setting: Setting) -> float:
    return next(
        score.auc
        for score in outcome.scores
        if score.setting == Setting(arm=setting.arm, classifier=setting.classifier)
    )


def _steps(score: TargetScore) -> tuple[Floats, Floats]:
    """Return the ROC with, at each false positive rate, the true one it ends at; for interpolation."""
    false, true = score.roc
    last = np.append(np.diff(false) > 0, True)
    return false[last], true[last]


def _interval(auc: Floats, scores: Sequence[TargetScore]) -> tuple[float, float]:
    """Return the interval of the mean: Student's over targets; where all are equal, that of all their groups."""
    deviation = float(auc.std(ddof=1)) if auc.size > 1 else 0.0
    if deviation > 1e-12:
        reach = student_reach(auc)
        return max(0.0, float(auc.mean()) - reach), min(1.0, float(auc.mean()) + reach)
    n_in, n_out = sum(len(one.inside) for one in scores), sum(len(one.outside) for one in scores)
    return auc_interval(min(1.0, float(auc.mean())), n_in, n_out)


def _correlation(auc: Floats, outcomes: Iterable[TargetOutcome], factor: str) -> float:
    values = np.array([getattr(outcome.factors, factor) for outcome in outcomes], dtype=np.float64)
    known = np.isfinite(values)
    if known.sum() < 3 or np.ptp(values[known]) == 0 or np.ptp(auc[known]) == 0:
        return math.nan
    import scipy.stats

    return float(scipy.stats.spearmanr(values[known], auc[known]).statistic)


def _chances(
    auc: Floats, outcomes: Sequence[TargetOutcome], correlations: dict[str, float]
) -> dict[str, float]:
    """Return how often each correlation comes by chance, by permutations, adjusted for all that are defined."""
    found = {}
    for name, value in correlations.items():
        if math.isfinite(value):
            values = np.array([getattr(one.factors, name) for one in outcomes], dtype=np.float64)
            known = np.isfinite(values)
            rng = generator(0, f"permutations of {name}")  # one result for one set of outcomes
            found[name] = permuted_rank_correlation(values[known], auc[known], rng)
    adjusted = dict(zip(found, holm_adjusted(list(found.values())), strict=True))
    return {name: adjusted.get(name, math.nan) for name in correlations}
