"""Which account of the ledger a release is charged to: the data's own, the one its people are in, or one that is named."""

import hashlib
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.checks import DataError, ParameterError
from privlab.datasets import PeopleDigests
from privlab.figures.wording import plain
from privlab.lab.publishing import ReleaseData, people_of_release_data
from privlab.od.trips import PreparedTrips
from privlab.releases.accounts import (
    Account,
    AccountWish,
    ChosenAccount,
    also_in_words,
    share_in_words,
)
from privlab.releases.ledger import Ledger
from privlab.ui.sessions import access
from privlab.ui.shell import parts
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited

_THIS = "this data"
_ALONE = "an account of its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Charged:
    """The account that the page shows and a release is charged to, with what is said of it in the ledger's terms.

    `whose` names it in sentences. `is_settled` says that a release may be charged to it as things stand.
    """

    account: Account
    wish: AccountWish
    whose: str
    is_settled: bool

    @property
    def is_alone(self) -> bool:
        """Whether the account is of this data alone, as far as is known."""
        return self.whose == _THIS


def account_control(
    plan: Plan, data: ReleaseData | None, book: Ledger, trouble: DeltaGenerator
) -> Charged | None:
    """Return the account of the data; where it is in none yet, ask for one. None where the ledger cannot be read, which is said in `trouble`.

    The account that most people of the data are in is proposed; their file is read for that once it is known how.
    """
    prepared = plan.prepared
    try:
        if not book.is_there:
            st.caption(
                plain(f"There is no ledger yet. The first release, budget or limit begins one: {book.name}")
            )
        chosen, account = _chosen(book, prepared)
        if chosen.is_known or data is None or not access.may_release():
            # Which account people are in says of invented rows, too, who is in others' data: to those who may release alone.
            return _known(account)
        return _asked(plan, data, book)
    except DataError as error:
        trouble.error(plain(f"{error} Without its ledger nothing is released."))
        trouble.button(
            "Look for the ledger again",
            key="ledger_again",
            icon=":material/refresh:",
            help="Reads it anew, for instance once its disk is there again.",
        )
        return None


def _known(account: Account) -> Charged:
    """Return the account that the data is in, or will be in alone; say what it is called and shared with."""
    shared = account.title is not None or account.n_datasets > 1
    if shared:
        several = f", of {account.n_datasets} datasets" if account.n_datasets > 1 else ""
        st.caption(
            plain(
                f"This data is in the account {called(account.name, account.title)}{several}: what they release adds up."
            )
        )
    whose = f"the account {called(account.name, account.title)}" if shared else _THIS
    return Charged(account=account, wish=AccountWish(), whose=whose, is_settled=True)


def _asked(plan: Plan, data: ReleaseData, book: Ledger) -> Charged:
    """Ask which account data belongs to that is in none yet."""
    prepared = plan.prepared
    people, is_looked_for = _people(prepared, data, book)
    proposed, own = _chosen(book, prepared, people)
    if not is_looked_for:  # what is proposed is not known yet
        return Charged(account=own, wish=AccountWish(), whose=_THIS, is_settled=False)
    there = book.accounts() if book.is_there else []
    others = {_label(one): one.name for one in there if one.title or proposed.unsure}
    first = _ALONE
    if proposed.is_proposed:
        first = _label(own)
        others[first] = own.name
    mark = hashlib.sha256(prepared.key.encode()).hexdigest()[:12]
    key = f"publish_account_{mark}"
    said = st.selectbox(
        "Account in the ledger",
        list(dict.fromkeys([first, _ALONE, *others])),
        key=f"publish_account_{mark}",
        persist_state="session",
        accept_new_options=True,
        help="What releases cost adds up within an account, over all its datasets, and its budget holds for them together. Data of the "
        "same people belongs into one account: choose it, or write a name for a new one, such as transit cards 2026.",
    )
    opens = said not in others
    wish = AccountWish(
        title=None if said in (None, _ALONE) else others.get(said or "", said),
        is_new=opens and proposed.is_proposed,  # to be confirmed below
    )
    try:
        chosen, account = _chosen(book, prepared, people, wish)
    except ParameterError as error:
        st.warning(plain(str(error)))
        parts.setting_button("Take an account of its own", key="take_own_account", **{key: _ALONE})
        return Charged(account=own, wish=AccountWish(), whose=_THIS, is_settled=False)
    is_refused = chosen.refusal is not None
    if proposed.is_proposed and (opens or is_refused):
        _same_people(proposed, first, key)
        is_refused = not opens or not st.checkbox(
            "They are other people: open a new account",
            key=f"other_people_{mark}",
            persist_state="session",
            help="For instance where two houses number their cards alike. A second account for the same people hides what they "
            "are promised in all.",
        )
    if is_refused:  # till it is settled, what the people have spent is what is shown
        chosen, account = proposed, own
    for one in chosen.shares:
        if one.account == account.name:
            st.caption(
                plain(
                    f"{share_in_words(one.people).capitalize()} in the account {called(one.account, one.title)} already."
                )
            )
        elif not proposed.is_proposed:
            st.caption(plain(also_in_words(one, called(one.account, one.title))))
    if chosen.unsure:
        st.caption(plain(f"{chosen.unsure} choose it above."))
    joins = bool(account.entries or account.title)
    return Charged(
        account=account,
        wish=wish,
        whose=f"the account {called(account.name, account.title)}" if joins else _THIS,
        is_settled=not is_refused,
    )


def _same_people(proposed: ChosenAccount, first: str, key: str) -> None:
    """Warn that most of these people are in another account, and offer it."""
    share = proposed.shares[0]
    st.warning(
        plain(
            f"{share_in_words(share.people).capitalize()} in the account {called(share.account, share.title)} already, and have "
            f"spent ε = {share.epsilon:g} there. A second account for the same people hides what they are promised in all."
        )
    )
    parts.setting_button(f"Charge it to {first}", key="take_account", **{key: first})


def _people(prepared: PreparedTrips, data: ReleaseData, book: Ledger) -> tuple[PeopleDigests | None, bool]:
    """Return the people of the data where the ledger knows others to hold them against, and whether that is done."""
    if not book.knows_people():
        return None, True
    work = apart(people_of_release_data, data, book.keys().people_key())
    people = awaited("people of the data", (prepared.key, data.form, book.name), work)
    return people, people is not None


def _chosen(
    book: Ledger,
    prepared: PreparedTrips,
    people: PeopleDigests | None = None,
    wish: AccountWish | None = None,
) -> tuple[ChosenAccount, Account]:
    return book.chosen_account(
        prepared.source_digest,
        earlier_digest=prepared.earlier_digest,
        people=people,
        wish=wish or AccountWish(),
    )


def _label(account: Account) -> str:
    return account.title or f"the account {called(account.name, None)}, without a name"


def called(name: str, title: str | None) -> str:
    """Return how the page names an account: by the digits that its list shows where it has no title. Commands take the whole name.

    >>> called("0123456789abcdef0123456789abcdef", None), called("0123456789abcdef0123456789abcdef", "cards")
    ('01234567', '“cards”')
    """
    return name[:8] if title is None else f"“{title}”"
