"""A week of true counts, weighed per user -> what each step of the noise is expected to leave of the flows.

Uses planning, releases, expecting and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.weighing.mechanism_steps import (
        AGREED,
        FOUND_STEPS,
        GAUSSIAN,
        SMOOTHED,
        STEPS,
        TODAY,
        TOTAL,
        WEIGHTED,
    )
    from privlab.od.weighing.weighed_week import (
        WeighedWeek,
        weighed_week_from_unique_trips,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "AGREED",
    "FOUND_STEPS",
    "GAUSSIAN",
    "SMOOTHED",
    "STEPS",
    "TODAY",
    "TOTAL",
    "WEIGHTED",
    "WeighedWeek",
    "weighed_week_from_unique_trips",
]
