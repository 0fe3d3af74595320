"""Publish: a release for good, what it promises, what it costs, and what all releases have cost so far."""

import streamlit as st

from privlab.ui import ledger_parts, outlook_parts, parts, publish_parts, release_form
from privlab.ui.state import current_plan

plan = current_plan()
finding = st.container()
publish_parts.watch()
hindrance = publish_parts.hindrance(plan)
if hindrance is not None:
    st.warning(hindrance)
release = publish_parts.release_control(plan) if hindrance is None else None
if release is not None:
    publish_parts.promise(plan, release)
data = release_form.form_control(plan) if release is not None else None
book = ledger_parts.ledger()
account = ledger_parts.account_of(book, plan.prepared)
if account is None:
    st.stop()
with finding:
    parts.finding(ledger_parts.finding(account, release))
if release is not None:
    accepted = outlook_parts.outlook(plan, release)
    publish_parts.make_button(plan, data, release, account, book, accepted)
publish_parts.releases()
st.subheader("What this data has spent")
ledger_parts.spent(account, release, book)
ledger_parts.budget_control(book, account, plan.prepared.source_digest)
ledger_parts.check_control(book)
publish_parts.on_the_command_line(plan, release)
