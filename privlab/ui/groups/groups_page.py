"""The groups page's own controls: what is played, and with what defence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from privlab.aggregates import Traces, period_from_spec
from privlab.aggregates.game_rules import (
    ARMS,
    CLASSIFIERS,
    HALF,
    GameParameters,
    balance_from_spec,
    known_from_spec,
)
from privlab.checks import DataError, ParameterError, number_from_text
from privlab.figures.wording import CLASSIFIER_NAMES, PRIOR_NAMES, plain
from privlab.lab.attacking import nothing_playable_in_words, refusal_in_words
from privlab.lab.loading import traces_from_rows
from privlab.limits import MAX_TARGETS
from privlab.ui.derived import derived, underway
from privlab.ui.groups import cached_games
from privlab.ui.shell import parts
from privlab.ui.shell.addresses import words_in_address
from privlab.ui.shell.changed_data import CONTROL_LABEL, checked_controls, control_choice
from privlab.ui.sliders import follow
from privlab.ui.state import Plan, choose_data

SAMPLES = ("commuters", "cabs")
PRIORS = tuple(PRIOR_NAMES)
VIEWS = (
    "who is recognised",
    "by group size",
    "by share known",
    "ROC",
    "who is at risk",
    "one aggregate",
    "defences",
)
ARM_NAMES = {
    "statistics": "seven statistics per zone (the paper's)",
    "cells": "raw cells",
    "cells+rule": "raw cells, and a rule: seen where nobody is counted means out",
    "likelihood": "likelihood, nothing learned",
}
_FIRST_SIZES = (10, 100)
_USUAL_TARGETS = 30
_LEAST_TARGETS = 3  # the game itself says where there are fewer people
_KNOWN = ("1", "0.5", "0.1", "top:3")
SIX_SIZES = ("5", "10", "50", "100", "500", "1000")
_SIZES = ("5", "10", "20", "50", "100", "200", "500", "1000")
_BALANCES = (HALF, "0.1", "0.1/0.5", "0.5/0.1", "0.02/0.5")
# What is chosen, by the names of the parameters.
LABELS = {
    "group_size": "People in a group (m)",
    "known": "Known of the target",
    "balance": "Groups with the target (share)",
    "period": "Period released",
    **dict.fromkeys(("control", "control users", "control days"), CONTROL_LABEL),
}
_PERIODS = ("week", "day:mon", "day:wed", "day:sat", "day:sun", "hours:mon:8-16", "hours:sat:8-16")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the page plays: a game per group size, and which of their settings is shown.

    `left_out` says which group sizes asked for the data does not hold.
    """

    games: tuple[GameParameters, ...]
    classifier: str
    arm: str
    left_out: tuple[str, ...] = ()


def traces_of(plan: Plan) -> Traces | None:
    """Return the traces in the plan's data; None, and why, while or where there are none."""
    found = derived(plan, "traces", traces_from_rows)
    if found is None and plan.data not in SAMPLES and not underway(plan, "traces"):
        parts.way_on("data", "Load data with records of people")
        for name in SAMPLES:
            st.button(
                f"Look at the sample {name} instead",
                key=f"use_{name}_here",
                on_click=choose_data,
                args=(name,),
                help="Shows this page on a sample that can be played. Your data stays loaded.",
            )
    return found


