"""The publish page: form, outlook, the job that makes a release, the ledger.

Uses shell, sessions, work, data, report, planning and groups.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.publish import (
        account_view,
        approval_view,
        budget_view,
        health_view,
        ledger_view,
        made_releases,
        outlook_view,
        publish_page,
        release_controls,
        release_file_form,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "account_view",
    "approval_view",
    "budget_view",
    "health_view",
    "ledger_view",
    "made_releases",
    "outlook_view",
    "publish_page",
    "release_controls",
    "release_file_form",
]
