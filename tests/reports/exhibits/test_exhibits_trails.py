"""Parts about trails and single people say what their pages say: with the options of each page, on worlds made by hand."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.aggregates.recovery.trails_from_counts import recovery_from_followed
from privlab.checks import ParameterError
from privlab.datasets.zones import ZoneMap
from privlab.figures.fingerprints.anonymizability_words import person_finding
from privlab.fingerprints import Fingerprints
from privlab.fingerprints.measures import (
    LevelStudy,
    StudyParameters,
    level_studies_from_fingerprints,
    level_study_from_fingerprints,
    what_if_from_fingerprints,
)
from privlab.od.simulating import ReleaseParameters
from privlab.reports.exhibits import EXHIBITS
from privlab.reports.exhibits.exhibits import Content
from privlab.reports.report_plan import DataReference, View
from privlab.ui.fingerprints.anonymizability_views import options_of
from privlab.ui.recovery.recovery_views import options_of as recovery_options
from tests.aggregates.recovery.test_trails_from_counts import line, world
from tests.aggregates.worlds import MONDAY, traces_of_sets
from tests.fingerprints.crowds import random_crowd


class Crowd:
    """Material that has fingerprints, with their k-gaps, and nothing else."""

    def fingerprints(self) -> Fingerprints:
        """Return some people."""
        return random_crowd(np.random.default_rng(3), n_users=12)

    def kgap_study(self, parameters: StudyParameters) -> LevelStudy:
        """Work them out."""
        return level_study_from_fingerprints(self.fingerprints(), parameters)

    def kgap_studies(self, parameters: StudyParameters) -> tuple[LevelStudy, ...]:
        """Work them out at every level."""
        return level_studies_from_fingerprints(self.fingerprints(), parameters)


def made(name: str, **options: Any) -> Content:
    return EXHIBITS[name].make(
        Crowd(), View(release=ReleaseParameters(epsilon=0.66), options=tuple(options.items()))
    )


def test_the_views_of_anonymizability_are_parts_with_the_options_of_the_page() -> None:
    study = level_study_from_fingerprints(Crowd().fingerprints(), StudyParameters(n_query=None), ks=(2,))
    options = options_of(study.parameters, 2)
    for name in ("levels", "anonymous"):
        rows = made(name, **options | {"level": None}).rows
        assert [row["level (km–min)"] for row in rows][::5] == ["0.1-1", "20-480"]
    part = made("person", **options | {"person": 4})
    first = part.rows[0]
    assert first["person"] == "person 4 of 12"
    assert {row["person"] for row in part.rows} == {f"person {place} of 12" for place in (4, 1, 6, 11)}
    with pytest.raises(ParameterError, match="person must be"):
        made("person", **options | {"person": 13})


class CityCrowd(Crowd):
    """The same people in a city whose zones are known: one of 2 km around its middle."""

    def fingerprints(self) -> Fingerprints:
        """Return the people of before, in degrees."""
        return replace(super().fingerprints(), centre=(45.0, 9.0))

    def reference(self) -> DataReference:
        """Return a file of one's own."""
        return DataReference(name="city", sample=False, digest="", zones="column")

    def trips(self) -> Any:
        """Return what says where zones lie."""
        ring = [(9 + a / 78.8, 45 + b / 111.1) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]
        zones = ZoneMap(
            zones=np.array([1]), lat=np.array([45.0]), lon=np.array([9.0]), outlines=([ring],), names=("one",)
        )
        return SimpleNamespace(zone_map=zones)


def test_trails_in_a_report_lie_on_the_zones_of_the_data_as_on_the_page() -> None:
    crowd = CityCrowd()
    study = level_study_from_fingerprints(crowd.fingerprints(), StudyParameters(n_query=None), ks=(2,))
    options = options_of(study.parameters, 2) | {"person": 4}
    view = View(release=ReleaseParameters(epsilon=0.66), options=tuple(options.items()))
    figure = EXHIBITS["person_trails"].make(crowd, view).figure
    assert figure is not None
    assert [one.name for one in figure.layout.shapes] == ["borders of zones"]


OF_ONE_PERSON = ("person_trails", "person_places", "person_parts", "person_giveaway")


