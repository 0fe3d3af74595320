"""The files of a release -> whether they hold, and what anyone can read in them.

Uses writing, ledger, folders, od and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.releases.reading.certificate_reading import certificate_from_file, totals_from_certificate
    from privlab.releases.reading.released_counts import (
        ReleasedCounts,
        released_counts_from_folder,
    )
    from privlab.releases.reading.released_flows import (
        ReleasedFlows,
        busiest_slot,
        flow_comparison_from_released_cells,
        released_flows_from_counts,
        require_flows_of_weeks,
        slot_flows_from_counts,
    )
    from privlab.releases.reading.verification import (
        ReleaseVerification,
        came_from,
        is_of_data,
        verification_from_certificate,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ReleaseVerification",
    "ReleasedCounts",
    "ReleasedFlows",
    "busiest_slot",
    "came_from",
    "certificate_from_file",
    "flow_comparison_from_released_cells",
    "is_of_data",
    "released_counts_from_folder",
    "released_flows_from_counts",
    "require_flows_of_weeks",
    "slot_flows_from_counts",
    "totals_from_certificate",
    "verification_from_certificate",
]
