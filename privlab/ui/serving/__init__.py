"""What goes between the server and a browser besides pages: their HTML, Streamlit's scripts made smaller, packets sent at once,
what is said to a browser that opens the lab under another name, and the server's memory.

Uses reports for the script that draws charts, and the list of pages.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.serving.few_arenas import use_few_arenas
    from privlab.ui.serving.own_names import OwnNames
    from privlab.ui.serving.page_html import SCRIPT_DIGESTS, OwnPage
    from privlab.ui.serving.quicker_scripts import QuickerScripts
    from privlab.ui.serving.sent_at_once import send_at_once
else:
    __getattr__ = door(__name__)

__all__ = [
    "SCRIPT_DIGESTS",
    "OwnNames",
    "OwnPage",
    "QuickerScripts",
    "send_at_once",
    "use_few_arenas",
]
