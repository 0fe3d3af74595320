"""Flow A: records -> trips -> unique trips -> OD matrix -> release -> attack -> risk.

Here stands what all rooms speak of: matrices, and products, which are what a release counts. Rooms, in the order of the flow:
trips, settled, levels, smoothing, releases, usefulness, simulating, expecting, attack, risks, planning, weighing, combining,
comparing, auditing. Uses datasets and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.matrix import ODMatrix, UniqueTrips, person_flows_from_unique_trips, unique_trips_per_user
    from privlab.od.products import (
        FLOWS,
        FLOWS_BY_SLOT,
        HOURS_OF_WEEK,
        ONE_PERSON,
        PRODUCTS,
        SLOTS,
        VISITS,
        Product,
        RowsOfRelease,
        product_of,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "FLOWS",
    "FLOWS_BY_SLOT",
    "HOURS_OF_WEEK",
    "ONE_PERSON",
    "PRODUCTS",
    "SLOTS",
    "VISITS",
    "ODMatrix",
    "Product",
    "RowsOfRelease",
    "UniqueTrips",
    "person_flows_from_unique_trips",
    "product_of",
    "unique_trips_per_user",
]
