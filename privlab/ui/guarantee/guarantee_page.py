"""The guarantee page's own controls, tables and sentences."""

from dataclasses import replace

import numpy as np
import streamlit as st

from privlab.checks import ParameterError
from privlab.dp.gaussian import TOTAL_SHARE, GaussianParameters
from privlab.dp.promise import (
    LEAST_SAID,
    Guarantee,
    GuaranteeParameters,
    UnitGuarantee,
    certain_words,
    delta_words,
    power_of_ten,
)
from privlab.figures.risks import guessed_right_in, median_risk, risk_histogram, risks_finding, sums_tell
from privlab.figures.wording import noise_name, nothing_published, people, period, plain, words
from privlab.lab.judging import WANTED_DELTA
from privlab.od.risks import GaussianRisks, PersonRisks
from privlab.stats import percent_at_most
from privlab.ui import cached, shared_controls
from privlab.ui.guarantee.exposure_view import choose_band, most_exposed
from privlab.ui.publish.outlook_view import asked_of_ids, empty_release
from privlab.ui.report.report_state import add_button
from privlab.ui.settings_of_release import GAUSSIAN_PLANNED, chosen_mechanism, gives_back
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan, gaussian_words

_CERTAIN = "more than 95% certain"


def parameters_control(plan: Plan) -> GuaranteeParameters | GaussianParameters | None:
    """Show what a guarantee depends on besides the plan; return it, or say why there is none."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        weeks = shared_controls.weekly_releases_control()
        cells = shared_controls.cells_control(plan.prepared)
        gaussian = st.checkbox(
            "Gaussian noise instead",
            key="guarantee_gaussian",
            bind="query-params",
            help="What the same ε promises with discrete Gaussian noise, as Publish offers it: all trips count, those of whoever has "
            f"more than the limit with less weight, and the promise has a δ of {delta_words(WANTED_DELTA)} a week. It needs a "
            "limit on trips per user.",
        )
    with st.container():  # there in each run, so that nothing below it moves
        _say_how_many_are_released(plan, weeks)
    release = plan.release
    if gaussian:
        return _gaussian_parameters(plan, weeks, cells)
    try:
        return GuaranteeParameters(
            epsilon=release.epsilon,
            max_trips_per_user=release.max_trips_per_user,
            weeks=weeks,
            threshold=release.threshold,
            cells=cells,
            noise=release.noise,
        )
    except ParameterError as error:
        _refused(plan, error, cells)
        return None


def _refused(plan: Plan, error: ParameterError, cells: str) -> None:
    """Say why nothing can be promised of these settings, with what leads on."""
    st.error(plain(str(error)))
    if cells == "discovered" and plan.release.threshold < 1:
        parts.setting_button("Leave out noisy counts below 1", key="guarantee_threshold", threshold="1")
    elif plan.prepared.has_users:
        parts.way_on("plan", "Find settings that fit on the page Plan")


def _say_how_many_are_released(plan: Plan, weeks: int) -> None:
    """Say where more weekly releases of this data were made in this session than are looked at, and offer to look at all."""
    made = st.session_state.get("released", [])
    n_made = sum(len(one.plan.weeks) for one in made if one.digest == plan.prepared.source_digest)
    if n_made > weeks:
        st.info(
            f"{n_made:,} weekly releases of this data were made in this session. What stands here is of "
            f"{'one' if weeks == 1 else f'{weeks:,}'}: whoever is in all of them is promised less."
        )
        parts.setting_button(f"Look at {n_made:,} releases together", key="released_weeks", releases=n_made)


def gaussian_of(parameters: GuaranteeParameters | GaussianParameters | None) -> GaussianParameters | None:
    """Return the parameters if their noise is Gaussian, else None."""
    return parameters if isinstance(parameters, GaussianParameters) else None


def _gaussian_parameters(plan: Plan, weeks: int, cells: str) -> GaussianParameters | None:
    release = plan.release
    if release.max_trips_per_user is None:
        st.warning(
            "Gaussian noise promises nothing without a limit on trips per user: set one in the settings. Until then what follows of people is of "
            f"{noise_name(release.noise)} noise."
        )
        parts.setting_button("At most 10 trips", key="bound_for_gaussian", bound="10")
        return None
    try:
        return GaussianParameters(
            epsilon=release.epsilon,
            delta=WANTED_DELTA,
            max_trips_per_user=release.max_trips_per_user,
            weeks=weeks,
            threshold=release.threshold,
            total_share=TOTAL_SHARE if gives_back(chosen_mechanism()) and cells == "public" else 0.0,
            cells=cells,
        )
    except ParameterError as error:
        _refused(plan, error, cells)
        return None


def finding(guarantee: Guarantee) -> str:
    """Return what the release promises a person, in one sentence."""
    week, user = guarantee.user_week, guarantee.user
    if week is None or user is None:
        return (
            f"This release protects a trip (an attacker guesses right in {percent_at_most(guarantee.trip.optimal_accuracy)}; a coin: "
            "50%), "
            "not a person: without a bound on trips per user, a person is promised nothing."
        )
    sentence = (
        f"Whatever a person did in the week, the best attacker guesses right in at most "
        f"{percent_at_most(week.optimal_accuracy)} of cases (a coin: 50%), and {certain_words(_certain(guarantee, week), most=week.proven_accuracy)}."
    )
    if guarantee.parameters.weeks == 1:
        return sentence
    return (
        f"{sentence} Over {guarantee.parameters.weeks:,} weeks: {percent_at_most(user.optimal_accuracy)}, and "
        f"{certain_words(_certain(guarantee, user), most=user.proven_accuracy)}."
    )


def _certain(guarantee: Guarantee, unit: UnitGuarantee) -> float:
    """Return the share of cases to say; Gaussian noise has no largest loss, and 0.0% would be less than the truth."""
    return (
        unit.certain_share
        if gaussian_of(guarantee.parameters) is None
        else max(unit.certain_share, LEAST_SAID)
    )


def statement(guarantee: Guarantee, plan: Plan) -> None:
    """Show the sentence that may honestly be said, ready to copy: of a release for good, which has whole numbers."""
    asked, released = guarantee.parameters, guarantee
    if isinstance(asked, GuaranteeParameters) and asked.noise != "integer" and guarantee.user is not None:
        released = cached.guarantee(replace(asked, noise="integer"))
    parts.statement(released.statement, name="guarantee")
    asked_of_ids(plan)
    if released is not guarantee and released.user_week is not None:
        st.caption(
            "The sentence is of a release for good, whose noise is integer: the best attacker guesses right in at most "
            f"{percent_at_most(released.user_week.optimal_accuracy)} of cases. All else on this page is of the noise in the settings."
        )
    if isinstance(guarantee.parameters, GuaranteeParameters):
        add_button("guarantee", weekly_releases=guarantee.parameters.weeks, cells=guarantee.parameters.cells)
    else:
        st.caption("It goes into a report with the release that makes it, on Publish.")


def _unit_words(guarantee: Guarantee, name: str) -> str:
    return f"{name}: {words.unit_in_words(name, bounded=guarantee.user_week is not None)}"


def units_table(guarantee: Guarantee) -> None:
    """Show what the same noise promises a trip, a week of a user, and a user."""
    rows = []
    for name, unit in guarantee.as_dict().items():
        rows.append({"unit": _unit_words(guarantee, name)} | _unit(unit))
    parts.printed_table(rows, key="units")
    known = (
        "known exactly" if guarantee.parameters.cells == "public" else "no more than this: a bound, not exact"
    )
    st.caption(
        f"Best attack: on the worst-placed unit of any data, {known} "
        "(a coin: 50%). Proven: what ε and δ alone allow. More than 95% certain: how often at most, of someone who is in and "
        "whose flows are all published."
        + (
            ""
            if guarantee.user_week is None
            else f" One trip of someone with others may lose more than the only one: {_without_it(guarantee)}. "
            "Publish says how much, of what was released."
        )
    )
    _say_the_exact_loss(guarantee)


def _without_it(guarantee: Guarantee) -> str:
    """Return what becomes of a person's other trips, without one of them."""
    if gaussian_of(guarantee.parameters) is None:
        return "under a limit another is counted in its place"
    return "without it the others of whoever has more than the limit weigh more"


