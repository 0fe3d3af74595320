"""The noise of each week of a year, and one week's true counts → what such a week's release would leave of the flows.

Figures of true data: the week stands for all that come.
"""

from collections.abc import Sequence

from privlab.defaults import CLOSE
from privlab.dp.composing import WeeklyNoise
from privlab.dp.gaussian import TOTAL_SHARE, UNITS, units_of_total
from privlab.od.comparing.candidates import Counts, Family, counts_of_group, law_of_family
from privlab.od.matrix import UniqueTrips
from privlab.od.weighing.expected_counts import expected_within, rarest_threshold

_TOTALS = 31  # noises of a total that are equally likely
_INTEGER = Family(name="integer", gaussian=False)
_GAUSSIAN = Family(name="gaussian, l2", gaussian=True, weighted=True)
_WITH_TOTAL = Family(name="gaussian, l2, unbiased", gaussian=True, weighted=True, unbiased=True)


def use_of_weekly_noises(
    trips: UniqueTrips,
    noises: Sequence[WeeklyNoise],
    *,
    week: str,
    group_size: int | None = None,
    max_made_up: float = 1.0,
) -> tuple[float, ...]:
    """Return the expected share of all trips in flows within 10% of the truth, for each noise.

    Published is from the least threshold on that keeps false flows to `max_made_up` of those published, as a plan has it; with 1 from
    1 on. The share is 0 where no threshold does. Integer noise has trips kept at random; Gaussian noise all trips weighted, without a
    published total or with one, whichever leaves more: a total takes 3% of the squared norm and so makes the noise 1.5% wider, and with little
    budget for a week its own noise scatters all counts. Raises DataError without trips.
    """
    counts = counts_of_group(trips, week=week, group_size=group_size)
    return tuple(_use(counts, one, max_made_up) for one in noises)


def _use(counts: Counts, one: WeeklyNoise, max_made_up: float) -> float:
    bound = one.max_trips_per_user
    if one.noise != "gaussian":
        return _use_of(counts, _INTEGER, bound, bound / one.epsilon, 0.0, max_made_up)
    alone = one.deviation * UNITS
    beside = alone * (1 + TOTAL_SHARE) ** 0.5
    on_total = beside / units_of_total(TOTAL_SHARE, bound)
    return max(
        _use_of(counts, _GAUSSIAN, bound, alone, 0.0, max_made_up),
        _use_of(counts, _WITH_TOTAL, bound, beside, on_total, max_made_up),
    )


def _use_of(
    counts: Counts, family: Family, bound: int, scale: float, total_deviation: float, max_made_up: float
) -> float:
    law = law_of_family(counts, family, bound, scale, total_deviation, threshold=1)
    rare = rarest_threshold(counts, law, max_made_up)
    if rare is None:
        return 0.0
    return expected_within(counts.true, rare, CLOSE, n_totals=_TOTALS if family.unbiased else 1)
