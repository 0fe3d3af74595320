"""What others have promised, or tried, with noise: their ε, for whom and for how long, as far as a source says so.

Only what a named source states; what it does not state is None. Nothing here is a promise of this program.
"""

from dataclasses import dataclass

from privlab.defaults import PUBLISHED_EPSILON

_WEEKS, _DAYS = 52, 365
_DESFONTAINES = "D. Desfontaines, A list of real-world uses of differential privacy (desfontain.es/blog/real-world-differential-privacy.html)"
_REGISTRY = "OpenDP's registry of deployments (github.com/opendp/deployments-registry-data)"
_CENSUS_CODE = "github.com/uscensusbureau/DAS_2020_Redistricting_Production_Code"
_SEARCHES = "Not movements: searches, counted by day and region."
_LOCAL = "Not movements: noise is added on each device, before anything is sent."


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPractice:
    """One release, or one experiment, with the ε that a source states of it; None where what could be read states none.

    `unit` is what ε protects, `bound` how much of a person is counted at most. `day`, `week` and `year` are the ε of
    all that one person does in that time, as stated; `added_week` and `added_year` what follows by adding ε up where the
    unit is a person's day or week. None: not stated, or it does not follow.
    """

    name: str
    what: str
    epsilon: float | None
    delta: float | None
    unit: str
    bound: str | None
    source: str
    note: str = ""
    day: float | None = None
    week: float | None = None
    year: float | None = None
    added_week: float | None = None
    added_year: float | None = None


def _of_a_day(
    name: str,
    what: str,
    epsilon: float,
    *,
    delta: float | None = None,
    bound: str | None = None,
    source: str = _DESFONTAINES,
    note: str = _LOCAL,
) -> PublishedPractice:
    return PublishedPractice(
        name=name,
        what=what,
        epsilon=epsilon,
        delta=delta,
        unit="a user's day",
        bound=bound,
        day=epsilon,
        added_week=7 * epsilon,
        added_year=_DAYS * epsilon,
        source=source,
        note=note,
    )


def _tried(epsilon: float) -> PublishedPractice:
    return PublishedPractice(
        name=f"Pyrgelis et al., ε = {epsilon:g}",
        what="counts by zone and hour of a group, an experiment",
        epsilon=epsilon,
        delta=None,
        unit="all reports of a user in a week, with Lap(Δ/ε)",
        bound="Δ, the most reports of any user in the data",
        week=epsilon,
        added_year=_WEEKS * epsilon,
        source="Pyrgelis, Troncoso, De Cristofaro, Knock Knock, Who's There? (NDSS 2018)",
    )


