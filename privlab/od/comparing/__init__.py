"""One promise and a week of true counts -> what each mechanism that keeps it leaves of the flows: drawn, and expected.

Uses counting, planning, releases and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.comparing.candidates import (
        ComparisonParameters,
    )
    from privlab.od.comparing.combinations import (
        Combination,
        CombinationRequest,
        best_combination,
        combinations_from_weighed_week,
        combinations_of_least_epsilon,
    )
    from privlab.od.comparing.mechanism_comparison import (
        ComparedMechanism,
        compared_mechanism_from_draws,
        comparison_from_unique_trips,
    )
    from privlab.od.comparing.planned_points import (
        NO_PUBLIC_ZONES,
        planned_points_from_unique_trips,
        reason_against_gaussian_plan,
    )
    from privlab.od.comparing.simulated_step import (
        SimulatedStep,
        StepRequest,
        simulated_step_from_unique_trips,
    )
    from privlab.od.comparing.steps import (
        AGREED,
        SMOOTHED,
        STEPS,
        TODAY,
        TOTAL,
        WEIGHTED,
    )
    from privlab.od.comparing.weighed_week import (
        WeighedWeek,
        weighed_week_from_unique_trips,
    )
    from privlab.od.comparing.year_of_releases import (
        use_of_weekly_noises,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "AGREED",
    "NO_PUBLIC_ZONES",
    "SMOOTHED",
    "STEPS",
    "TODAY",
    "TOTAL",
    "WEIGHTED",
    "Combination",
    "CombinationRequest",
    "ComparedMechanism",
    "ComparisonParameters",
    "SimulatedStep",
    "StepRequest",
    "WeighedWeek",
    "best_combination",
    "combinations_from_weighed_week",
    "combinations_of_least_epsilon",
    "compared_mechanism_from_draws",
    "comparison_from_unique_trips",
    "planned_points_from_unique_trips",
    "reason_against_gaussian_plan",
    "simulated_step_from_unique_trips",
    "use_of_weekly_noises",
    "weighed_week_from_unique_trips",
]