def _say_the_exact_loss(guarantee: Guarantee) -> None:
    """Say of Gaussian noise over many weeks what the exact loss of all weeks comes to, which is far less than weeks added up."""
    user = guarantee.user
    if user is None or guarantee.parameters.weeks == 1 or gaussian_of(guarantee.parameters) is None:
        return
    st.caption(
        f"ε = {user.epsilon:.4g} adds up the weeks one by one. By the exact loss of all {guarantee.parameters.weeks:,} weeks together it is "
        f"{user.epsilon_by_losses:.4g} at the same δ, as the page Attack says."
    )


def for_experts(guarantee: Guarantee) -> None:
    """Show what a finer way of adding up losses finds, folded away."""
    with st.expander("For experts: ε by the privacy loss distribution"):
        parts.printed_table(
            [
                {
                    "unit": _unit_words(guarantee, name),
                    "ε by losses": "none without a bound"
                    if unit is None
                    else f"{unit.epsilon_by_losses:.4g}",
                }
                for name, unit in guarantee.as_dict().items()
            ],
            key="by_losses",
        )
        added = delta_words(guarantee.parameters.target_delta)
        st.caption(
            f"It adds up how much each flow may give away instead of the worst of each, and holds with {added} more of δ."
        )


def _unit(unit: UnitGuarantee | None) -> dict[str, str]:
    if unit is None:
        return {"ε": "none without a bound", "δ": "–"} | dict.fromkeys(
            ("best attack", "proven", _CERTAIN), "no limit"
        )
    delta = "0" if unit.log10_delta is None else power_of_ten(unit.log10_delta)
    return {
        "ε": f"{unit.epsilon:.4g}",
        "δ": delta,
        "best attack": words.chance_at_most(unit.optimal_accuracy, 1),
        "proven": words.chance_at_most(unit.proven_accuracy, 1),
        _CERTAIN: f"below {LEAST_SAID:.1%}"
        if unit.certain_share < LEAST_SAID and (unit.certain_share > 0 or unit.log10_delta is not None)
        else percent_at_most(unit.certain_share),
    }


