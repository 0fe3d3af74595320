"""One promise -> what each mechanism that keeps it leaves of the flows: drawn, expected, and over a year.

Uses combining, weighing, planning, releases and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.comparing.candidates import (
        ComparisonParameters,
    )
    from privlab.od.comparing.mechanism_comparison import (
        ComparedMechanism,
        compared_mechanism_from_draws,
        comparison_from_unique_trips,
    )
    from privlab.od.comparing.simulated_step import (
        CountedStep,
        SimulatedStep,
        StepRequest,
        counted_step_from_unique_trips,
        simulated_step_from_counted_step,
        simulated_step_from_unique_trips,
    )
    from privlab.od.comparing.year_of_releases import (
        use_of_weekly_noises,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ComparedMechanism",
    "ComparisonParameters",
    "CountedStep",
    "SimulatedStep",
    "StepRequest",
    "compared_mechanism_from_draws",
    "comparison_from_unique_trips",
    "counted_step_from_unique_trips",
    "simulated_step_from_counted_step",
    "simulated_step_from_unique_trips",
    "use_of_weekly_noises",
]
