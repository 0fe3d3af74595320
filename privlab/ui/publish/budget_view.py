"""The budget of all releases of some data: how it is set, what stands in its way, and what leads on from there."""

import math
from dataclasses import replace

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.dp.promise import delta_words
from privlab.figures.wording import plain
from privlab.lab.judging import MAX_DELTA
from privlab.limits import MAX_BUDGET, MAX_TARGET_DELTA, MIN_EPSILON, MIN_TARGET_DELTA
from privlab.od.releases import ReleasePlan
from privlab.releases.accounts import Account
from privlab.releases.ledger import Ledger
from privlab.releases.writing import cost_from_plan
from privlab.ui.sessions import access
from privlab.ui.settings_of_release import PUBLIC
from privlab.ui.shell import parts
from privlab.ui.state import Plan

_DELTA_OF_RHO = (
    f"Where releases add up more closely, “and δ” must lie between {delta_words(MIN_TARGET_DELTA)} and {MAX_TARGET_DELTA:g}: ρ is turned "
    "into ε at it. Take 1e-6, or let each release's ε be added up."
)
_ADDED_IN_WORDS = {
    "sum": "each release's ε added up",
    "concentrated": "more closely, for many releases (ρ, turned into ε at δ)",
}


def budget_control(book: Ledger, account: Account, digest: str) -> None:
    """Let the steward say what all releases of the data together may cost a user; not who may only look."""
    if not access.may_release():
        return
    _fill_form(account)
    fold = st.expander("Set a budget", key="budget_fold", bind="query-params", on_change="rerun")
    with fold, st.form("budget", border=False):
        epsilon = st.number_input(
            "All releases together may cost a user at most ε",
            MIN_EPSILON,
            MAX_BUDGET,
            key="budget_epsilon",
            help="A release that would go beyond it is refused, on this page and on the command line.",
        )
        delta = st.number_input(
            "and δ",
            0.0,
            1.0,
            format="%.3g",
            key="budget_delta",
            help="Gaussian noise needs a δ of 1e-6 for each week: 1e-4 is enough for a hundred. 0 allows integer noise on all "
            "possible flows only, and ε added to ε.",
        )
        if account.entries:
            st.caption(_spent_in_words(account))
        adding = st.radio(
            "How releases add up",
            list(_ADDED_IN_WORDS),
            key="budget_adding",
            format_func=_ADDED_IN_WORDS.__getitem__,
            help="ε added up needs no δ and counts too much where there are many releases. The other way needs a δ above 0, "
            "such as 1e-6, and lets many small releases have less noise for the same promise: see a year ahead on Plan.",
        )
        if st.form_submit_button(
            "Set the budget",
            key="set_budget",
            help="Writes it into the ledger. Releases beyond it are refused from then on.",
        ):
            _set_budget(book, account, digest, epsilon=float(epsilon), delta=float(delta), adding=adding)


def _fill_form(account: Account) -> None:
    """Fill the form with the budget of the account, and again where that is another than it was filled with.

    A budget that was taken from Plan's year ahead fills it once.
    """
    # Where none is set, it begins with what is spent, which a release changes.
    spent = account.epsilon if account.budget_epsilon is None else None
    of = (account.name, account.budget_epsilon, account.budget_delta, account.adding, spent)
    state = st.session_state
    of_year: tuple[float, float] | None = state.pop("budget_of_year", None)
    if of_year is not None:
        state["budget_form_of"], (state["budget_epsilon"], state["budget_delta"]) = of, of_year
        state["budget_adding"] = "concentrated"
        return
    if "budget_epsilon" in state and state.get("budget_form_of") == of:
        return
    state["budget_form_of"] = of
    state["budget_epsilon"] = account.budget_epsilon or _first_budget(account)
    state["budget_delta"] = MAX_DELTA if account.budget_delta is None else account.budget_delta
    state["budget_adding"] = account.adding


def _first_budget(account: Account) -> float:
    """Return the ε to begin with where none was set: not less than what is spent."""
    return min(max(1.0, float(math.ceil(account.epsilon))), MAX_BUDGET)


