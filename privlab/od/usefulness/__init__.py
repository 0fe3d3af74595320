"""What published counts are good for: beside the true ones, in analyses, and what may be read out of them.

Uses releases and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.usefulness.analyses_of_counts import Analysis, analyses_from_flow_comparison
    from privlab.od.usefulness.estimates import (
        clip_ratio,
        deviations_with_total,
        estimates_from_published_counts,
        given_back_half_width,
        total_half_width,
    )
    from privlab.od.usefulness.published_use import (
        PublishedUse,
        flow_comparison_from_published_counts,
        published_use_from_flow_comparison,
        require_known_zones,
    )
    from privlab.od.usefulness.utility import DistanceDecay, FlowComparison, Utility
else:
    __getattr__ = door(__name__)

__all__ = [
    "Analysis",
    "DistanceDecay",
    "FlowComparison",
    "PublishedUse",
    "Utility",
    "analyses_from_flow_comparison",
    "clip_ratio",
    "deviations_with_total",
    "estimates_from_published_counts",
    "flow_comparison_from_published_counts",
    "given_back_half_width",
    "published_use_from_flow_comparison",
    "require_known_zones",
    "total_half_width",
]
