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
_GAUSSIAN = Family(name="gaussian, l2, unbiased", gaussian=True, weighted=True, unbiased=True)


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
    1 on. The share is 0 where no threshold does. Integer noise has trips kept at random; Gaussian noise all trips weighted, with a
    published total that takes 3% of the squared norm and so makes the noise 1.5% wider. Raises DataError without trips.
    """
    counts = counts_of_group(trips, week=week, group_size=group_size)
    return tuple(_use(counts, one, max_made_up) for one in noises)


def _use(counts: Counts, one: WeeklyNoise, max_made_up: float) -> float:
    gaussian, bound = one.noise == "gaussian", one.max_trips_per_user
    family, scale, total_deviation = _INTEGER, bound / one.epsilon, 0.0
    if gaussian:
        family, scale = _GAUSSIAN, one.deviation * UNITS * (1 + TOTAL_SHARE) ** 0.5
        total_deviation = scale / units_of_total(TOTAL_SHARE, bound)
    law = law_of_family(counts, family, bound, scale, total_deviation, threshold=1)
    rare = rarest_threshold(counts, law, max_made_up)
    return 0.0 if rare is None else expected_within(counts.true, rare, CLOSE, n_totals=_TOTALS)