def _set_budget(
    book: Ledger, account: Account, digest: str, *, epsilon: float, delta: float, adding: str
) -> None:
    """Write a budget into the ledger and show the page anew, or say why it cannot be; one that is set already is not written again."""
    if adding == "concentrated" and not MIN_TARGET_DELTA <= delta <= MAX_TARGET_DELTA:
        st.error(_DELTA_OF_RHO)
        return
    if (epsilon, delta, adding) == (account.budget_epsilon, account.budget_delta, account.adding):
        st.info("This is the budget already.")
        return
    try:
        if account.name in {one.name for one in book.accounts()}:
            book.set_budget_of_account(
                account.name, epsilon=epsilon, delta=delta, adding=adding, who=access.visitor()
            )
        else:
            book.set_budget(digest, epsilon=epsilon, delta=delta, adding=adding, who=access.visitor())
    except (DataError, ParameterError) as error:
        st.error(plain(str(error)))
    else:
        st.rerun()


def _spent_in_words(account: Account) -> str:
    delta = f" and δ = {delta_words(account.delta)}" if account.delta else ""
    by_sum = f"Spent so far, ε added to ε: ε = {account.epsilon:g}{delta}."
    if account.adding == "concentrated":
        return (
            f"{by_sum} Held against the budget it is ε = {account.spent_of_budget:.4g} at δ = "
            f"{delta_words(account.budget_delta or 0.0)}. A budget below what is spent lets nothing more be released."
        )
    return (
        f"{by_sum} A budget below that lets nothing more be released. With ρ added to ρ a release that needs a δ may come to more than "
        "that, and many releases to less."
    )


def exhausted(account: Account) -> None:
    """Say where nothing more can be released under the budget, or nothing that needs a δ."""
    if account.budget_epsilon is None or account.budget_delta is None:
        return
    if account.allows_nothing_more:
        spent = account.spent_of_budget
        less = account.budget_epsilon * (1 + 1e-9) < spent < math.inf
        how = f"less than what is spent, {spent:.4g}" if less else "spent"
        st.info(f"The budget of ε = {account.budget_epsilon:g} is {how}: nothing more can be released.")
    elif account.adding == "sum" and account.delta > account.budget_delta * (1 + 1e-9):
        st.info(
            f"The budget of δ = {delta_words(account.budget_delta)} is less than what is spent, {delta_words(account.delta)}: "
            "nothing more can be released that needs a δ."
        )


def left_delta_words(account: Account) -> str:
    """Say the δ that is left, never rounded up."""
    left = account.left_delta or 0.0
    if not left:
        return "0"
    unit = 10.0 ** (math.floor(math.log10(left)) - 1)
    return delta_words(math.floor(left / unit + 1e-6) * unit)


def over_budget(plan: Plan, release: ReleasePlan, account: Account, book: Ledger) -> bool:
    """Say, with a way out, that the budget does not suffice; return whether that is so."""
    over = account.reason_against(cost_from_plan(release))
    if over is None:
        return False
    missing_epsilon, missing_delta = account.missing(cost_from_plan(release))
    if account.allows_nothing_more:
        said = [_nothing_left(account)]
    else:
        said = [_epsilon_missing(release, account)] if missing_epsilon else []
        said += [_delta_missing(release, account)] if missing_delta else []
    st.error(f"The budget does not suffice: {' Besides, '.join(said)}")
    leads_on = [not account.allows_nothing_more]
    if leads_on[0] and missing_epsilon:
        leads_on.append(_within_budget(release, account))
    if leads_on[0] and missing_delta:
        leads_on.append(_with_enough_delta(plan, release, account, book))
    if not all(leads_on):
        parts.setting_button("Open “Set a budget” below", key="open_budget", budget_fold=True)
    return True


def _nothing_left(account: Account) -> str:
    spent = (
        f"ε = {account.spent_of_budget:.4g} is spent"
        if math.isfinite(account.spent_of_budget)
        else "all of it is spent"
    )
    return (
        f"nothing is left of ε = {account.budget_epsilon:g} ({spent}). Nothing more can be released of the same people, whatever the "
        "settings, unless the budget is raised below."
    )


