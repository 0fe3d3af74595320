"""All noisy counts of a week -> their sums by origin, destination and distance, the model that has these sums, and smoothed counts.

Uses products and distances.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.smoothing.margins import Margins, ZonePositions, margins_of_cells
    from privlab.od.smoothing.week_model import SPREADS, ModelSums
else:
    __getattr__ = door(__name__)

__all__ = [
    "SPREADS",
    "Margins",
    "ModelSums",
    "ZonePositions",
    "margins_of_cells",
]
