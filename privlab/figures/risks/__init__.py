"""Attacks, risks of single people and audits -> figures and sentences.

Uses drawing and wording, od and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.figures.risks import (
        pipeline_words,
    )
    from privlab.figures.risks.attack import (
        attack_figure,
        attack_settings,
        trips_histogram,
    )
    from privlab.figures.risks.certainty import (
        certainty_after_weeks,
        certainty_words,
        claim_readings,
        posterior_figure,
    )
    from privlab.figures.risks.pipeline import (
        pipeline_figure,
    )
    from privlab.figures.risks.risk import (
        risk_curve_figure,
        risk_histogram,
    )
    from privlab.figures.risks.risk_words import (
        guessed_right_in,
        median_risk,
        moves_finding,
        risks_finding,
        spread_of_risks,
        sums_tell,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "attack_figure",
    "attack_settings",
    "certainty_after_weeks",
    "certainty_words",
    "claim_readings",
    "guessed_right_in",
    "median_risk",
    "moves_finding",
    "pipeline_figure",
    "pipeline_words",
    "posterior_figure",
    "risk_curve_figure",
    "risk_histogram",
    "risks_finding",
    "spread_of_risks",
    "sums_tell",
    "trips_histogram",
]
