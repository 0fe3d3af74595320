"""The only way a release leaves: ledger, signed certificate, files, and their verification.

Uses od, dp and kept.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.releases.account_choice import (
        AccountShare,
        AccountWish,
        ChosenAccount,
        also_in_words,
        share_in_words,
    )
    from privlab.releases.accounts import (
        Account,
        LedgerEntry,
    )
    from privlab.releases.approvals import (
        Approval,
    )
    from privlab.releases.kept_releases import (
        clear_partial_copies,
        export_release,
        kept_release,
    )
    from privlab.releases.ledger import (
        Ledger,
    )
    from privlab.releases.ledger_backup import (
        LedgerBackup,
        back_up_ledger,
        restore_ledger,
    )
    from privlab.releases.ledger_export import (
        export_ledger,
    )
    from privlab.releases.ledger_keys import (
        public_key_from_text,
        public_key_from_text_or_file,
        public_key_path_of,
    )
    from privlab.releases.ledger_places import (
        LEDGER_VARIABLE,
        Place,
        ledger_place_from_environment,
        ledger_place_from_text,
    )
    from privlab.releases.release_folders import (
        CERTIFICATE,
        CSV,
        ESTIMATES,
        LEVELS,
        PARQUET,
        clear_left_overs,
    )
    from privlab.releases.released_counts import (
        ReleasedCounts,
        released_counts_from_folder,
    )
    from privlab.releases.released_flows import (
        ReleasedFlows,
        busiest_slot,
        released_flows_from_counts,
        slot_flows_from_counts,
    )
    from privlab.releases.secure_files import (
        archive_from_release_folder,
        content_from_release_folder,
        cost_from_plan,
        counts_as_published,
        what_from_plan,
        write_release,
    )
    from privlab.releases.shared_people import (
        NumberOfPeople,
        number_of_people,
        shared_people_from_digests,
    )
    from privlab.releases.table_files import (
        csv_from_simulated_release,
        csv_from_table,
        parquet_from_table,
    )
    from privlab.releases.verification import (
        ReleaseVerification,
        came_from,
        verification_from_certificate,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "CERTIFICATE",
    "CSV",
    "ESTIMATES",
    "LEDGER_VARIABLE",
    "LEVELS",
    "PARQUET",
    "Account",
    "AccountShare",
    "AccountWish",
    "Approval",
    "ChosenAccount",
    "Ledger",
    "LedgerBackup",
    "LedgerEntry",
    "NumberOfPeople",
    "Place",
    "ReleaseVerification",
    "ReleasedCounts",
    "ReleasedFlows",
    "also_in_words",
    "archive_from_release_folder",
    "back_up_ledger",
    "busiest_slot",
    "came_from",
    "clear_left_overs",
    "clear_partial_copies",
    "content_from_release_folder",
    "cost_from_plan",
    "counts_as_published",
    "csv_from_simulated_release",
    "csv_from_table",
    "export_ledger",
    "export_release",
    "kept_release",
    "ledger_place_from_environment",
    "ledger_place_from_text",
    "number_of_people",
    "parquet_from_table",
    "public_key_from_text",
    "public_key_from_text_or_file",
    "public_key_path_of",
    "released_counts_from_folder",
    "released_flows_from_counts",
    "restore_ledger",
    "share_in_words",
    "shared_people_from_digests",
    "slot_flows_from_counts",
    "verification_from_certificate",
    "what_from_plan",
    "write_release",
]
