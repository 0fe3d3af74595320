"""Certainty with Gaussian noise and a threshold, and over weeks: against every outcome, dp-accounting, games, and the normal law."""

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats
from dp_accounting.pld import privacy_loss_distribution

from privlab.checks import ParameterError
from privlab.dp.certainty.certainty import Certainty
from privlab.dp.certainty.gaussian_certainty import GaussianQuestion, posterior_law_from_gaussian_question
from privlab.dp.certainty.gaussian_suppressed import outcomes_of_cells
from privlab.dp.gaussian.gaussian_parameters import TOTAL_SHARE, GaussianParameters

Floats = npt.NDArray[np.float64]

NARROW = GaussianParameters(epsilon=8.0, delta=0.05, max_trips_per_user=2)
ROOT_HALF = 724  # ⌊1024·√½⌋, the weight of four trips under a bound of two


def found_of(release: GaussianParameters, counts: tuple[int, ...], **more: object) -> Certainty:
    question = GaussianQuestion(release=release, trips=len(counts), counts=counts, **more)  # type: ignore[arg-type]
    return posterior_law_from_gaussian_question(question).certainty


def chances(sigma: float, weight: int, others: int, threshold: int) -> dict[int | None, float]:
    """Of every number that may be published of a cell, None for none: the definition, noise by noise."""
    x = np.arange(-math.ceil(14 * sigma), math.ceil(14 * sigma) + 1)
    mass = np.exp(-x * x / (2 * sigma**2))
    mass /= mass.sum()
    published = np.floor((1024 * others + weight + x) / 1024 + 0.5).astype(int)
    found: dict[int | None, float] = {}
    for number, chance in zip(published.tolist(), mass.tolist(), strict=True):
        seen = number if number >= threshold else None
        found[seen] = found.get(seen, 0.0) + chance
    return found


def worlds(
    sigma: float, weight: int, counts: tuple[int, ...], threshold: int
) -> list[list[tuple[float, float]]]:
    """For each cell, the chances with the person and without of everything that may be seen."""
    cells = []
    for others in counts:
        with_person, without = (chances(sigma, added, others, threshold) for added in (weight, 0))
        both = with_person.keys() | without.keys()
        pairs = [(with_person.get(seen, 0.0), without.get(seen, 0.0)) for seen in both]
        cells.append([one for one in pairs if max(one) > 1e-16])
    return cells


@pytest.mark.parametrize(
    ("counts", "threshold", "weight"),
    [((2,), 3, 1024), ((3,), 3, 1024), ((2, 3), 3, 1024), ((0, 9), 5, 1024), ((1, 2, 3, 4), 3, ROOT_HALF)],
)
@pytest.mark.parametrize("prior", [0.5, 0.2])
def test_every_outcome_counted_one_by_one(
    counts: tuple[int, ...], threshold: int, weight: int, prior: float
) -> None:
    cells = worlds(NARROW.sigma, weight, counts, threshold)
    outcomes = list(itertools.product(*cells))
    with_person = np.array([math.prod(one[0] for one in each) for each in outcomes])
    without = np.array([math.prod(one[1] for one in each) for each in outcomes])
    loss = np.log(with_person / without)
    found = found_of(NARROW, counts, threshold=threshold, prior=prior, above=0.91)
    guessed = np.maximum(prior * with_person, (1 - prior) * without).sum()
    assert found.accuracy == pytest.approx(guessed, abs=1e-9)
    beyond = loss > math.log(0.91 / 0.09) - math.log(prior / (1 - prior))
    assert found.in_above == pytest.approx(with_person[beyond].sum(), abs=1e-9)
    assert found.out_above == pytest.approx(without[beyond].sum(), abs=1e-9)
    order = np.argsort(-loss)
    spent, hit = np.cumsum(without[order]), np.cumsum(with_person[order])
    assert found.tpr_at[0.01] == pytest.approx(np.interp(0.01, spent, hit), abs=1e-5)
    assert found.largest == 1.0