def game_controls(plan: Plan, traces: Traces) -> Choice | None:
    """Show what is played; return it, or say in a sentence what cannot be."""
    for key, words in (("prior", PRIOR_NAMES), ("arm", ARM_NAMES), ("classifier", CLASSIFIER_NAMES)):
        words_in_address(key, words)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        prior = st.segmented_control(
            "What the attacker knows",
            PRIORS,
            default=PRIORS[0],
            key="prior",
            bind="query-params",
            required=True,
            format_func=PRIOR_NAMES.__getitem__,
            on_change=_arm_of_prior,
            help="traces of some: the traces of some people, the target among them. same groups, earlier: earlier releases of the "
            "very groups, and who was in them. other groups, earlier: the same of other groups. the very groups released: their true "
            "counts, and who is in them (the paper's attacker on defences). nothing but the release: one release, and some of "
            "where the target was.",
        )
        known = _known_control() if prior == "zero-knowledge" else ["1"]
        sizes = st.multiselect(
            LABELS["group_size"],
            _SIZES,
            default=[str(size) for size in _FIRST_SIZES],
            key="sizes",
            bind="query-params",
            accept_new_options=True,
            width=200,
            help="How many people each published aggregate counts. Small groups give their members away.",
        )
        at_first = _targets_at_first(traces)
        follow("targets", at_first)
        targets = st.number_input(
            "Targets",
            _LEAST_TARGETS,
            max(_LEAST_TARGETS, min(MAX_TARGETS, traces.n_users)),
            at_first,
            3,
            key="targets",
            bind="query-params",
            width=130,
            help="People attacked one after the other. More narrow the interval and take longer.",
        )
        changed = control_choice(key="groups_control")
        arm, classifier, period, balances = _learning_controls(after_one_release=prior == "zero-knowledge")
    try:
        controls = checked_controls(changed, n_users=traces.n_users, n_days=traces.n_days)
        games = tuple(
            GameParameters(
                prior=prior or PRIORS[0],
                group_size=_size(size),
                targets=int(targets or _USUAL_TARGETS),
                arms=(arm,),
                classifiers=(classifier,),
                period=period,
                known=share,
                controls=controls,
                balance=balance,
                seed=plan.seed,
            )
            for balance in dict.fromkeys(balance_from_spec(one).spec for one in balances)
            for size in sorted(set(sizes), key=_size)
            for share in dict.fromkeys(known_from_spec(one).spec for one in known)
        )
        period_from_spec(period)
    except ParameterError as error:
        st.warning(plain(parts.named_as_shown(error, LABELS)))
        _first_choice(plan, traces)
        return None
    if not games:
        st.info(
            "Choose at least one group size, one share of groups with the target, and something that is known."
        )
        _first_choice(plan, traces)
        return None
    return Choice(games=games, classifier="none" if arm == "likelihood" else games[0].classifiers[0], arm=arm)


def fitting(choice: Choice, key: str, traces: Traces) -> Choice:
    """Return the choice without the group sizes that the data does not hold; all of them where it holds none.

    Where none is held the first game complains when it is played, in one sentence.
    """
    try:
        games, left_out = cached_games.fitting_games(key, traces, choice.games)
    except (DataError, ParameterError):
        return choice
    return replace(choice, games=games, left_out=left_out)


def six_sizes_button() -> None:
    """Offer six group sizes in one run; those that the data does not hold are named and left out."""
    parts.setting_button(
        "Play six group sizes, 5 to 1,000",
        key="six_sizes",
        sizes=list(SIX_SIZES),
        targets=_USUAL_TARGETS,
    )


def _known_control() -> list[str]:
    """Show how much of the target's trace an attacker knows who has seen nothing but the release."""
    return st.multiselect(
        LABELS["known"],
        _KNOWN,
        default=["1", "0.1"],
        key="known",
        bind="query-params",
        accept_new_options=True,
        width=260,
        help="A share of the target's visits, 1 for all of them, or top:3 for the three most visited places.",
    )


def _arm_of_prior() -> None:
    """Choose what is usually learned from: raw cells after one release, the paper's statistics otherwise."""
    alone = st.session_state["prior"] == "zero-knowledge"
    if alone or st.session_state.get("arm") == "cells":
        st.session_state["arm"] = "cells" if alone else ARMS[0]


def _targets_at_first(traces: Traces) -> int:
    return max(_LEAST_TARGETS, min(_USUAL_TARGETS, traces.n_users))


def opens_with(traces: Traces, games: Sequence[GameParameters]) -> bool:
    """Return whether these are the games that the page opens with."""
    first = GameParameters(targets=_targets_at_first(traces), classifiers=CLASSIFIERS[:1])
    return all(
        game.group_size in _FIRST_SIZES and game == replace(first, group_size=game.group_size)
        for game in games
    )


