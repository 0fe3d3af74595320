"""Counts and scores → shares and AUCs with uncertainty; a bound as it is said, and the check of a measurement against it."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.checks import BoundViolation, ParameterError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_FINEST = 6  # digits of a per cent: what is nearer to all than that is said as all


def rounded_up_per_cent(share: float) -> float:
    """Return a share in per cent, to a tenth and never rounded down: a bound that is said stays a bound.

    >>> rounded_up_per_cent(0.65926), rounded_up_per_cent(0.6), rounded_up_per_cent(0.60001)
    (66.0, 60.0, 60.1)
    """
    return math.ceil(share * 1000 - 1e-9) / 10


def rounded_down_per_cent(share: float) -> float:
    """Return a share in per cent, to a tenth and never rounded up: what is promised is kept.

    >>> rounded_down_per_cent(0.52789), rounded_down_per_cent(0.6)
    (52.7, 60.0)
    """
    return math.floor(share * 1000 + 1e-9) / 10


def percent_at_most(share: float, digits: int = 1) -> str:
    """Say a bound in per cent, never rounded down; one above 0 never as 0, and one below 1 with as many nines as it takes to say less than all.

    >>> percent_at_most(0.65926), percent_at_most(1e-29), percent_at_most(0.900249510803, 3)
    ('66.0%', '0.1%', '90.025%')
    >>> percent_at_most(0.99996), percent_at_most(0.9999999999), percent_at_most(1.0)
    ('99.996%', '100.0%', '100.0%')
    """
    for finer in range(digits, max(digits, _FINEST) + 1):
        steps = 10**finer
        most = math.ceil((100 * share - 1e-10) * steps) / steps
        if most < 100 and share < 1:
            return f"{max(most, (share > 0) / steps):.{finer}f}%"
    return f"{100:.{digits}f}%"


def percent_at_least(share: float) -> str:
    """Say what there is at least in per cent, never rounded up; what is above 0 never as 0.

    >>> percent_at_least(0.52789), percent_at_least(0.6), percent_at_least(1.0), percent_at_least(0.0004), percent_at_least(0.0)
    ('52.7%', '60.0%', '100.0%', 'below 0.1%', '0.0%')
    """
    least = rounded_down_per_cent(share)
    return f"{least:.1f}%" if least > 0 or share <= 0 else "below 0.1%"


def clopper_pearson(
    successes: npt.ArrayLike, trials: npt.ArrayLike, *, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the exact confidence interval of a share (Clopper & Pearson 1934), elementwise.

    >>> low, high = clopper_pearson(0, 10)
    >>> float(low), round(float(high), 4)
    (0.0, 0.3085)
    """
    hits = np.asarray(successes, dtype=np.float64)
    n = np.asarray(trials, dtype=np.float64)
    tail = (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, scipy.special.betaincinv(hits, n - hits + 1, tail), 0.0)
        high = np.where(hits < n, scipy.special.betaincinv(hits + 1, n - hits, 1 - tail), 1.0)
    return low, high