def between(laws: list[tuple[dict[int, float], dict[int, float]]], times: int) -> tuple[float, float]:
    """Return by dp-accounting how often the best test is right at least and at most, losses rounded down and up; laws without and with."""
    sides = []
    for upwards in (False, True):
        whole = None
        for pair in laws:
            law = privacy_loss_distribution.from_two_probability_mass_functions(
                *pair,
                pessimistic_estimate=upwards,
                value_discretization_interval=2e-4,
                log_mass_truncation_bound=-35,
                symmetric=False,
            ).self_compose(times)
            whole = law if whole is None else whole.compose(law)
        assert whole is not None
        sides.append(0.5 + float(whole.get_delta_for_epsilon(0.0)) / 2)
    return sides[0], sides[1]


@pytest.mark.parametrize(
    ("counts", "weeks", "weight"), [((2, 3, 9), 2, 836), ((2,), 6, 1024), ((1, 3), 10, 1024)]
)
def test_cells_and_weeks_against_dp_accounting(counts: tuple[int, ...], weeks: int, weight: int) -> None:
    """Its composition of the laws of single cells; weights by hand, 836 = ⌊1024·√(2/3)⌋."""
    laws = [
        (dict(enumerate(math.log(one[1]) for one in cell)), dict(enumerate(math.log(one[0]) for one in cell)))
        for cell in worlds(NARROW.sigma, weight, counts, 3)
    ]
    least, most = between(laws, weeks)
    found = found_of(NARROW, counts, threshold=3, weeks=weeks).accuracy
    assert least - 1e-9 <= found <= most + 1e-9
    assert most - least < 1e-3


@pytest.mark.parametrize(("bound", "trips", "weeks"), [(1, 1, 5), (2, 2, 3), (2, 5, 4)])
def test_weeks_without_a_threshold_against_dp_accounting(bound: int, trips: int, weeks: int) -> None:
    """Noisy units of each cell of each week, composed one by one; weights by hand: 1024, and ⌊1024·√(2/5)⌋ = 647."""
    release = GaussianParameters(epsilon=3.0, delta=1e-3, max_trips_per_user=bound)
    weight = 647 if trips == 5 else 1024
    reach = math.ceil(9 * release.sigma)
    x = np.arange(-reach, reach + weight + 1)
    logs = [-((x - added) ** 2) / (2 * release.sigma**2) for added in (0, weight)]
    pair = [dict(zip(x.tolist(), (log - np.log(np.exp(log).sum())).tolist(), strict=True)) for log in logs]
    least, most = between([(pair[0], pair[1])], trips * weeks)
    question = GaussianQuestion(release=release, trips=trips, weeks=weeks)
    found = posterior_law_from_gaussian_question(question).certainty.accuracy
    assert least - 1e-9 <= found <= most + 1e-9
    assert most - least < 1e-3


def test_games_of_four_weeks_with_a_threshold_lie_within_their_interval() -> None:
    """200,000 games each way, judged by the chances of each cell's outcomes; a million to one against a false alarm."""
    counts, weeks, threshold, n = (7, 8, 10, 12, 30), 4, 10, 200_000
    release = GaussianParameters(epsilon=2.0, delta=1e-5, max_trips_per_user=5)
    rng = np.random.default_rng(7)
    tables = [[chances(release.sigma, added, c, threshold) for added in (1024, 0)] for c in counts]
    found = found_of(release, counts, threshold=threshold, weeks=weeks, above=0.8)
    for place, expected in enumerate((found.in_above, found.out_above)):
        loss = np.zeros(n)
        for table in tables:
            seen = list(table[0].keys() | table[1].keys())
            chance = [np.array([world.get(one, 1e-300) for one in seen]) for world in table]
            drawn = rng.choice(len(seen), (weeks, n), p=chance[place] / chance[place].sum())
            loss += np.log(chance[0] / chance[1])[drawn].sum(axis=0)
        said = int((loss > math.log(4)).sum())
        interval = scipy.stats.binomtest(said, n).proportion_ci(1 - 1e-6)
        assert interval.low <= expected <= interval.high


