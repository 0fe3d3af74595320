"""The page Attack: what an attacker learns from noisy counts, of anyone or of one's own week.

Uses lab, figures and, of ui, shell, sessions, work, report and guarantee.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.attack import (
        attack_page,
        certainty_view,
        gaussian_attack_view,
        own_week_view,
        people_view,
        practice_view,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "attack_page",
    "certainty_view",
    "gaussian_attack_view",
    "own_week_view",
    "people_view",
    "practice_view",
]
