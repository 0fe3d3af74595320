"""The attack page's own controls, tables and words, and the attack on a target in given flows."""

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.checks import DataError, ParameterError, counts_from_text
from privlab.defaults import MOST_TRIPS, QUOTED_TRIPS
from privlab.dp.certainty import CertaintyParameters, composed_epsilon, least_mean_trips, threshold_delta
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import delta_words
from privlab.figures.maps import flow_label
from privlab.figures.risks import certainty_after_weeks, guessed_right_in
from privlab.figures.wording import plain, words
from privlab.limits import MAX_WEEKS
from privlab.od import ODMatrix
from privlab.od.attack import AttackCurve, BoundedAttack
from privlab.od.simulating import ReleaseParameters, ReleaseReview
from privlab.safe_text import label
from privlab.stats import percent_at_most
from privlab.ui import cached
from privlab.ui.attack import certainty_view, gaussian_attack_view
from privlab.ui.attack.own_week_view import OwnTarget
from privlab.ui.report.report_state import add_button
from privlab.ui.shell import parts
from privlab.ui.state import Plan

FIRST_TRIPS = 12  # where somebody in the data has as many


def your_trips_control(people: npt.NDArray[np.int64] | None) -> int:
    """Show the target's number of unique trips; return it. `people` are those of everyone in the data, None where nobody is named.

    It begins with what somebody in the data has, and follows the data until it is set by hand or in the address.
    """
    first = FIRST_TRIPS if people is None or not people.size else max(1, min(FIRST_TRIPS, int(people.max())))
    state = st.session_state
    if "k" in state and state["k"] == state.get("k_begins_with"):
        state["k"] = first
    state["k_begins_with"] = first
    return int(
        st.slider(
            "Your k: unique trips of the target in the week",
            0,
            MOST_TRIPS,
            first,
            key="k",
            bind="query-params",
            help="Move it to the number of different trips someone makes in a week, and see how often the attacker is right.",
        )
    )


def own_target(release: ReleaseParameters, gaussian: GaussianParameters | None) -> OwnTarget:
    """Return what one's own week is attacked with on this page."""
    return OwnTarget(release=release, slider="k", most=MOST_TRIPS, gaussian=gaussian)


def repetitions_control() -> int:
    """Show how many games to simulate for each k; return it."""
    choice = st.segmented_control(
        "Simulated games",
        ["none", "1000", "10000"],
        default="10000",
        key="games",
        bind="query-params",
        required=True,
        help="Repeats the attack with drawn noise, to confirm the exact curve. “none” draws nothing.",
    )
    return 0 if choice in (None, "none") else int(choice)


def weeks_control() -> int:
    """Show for how many weeks releases go on; return it."""
    return int(
        st.number_input(
            "Weeks of releases",
            min_value=1,
            max_value=MAX_WEEKS,
            value=52,
            key="weeks",
            bind="query-params",
            width=220,
            help="Every weekly release gives the attacker another look at whoever goes on travelling.",
        )
    )


def population_control(n_users: int | None) -> int | None:
    """Show the population that the counts are held against; return it, by default the users if known."""
    population = st.number_input(
        "Inhabitants of the area",
        min_value=1,
        max_value=10**10,
        value=None,
        step=1000,
        placeholder="unknown: enter a number"
        if n_users is None
        else f"{n_users:,} (the users in the aggregate)",
        key="population",
        bind="query-params",
        width=420,
        help="Held against the published counts: more one-trip users than people cannot be.",
    )
    return n_users if population is None else int(population)


def curve_in_words(curve: AttackCurve, bounded: BoundedAttack | None) -> str:
    """Return the attack figure as a sentence, with one more on the curve that has a limit."""
    above = f"exceeds from {first} trips on" if (first := curve.first_trips_above_claim) else "never exceeds"
    most, kept = (guessed_right_in(one.optimal[-1]) for one in (curve, bounded or curve))
    said = "" if bounded is None else f" With the limit it ends at {kept}."
    return (
        f"The exact attack{' without a limit' if said else ''} rises from 50% to {most} at {curve.n_trips[-1]} unique trips; "
        f"it {above} the claimed bound of {percent_at_most(curve.claimed_bound)}.{said}"
    )


def _said(name: str, share: float) -> str:
    return words.chance_at_most(share) if name.startswith("proven") else words.chance(share, sure=False)


