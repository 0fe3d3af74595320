"""The pages of the lab, in the order of work: titles, icons, the question each answers, and what comes after it."""

from dataclasses import dataclass

import streamlit as st

LEARN, ASSESS, DECIDE, DELIVER = GROUPS = ("Learn", "Assess", "Decide", "Deliver")


@dataclass(frozen=True, slots=True)
class Door:
    """One page: the name of its file and of its address, its group, title, icon and question.

    `next` is the page that comes after it, `why` says in one line why.
    """

    page: str
    group: str
    title: str
    icon: str
    question: str
    next: str
    why: str

    @property
    def file(self) -> str:
        """Its file, as streamlit is told it."""
        return f"../../pages/{self.page}.py"


HOME = Door(
    "home",
    LEARN,
    "Home",
    "home",
    "What publishing flows shows and what it hides, in one picture.",
    "data",
    "See who is in the data, and how many trips each person makes.",
)
DOORS = (
    Door(
        "tour",
        LEARN,
        "Tour",
        "tour",
        "The arguments of three papers on the samples, in eleven steps.",
        "data",
        "See the same on a sample, or on data of your own.",
    ),
    Door(
        "data",
        ASSESS,
        "Data",
        "database",
        "Who is in the data, and how much do they move? Pick a sample or bring a file.",
        "attack",
        "Find out what an attacker would learn about one of these people.",
    ),
    Door(
        "attack",
        ASSESS,
        "Attack",
        "target",
        "Would an attacker know that someone is in the data? Against which promise?",
        "groups",
        "Counts of a small group by the hour give people away in another way.",
    ),
    Door(
        "groups",
        ASSESS,
        "Groups",
        "groups",
        "Would someone be recognised in counts of a group, and does noise help?",
        "recovery",
        "Counts name nobody: see whether whole trails can be put together from them.",
    ),
    Door(
        "recovery",
        ASSESS,
        "Recovery",
        "route",
        "Can whole trails be put together from counts by zone and hour?",
        "anonymizability",
        "See whether people can be hidden among others when whole traces are shared.",
    ),
    Door(
        "anonymizability",
        ASSESS,
        "Anonymizability",
        "fingerprint",
        "How hard is it to hide each person among others, why, and what can be done?",
        "plan",
        "You know the risk: say what you accept, and get settings that keep to it.",
    ),
    Door(
        "plan",
        DECIDE,
        "Plan",
        "tune",
        "Which ε, bound and threshold satisfy what you accept?",
        "release",
        "See on the map what these settings publish and what they leave out.",
    ),
    Door(
        "release",
        DECIDE,
        "Release",
        "map",
        "What would be published, what suppressed, which flows would be false, and how far off?",
        "guarantee",
        "Read what may honestly be promised to the people in it.",
    ),
    Door(
        "guarantee",
        DECIDE,
        "Guarantee",
        "verified_user",
        "What may the publisher honestly promise a person, and who is at risk all the same?",
        "publish",
        "Make the release for good, with its certificate.",
    ),
    Door(
        "publish",
        DELIVER,
        "Publish",
        "publish",
        "A release for good: secure noise, a certificate, and a ledger of what was spent.",
        "report",
        "Put what you found into one file that others can read.",
    ),
    Door(
        "report",
        DELIVER,
        "Report",
        "summarize",
        "What you collected on the other pages, as one file to carry away.",
        "data",
        "Begin again with other data: what is in the report stays.",
    ),
)


def door_of(page: str) -> Door:
    """Return the page of a name; the empty name is Home's address."""
    return next(door for door in (HOME, *DOORS) if door.page == (page or HOME.page))


# Each page's question beside its name where there is room for both, else below it.
_ROWS = """<style>
.st-key-all_pages [data-testid="stPageLink"] { min-width: 11rem; }
.st-key-all_pages [data-testid="stHorizontalBlock"] { row-gap: 0; padding-bottom: 0.35rem; }
</style>"""


def all_doors() -> None:
    """Show all pages but Home by group, a row for each: its name, and the question that it answers."""
    with st.container(key="all_pages", gap=None):
        st.html(_ROWS)
        for group in GROUPS:
            st.markdown(f"**{group}**")
            for door in DOORS:
                if door.group == group:
                    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                        st.page_link(
                            door.file, label=door.title, icon=f":material/{door.icon}:", width="content"
                        )
                        st.caption(door.question, width="content")
