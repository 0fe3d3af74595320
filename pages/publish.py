"""Publish: a release for good, what it promises, what it costs, and what all releases have cost so far."""

import streamlit as st

from privlab.ui import current_plan
from privlab.ui.planning import plan_page
from privlab.ui.publish import (
    account_view,
    approval_view,
    budget_view,
    health_view,
    ledger_view,
    made_releases,
    outlook_view,
    publish_page,
    release_controls,
    release_file_form,
)
from privlab.ui.report import report_buttons
from privlab.ui.shell import parts

plan = current_plan()
finding = st.container()
with st.container():  # there in each run, so that no control below moves up when nothing is said in it
    publish_page.watch(plan.prepared.source_digest)
    made_releases.releases()
hindrance = publish_page.hindrance(plan)
with made_releases.place_of_next(plan):
    if hindrance is not None:
        st.warning(hindrance)
        if publish_page.wants_a_bound(plan) and plan.prepared.no_trips:
            release_controls.visits_instead(plan)
        elif publish_page.wants_a_bound(plan):
            plan_page.offer(plan)
        else:
            parts.other_data(publish_page.other_data_label(plan), sample="city")
    release = release_controls.release_control(plan) if hindrance is None else None
    if release is not None:
        publish_page.promise(plan, release)
        report_buttons.add_promise_of_plan(release)
    data = release_file_form.form_control(plan) if release is not None else None
    if release is not None and data is not None:
        release = release_controls.as_it_is_read(release, data)
    book = ledger_view.ledger()
    charged = account_view.account_control(plan, data, book, finding)
    if charged is None:
        health_view.health_on_request()
        st.stop()
    account = charged.account
    with finding:
        parts.finding(ledger_view.finding(account, release, charged.whose))
    accepted = None
    if release is not None:
        accepted = outlook_view.outlook(plan, release, data)
        publish_page.make_button(plan, data, release, charged, book, accepted)
        outlook_view.attack_button(release)
approval_view.waiting(account, book)
st.subheader("What this data has spent")
ledger_view.spent(account, release, book)
budget_view.budget_control(book, account, plan.prepared.source_digest)
ledger_view.check_control(book)
publish_page.ids_in_zones(plan)
publish_page.on_the_command_line(plan, release, accepted, charged.wish)
health_view.health_on_request()