def _first_choice(plan: Plan, traces: Traces) -> None:
    """Lead back to a game that can be played on this data, if there is one."""
    state = st.session_state
    wanted = GameParameters(
        prior=state.get("prior") or PRIORS[0],
        targets=_LEAST_TARGETS,
        arms=(state.get("arm") or ARMS[0],),
        classifiers=CLASSIFIERS[:1],
        seed=plan.seed,
    )
    sizes = cached_games.sizes_of(plan.prepared.key, traces, wanted, _FIRST_SIZES)
    if not sizes:
        other_game(plan, traces, wanted)
        return
    parts.setting_button(
        f"Play groups of {' and '.join(str(size) for size in sizes)}, a week",
        key="first_game",
        sizes=[str(size) for size in sizes],
        period="week",
        known=["1", "0.1"],
        groups_control=[],
        balance=[HALF],
    )


def refused(plan: Plan, traces: Traces, games: Sequence[GameParameters], error: Exception) -> None:
    """Say why these games cannot be played on this data, and lead on."""
    st.warning(plain(refusal_in_words(error, games, traces)))
    other_game(plan, traces, games[0])


def other_game(plan: Plan, traces: Traces, wanted: GameParameters) -> None:
    """Lead on from a game that this data is too small or too short for: to one that it holds, if any, or to other data."""
    found = cached_games.playable_game(plan.prepared.key, traces, wanted)
    if found is None and (said := nothing_playable_in_words(traces)):
        st.markdown(said)
    elif found is not None:
        parts.setting_button(
            f"Play groups of {found.group_size}, a week, the attacker knowing: {PRIOR_NAMES[found.prior]}",
            key="small_game",
            prior=found.prior,
            arm=found.arms[0],
            sizes=[str(found.group_size)],
            period="week",
            known=["1"],
            groups_control=[],
            balance=[HALF],
        )
    parts.other_data("Load data of more people and weeks", sample="cabs")


def _learning_controls(*, after_one_release: bool) -> tuple[str, str, str, list[str]]:
    """Show what is learned from, by what, of which period, and which share of the groups holds the target; return the four.

    Whoever has nothing but one release learns from raw cells unless something else is chosen: statistics would make them look weak.
    """
    with st.popover(
        "How the attacker learns",
        key="learning",  # so that it stays what it is where what stands before it comes or goes
        help="What is learned from and by what method, of which period, and how many of the groups hold the target.",
    ):
        arm = st.selectbox(
            "What is learned from",
            ARMS,
            index=ARMS.index("cells") if after_one_release else 0,
            key="arm",
            bind="query-params",
            format_func=ARM_NAMES.__getitem__,
            width=320,
            help="What of the published series the attacker learns from. The paper's way comes first.",
        )
        classifier = st.selectbox(
            "Classifier",
            CLASSIFIERS,
            key="classifier",
            bind="query-params",
            format_func=CLASSIFIER_NAMES.__getitem__,
            width=220,
            disabled=arm == "likelihood",
            help="The method that learns to tell series with the target from those without.",
        )
        period = st.selectbox(
            LABELS["period"],
            _PERIODS,
            key="period",
            bind="query-params",
            accept_new_options=True,
            width=200,
            help="A week, a day (day:mon) or hours of a day (hours:mon:8-16).",
        )
        balances = st.multiselect(
            LABELS["balance"],
            _BALANCES,
            default=[HALF],
            key="balance",
            bind="query-params",
            accept_new_options=True,
            width=300,
            help="0.5: half of the groups hold the target, as in the paper. 0.1: a tenth, both of those learned from and of those under "
            "attack. 0.1/0.5: a tenth of those learned from, half of those under attack. Choose 0.5 and another to see both side by side.",
        )
    return arm or ARMS[0], classifier or CLASSIFIERS[0], period or "week", balances


def _size(text: str) -> int:
    return int(number_from_text("group_size", text, whole=True))


def view_control() -> str:
    """Show which part of the page to see; return its name."""
    return parts.one_of(VIEWS, key="show_groups")
