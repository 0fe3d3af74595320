"""Releases that could be made, and what they cost -> figures, tables and sentences.

Uses drawing, od, dp and releases.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.figures.planning.ledger import (
        account_figure,
        year_in_words,
        year_rows,
    )
    from privlab.figures.planning.mechanisms import (
        mechanism_name,
        mechanisms_figure,
        mechanisms_in_words,
        mechanisms_rows,
        no_mechanism_in_words,
        step_finding,
        step_name,
    )
    from privlab.figures.planning.plan import (
        clipping_figure,
        plan_figure,
    )
    from privlab.figures.planning.practice import (
        ONLY_WHAT_IS_STATED,
        WIDTHS,
        delta_sentence,
        practice_figure,
        practice_rows,
        practice_sentence,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ONLY_WHAT_IS_STATED",
    "WIDTHS",
    "account_figure",
    "clipping_figure",
    "delta_sentence",
    "mechanism_name",
    "mechanisms_figure",
    "mechanisms_in_words",
    "mechanisms_rows",
    "no_mechanism_in_words",
    "plan_figure",
    "practice_figure",
    "practice_rows",
    "practice_sentence",
    "step_finding",
    "step_name",
    "year_in_words",
    "year_rows",
]
