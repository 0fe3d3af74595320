"""The pages' own parts, the only place besides pages/ and app.py that knows streamlit.

Rooms: serving (what goes to a browser besides pages), shell (what surrounds a page), sessions (who sees what), work (jobs), data,
planning, attack, guarantee, publish, groups, recovery, fingerprints, flowmap, tour, report.
Uses lab and everything below.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui import (
        cached,
        home_page,
        shared_controls,
    )
    from privlab.ui.samples import (
        current_plan,
        wait_for_sample,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "cached",
    "current_plan",
    "home_page",
    "shared_controls",
    "wait_for_sample",
]