def nothing_is_published(plan: Plan) -> bool:
    """Say so, and lead to the page Plan, if nothing of the loaded data would be published; return whether it is so."""
    if not plan.prepared.has_users:
        return False
    largest = cached.largest_flow_if_nothing(
        plan.prepared.key, plan.prepared, plan.release, plan.week, plan.group_size
    )
    if largest is None:
        return False
    parts.true_data()
    empty_release(
        f"{nothing_published(largest, plan.release.threshold)} That it tells of nobody says nothing of what a release "
        "that holds something would tell."
    )
    return True


def gaussian_risks(plan: Plan, promise: GaussianParameters) -> None:
    """Show the risk of people in the loaded data under Gaussian noise."""
    parts.true_data()
    if _says_no_users(plan):
        return
    risks = cached.gaussian_risks(plan.prepared.key, plan.prepared, replace(promise, weeks=1), plan.week)
    sentence = risks_finding(risks)
    st.markdown(
        f"{sentence} In one week's release of everyone, where no flow of theirs is suppressed: a flow that is left out only "
        "lowers it. The attacker knows all other records."
    )
    figure, figures = st.columns([3, 1], gap="large")
    with figure:
        parts.chart(
            risk_histogram(risks, palette()),
            key="gaussian_histogram",
            alt=sentence,
            exhibit="person_risks",
            options=GAUSSIAN_PLANNED,
            settings=f"{plan.prepared.name}: {period(plan.week)}, {people(risks.n_users)}, {gaussian_words(promise)}, no flow left out, "
            f"{people(risks.accuracy.size)} judged",
        )
    with figures:
        _middle_and_highest(risks)


def _says_no_users(plan: Plan) -> bool:
    """Return whether the data names no users, after saying what follows from it."""
    if plan.prepared.has_users:
        return False
    st.warning("The file does not say whose trips it counts, so no risk per person can be computed.")
    parts.other_data("Load data that says whose trips they are", sample="city")
    return True


def _middle_and_highest(risks: PersonRisks | GaussianRisks) -> None:
    st.metric(
        "median", guessed_right_in(median_risk(risks)), help="Of those with a trip in the released period."
    )
    st.metric(
        "highest",
        guessed_right_in(risks.accuracy.max()),
        help="The person who is guessed right most often. A coin: 50%.",
    )


def person_risks(plan: Plan) -> None:
    """Show the exact risk of people in the loaded data, and which flows give the most exposed away."""
    parts.true_data()
    if _says_no_users(plan):
        return
    cells = shared_controls.cells_in_use(plan.prepared)
    risks = cached.person_risks(
        plan.prepared.key, plan.prepared, plan.release, plan.week, plan.group_size, cells
    )
    n_people = risks.accuracy.size
    sentence = risks_finding(risks)
    whole = "all of them" if n_people == risks.n_users else f"the first of {risks.n_users:,} in random order"
    st.markdown(
        f"{sentence} These are {whole}; the attacker knows all other records."
        + (
            " Of whoever is alone in a flow it is at most so often: how much their other flows add is taken from above."
            if risks.n_alone
            else ""
        )
    )
    if cells == "public" and (told := sums_tell(plan.release)):
        st.caption(told)
    figure, figures = st.columns([3, 1], gap="large")
    with figure:
        parts.chart(
            risk_histogram(risks, palette()),
            key="risk_histogram",
            alt=sentence,
            exhibit="person_risks",
            options={} if cells == "public" else {"cells": cells},
            settings=f"{plan.prepared.name}: {plan.parameters}, {people(n_people)} judged",
            on_pick=choose_band,
            brush=True,
        )
    with figures:
        _middle_and_highest(risks)
        st.metric(
            "proven for that person",
            words.chance_at_most(float(risks.user_level_bound[np.argmax(risks.accuracy)]), 1),
            help="e^{kε'}/(1+e^{kε'}) with k the person's counted trips and ε' the loss per cell."
            if cells == "public"
            else "1 − q + q·e^{kε'}/(1+e^{kε'}), with q the chance that none of the flows is published which that person is alone in, k the "
            "other counted trips and ε' the loss per cell.",
        )
    most_exposed(plan, risks)


def how_to_release() -> None:
    """Say how a release for good is made, and lead to where."""
    st.markdown(
        "What these pages draw is a simulation. A release for publication has noise without a seed and a certificate, "
        "always a bound, and is written into a ledger before it is handed over."
    )
    st.page_link("../../pages/publish.py", label="Make a release for good", icon=":material/publish:")
