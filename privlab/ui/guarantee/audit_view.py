"""The audit of a mechanism as it runs: choice, progress, and what was found, beside what is proven."""

import math

import streamlit as st

from privlab.dp.audit import GAUSSIAN, MECHANISMS, NOT_ROOTED, REAL, Audit, AuditParameters
from privlab.figures.wording import words
from privlab.limits import MAX_AUDIT_CELLS
from privlab.od.simulating import ReleaseParameters
from privlab.stats import percent_at_least, percent_at_most
from privlab.ui.guarantee.audit_work import AuditsFound, audits
from privlab.ui.settings_of_release import chosen_mechanism, weighs_trips
from privlab.ui.shell import parts
from privlab.ui.shell.addresses import take_up_old_name, words_in_address
from privlab.ui.sliders import follow
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import is_running, outcome, start_work

_NAMES = {
    REAL: "OpenDP's Laplace noise, as released",
    "half-scale": "Broken: half the noise",
    "noise-on-non-zero-only": "Broken: no noise on empty flows",
    "shared-noise": "Broken: one draw for all flows",
    GAUSSIAN: "OpenDP's Gaussian noise, as released",
    "gaussian-half-sigma": "Broken: half the Gaussian noise",
    NOT_ROOTED: "Broken: a clip without the square root",
}
_HONEST = (REAL, GAUSSIAN)
_SETTLED = {False: "a vote over its flows", True: "the sum of its flows"}
_RUNS = ["1000", "2000", "5000", "10000", "20000", "50000", "100000"]
_LEVELS = ["95", "99.9"]


def _audited(epsilon: float, bound: int, release: ReleaseParameters) -> str:
    """Say which noise and how many trips are audited, and why where the settings have others."""
    said = (
        f"Audited is whole-number Laplace noise, as of a release for good, with ε = {epsilon:g} on {words.trips(bound)} of one person, or "
        "Gaussian noise with δ = 10⁻⁶ on four times as many, of weight ½ each"
    )
    if release.max_trips_per_user is None:
        return f"{said}: without a limit on trips nothing more is promised."
    if bound < release.max_trips_per_user:
        return f"{said}: an audit takes no more of the {release.max_trips_per_user:,} in the settings."
    return f"{said}, the limit in the settings."


def audit(plan: Plan) -> None:
    """Show the choice of mechanisms and runs, a button that starts the audit, and what the last one found."""
    epsilon = plan.release.epsilon
    asked = plan.release.max_trips_per_user or 1
    bound = min(asked, MAX_AUDIT_CELLS)
    st.markdown(
        "A proof is about a formula; an audit attacks the program that runs. It draws noisy counts with a person and without, "
        "over and over, and bounds ε and the best attack from below by how well the two can be told apart. Broken mechanisms show what it "
        f"catches. {_audited(epsilon, bound, plan.release)}"
    )
    of_plan = [GAUSSIAN] if weighs_trips(chosen_mechanism()) else [REAL]
    follow("audited", of_plan)
    if of_plan == [GAUSSIAN]:
        st.caption(
            "The plan has Gaussian noise, which is audited here as it runs; the audit of the whole way, below, attacks the plan from file to file."
        )
    # With a limit of one trip its square root is no other number.
    offered = [name for name in MECHANISMS if bound > 1 or name != NOT_ROOTED]
    words_in_address("audited", _NAMES)
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit_controls"):
        chosen = st.pills(
            "Mechanisms",
            offered,
            format_func=_NAMES.__getitem__,
            selection_mode="multi",
            wrap=True,  # all of them are seen, the ones at the end too
            default=of_plan,
            key="audited",
            bind="query-params",
            help="Those as released are of secure releases. The others are broken on purpose, to show what an audit catches; the clip without "
            "the square root takes the trips of a person to L instead of √L.",
        )
        runs = st.select_slider(
            "Runs with and without the person",
            _RUNS,
            value="10000",
            key="runs",
            bind="query-params",
            width=260,  # its name in one line
            help="More runs find smaller faults and take longer.",
        )
        take_up_old_name("level", "audit_level", _LEVELS)
        level = st.segmented_control(
            "Confidence (%)",
            _LEVELS,
            default="95",
            key="audit_level",
            bind="query-params",
            required=True,
            help="How sure a conviction must be. At 95, an honest mechanism is wrongly caught in 5 of 100 audits at most.",
        )
    parameters = AuditParameters(
        epsilon=epsilon, max_trips_per_user=bound, trials=int(runs), level=float(level or "95") / 100
    )
    names = [name for name in offered if name in chosen]
    st.button(
        "Run the audit",
        key="run_audit",
        icon=":material/policy:",
        disabled=not names or is_running("audit"),
        on_click=_start,
        args=(names, parameters),
        help="Runs each mechanism again and again with and without one person, and says what ε it cannot be below.",
    )
    if names:
        st.caption(f"This takes {words.about_so_long(len(names) * parameters.seconds)}.")
    found: AuditsFound | None = outcome("audit")
    if found is not None:
        _show(found)
    _command(names, parameters)