def test_far_above_the_threshold_only_rounding_is_lost() -> None:
    """Rounding to whole trips adds 1/12 to the variance of the noise, as Sheppard's correction says."""
    release = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10)
    exposed = found_of(release, (5_000,) * 10, threshold=100, weeks=52).accuracy
    deviation = math.sqrt((release.sigma / 1024) ** 2 + 1 / 12)
    assert exposed == pytest.approx(scipy.stats.norm.cdf(math.sqrt(520) / (2 * deviation)), abs=2e-6)
    units = GaussianQuestion(release=release, trips=10, weeks=52)
    before = posterior_law_from_gaussian_question(units).certainty.accuracy
    assert 0 < before - exposed < 1e-4


def test_a_total_is_seen_whatever_the_threshold_hides() -> None:
    """Ten trips add 10·6 units to the total, 6 the nearest to 1024·√(0.03·10)/100: by the normal law."""
    release = GaussianParameters(
        epsilon=1.0, delta=1e-6, max_trips_per_user=10, total_share=TOTAL_SHARE, threshold=0
    )
    hidden = found_of(release, (0,) * 10, threshold=1_000, weeks=52).accuracy
    assert hidden == pytest.approx(scipy.stats.norm.cdf(math.sqrt(52) * 60 / (2 * release.sigma)), abs=1e-6)
    assert found_of(
        GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10), (0,) * 10, threshold=1_000
    ).accuracy == pytest.approx(0.5, abs=1e-12)


def test_a_lower_threshold_never_helps_the_person_and_a_week_more_neither() -> None:
    """Data processing: what is published from 90 on tells all that is published from 100 on; and a week more tells of the rest."""
    release = GaussianParameters(epsilon=3.0, delta=1e-6, max_trips_per_user=5)
    counts = (97, 99, 100, 104)
    by_threshold = [found_of(release, counts, threshold=t, weeks=8).accuracy for t in (0, 90, 97, 100, 110)]
    assert by_threshold == sorted(by_threshold, reverse=True)
    by_week = [found_of(release, counts, threshold=100, weeks=w).accuracy for w in (1, 2, 5, 9)]
    assert by_week == sorted(by_week)


def test_questions_with_counts_iv() -> None:
    with pytest.raises(
        ParameterError, match=r"^threshold and counts must be given together, got counts alone\.$"
    ):
        GaussianQuestion(release=NARROW, trips=1, counts=(1,))
    with pytest.raises(ParameterError, match=r"^counts must be as many as trips \(2\), got 1\.$"):
        GaussianQuestion(release=NARROW, trips=2, counts=(1,), threshold=3)
    kept = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=1, clip="keep")
    with pytest.raises(ParameterError, match=r"^counts must be at most max_trips_per_user \(1\)"):
        GaussianQuestion(release=kept, trips=2, counts=(1, 2), threshold=3)
    levels = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=1, levels=1)
    with pytest.raises(ParameterError, match=r"^counts must be left out with levels"):
        GaussianQuestion(release=levels, trips=1, counts=(1,), threshold=3)
    with pytest.raises(ParameterError, match=r"^weeks must be"):
        GaussianQuestion(release=NARROW, trips=1, weeks=0)
    with pytest.raises(ParameterError, match=r"^above must be"):
        GaussianQuestion(release=NARROW, trips=1, above=1.5)


def test_from_0_on_everything_is_published() -> None:
    """A release with threshold 0 publishes counts below 0 too: nothing is hidden, whatever the others add."""
    release = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=5)
    plain = posterior_law_from_gaussian_question(GaussianQuestion(release=release, trips=2)).certainty
    assert found_of(release, (0, 40), threshold=0).accuracy == plain.accuracy
    assert found_of(release, (0, 40), threshold=1).accuracy < plain.accuracy


def test_a_flow_that_is_rarely_published_tells_as_much_as_it_can_against_the_normal_law() -> None:
    """Six trips below the threshold it shows in three of a million releases with the person in, and in two of a hundred million without."""
    seen = outcomes_of_cells(1024.0, 1024, np.array([6]), np.array([1]))
    assert len(seen) == 1
    with_person, without = (np.exp(one[0]) for one in (seen[0].log_in, seen[0].log_out))
    tail = scipy.stats.norm.sf
    assert 1 - with_person == pytest.approx(tail(6 - 0.5 - 1), rel=5e-3)
    assert 1 - without == pytest.approx(tail(6 - 0.5), rel=1e-2)