def key_figures(curve: AttackCurve, bounded: BoundedAttack | None) -> None:
    """Show the exact figures at the numbers of trips that are quoted most."""
    chosen = [k for k in QUOTED_TRIPS if k <= curve.n_trips[-1]]
    unlimited = "" if bounded is None else ", no limit"
    rows = {f"best attack{unlimited}": curve.optimal, f"proven bound{unlimited}": curve.user_level_bound}
    if bounded is not None:
        limit = f"limit of {bounded.max_trips_per_user} per user"
        rows |= {f"best attack, {limit}": bounded.optimal, f"proven bound, {limit}": bounded.proven_bound}
    columns = {"accuracy": list(rows)} | {
        f"k = {k}": [_said(name, shares[k]) for name, shares in rows.items()] for k in chosen
    }
    parts.printed_table(columns, key="quoted", turned=True)
    st.caption(f"Claimed bound e^ε/(1+e^ε) = {percent_at_most(curve.claimed_bound, 2)}, for every k alike.")


def curve_table(curve: AttackCurve, bounded: BoundedAttack | None, about: tuple[str, ...]) -> None:
    """Show the figure's numbers, and offer them as a file that begins with what they are `about`."""
    unlimited = "" if bounded is None else ", no limit"
    rows: dict[str, npt.NDArray[np.float64] | npt.NDArray[np.int64]] = {
        "unique trips": curve.n_trips,
        f"best attack{unlimited}": curve.optimal,
        f"proven bound{unlimited}": curve.user_level_bound,
        "claimed bound": np.full(curve.n_trips.size, curve.claimed_bound),
    }
    if curve.simulated is not None and curve.low is not None and curve.high is not None:
        rows |= {"simulated": curve.simulated, "low": curve.low, "high": curve.high}
    if bounded is not None:
        limit = f"limit of {bounded.max_trips_per_user} per user"
        rows |= {f"best attack, {limit}": bounded.optimal, f"proven bound, {limit}": bounded.proven_bound}
    fold = st.expander("Numbers", key="numbers_fold", bind="query-params", on_change="rerun")
    if fold.open:
        with fold:
            percent = st.column_config.NumberColumn(format="percent")
            parts.columns_table(
                {name: np.round(values, 6) for name, values in rows.items()},
                key="attack_numbers",
                config={name: percent for name in rows if name != "unique trips"},
                file_name=f"attack_curve_epsilon_{curve.parameters.epsilon:g}.csv",
                about=about,
            )


def privacy_loss_metrics(release: ReleaseParameters, your_trips: int, n_weeks: int) -> None:
    """Show what basic composition proves for one person, per week and over many."""
    bound = release.max_trips_per_user
    with st.container(horizontal=True):
        st.metric(
            "claimed: ε for one trip" if bound is None else "ε for a user's week",
            f"{release.epsilon:g}",
            help="What the release promises, and to what. Smaller is safer.",
        )
        if bound is None:
            st.metric(
                f"ε for {words.number_of('unique trip', your_trips)}, one week",
                words.four_digits(composed_epsilon(release.epsilon, your_trips)),
                help="ε for one trip, once for each trip of the target: what basic composition proves for a week.",
            )
            total = composed_epsilon(release.epsilon, your_trips, n_weeks)
            st.metric(
                f"the same over {words.number_of('week', n_weeks)}",
                f"{total:,.6g}",
                help="And once for each week. Above about 5 it promises next to nothing.",
            )
        else:
            st.metric(
                f"ε over {words.number_of('week', n_weeks)}",
                f"{release.epsilon * n_weeks:,.6g}",
                help="ε for a week, once for each week of releases.",
            )
            st.metric(
                "noise scale (users)",
                words.four_digits(release.mechanism.scale),
                help="Bound over ε: the size of the noise, as the mean distance from the count that is left after the bound.",
            )
        if release.threshold >= 1:
            delta = threshold_delta(release.mechanism.epsilon_per_cell, release.threshold, release.noise)
            st.metric(
                "δ of the threshold, as published" if bound is None else "a lone trip passes the threshold",
                delta_words(delta) if delta else "less than 10⁻³⁰⁰",
                help="The probability that a flow which one person alone makes (true count 1) is published.",
            )
    if bound is None:
        st.caption("A loss above about 5 promises next to nothing: e⁵ : 1 are odds of 148 to 1.")
    found = cached.posterior_law(
        CertaintyParameters(
            epsilon=release.epsilon,
            trips=your_trips,
            noise=release.noise,
            max_trips_per_user=bound,
            weeks=n_weeks,
            above=certainty_view.CERTAIN,
        )
    ).certainty
    with st.container(horizontal=True):
        certainty_view.after_weeks(found, your_trips, n_weeks)
    st.caption(certainty_after_weeks(found, n_weeks, to_everyone=bound is not None))
    add_button("adds_up", k=your_trips, weeks=n_weeks)


