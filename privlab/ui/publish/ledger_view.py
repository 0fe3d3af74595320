"""What releases of the loaded data have cost and may cost, and the check of a release made elsewhere."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.dp.promise import delta_words
from privlab.figures.planning import account_figure
from privlab.figures.wording import plain, words
from privlab.lab.ledgers import WHAT_UNITS_MEAN, ReleasedWeeks, released_from_entry, spending_from_account
from privlab.od import VISITS
from privlab.od.releases import ReleasePlan
from privlab.releases.accounts import Account, BudgetChange
from privlab.releases.folders import CERTIFICATE, CSV, ESTIMATES, LEVELS, PARQUET, kept_release
from privlab.releases.ledger import Ledger, ledger_place_from_environment, public_key_from_text
from privlab.releases.reading import ReleaseVerification, verification_from_certificate
from privlab.releases.writing import archive_from_release_folder, cost_from_plan
from privlab.ui.data.own_file import session_folder
from privlab.ui.publish import budget_view
from privlab.ui.publish.release_controls import PRODUCT_WORDS
from privlab.ui.report.report_buttons import report_on_release_button
from privlab.ui.sessions.downloads import download
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette

_HANDED_OVER = {
    "confirmed": "confirmed",
    "unconfirmed": "not confirmed; the cost counts",
    "failed": "failed; the cost counts",
}


def ledger() -> Ledger:
    """Return the ledger of this machine."""
    return Ledger(ledger_place_from_environment())


def finding(account: Account, release: ReleasePlan | None, whose: str = "this data") -> str:
    """Return what the people in the data, or in its account, have been promised so far, in one sentence."""
    if not account.entries:
        return f"As far as this ledger knows, nothing of {plain(whose)} is published yet."
    n = len(account.entries)
    if account.adding == "concentrated":
        return _finding_by_rho(account, release, f"{n} release{'s' if n > 1 else ''} of {plain(whose)}")
    sentence = (
        f"{n} release{'s' if n > 1 else ''} of {plain(whose)}: its people have spent ε = {account.epsilon:g}"
        f"{f' of {account.budget_epsilon:g}' if account.budget_epsilon is not None else ''}."
    )
    return (
        f"{sentence}{_one_more(account, release, f'{account.epsilon + release.epsilon:g}')}"
        if release
        else sentence
    )


def _one_more(account: Account, release: ReleasePlan, makes: str) -> str:
    """Say what one more release as planned makes it, and where the budget has no room for it."""
    beyond = account.reason_against(cost_from_plan(release)) is not None
    return (
        f" One more would make it {makes}, for which the budget has no room."
        if beyond
        else f" One more makes it {makes}."
    )


def _finding_by_rho(account: Account, release: ReleasePlan | None, of: str) -> str:
    """Say what is spent of a budget where ρ adds up, in the ε that the budget is held against, not in the sum beside it."""
    more = math.inf if release is None else account.epsilon_with(cost_from_plan(release))
    one_more = _one_more(account, release, f"{more:.4g}") if release and math.isfinite(more) else ""
    return (
        f"{of}: as its budget counts, its people have spent ε = {account.spent_of_budget:.4g} of {account.budget_epsilon:g} at "
        f"δ = {delta_words(account.budget_delta or 0.0)}.{one_more}"
    )


def spent(account: Account, release: ReleasePlan | None, book: Ledger) -> None:
    """Show what is spent and left, as numbers, a bar and a table."""
    _numbers(account)
    budget_view.exhausted(account)
    _rule(account)
    if account.adding == "sum" and (account.entries or release or account.budget_epsilon is not None):
        parts.chart(
            account_figure(account, palette(), next_epsilon=None if release is None else release.epsilon),
            key="ledger_bar",
            alt=f"{finding(account, release)} Blue: released; green, hatched: the next one; dashed line: the budget.",
            about="name",
        )
    if account.entries:
        _releases(account, book)
    if len(account.budget_changes) > 1:
        st.caption(f"Budgets that were set: {'; '.join(map(_budget_in_words, account.budget_changes))}.")


def _budget_in_words(one: BudgetChange) -> str:
    """Return a budget as it was set, when, and by whom if that is known, in Markdown.

    >>> _budget_in_words(BudgetChange(made="2026-11-28T19:52:06+00:00", epsilon=5.0, delta=1e-4, who="anna"))
    'ε = 5, δ = 10⁻⁴ (2026-11-28 19:52 UTC, `anna`)'
    >>> _budget_in_words(BudgetChange(made=None, epsilon=5.0, delta=1e-6, adding="concentrated"))
    'ε = 5 at δ = 10⁻⁶, ρ added to ρ (earlier)'
    """
    delta = delta_words(one.delta)
    how = f" at δ = {delta}, ρ added to ρ" if one.adding == "concentrated" else f", δ = {delta}"
    made = "earlier" if one.made is None else plain(f"{one.made[:16].replace('T', ' ')} UTC")
    return f"ε = {one.epsilon:g}{how} ({made}{f', {words.as_code(one.who)}' if one.who else ''})"


def _numbers(account: Account) -> None:
    """Show what is spent and left as numbers."""
    left, budget = account.left_epsilon, account.budget_epsilon
    with st.container(horizontal=True):
        st.metric(
            "releases of this data",
            f"{len(account.entries):,}",
            help="Releases made of this data so far, each of which has cost its people something.",
        )
        if account.adding == "concentrated":
            st.metric(
                "ε spent of the budget",
                f"{account.spent_of_budget:.4g}",
                help="ρ added to ρ over all releases and weeks, turned into ε at the δ of the budget; or ε added to ε, where that is "
                "less and no release has a δ. The budget is held against this.",
            )
        st.metric(
            "ε spent" if account.adding == "sum" else "ε added up",
            f"{account.epsilon:.4g}",
            help="Basic composition over all releases and weeks.",
        )
        st.metric(
            "budget",
            "none set" if budget is None else f"{budget:g}",
            help="What all releases of this data together may cost a user. Who may release sets it below.",
        )
        if account.adding == "sum":
            st.metric(
                "ε left",
                "no limit" if left is None else f"{left:.4g}",
                help="The budget less what was spent. A release that costs more is refused.",
            )
            if account.left_delta is not None:
                st.metric(
                    "δ left",
                    budget_view.left_delta_words(account),
                    help="The same for δ. Gaussian noise needs some in each week; integer noise on all possible flows needs none.",
                )
        if account.delta:
            st.metric(
                "δ spent",
                delta_words(account.delta),
                help="The chance, added up over all releases, that a promise does not hold.",
            )


def _releases(account: Account, book: Ledger) -> None:
    """Show what all releases cost together, each of them, and the files that are kept."""
    somebody_named = any(entry.who for entry in account.entries)
    kept = {entry.number: kept_release(book, entry) for entry in account.entries}
    released = {entry.number: released_from_entry(entry, kept[entry.number]) for entry in account.entries}
    _together(
        account,
        of_visits=any(one is not None and one.product == VISITS.name for one in released.values()),
    )
    parts.table(
        [
            {
                "release": entry.number,
                **_released_in_words(released[entry.number]),
                "made (UTC)": entry.made[:16].replace("T", " "),
                "ε": f"{entry.epsilon:g}",
                "δ": delta_words(entry.delta),
                "handed over": _HANDED_OVER[entry.state],
                **({"who": entry.who or "not known"} if somebody_named else {}),
            }
            for entry in account.entries
        ],
        key="ledger_entries",
    )
    _kept_files(account, kept)


def _rule(account: Account) -> None:
    """Say how a budget is kept that adds up in ρ."""
    if account.adding == "concentrated":
        st.caption(
            f"The budget of ε = {account.budget_epsilon:g} holds at δ = {delta_words(account.budget_delta or 0.0)}: what "
            "releases cost is added up as ρ (zero-concentrated differential privacy) and turned into ε. As long as no release has "
            "a δ, their ε added up counts where it is less."
        )


_UNITS = {
    "user": "a user, all weeks",
    "user-week": "a user's week",
    "user-day": "a user's day",
    "trip": "one trip of several",
}


def _together(account: Account, *, of_visits: bool) -> None:
    """Show what all releases cost a user, a week, a day and a trip, as tightly as is known, beside the plain sum."""
    units = _UNITS | ({"trip": "one trip of several: a visit at each end"} if of_visits else {})
    found = spending_from_account(account)
    rows = [
        {
            "what is protected": units[unit],
            "ε, all together": f"{one.epsilon:.4g}",
            "at δ": delta_words(one.delta),
            "ρ": "none" if one.rho is None else f"{one.rho:.3g}",
            "ε added up": f"{one.added_epsilon:.4g}",
            "δ added up": delta_words(one.added_delta),
        }
        for unit, one in found.by_unit().items()
    ]
    parts.table(rows, key="ledger_together")
    st.caption(
        "All together: the closest figure known, where all releases were decided on before the first was made. "
        "ε added up is never too small, but often larger than it need be. The budget is held against that sum, or against ρ "
        "(zero-concentrated differential privacy), as it was set: both hold also where a release is chosen after others were seen. "
        f"{WHAT_UNITS_MEAN}"
    )


def _released_in_words(released: ReleasedWeeks | None) -> dict[str, str]:
    """Return what an entry is of and of which weeks, as cells of the table."""
    return {
        "what": "not known" if released is None else PRODUCT_WORDS[released.product],
        "weeks of": "not known" if released is None else ", ".join(released.weeks),
    }


def _kept_files(account: Account, folders: dict[int, Path | None]) -> None:
    """Offer the files of each release in the table that are kept beside the ledger, paid for as they are."""
    kept = [(entry, folder) for entry in account.entries if (folder := folders[entry.number]) is not None]
    if not kept:
        return
    with st.container(horizontal=True, key="kept_releases"):
        for entry, folder in kept:
            download(
                f"Release {entry.number} (ZIP)",
                data=partial(archive_from_release_folder, folder),
                file_name=f"release_{entry.number}.zip",
                mime="application/zip",
                key=f"kept_{entry.number}",
                meaning="The same files again, at no cost: nothing is drawn anew.",
            )
            report_on_release_button(
                folder, key=f"report_on_kept_{entry.number}", label=f"Report on release {entry.number}"
            )
    st.caption("Files of releases stay beside the ledger: downloading them again costs nothing.")


def check_control(book: Ledger) -> None:
    """Let a release made anywhere be checked against its certificate."""
    with st.expander("Check a release against its certificate"):
        files = st.file_uploader(
            f"{CERTIFICATE}, {CSV} and {PARQUET}; {ESTIMATES} and {LEVELS} if you have them",
            accept_multiple_files=True,
            type=["json", "csv", "parquet", "txt"],
            key="check_files",
            help="All files of one release. They are compared here and not kept.",
        )
        ours = st.checkbox(
            "It was made with the ledger of this lab",
            key="check_own_ledger",
            persist_state="session",
            help="Then its entry there is compared, too.",
        )
        public_key = st.text_input(
            "Public key of whoever made it",
            key="check_public_key",
            persist_state="session",
            help="64 digits, as `privlab ledger public-key` prints them. Without it nobody can say who made it.",
            disabled=ours,
        )
        if not files:
            return
        if alike := _called_alike([file.name for file in files]):  # none may stand for another
            st.error(plain(alike))
            return
        missing = [one for one in (CERTIFICATE, CSV, PARQUET) if one not in {file.name for file in files}]
        if missing:
            st.info(f"Still missing: {', '.join(missing)}.")
            return
        try:
            folder = session_folder().subfolder("check")
            for file in files:
                folder.saved(file.name, file.getvalue())
            found = verification_from_certificate(
                folder.path / CERTIFICATE,
                public_key=public_key_from_text(public_key) if public_key.strip() and not ours else None,
                ledger=book if ours else None,
            )
            _show_verification(found)
            if aside := _left_aside(found.not_looked_at([file.name for file in files])):
                st.info(plain(aside))
        except (DataError, ParameterError) as error:
            st.error(plain(str(error)))


def _left_aside(aside: Sequence[str]) -> str:
    """Return which files no check has looked at, in sentences; "" where there is none.

    >>> _left_aside(["README.txt"])
    'Not looked at: README.txt. No check covers it, so that anyone may have changed it.'
    """
    if not aside:
        return ""
    what = "it" if len(aside) == 1 else "them"
    return (
        f"Not looked at: {', '.join(aside)}. No check covers {what}, so that anyone may have changed {what}."
    )


def _called_alike(names: list[str]) -> str:
    """Return which names several files have, in sentences; "" where each has its own.

    >>> _called_alike(["release.csv", "certificate.json", "release.csv"])
    'Two files are called release.csv: take one out.'
    """
    return " ".join(
        f"Two files are called {name}: take one out."
        if n == 2
        else f"{n:,} files are called {name}: leave only one of them."
        for name, n in Counter(names).items()
        if n > 1
    )


def _show_verification(found: ReleaseVerification) -> None:
    if found.holds and not found.says_who:
        st.warning(
            f"The files are what the certificate beside them says. {found.origin} Given above, the key says whether it is that maker's.",
            icon=":material/person_search:",
        )
    elif found.holds:
        st.success(f"The release is what its certificate says. {found.origin}")
    else:
        st.error(f"The release is not what its certificate says. {found.origin}")
    if found.differs:
        st.warning(plain(f"Differs from what is certified: {'; '.join(found.differs)}."))
    parts.table(
        [{"check": check.what, "holds": "yes" if check.holds else "NO"} for check in found.checks],
        key="checks",
    )
