"""One promise and a week of true counts -> what each mechanism that keeps it leaves of the flows. Simulation.

Uses counting, planning and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.comparing.candidates import (
        ComparisonParameters,
    )
    from privlab.od.comparing.mechanism_comparison import (
        ComparedMechanism,
        comparison_from_unique_trips,
    )
    from privlab.od.comparing.year_of_releases import (
        use_of_weekly_noises,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ComparedMechanism",
    "ComparisonParameters",
    "comparison_from_unique_trips",
    "use_of_weekly_noises",
]