def plausibility(
    view: ReleaseReview | None, plan: Plan, population: int | None, gaussian: GaussianParameters | None
) -> None:
    """Show that the published counts alone rule out a world of one-trip users, where they do; `gaussian`: with Gaussian noise of this promise."""
    if view is None:
        return
    if population is None:
        st.markdown("The file does not say how many people it counts: enter the inhabitants of its area.")
        return
    bound = plan.release.max_trips_per_user
    if gaussian is not None:
        st.markdown(
            f"All trips count, with less weight for whoever makes more than {words.number_of('unique trip', gaussian.max_trips_per_user)}: the "
            "counts cannot tell."
        )
        return
    if bound is not None:
        st.markdown(f"Each person is counted for at most {bound} of their trips: the counts cannot tell.")
        return
    published = view.release.flow.size
    total = max(0.0, float(view.release.count.sum()))
    least = least_mean_trips(total, population)
    st.markdown(
        f"{published:,} counts are published, those of false flows included "
        f"({view.utility.cells_spurious:,} of them), with {total:,.0f} trips in all. Spread over "
        f"{words.number_of('inhabitant', population)} that is at least **{least:,.2f} trips{'' if population == 1 else ' each'}**"
        + (": someone must have made more than one." if least > 1 else ": this alone does not rule it out.")
    )
    if plan.release.threshold:
        st.caption(
            f"From the threshold alone: {published:,} × {plan.release.threshold} = "
            f"{published * plan.release.threshold:,} trips at least. In the paper, 46,333 published flows of at least "
            "100 need 4.6 million one-trip users, in a city of 5 million."
        )


def formula() -> None:
    """Show how the figures are computed, and after whom."""
    with st.expander("How this is computed, and after whom"):
        st.markdown(
            r"""
**The claim.** A count with Laplace noise of scale $1/\epsilon$ keeps $\epsilon$-differential privacy for one trip; an
attacker who held *in* and *out* for equally likely then ends, whatever is published, at most
$e^{\epsilon}/(1+e^{\epsilon})$ certain. So says the publisher (Bassolas et al. 2019). It holds for someone who adds one trip.

**Certainty and accuracy.** The certainty after one output is $\sigma(\ell+\mathrm{logit}(\text{prior}))$, with $\ell$ the
log-likelihood ratio of the noisy counts; its law is computed exactly. Accuracy is the mean over all outputs.

**The attack.** The attacker knows everybody else's trips and the target's $k$ unique trips, subtracts what is known, and
takes the likelihood ratio of the $k$ noisy counts. Its best possible accuracy is $\tfrac12(1+\mathrm{TV})$; here it is
computed exactly, as
$1-\mathrm{TV} = e^{-k\epsilon/2}\,\mathbb{E}\big[e^{-|S|/2}\big]$ with $S$ a sum of $k$ steps, each $\pm\epsilon$ with
measure ½ and uniform between with measure $\epsilon/2$. Dots are simulated games with 95% Clopper–Pearson intervals.

**The proven bound.** Composition gives $e^{k\epsilon}/(1+e^{k\epsilon})$ for $k$ unique trips.

**The repair.** Count at most $L$ unique trips per user and week, chosen at random, with noise of scale $L/\epsilon$:
then $\epsilon$ covers everything a user does in the week.

**Suppression.** That a count is *not* published is an observation too; the last calculation includes it.

Houssiau, Rocher, de Montjoye, *On the difficulty of achieving differential privacy in practice: user-level guarantees in
aggregate location data*, Nature Communications 2022; on Bassolas et al., *Hierarchical organization of urban mobility*,
Nature Communications 2019. The attack on suppressed counts is this lab's own.
"""
        )


