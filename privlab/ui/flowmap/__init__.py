"""The map in the browser, and what stands around it: flows before and after, the flows of one zone, what leaves each.

Uses shell.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.flowmap import flow_map_view
else:
    __getattr__ = door(__name__)

__all__ = ["flow_map_view"]
