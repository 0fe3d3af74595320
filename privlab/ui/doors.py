"""The doors from the first page to all others, each with the question it answers."""

import streamlit as st

_DOORS = (
    ("tour", "Tour", "The arguments of three papers on the samples, in eleven steps."),
    ("data", "Data", "Who is in the data, and how much do they move? Pick a sample or bring a file."),
    ("release", "Release", "What would be published, what suppressed, what made up, and how far off?"),
    (
        "guarantee",
        "Guarantee",
        "What may the publisher honestly promise a person, and who is at risk all the same?",
    ),
    ("plan", "Plan", "Which ε, bound and threshold satisfy what you accept?"),
    ("attack", "Attack", "Would an attacker know that someone is in the data? Against which promise?"),
    ("groups", "Groups", "Would someone be recognised in counts of a group, and does noise help?"),
    (
        "anonymizability",
        "Anonymizability",
        "How hard is it to hide each person among others, why, and what can be done?",
    ),
    (
        "publish",
        "Publish",
        "A release for good: secure noise, a certificate, and a ledger of what was spent.",
    ),
    ("report", "Report", "What you collected on the other pages, as one file to carry away."),
)


def all_doors() -> None:
    """Show the doors in two columns; on a narrow screen they stand below each other, in the same order."""
    for left, right in zip(_DOORS[::2], _DOORS[1::2], strict=True):
        for column, (page, title, question) in zip(st.columns(2), (left, right), strict=True):
            with column.container(border=True, height="stretch"):
                st.page_link(f"../../pages/{page}.py", label=f"**{title}**", icon=":material/arrow_forward:")
                st.write(question)
