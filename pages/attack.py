"""Attack: would an attacker know that someone is in the published counts, and against which promise?"""

import streamlit as st

from privlab.figures.drawing import MEANINGS, TITLES
from privlab.figures.risks import attack_figure, attack_settings
from privlab.figures.wording import findings
from privlab.od.attack import AttackParameters
from privlab.ui import cached, current_plan
from privlab.ui.attack import (
    attack_page,
    certainty_view,
    gaussian_attack_view,
    own_week_view,
    people_view,
    practice_view,
)
from privlab.ui.planning import release_page
from privlab.ui.shell import palette, parts

plan = current_plan()
finding = st.container()
controls = st.container(horizontal=True, vertical_alignment="bottom")
people = people_view.people_of(plan)
with controls:
    your_trips = attack_page.your_trips_control(people)
    repetitions = attack_page.repetitions_control()
promise = gaussian_attack_view.gaussian_control(plan)
own_week = own_week_view.own_week(st.container(), attack_page.own_target(plan.release, promise))

curve = cached.attack_curve(
    AttackParameters(epsilon=plan.release.epsilon, noise=plan.release.noise, repetitions=repetitions),
    plan.seed,
)
bounded = cached.bounded_attack(plan.release) if promise is None else cached.gaussian_attack(promise)
settings = attack_settings(
    curve,
    bounded,
    noise=plan.release.noise if promise is None else "gaussian",
    delta=0.0 if promise is None else promise.delta,
    seed=plan.seed,
)
with finding:
    parts.finding(
        ("" if promise is not None else people_view.left_out_first(plan))
        + findings.attack_finding(
            curve,
            plan.release,
            your_trips,
            None if bounded is None else float(bounded.optimal[your_trips]),
            delta=0.0 if promise is None else promise.delta,
            found=people_view.are_found_alone(plan),
        )
    )
    people_view.found_alone(plan)
    certainty_view.readings(curve, plan.release, promise)

left, right = st.columns([3, 2], gap="large")
with left:
    parts.chart(
        attack_figure(
            curve,
            palette(),
            your_trips=your_trips,
            own_week=own_week,
            bounded=bounded,
        ),
        key="attack_curve",
        alt=attack_page.curve_in_words(curve, bounded),
        exhibit="attack" if promise is None else None,
        options={"k": your_trips, "simulated_games": repetitions},
        settings=settings,
        holds_more=own_week is not None,
    )
with right:
    parts.true_data()
    sentence = people_view.sentence(plan, people, curve, weighed=promise is not None)
    st.markdown(sentence)
    people_view.histogram(
        people,
        curve,
        key="attack_people",
        alt=sentence,
        height=320,
        limit=plan.release.max_trips_per_user,
    )
attack_page.key_figures(curve, bounded)
read = f"Shares are of 1: 0.6 is 60%. {MEANINGS['attack_curve']}"
attack_page.curve_table(curve, bounded, (TITLES["attack_curve"], settings, read))

st.subheader("How certain does the attacker become?")
certainty_view.certainty(plan.release, your_trips, promise)

st.subheader("What others promised")
practice_view.practice(plan.release, your_trips, gaussian=promise is not None)

st.subheader("What the promise adds up to")
weeks = attack_page.weeks_control()
if promise is None:
    attack_page.privacy_loss_metrics(plan.release, your_trips, weeks)
else:
    gaussian_attack_view.metrics(promise, your_trips, weeks)

st.subheader("Could everybody have made one trip only?")
population = attack_page.population_control(plan.n_users)
attack_page.plausibility(release_page.view_of(plan), plan, population, promise)

st.subheader("Does the threshold save someone with rare trips?")
if not plan.prepared.has_users:
    attack_page.attack_on_chosen_flows(plan)
attack_page.attack_on_counts(plan, attack_page.counts_control(), promise)

attack_page.formula()
