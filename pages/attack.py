"""Attack: would an attacker know that someone is in the published counts, and against which promise?"""

import streamlit as st

from privlab.figures import words
from privlab.figures.attack import attack_figure
from privlab.od.attack import AttackParameters
from privlab.ui import attack_parts, cached, cell_parts, certainty_parts, parts, people_parts, release_parts
from privlab.ui.parts import palette
from privlab.ui.state import current_plan

plan = current_plan()
finding = st.container()
controls = st.container(horizontal=True, vertical_alignment="bottom")
with controls:
    your_trips = attack_parts.your_trips_control()
    repetitions = attack_parts.repetitions_control()

curve = cached.attack_curve(
    AttackParameters(epsilon=plan.release.epsilon, noise=plan.release.noise, repetitions=repetitions),
    plan.seed,
)
bounded = cached.bounded_attack(plan.release)
people = people_parts.people_of(plan)
with finding:
    parts.finding(
        words.attack_finding(
            curve, plan.release, your_trips, None if bounded is None else float(bounded.optimal[your_trips])
        )
    )
    certainty_parts.readings(curve, plan.release)

left, right = st.columns([3, 2], gap="large")
with left:
    parts.chart(
        attack_figure(
            curve,
            palette(),
            your_trips=your_trips,
            bounded=bounded,
        ),
        key="attack_curve",
        alt=attack_parts.curve_in_words(curve),
        exhibit="attack",
        options={"k": your_trips, "simulated_games": repetitions},
        about="noise",
    )
with right:
    parts.true_data()
    sentence = people_parts.sentence(plan, people, curve)
    st.markdown(sentence)
    people_parts.histogram(people, curve, key="attack_people", alt=sentence, height=320)
attack_parts.key_figures(curve, bounded)
attack_parts.curve_table(curve, bounded)

st.subheader("How certain does the attacker become?")
certainty_parts.certainty(plan.release, your_trips)

st.subheader("What the promise adds up to")
weeks = attack_parts.weeks_control()
attack_parts.privacy_loss_metrics(plan.release, your_trips, weeks)

st.subheader("Could everybody have made one trip only?")
population = attack_parts.population_control(plan.n_users)
attack_parts.plausibility(release_parts.view_of(plan), plan, population)

st.subheader("Does the threshold save someone with rare trips?")
if not plan.prepared.has_users:
    cell_parts.attack_on_chosen_flows(plan)
cell_parts.attack_on_counts(plan, cell_parts.counts_control())

attack_parts.formula()
