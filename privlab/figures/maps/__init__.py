"""Zones and flows -> maps on the screen and on paper, and the rows beside them.

Uses drawing, od and datasets.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.figures.maps.flow_map import (
        VIEWS,
        VIEWS_IN_WORDS,
        MapLook,
        View,
        flow_map_from_comparison,
        person_map_from_flows,
    )
    from privlab.figures.maps.printed_maps import (
        flow_maps_figure,
        visit_maps_figure,
    )
    from privlab.figures.maps.zone_flows import (
        ZoneFlow,
        flows_of_zone,
    )
    from privlab.figures.maps.zone_maps import (
        exposed_map_from_flows,
        flow_label,
        places_map,
        zone_map_from_values,
    )
    from privlab.figures.maps.zone_preview import zones_in_words
else:
    __getattr__ = door(__name__)

__all__ = [
    "VIEWS",
    "VIEWS_IN_WORDS",
    "MapLook",
    "View",
    "ZoneFlow",
    "exposed_map_from_flows",
    "flow_label",
    "flow_map_from_comparison",
    "flow_maps_figure",
    "flows_of_zone",
    "person_map_from_flows",
    "places_map",
    "visit_maps_figure",
    "zone_map_from_values",
    "zones_in_words",
]
