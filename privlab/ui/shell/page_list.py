"""The pages of the lab: their order, titles and icons, and the question each answers, for its door on Home."""

from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True, slots=True)
class Door:
    """One page: the name of its file and of its address, its title, icon and question."""

    page: str
    title: str
    icon: str
    question: str

    @property
    def file(self) -> str:
        """Its file, as streamlit is told it."""
        return f"../../pages/{self.page}.py"


DOORS = (
    Door("tour", "Tour", "tour", "The arguments of three papers on the samples, in eleven steps."),
    Door(
        "data",
        "Data",
        "database",
        "Who is in the data, and how much do they move? Pick a sample or bring a file.",
    ),
    Door(
        "release",
        "Release",
        "map",
        "What would be published, what suppressed, what made up, and how far off?",
    ),
    Door(
        "guarantee",
        "Guarantee",
        "verified_user",
        "What may the publisher honestly promise a person, and who is at risk all the same?",
    ),
    Door("plan", "Plan", "tune", "Which ε, bound and threshold satisfy what you accept?"),
    Door(
        "attack",
        "Attack",
        "target",
        "Would an attacker know that someone is in the data? Against which promise?",
    ),
    Door(
        "groups", "Groups", "groups", "Would someone be recognised in counts of a group, and does noise help?"
    ),
    Door(
        "anonymizability",
        "Anonymizability",
        "fingerprint",
        "How hard is it to hide each person among others, why, and what can be done?",
    ),
    Door(
        "publish",
        "Publish",
        "publish",
        "A release for good: secure noise, a certificate, and a ledger of what was spent.",
    ),
    Door(
        "report",
        "Report",
        "summarize",
        "What you collected on the other pages, as one file to carry away.",
    ),
)


def all_doors() -> None:
    """Show the doors in two columns; on a narrow screen they stand below each other, in the same order."""
    for first in range(0, len(DOORS), 2):
        row = DOORS[first : first + 2]  # the last may be alone
        for column, door in zip(st.columns(2), row, strict=False):
            with column.container(border=True, height="stretch"):
                st.page_link(door.file, label=f"**{door.title}**", icon=f":material/{door.icon}:")
                st.write(door.question)