def _start(names: list[str], parameters: AuditParameters) -> None:
    start_work("audit", (tuple(names), parameters), apart(audits, tuple(names), parameters))


def _show(found: AuditsFound) -> None:
    for name, one in found:
        st.markdown(f"- {_sentence(name, one)}")
    parts.table(
        [
            {
                "mechanism": _NAMES[name],
                "verdict": "breaks its promise" if one.convicted else "no fault found",
                "ε at least": _epsilon_at_least(one),
                "promised ε": f"{one.proven_epsilon:.4g}",
                "right in at least": percent_at_least(one.accuracy_lower),
                "at most proven": percent_at_most(one.proven_accuracy),
                "event": one.event,
                "seen with": f"{one.n_with:,} of {one.n_counted:,}",
                "seen without": f"{one.n_without:,} of {one.n_counted:,}",
            }
            for name, one in found
        ],
        key="audit_table",
        meanings={
            "promised ε": "Proven of the mechanism, or promised by one that is broken.",
            "right in at least": "How often a vote over the flows, or their sum, is right.",
        },
    )
    level = found[0][1].parameters.level
    st.caption(
        f"Clopper–Pearson intervals that hold together with {level:.1%} confidence: at most one honest mechanism in "
        f"{round(1 / (1 - level)):,} is wrongly caught. The event is chosen on one half of the runs and counted on the other. "
        "The vote over the flows, or their sum, is counted on all runs. An audit that finds nothing proves nothing; the proof does. Where the "
        "proof is tight, what is seen comes as near to what is proven as the runs allow."
    )


def _epsilon_at_least(one: Audit) -> str:
    return f"{math.floor(1000 * one.epsilon_lower) / 1000:.3f}"  # never rounded up


def _sentence(name: str, one: Audit) -> str:
    """Return what an audit found, and how far it may be believed."""
    audited = f"{_NAMES[name]} (ε = {one.parameters.epsilon:g}, L = {one.parameters.max_trips_per_user})"
    seen = (
        f"its ε is at least **{_epsilon_at_least(one)}** ({one.proven_epsilon:.4g} is promised), and {_SETTLED[bool(one.delta)]} is "
        f"right in at least **{percent_at_least(one.accuracy_lower)}** of cases ({percent_at_most(one.proven_accuracy)} is the most; a coin: 50%)"
    )
    if one.convicted:
        chance = round(1 / (1 - one.parameters.level))
        doubt = (
            f" The proof is tight: by chance this happens to up to one honest mechanism in {chance:,}. Run it again with "
            "99.9% before you believe it."
            if name in _HONEST
            else ""
        )
        return f"**Caught.** {audited}: {seen}.{doubt}"
    if name in _HONEST:
        return f"{audited}: {seen}. No fault found."
    return f"{audited}: {seen}: not above what it promises. More runs may catch it."


def _command(names: list[str], parameters: AuditParameters) -> None:
    with st.expander("The same on the command line"):
        lines = [
            f"python -m privlab audit --mechanism {name} --epsilon {parameters.epsilon:g} "
            f"--max-trips-per-user {parameters.max_trips_per_user} --trials {parameters.trials} --level {parameters.level:g}"
            for name in names
        ]
        st.code("\n".join(lines), language=None, wrap_lines=True)
