"""Flows and visits as they are and as published -> charts, tables and sentences.

Uses drawing and od.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.figures.flows.analyses_table import (
        analyses_in_words,
        analyses_rows,
    )
    from privlab.figures.flows.flows import (
        LEAST_DRAWN,
        decay_figure,
        error_figure,
        scatter_figure,
    )
    from privlab.figures.flows.one_flow import (
        price_figure,
        price_in_words,
    )
    from privlab.figures.flows.rhythm import (
        days_figure,
        is_by_week,
        week_figure,
    )
    from privlab.figures.flows.visit_series import (
        compared_flows_in_words,
        hour_in_words,
        visit_hour_in_words,
        visit_series_figure,
        visit_series_in_words,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "LEAST_DRAWN",
    "analyses_in_words",
    "analyses_rows",
    "compared_flows_in_words",
    "days_figure",
    "decay_figure",
    "error_figure",
    "hour_in_words",
    "is_by_week",
    "price_figure",
    "price_in_words",
    "scatter_figure",
    "visit_hour_in_words",
    "visit_series_figure",
    "visit_series_in_words",
    "week_figure",
]
