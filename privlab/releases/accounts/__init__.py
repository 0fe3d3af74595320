"""Whose budget pays: an account, its entries and approvals, and which account data is charged to.

Uses dp, and the rows of the ledger.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.releases.accounts.account_choice import (
        AccountShare,
        AccountWish,
        ChosenAccount,
        also_in_words,
        share_in_words,
    )
    from privlab.releases.accounts.accounts import Account, BudgetChange, LedgerEntry
    from privlab.releases.accounts.approvals import Approval
    from privlab.releases.accounts.shared_people import (
        NumberOfPeople,
        number_of_people,
        shared_people_from_account,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "Account",
    "AccountShare",
    "AccountWish",
    "Approval",
    "BudgetChange",
    "ChosenAccount",
    "LedgerEntry",
    "NumberOfPeople",
    "also_in_words",
    "number_of_people",
    "share_in_words",
    "shared_people_from_account",
]
