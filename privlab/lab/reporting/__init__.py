"""A release or loaded data -> the plan of a report, and the report with its summary and files.

Uses loading, publishing, judging, ledgers, attacking and fingerprints, and the reports below.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.reporting.collect import (
        KnownStudies,
        Materials,
        collected_report_from_plan,
        digest_of_key,
        handout,
        prepared_trips_of_rows,
        reason_against_report,
        reference_from_prepared_trips,
    )
    from privlab.lab.reporting.other_releases import require_of_data, together_from_ledger
    from privlab.lab.reporting.put_together import (
        REPORTED_MECHANISMS,
        options_with_cells,
        options_with_noise,
        report_plan_from_data,
        report_plan_from_release,
        wish_options,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "REPORTED_MECHANISMS",
    "KnownStudies",
    "Materials",
    "collected_report_from_plan",
    "digest_of_key",
    "handout",
    "options_with_cells",
    "options_with_noise",
    "prepared_trips_of_rows",
    "reason_against_report",
    "reference_from_prepared_trips",
    "report_plan_from_data",
    "report_plan_from_release",
    "require_of_data",
    "together_from_ledger",
    "wish_options",
]
