"""One promise -> what each mechanism that keeps it leaves of the data: drawn, expected, and found by analyses.

Uses previewing, loading, od and figures.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.comparing.analyses_of_release import (
        AnalysedWeek,
        analyses_from_released_counts,
        simulated_analyses_from_trips,
    )
    from privlab.lab.comparing.compare import (
        combinations_from_week,
        comparison_from_rows,
        reason_against_combinations,
        weighed_week_from_trips,
    )
    from privlab.lab.comparing.simulate import (
        compared_step_from_rows,
        counted_step_from_trips,
        simulated_step_from_trips,
        steps_of_trips,
    )
    from privlab.lab.comparing.simulate_product import simulated_product_from_rows
else:
    __getattr__ = door(__name__)

__all__ = [
    "AnalysedWeek",
    "analyses_from_released_counts",
    "combinations_from_week",
    "compared_step_from_rows",
    "comparison_from_rows",
    "counted_step_from_trips",
    "reason_against_combinations",
    "simulated_analyses_from_trips",
    "simulated_product_from_rows",
    "simulated_step_from_trips",
    "steps_of_trips",
    "weighed_week_from_trips",
]
