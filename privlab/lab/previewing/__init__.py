"""The plan of a release -> what it and others that keep the same promise would hold, before any is made.

Uses loading, publishing and judging, od and figures.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.previewing.analyses_of_release import (
        AnalysedWeek,
        analyses_from_released_counts,
        simulated_analyses_from_trips,
    )
    from privlab.lab.previewing.compare import (
        combinations_from_week,
        comparison_from_rows,
        reason_against_combinations,
        weighed_week_from_trips,
    )
    from privlab.lab.previewing.noise_offer import (
        BOTH,
        BOUND,
        GAUSSIAN,
        LEVELS,
        TOTAL,
        better_releases,
    )
    from privlab.lab.previewing.preview import (
        offer_in_words,
        preview_from_release_data,
    )
    from privlab.lab.previewing.simulate import (
        compared_step_from_rows,
        simulated_step_from_trips,
        steps_of_trips,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "BOTH",
    "BOUND",
    "GAUSSIAN",
    "LEVELS",
    "TOTAL",
    "AnalysedWeek",
    "analyses_from_released_counts",
    "better_releases",
    "combinations_from_week",
    "compared_step_from_rows",
    "comparison_from_rows",
    "offer_in_words",
    "preview_from_release_data",
    "reason_against_combinations",
    "simulated_analyses_from_trips",
    "simulated_step_from_trips",
    "steps_of_trips",
    "weighed_week_from_trips",
]