PUBLISHED_PRACTICE = (
    PublishedPractice(
        name="Bassolas et al.",
        what="weekly trips between zones of cities, 300 million users, counts of 100 or more",
        epsilon=PUBLISHED_EPSILON,
        delta=2.1e-29,
        unit="whether a person made a trip from A to B in a week",
        bound="once in each flow a week; how many flows is not stated",
        source="Bassolas et al., Hierarchical organization of urban mobility (Nature Communications, 2019), and the authors' reply to "
        "Houssiau et al. (pmc.ncbi.nlm.nih.gov/articles/PMC8748792)",
        note="Houssiau et al. (2022) work out 46.2 for a week with 70 unique trips, and 2,402.4 for a year of such weeks.",
    ),
    _tried(0.01),
    _tried(0.1),
    _tried(1.0),
    _tried(10.0),
    PublishedPractice(
        name="US Census 2020, persons by block",
        what="tables of persons for drawing districts, TopDown algorithm",
        epsilon=17.14,
        delta=1e-10,
        unit="what is recorded of one person, who is counted somewhere in any case",
        bound="one record a person",
        source="the Census Bureau's production files: configs/production/pl94/person_default.ini (global_scale = 339/542), "
        f"configs/production/prod_default.ini (δ = 1e-10), programs/engine/budget.py ({_CENSUS_CODE})",
        note="Not movements. ε is worked out here from scale and δ by the formula of their curve.py (ρ = 1/scale² = 2.556), and is what "
        "OpenDP's registry has, too; one release in ten years.",
    ),
    PublishedPractice(
        name="US Census 2020, housing units by block",
        what="tables of housing units for drawing districts, TopDown algorithm",
        epsilon=2.47,
        delta=1e-10,
        unit="what is recorded of one housing unit",
        bound="one record a housing unit",
        source=f"{_REGISTRY}, census_redistricting_data.yaml, after the Bureau's handbook of disclosure avoidance and arXiv:2204.08986",
        note="Not movements. ρ = 0.07; with persons ρ = 2.63 in all.",
    ),
    _of_a_day(
        "Google, mobility reports",
        "visits to kinds of places by day and region, against a baseline",
        2.64,
        bound="a day: four pairs of place kind and region, one region for home and one for work, at each of three levels",
        source="Google COVID-19 Community Mobility Reports: Anonymization Process Description (arXiv:2004.04145), as "
        f"{_REGISTRY} has it (google_mobility.yaml)",
        note="Added up there from 1.76 for visits (four times 0.44), 0.44 for home and 0.44 for work; each 0.44 is 0.11 for the country, 0.11 "
        "for the state and 0.22 for the county.",
    ),
    PublishedPractice(
        name="OnTheMap (LODES)",
        what="where workers live and work, United States",
        epsilon=8.6,
        delta=1e-5,
        unit="a person",
        bound=None,
        source=f"{_DESFONTAINES}, in a quotation of September 2026; the paper behind it, Machanavajjhala et al., Privacy: Theory meets "
        "Practice on the Map (2008), was not read",
        note="Probabilistic differential privacy, of where people live. The list names no span of time.",
    ),
    PublishedPractice(
        name="Google, Environmental Insights Explorer",
        what="trips and distances by means of transport in about 50,000 regions",
        epsilon=2.0,
        delta=None,
        unit="a user's week",
        bound=None,
        week=2.0,
        added_year=_WEEKS * 2.0,
        source="Bian et al., Releasing Large-Scale Human Mobility Histograms with Differential Privacy, abstract (arXiv:2407.03496); the unit "
        "by a summary of it (sciencestack.ai/paper/2407.03496)",
        note="“About 2”.",
    ),
    _of_a_day(
        "Meta, movement range maps",
        "movement of Facebook users by day and region, against a baseline",
        2.0,
        source=f"{_REGISTRY}, movement_ranges_maps.yaml",
        note="",
    ),
    PublishedPractice(
        name="Spectus, leaving Harris County",
        what="who left before a hurricane, when and how far, Texas, 2017",
        epsilon=10.0,
        delta=None,
        unit="a user, in the whole of one release",
        bound=None,
        source=f"{_REGISTRY}, mobility_trends_hurricane.yaml",
        note="The sum of four counts, with 4, 2, 1 and 3.",
    ),
    _of_a_day(
        "Google, searches for symptoms",
        "searches for symptoms by day and region",
        1.68,
        source="Google COVID-19 Search Trends symptoms dataset, abstract (arXiv:2009.01265)",
        note=_SEARCHES,
    ),
    _of_a_day(
        "Google, searches on vaccination",
        "searches on vaccination by day and region",
        2.19,
        delta=1e-5,
        source="Google COVID-19 Vaccination Search Insights, abstract (arXiv:2107.01179)",
        note=_SEARCHES,
    ),
    _of_a_day("Apple, types of health data", "which types of health data are used", 2.0),
    _of_a_day("Apple, emoji", "which emoji are used", 4.0),
    _of_a_day("Apple, hints for look-up", "what is done with suggestions of the search", 8.0),
    _of_a_day("Apple, new words", "words typed that no dictionary knows", 16.0),
)

STATED_PRACTICE = tuple((one, one.epsilon) for one in PUBLISHED_PRACTICE if one.epsilon is not None)
"""Those of which a source states an ε, each with it."""