_EXAMPLE = "1000, 99, 95, 40"


def counts_control() -> str:
    """Show the counts of a target's flows; return them as written."""
    return st.text_input(
        "How many other people make each of the target's trips",
        _EXAMPLE,
        key="cells",
        bind="query-params",
        help="Whole numbers, separated by commas: one for each unique trip of the target.",
    )


def _example_button() -> None:
    parts.setting_button(f"Back to {_EXAMPLE}", key="example_counts", cells=_EXAMPLE)


def attack_on_counts(plan: Plan, text: str, gaussian: GaussianParameters | None) -> None:
    """Show the exact accuracy against a target in flows of the given counts; `gaussian`: with Gaussian noise of this promise."""
    try:
        counts = tuple(counts_from_text(text))
    except ParameterError as error:
        st.error(plain(str(error)))
        _example_button()
        return
    bound = plan.release.max_trips_per_user if gaussian is None else gaussian.most_trips
    if bound is not None and len(counts) > bound:
        which = (
            "is counted; below, that which most people make"
            if bound == 1
            else "are counted; below, those most people make"
        )
        st.info(f"Only {bound} of these {len(counts)} trips {which}.")
        counts = tuple(sorted(counts, reverse=True)[:bound])
    if gaussian is not None:
        gaussian_attack_view.accuracy_on_counts(gaussian, plan.release.threshold, counts)
        return
    _accuracy(plan, counts, source="")
    st.caption(
        "A threshold hides only trips that few others make: a flow shared by as many people as the threshold, or more, "
        "exposes the target exactly as much as without one."
    )


def attack_on_chosen_flows(plan: Plan) -> None:
    """Show flows of the file to choose from, and the exact accuracy against someone who makes them."""
    matrix = cached.true_matrix(plan.prepared.key, plan.prepared, plan.week, plan.group_size)
    chosen = _flows_control(plan, matrix)
    if not chosen:
        st.info("Choose at least one flow.")
        return
    # The target is one of those counted: all but one of the count are others.
    _accuracy(
        plan, tuple(int(matrix.count[flow]) - 1 for flow in chosen), source=" in these flows of the file"
    )
    st.caption(
        "The target is taken to be counted once in each chosen flow, so that one less than its count are others."
    )


def _flows_control(plan: Plan, matrix: ODMatrix) -> list[int]:
    """Show a zone, and the flows that begin or end there; return positions of the chosen ones."""
    parts.true_data()
    names = plan.prepared.zone_map
    left, right = st.columns([1, 3])
    with left:
        zone = st.selectbox(
            "A zone the target goes to",
            matrix.busiest_zones.tolist(),
            format_func=lambda position: label(names.names[position]),
            key=f"target_zone {plan.prepared.key} {plan.week}",
            persist_state="session",
            help="Pick one, such as a home or a workplace, to choose among the flows that begin or end there.",
        )
    flows = matrix.flows_at(zone)
    with right:
        return st.multiselect(
            "Flows the target makes, with their counts in the file",
            flows.tolist(),
            default=flows[:3].tolist(),
            format_func=lambda flow: (
                f"{flow_label(names, int(matrix.origin[flow]), int(matrix.destination[flow]))}: "
                f"{matrix.count[flow]:,}"
            ),
            key=f"target_flows {plan.prepared.key} {plan.week} {zone}",
            persist_state="session",
            help="Fewer people in a flow hide the target only where the threshold suppresses it.",
        )


def _accuracy(plan: Plan, counts: tuple[int, ...], *, source: str) -> None:
    epsilon, threshold = plan.release.mechanism.epsilon_per_cell, plan.release.threshold
    noise = plan.release.noise
    try:
        shown, bare = (cached.cell_accuracy(noise, epsilon, least, counts) for least in (threshold, 0))
    except (DataError, ParameterError) as error:
        st.error(str(error))
        parts.way_on("plan", "Find settings that fit on the page Plan")
        return
    with st.container(horizontal=True):
        st.metric(
            f"guessed right{source} (a coin: 50%), counts below {threshold} suppressed",
            words.chance(shown),
            help="How often the best attack on these counts is right, with the threshold.",
        )
        st.metric(
            f"guessed right{source} (a coin: 50%), nothing suppressed",
            words.chance(bare),
            help="The same if every noisy count were published. The gap is what the threshold gains.",
        )