@pytest.mark.parametrize("name", OF_ONE_PERSON)
def test_each_figure_of_one_person_is_a_part_with_the_options_of_the_page(name: str) -> None:
    """What is said of person 4 by the study itself, on the same people, stands in the part."""
    people = Crowd().fingerprints()
    study = level_study_from_fingerprints(people, StudyParameters(n_query=None), ks=(2,))
    found = what_if_from_fingerprints(people, int(study.kgaps.ranked(2)[3]), k=2)
    more = {"days_shown": 1} if name == "person_trails" else {}
    part = made(name, **options_of(study.parameters, 2) | {"person": 4} | more)
    # The headline of the page, by the same study.
    headline = person_finding(people, found).replace("**", "")
    assert part.sentence.startswith(f"{headline} This is person 4 of 12, from the easiest to hide. ")
    assert f"of {found.at.size} samples make up half of the distance" in part.sentence
    assert part.figure is not None
    # One sentence on what is drawn is read out, another for each figure.
    assert part.drawn.count(".") == 1
    assert part.drawn not in {
        made(one, **options_of(study.parameters, 2)).drawn for one in OF_ONE_PERSON if one != name
    }
    with pytest.raises(ParameterError, match="person must be"):
        made(name, **options_of(study.parameters, 2) | {"person": 13})


def test_the_trail_of_a_person_is_drawn_up_to_the_day_asked_for() -> None:
    """Its own samples up to midnight, counted by hand in the fingerprints."""
    people = Crowd().fingerprints()
    study = level_study_from_fingerprints(people, StudyParameters(n_query=None), ks=(2,))
    own = people.t[what_if_from_fingerprints(people, int(study.kgaps.ranked(2)[3]), k=2).at]
    for days in (1, int(own.max() // 1440 - own.min() // 1440) + 1):
        figure = made(
            "person_trails", **options_of(study.parameters, 2) | {"person": 4, "days_shown": days}
        ).figure
        assert figure is not None
        drawn = next(trace for trace in figure.data if trace.name == "this person")
        assert len(drawn.x) == int((own < (own.min() // 1440 + days) * 1440).sum())


def test_most_visited_places_are_a_part_of_every_level_asked_for() -> None:
    part = made("places", levels="0.1-1,20-480")
    assert [row["most visited places"] for row in part.rows] == ["1", "2", "3", "4", "5"] * 2
    assert "of 12 people are the only ones with their 3 most visited places" in part.sentence
    assert part.figure is not None
    drawn = {trace.name: trace.y[2] for trace in part.figure.data}
    assert f"{drawn['0.1 km, 1 min, in any order']:.1%} of 12 people" in part.sentence


def test_hidden_people_are_a_part_only_with_their_proof() -> None:
    part = made("hidden", k=3, level="0.1-1", leave_out_km=None, leave_out_min=None)
    assert part.sentence.startswith("Everyone in it shares all rows with at least 2 others: ")
    assert "for 12 people" in part.sentence
    assert part.rows[0]["samples left out"] == "0.0%"
    assert int(part.rows[0]["largest group"]) >= 3
    maps = made("hidden_maps", k=3, level="0.1-1", leave_out_km=None, leave_out_min=None)
    assert (maps.sentence, maps.rows) == (part.sentence, part.rows)
    assert maps.figure is not None


def test_what_others_promised_may_leave_the_house() -> None:
    part = made("practice", k=3, noise="laplace")
    assert "70.7%" in part.sentence  # docs/science.md, section 2.3, at k = 3 and ε = 0.66
    assert not EXHIBITS["practice"].discloses
    assert list(part.rows[0])[:3] == ["who", "what is protected", "ε of a person by day, week, year"]


def test_shown_first_is_whoever_is_in_most_zones() -> None:
    """Three stay, the fourth moves among four zones. Where nobody moves, of four the third is three quarters."""
    people = world(
        [[0] * 24, [1] * 24, [2] * 24, [5, 6, 7, 8] * 6],
        np.concatenate([line(3), line(6, north_km=50)]),
    )
    found = recovery_from_followed(people, RecoveryParameters(users=4, days=1))
    assert int(found.ranked[found.telling_place - 1]) == 3
    still = replace(people, zone=np.zeros_like(people.zone))
    assert recovery_from_followed(still, RecoveryParameters(users=4, days=1)).telling_place == 3


def test_a_recovery_from_a_day_on_is_a_part_of_the_same_days() -> None:
    """Two people, seen on the first and on the tenth day of two weeks: the part is of the day that the page names."""
    traces = traces_of_sets(
        [{(1, 0), (24 * 9, 1)}, {(2, 1), (24 * 9 + 1, 0)}], n_zones=2, n_weeks=2, null_zone=True
    )
    places = SimpleNamespace(lat=np.array([45.0, 45.1]), lon=np.array([9.0, 9.0]))
    material: Any = SimpleNamespace(placed_traces=lambda: (traces, places))
    for first in (None, MONDAY + timedelta(days=9)):
        options = recovery_options(RecoveryParameters(users=2, days=1, first_day=first))
        assert ("first_day" in options) is (first is not None)
        view = View(release=ReleaseParameters(epsilon=0.66), options=tuple(options.items()))
        said = EXHIBITS["recovery"].make(material, view).sentence
        assert f"24 steps of 60 minutes from {first or MONDAY}" in said