def _epsilon_missing(release: ReleasePlan, account: Account) -> str:
    weeks = "fewer weeks or " if len(release.weeks) > 1 else ""
    least = cost_from_plan(replace(release, parameters=replace(release.parameters, epsilon=MIN_EPSILON)))
    if account.adding != "sum" and not weeks and account.reason_against(least) is not None:
        advice = f"Even the least ε, {MIN_EPSILON:g}, with the other settings as they are is more: raise the budget below."
    else:
        advice = f"Take {weeks}a smaller ε, or raise the budget below."
    if account.adding == "sum":
        return f"ε = {account.left_epsilon or 0.0:g} is left, the release costs {release.epsilon:g}. {advice}"
    total = account.epsilon_with(cost_from_plan(release))
    return (
        f"with this release of ε = {release.epsilon:g} all releases come to {total:.4g} at "
        f"δ = {delta_words(account.budget_delta or 0.0)}, more than its ε = {account.budget_epsilon:g}. {advice}"
    )


def _delta_missing(release: ReleasePlan, account: Account) -> str:
    needed = delta_words(release.delta)
    if not account.budget_delta:
        has = f"it allows no δ, and this release needs {needed}"
    elif account.adding == "sum":
        has = f"δ = {left_delta_words(account)} is left, and this release needs {needed}"
    else:
        has = (
            f"its δ of {delta_words(account.budget_delta)} does not hold the {needed} that this release needs"
        )
    return f"{has}. Integer noise on all possible flows needs none; or let the budget have more δ."


def _within_budget(release: ReleasePlan, account: Account) -> bool:
    """Offer the largest ε, of two digits, with which all weeks cost no more than is left; return whether there is one."""
    now = release.parameters.epsilon
    if account.adding == "sum":
        most = now * (account.left_epsilon or 0.0) / release.epsilon
    else:
        most = account.fitting_epsilon(
            lambda epsilon: cost_from_plan(
                replace(release, parameters=replace(release.parameters, epsilon=epsilon))
            ),
            now,
        )
    fits = MIN_EPSILON <= most < now
    if fits:
        unit = 10 ** (math.floor(math.log10(most)) - 1)
        fitting = f"{math.floor(most / unit + 1e-9) * unit:.2g}"
        parts.setting_button(f"Use ε = {fitting}", key="fit_budget", epsilon=fitting)
    return fits


def _with_enough_delta(plan: Plan, release: ReleasePlan, account: Account, book: Ledger) -> bool:
    """Offer a release that needs no δ, and a budget with enough of it; return whether that is offered."""
    with st.container(horizontal=True, key="more_delta"):
        if plan.prepared.public_zones is not None:
            parts.setting_button(
                "Take integer noise on all possible flows",
                key="take_integer",
                publish_noise="integer",
                **PUBLIC,
            )
        enough = _enough_delta(release, account)
        if account.adding != "sum" or enough is None:  # where ρ adds up, what ε holds at depends on it
            return False
        if st.button(
            f"Let the budget have δ = {delta_words(enough)}",
            key="more_budget_delta",
            icon=":material/savings:",
            help="Writes it into the ledger, as “Set a budget” below does; the ε of the budget stays as it is.",
        ):
            _set_budget(
                book,
                account,
                plan.prepared.source_digest,
                epsilon=account.budget_epsilon or 0.0,
                delta=enough,
                adding=account.adding,
            )
    return True


def _enough_delta(release: ReleasePlan, account: Account) -> float | None:
    """Return the δ of a budget that this release fits in, the lab's most where that is enough; None where it would be 1 or more."""
    needed = account.delta + release.delta
    if needed <= MAX_DELTA:
        return MAX_DELTA
    unit = 10.0 ** math.floor(math.log10(needed))
    enough = math.ceil(needed / unit - 1e-9) * unit
    return enough if enough < 1 else None
