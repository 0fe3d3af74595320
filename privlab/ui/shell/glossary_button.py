"""The glossary, a click away from every page: what words and colours mean."""

import streamlit as st

from privlab.reports.documents import glossary


def glossary_button() -> None:
    """Show the button that opens the glossary."""
    if st.button(
        "Glossary",
        key="glossary",
        icon=":material/menu_book:",
        type="tertiary",
        help="What the words and the colours on these pages mean, one sentence each.",
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
    if not wanted:
        _colours()
    found = [(term, meaning) for term, meaning in glossary() if wanted in f"{term} {meaning}".lower()]
    if not found:
        st.info("No term matches. Try a shorter word.")
    for term, meaning in found:
        st.markdown(f"**{term}**: {meaning}")


def _colours() -> None:
    """Show each colour of figures and maps beside its meaning."""
    # Not above: the first page greets its visitor before what these need is loaded.
    from privlab.figures.drawing import COLOUR_MEANINGS
    from privlab.ui.shell.parts import palette

    look = "forced-color-adjust:none;flex:none;width:1rem;height:1rem;border-radius:0.2rem;margin-top:0.25rem;background:"
    rows = "".join(
        f"<div style='display:flex;gap:0.6rem;'><span style='{look}{getattr(palette(), name)}'></span><span>{meaning}</span></div>"
        for name, meaning in COLOUR_MEANINGS.items()
    )
    st.markdown("**Colours** of figures and maps:")
    st.html(rows)
    st.caption(
        "Where lines are compared with each other, such as kinds of noise or sizes of groups, each is named beside itself."
    )
