"""The pages' own parts, the only place besides pages/ and app.py that knows streamlit.

Rooms: shell (what surrounds a page), sessions (who sees what), work (jobs), data, planning, attack, guarantee, publish, groups,
recovery, fingerprints, flowmap, tour, report.
Uses lab and everything below.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui import (
        cached,
        chart_script,
        home_page,
        page_html,
        shared_controls,
    )
    from privlab.ui.state import (
        current_plan,
        wait_for_sample,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "cached",
    "chart_script",
    "current_plan",
    "home_page",
    "page_html",
    "shared_controls",
    "wait_for_sample",
]
