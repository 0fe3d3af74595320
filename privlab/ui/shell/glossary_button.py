"""The glossary, a click away from every page."""

import streamlit as st

from privlab.reports.documents import glossary


def glossary_button() -> None:
    """Show the button that opens the glossary."""
    if st.button(
        "Glossary",
        key="glossary",
        icon=":material/menu_book:",
        type="tertiary",
        help="What the words on these pages mean, one sentence each.",
    ):
        _glossary()


@st.dialog("Glossary", width="large")
def _glossary() -> None:
    wanted = (
        st.text_input(
            "Find",
            key="glossary_find",
            persist_state="session",
            placeholder="a word or part of one",
            help="Shows the terms that hold these letters.",
        )
        .strip()
        .lower()
    )
    found = [(term, meaning) for term, meaning in glossary() if wanted in f"{term} {meaning}".lower()]
    if not found:
        st.info("No term matches. Try a shorter word.")
    for term, meaning in found:
        st.markdown(f"**{term}**: {meaning}")
