"""A second person's approval on the page: asked for by one who may release, given by another who has data of the same account."""

import json
import math

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.dp.promise import delta_words
from privlab.figures.wording import options_in_words, plain, words
from privlab.lab.judging import Accepted, verdict_from_promise
from privlab.limits import MIN_EPSILON
from privlab.od import FLOWS, PRODUCTS
from privlab.od.releases import ReleasePlan
from privlab.releases.accounts import Account, Approval
from privlab.releases.ledger import Ledger
from privlab.releases.writing import what_from_plan
from privlab.ui.publish.account_view import called
from privlab.ui.publish.release_controls import PRODUCT_WORDS
from privlab.ui.sessions import access
from privlab.ui.shell import parts


def approved(release: ReleasePlan, account: Account, book: Ledger, digest: str, *, can_ask: bool) -> bool:
    """Return whether a release needs no second person, or has one; else say so, with a button that asks.

    Before it is said how the file is written (`can_ask` is false) nobody is asked: zones, and what is approved, hang on it.
    """
    what = what_from_plan(release)
    if account.reason_without_approval(release.epsilon, release.delta, what) is None:
        return True
    asked = next((one for one in account.approvals if one.is_for(release.epsilon, release.delta, what)), None)
    above = f"It costs ε = {release.epsilon:g}, more than the {account.limit_epsilon:g} that one person may release alone."
    if asked is not None:
        st.info(
            f"{above} {words.as_code(asked.asked_by)} has asked for it, and a second person has still to approve it."
        )
        return False
    who = access.visitor()
    if who is None:
        st.warning(
            f"{above} A second person must approve it, and without a login nobody is known. Take a smaller ε, or open a lab with a login."
        )
        _within_limit(release, account.limit_epsilon or 0.0)
    else:
        st.warning(
            f"{above} A second person must approve it: one who loads data of the same account and opens this page."
        )
    if (
        st.button(
            "Ask for approval",
            key="ask_approval",
            icon=":material/approval:",
            disabled=who is None or not can_ask,
            help="Writes what is asked for into the ledger. Nothing is released or charged by it."
            if can_ask
            else "Say first how the file is written: what a second person approves depends on it.",
        )
        and who is not None
    ):
        try:
            book.ask_approval(
                digest,
                epsilon=release.epsilon,
                delta=release.delta,
                what=what,
                who=who,
                account=account.name or None,
            )
        except (DataError, ParameterError) as error:
            st.error(plain(str(error)))
        else:
            st.rerun()
    return False


def _within_limit(release: ReleasePlan, limit: float) -> None:
    """Offer the largest ε, of two digits, that one person may release alone, all weeks together."""
    most = release.parameters.epsilon * limit / release.epsilon
    if most < MIN_EPSILON:
        return
    unit = 10 ** (math.floor(math.log10(most)) - 1)
    fitting = f"{math.floor(most / unit + 1e-9) * unit:.2g}"
    parts.setting_button(f"Use ε = {fitting}", key="fit_limit", epsilon=fitting)


def waiting(account: Account, book: Ledger) -> None:
    """Show what was asked for of an account, with what it promises and a button for who may approve it, and what is approved."""
    who = access.visitor()
    if not access.may_release():
        return
    for one in account.approvals:
        if one.state == "approved":
            st.info(_approved_in_words(one, account))
        if one.state != "asked":
            continue
        with st.container(border=True, key=f"asked_{one.number}"):
            st.markdown(_in_words(one, account))
            if promise := _promise_in_words(one):
                st.caption(plain(promise))
            own = who is None or who.casefold() == one.asked_by.casefold()
            if st.button(
                "Approve this release",
                key=f"approve_{one.number}",
                icon=":material/approval:",
                disabled=own,
                help="Another person than who asked must approve. It can then be made once, by anyone who may release.",
            ):
                try:
                    book.approve(one.number, who=who)
                except (DataError, ParameterError) as error:
                    st.error(plain(str(error)))
                else:
                    st.rerun()
            if own:
                st.caption("Another person who may release must approve it, not who asked.")


def _in_words(one: Approval, account: Account) -> str:
    """Return what was asked for, in one sentence of Markdown."""
    return f"{words.as_code(one.asked_by)} asks for approval of a release of {_account_in_words(account)}: {_what(one)}"


def _account_in_words(account: Account) -> str:
    """Return the account in Markdown: what is asked for names no dataset, and may be made of any that is in it."""
    several = f" (any of its {account.n_datasets} datasets)" if account.n_datasets > 1 else ""
    return plain(f"the account {called(account.name, account.title)}{several}")


def _what(one: Approval) -> str:
    """Return what a release costs, and of what it is, in Markdown."""
    cost = f"ε = {one.epsilon:g}{f', δ = {delta_words(one.delta)}' if one.delta else ''}"
    try:
        said = json.loads(one.what)
        chosen = said["parameters"]
        product = PRODUCTS[chosen.get("product", FLOWS.name)]
        most = words.number_of(product.counted[:-1], chosen["max_trips_per_user"])
        more = [PRODUCT_WORDS[product.name]]
        more += ["a noisy total"] if chosen.get("total_share") else []
        more += ["sums of districts"] if chosen.get("levels") else []
        details = (
            f", {' and '.join(more)}, {words.weeks_of(said['weeks'])}, at most {most} of a user, threshold "
            f"{chosen['threshold']}, {options_in_words({'cells': chosen['cells']})[0]}, noise {chosen.get('noise', 'integer')}"
        )
    except (ValueError, TypeError, KeyError):
        details = ""
    return f"{plain(f'{cost}{details}')}."


def _promise_in_words(one: Approval) -> str:
    """Return how certain anybody may become of a person; nothing of Gaussian noise, whose largest loss its ε and δ do not say."""
    try:
        noise = json.loads(one.what)["parameters"].get("noise", "integer")
    except (ValueError, TypeError, KeyError):
        return ""
    return "" if noise == "gaussian" else verdict_from_promise(one.epsilon, one.delta, Accepted()).reason


def _approved_in_words(one: Approval, account: Account) -> str:
    """Return what is approved, as it was asked for, so that two approvals of the same ε are told apart."""
    by, asked_by = (words.as_code(name or "") for name in (one.approved_by, one.asked_by))
    return (
        f"{by} has approved what {asked_by} asked for: {_what(one)} It is not made yet: it can be made on this page once, "
        f"of {_account_in_words(account)}, with just these weeks and parameters."
    )