def wilson(successes: npt.ArrayLike, trials: npt.ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return Wilson's (1927) interval of a share, elementwise; successes may be parts of one, such as ties.

    >>> low, high = wilson(0, 10)
    >>> float(low), round(float(high), 4)
    (0.0, 0.2775)
    """
    hits, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    square = float(scipy.special.ndtri((1 + level) / 2)) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        half = np.sqrt(square * (hits * (n - hits) / n + square / 4))
        low, high = ((hits + square / 2 + side * half) / (n + square) for side in (-1, 1))
    return np.where(hits > 0, np.maximum(low, 0.0), 0.0), np.where(hits < n, np.minimum(high, 1.0), 1.0)


def student_reach(values: Floats, *, level: float = 0.95) -> float:
    """Return how far Student's interval of the mean of `values` (N,) reaches to each side; NaN for fewer than two.

    >>> round(student_reach(np.array([0.0, 1.0])), 3)  # 12.706 times the standard error of one half
    6.353
    """
    if values.size < 2:
        return math.nan
    times = float(scipy.special.stdtrit(values.size - 1, (1 + level) / 2))
    return times * float(values.std(ddof=1)) / math.sqrt(values.size)


def binomial_upper_tail(hits: npt.ArrayLike, trials: npt.ArrayLike, chance: npt.ArrayLike) -> Floats:
    """Return the probability of at least so many hits in so many trials, elementwise; whole numbers.

    As scipy.stats.binom.sf(hits - 1, …), to the last bit, without loading scipy.stats, which takes longer
    than most commands.

    >>> float(binomial_upper_tail(2, 2, 0.5))
    0.25
    """
    least, n = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    inside = (least > 0) & (least <= n)
    tail = scipy.special.betainc(np.where(inside, least, 1.0), np.where(inside, n - least + 1, 1.0), chance)
    return np.where(inside, tail, np.where(least > n, 0.0, 1.0))


def binomial_lower_tail(hits: npt.ArrayLike, trials: npt.ArrayLike, chance: npt.ArrayLike) -> Floats:
    """Return the probability of fewer than so many hits in so many trials, elementwise; whole numbers.

    As scipy.stats.binom.cdf(hits - 1, …), to the last bit: the function behind it, which has no public name.

    >>> float(binomial_lower_tail(2, 2, 0.5))
    0.75
    """
    most, n = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    inside = (most > 0) & (most <= n)
    tail = scipy.special._ufuncs._binom_cdf(np.where(inside, most - 1, 0.0), n, chance)
    return np.where(inside, tail, np.where(most > n, 1.0, 0.0))


def binomial_chance(hits: npt.ArrayLike, trials: npt.ArrayLike, chance: npt.ArrayLike) -> Floats:
    """Return the probability of exactly so many hits in so many trials, elementwise; whole numbers.

    As scipy.stats.binom.pmf, to the last bit: the function behind it, which has no public name either.

    >>> round(float(binomial_chance(1, 2, 0.5)), 6)
    0.5
    """
    return np.asarray(scipy.special._ufuncs._binom_pmf(hits, trials, chance))


def binomial_quantile(share: float, trials: int, chance: float) -> int:
    """Return the least number of hits that is not exceeded with probability `share` at least.

    >>> binomial_quantile(0.5, 10, 0.5)
    5
    """
    low, high = 0, trials
    while low < high:
        middle = (low + high) // 2
        if binomial_lower_tail(middle + 1, trials, chance) >= share:
            high = middle
        else:
            low = middle + 1
    return low


def require_within_bound(successes: npt.ArrayLike, trials: int, bound: npt.ArrayLike, what: str) -> None:
    """Raise BoundViolation if a measured share lies above its bound beyond sampling error (1e-9)."""
    hits, limit = np.asarray(successes, dtype=np.float64), np.asarray(bound, dtype=np.float64)
    if np.isnan(hits).any() or np.isnan(limit).any():
        raise BoundViolation(f"{what}: cannot be judged, since the measure or its bound is not a number.")
    excess = binomial_upper_tail(hits, trials, limit)
    if np.any(excess < 1e-9):
        worst = int(np.argmin(excess))
        raise BoundViolation(
            f"{what}: measured {np.ravel(hits)[worst] / trials:.4f} "
            f"above the bound {np.ravel(bound)[worst]:.4f}."
        )


def midranks_from_scores(inside: npt.ArrayLike, outside: npt.ArrayLike) -> tuple[Ints, Ints]:
    """Return twice the midranks of two samples in their union, whole numbers: all that an AUC or ROC needs.

    >>> [ranks.tolist() for ranks in midranks_from_scores([0.9, 0.5], [0.5, 0.1])]
    [[8, 5], [5, 2]]
    """
    high, low = np.asarray(inside, dtype=np.float64), np.asarray(outside, dtype=np.float64)
    both = np.concatenate([high, low])
    if not (high.size and low.size) or not np.isfinite(both).all():
        raise ParameterError(
            f"scores must be finite, and some on either side, got {high.size} and {low.size}."
        )
    import scipy.stats

    ranks = np.rint(2 * scipy.stats.rankdata(both)).astype(np.int64)
    return ranks[: high.size], ranks[high.size :]


def auc_from_midranks(inside: npt.ArrayLike, outside: npt.ArrayLike) -> float:
    """Return the share of pairs in which the score inside is the larger one, ties counting half.

    >>> auc_from_midranks(*midranks_from_scores([0.9, 0.5], [0.5, 0.1]))
    0.875
    """
    ranks, n_out = np.asarray(inside, dtype=np.int64), np.asarray(outside).size
    # Mann & Whitney (1947): U = R − n(n + 1)/2, here doubled and in whole numbers.
    return float(int(ranks.sum()) - ranks.size * (ranks.size + 1)) / (2 * ranks.size * n_out)


def auc_interval(auc: float, n_in: int, n_out: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return a confidence interval of an AUC that stays within [0, 1] and is no point at 0 or 1.

    All θ whose distance to the AUC is at most z standard errors *at θ*: Wilson's idea, Newcombe's (2006)
    method 5. DeLong's and the bootstrap's interval have width 0 where the samples do not overlap.

    >>> [round(end, 3) for end in auc_interval(1.0, 50, 50)]
    [0.96, 1.0]
    """
    import scipy.optimize

    z = float(scipy.special.ndtri((1 + level) / 2))
    n = (n_in + n_out) / 2 - 1

    def excess(theta: float) -> float:
        spread = theta * (1 - theta) * (1 + n * (1 - theta) / (2 - theta) + n * theta / (1 + theta))
        return abs(auc - theta) - z * math.sqrt(spread / (n_in * n_out))

    inner = min(max(auc, 1e-9), 1 - 1e-9)  # at 0 and 1 the excess is 0 as well, which is not the end
    low = 0.0 if excess(1e-12) <= 0 or auc <= 0 else scipy.optimize.brentq(excess, 1e-12, inner)
    high = 1.0 if excess(1 - 1e-12) <= 0 or auc >= 1 else scipy.optimize.brentq(excess, inner, 1 - 1e-12)
    return float(low), float(high)


def privacy_loss_from_auc(auc: npt.ArrayLike) -> Floats:
    """Return (AUC − ½)/½, and 0 below ½ (Pyrgelis et al. 2018)."""
    return np.maximum(2 * np.asarray(auc, dtype=np.float64) - 1, 0.0)


def powerless_privacy_loss(n_in: int, n_out: int) -> float:
    """Return the mean privacy loss that an attack without any power reads off so few samples.

    >>> round(powerless_privacy_loss(50, 50), 4)
    0.0463
    """
    # Half of a normal law of twice the standard deviation of the AUC under no difference.
    deviation = math.sqrt((n_in + n_out + 1) / (12 * n_in * n_out))
    return 2 * deviation / math.sqrt(2 * math.pi)


def roc_from_midranks(inside: npt.ArrayLike, outside: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return false and true positive rates from (0, 0) to (1, 1), one point per distinct score."""
    high, low = np.asarray(inside), np.asarray(outside)
    cuts = np.unique(np.concatenate([high, low]))[::-1]
    rates = [1 - np.searchsorted(np.sort(side), cuts, side="left") / side.size for side in (low, high)]
    return np.concatenate([[0.0], rates[0]]), np.concatenate([[0.0], rates[1]])


def true_positive_rate(inside: npt.ArrayLike, outside: npt.ArrayLike, *, most_false: float) -> float:
    """Return the largest true positive rate of a threshold with at most so many false positives."""
    false, true = roc_from_midranks(inside, outside)
    return float(true[false <= most_false + 1e-12].max())


def permuted_rank_correlation(
    one: npt.ArrayLike, other: npt.ArrayLike, rng: np.random.Generator, *, n_permutations: int = 2000
) -> float:
    """Return how often a rank correlation as far from 0 comes about when one side is put in random order.

    Two-sided; the order found counts as one of those drawn (Phipson and Smyth 2010), so it is never 0.
    """
    ranks = [_centred_ranks(values) for values in (one, other)]
    found = abs(float(ranks[0] @ ranks[1]))
    drawn = rng.permuted(np.tile(ranks[0], (n_permutations, 1)), axis=1) @ ranks[1]
    hits = int((np.abs(drawn) >= found * (1 - 1e-12) - 1e-12).sum())
    return (1 + hits) / (1 + n_permutations)


def _centred_ranks(values: npt.ArrayLike) -> Floats:
    _, place, count = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    return np.asarray(ranks - ranks.mean())


def holm_adjusted(chances: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979), in the same order.

    >>> holm_adjusted([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(chances)), key=chances.__getitem__)
    adjusted, least = [0.0] * len(chances), 0.0
    for place, at in enumerate(order):
        least = max(least, min(1.0, (len(chances) - place) * chances[at]))
        adjusted[at] = least
    return adjusted
