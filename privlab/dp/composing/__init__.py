"""Promises put together: over parts of a week, over many releases, over a year ahead.

Uses noise, attack, gaussian, certainty and promise.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.composing.concentrated import (
        Concentrated,
        concentrated_from_parameters,
        concentrated_from_promise,
        epsilon_from_concentrated,
    )
    from privlab.dp.composing.spending import (
        KnownPromise,
        Spending,
        WeekPromise,
        part_of_promise,
        spending_from_promises,
    )
    from privlab.dp.composing.year_ahead import WeeklyNoise, weekly_noises
else:
    __getattr__ = door(__name__)

__all__ = [
    "Concentrated",
    "KnownPromise",
    "Spending",
    "WeekPromise",
    "WeeklyNoise",
    "concentrated_from_parameters",
    "concentrated_from_promise",
    "epsilon_from_concentrated",
    "part_of_promise",
    "spending_from_promises",
    "weekly_noises",
]
