"""What is said of k-gaps: caps are no costs, and what is not defined is said with its reason. Cases by hand."""

from dataclasses import replace

import numpy as np
import pytest

from privlab.figures.fingerprints import anonymizability_words as words
from privlab.figures.fingerprints import unicity_words
from privlab.fingerprints.fingerprints import fingerprints_from_samples, folded_fingerprints
from privlab.fingerprints.levels import Level
from privlab.fingerprints.measures.kgap import KGaps
from privlab.fingerprints.measures.one_person import what_if_from_fingerprints
from privlab.fingerprints.measures.study import LevelStudy, StudyParameters
from privlab.fingerprints.singling_out import resolution_laws_from_unicity, unicity_by_level_from_fingerprints
from privlab.lab.fingerprints import kgap_study_from_fingerprints


def study_of_two(*samples: tuple[int, int], judged: int | None = None) -> LevelStudy:
    """Return the study of two people: one stays at 0 at minutes 0, 10,000 …, samples of the other are so many cells and minutes off."""
    n = len(samples)
    x = [0] * n + [cells for cells, _ in samples]
    t = [10_000 * at for at in range(n)] + [10_000 * at + off for at, (_, off) in enumerate(samples)]
    fingerprints = fingerprints_from_samples([1] * n + [2] * n, x, [0] * (2 * n), t)
    return kgap_study_from_fingerprints(fingerprints, StudyParameters(n_query=judged))


@pytest.mark.parametrize(
    ("samples", "said", "cells"),
    [
        # A cell is 100 m. One sample each: its distance is the cost.
        ([(10, 96)], "move on average up to 1 km and 1.6 h.", ("1.00 km", "96 min")),
        # At the same place days apart: time counts up to 480 minutes, and that is no cost.
        (
            [(10, 3000)],
            "move on average up to 1 km and 8 h or more (time is counted up to 8 h).",
            ("1.00 km", "≥ 480 min"),
        ),
        # One sample alike and one far in time: the mean of 0 and 480 or more is 240 or more.
        ([(0, 0), (0, 3000)], "up to 0 km and 4 h or more (time is counted up to 8 h).", ("0.00 km", "≥ 240 min")),
        ([(250, 60)], "20 km or more and up to 1 h (space is counted up to 20 km).", ("≥ 20.00 km", "60 min")),
        (
            [(250, 3000)],
            "20 km or more and 8 h or more (space is counted up to 20 km, time up to 8 h).",
            ("≥ 20.00 km", "≥ 480 min"),
        ),
    ],
)  # fmt: skip
def test_a_cap_is_no_cost_against_hand(
    samples: list[tuple[int, int]], said: str, cells: tuple[str, str]
) -> None:
    study = study_of_two(*samples)
    assert words.kgap_finding(study, 2).endswith(said)
    row = words.summary_row(study, 2)
    assert (row["cost in space"], row["in time"]) == cells
    measured = {one["measure"]: one["median"] for one in words.dispersion_rows(study, 2)}
    assert measured["distance to the nearest, min"].startswith("≥") is cells[1].startswith("≥")


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        # Both far in time: every distance in time counts as 480 minutes, so there is no tail. Those in space do not differ either.
        (
            [(10, 3000), (10, 4000)],
            "In time the tail weight is not defined: of everybody more than half of the samples are 8 h or more from the nearest, and count as "
            "8 h. In space it is not defined: of everybody a quarter of the samples or more are equally far from the nearest.",
        ),
        # In space 0, 0, 100 and 200 m: the median is 0, the upper quartile and the top are told apart from it.
        (
            [(0, 3000), (0, 4000), (1, 3000), (2, 4000)],
            "the median tail weight is 0.58 in space (normal distribution: 1). In time it is not defined: ",
        ),
    ],
)
def test_a_tail_weight_that_is_not_defined_is_said_with_its_reason_against_hand(
    samples: list[tuple[int, int]], said: str
) -> None:
    study = study_of_two(*samples)
    sentence = words.why_finding(study, 2)
    assert said in sentence
    assert "nan" not in sentence
    rows = words.dispersion_rows(study, 2)
    assert not [row for row in rows if "nan" in "".join(row.values())]
    assert {row["measure"]: row["median"] for row in rows}["tail weight, time"] == "–"


def test_a_median_between_a_cost_and_a_cap_is_a_lower_bound_against_hand() -> None:
    """Two people 96 minutes apart and two days apart: (96 + 480)/2 = 288 minutes or more."""
    people = fingerprints_from_samples([1, 2, 3, 4], [0, 0, 300, 300], [0] * 4, [0, 96, 100_000, 103_000])
    study = kgap_study_from_fingerprints(people, StudyParameters())
    assert words.kgap_finding(study, 2).endswith("up to 0 km and 4.8 h or more (time is counted up to 8 h).")
    assert words.summary_row(study, 2)["in time"] == "≥ 288 min"


def test_caps_of_some_are_not_said_of_everybody() -> None:
    user, x = [1, 1, 2, 2, 3, 3, 4, 4], [0] * 4 + [300] * 4
    t = [0, 10_000, 96, 10_096, 100_000, 110_000, 103_000, 113_000]
    people = fingerprints_from_samples(user, x, [0] * 8, t)
    sentence = words.why_finding(kgap_study_from_fingerprints(people, StudyParameters()), 2)
    assert "time" in sentence
    assert "of everybody more than half of the samples" not in sentence


def test_fewer_people_than_k_are_said_alike_wherever_k_is_asked_for() -> None:
    """Two people far apart in time and place: among 50 nobody can be hidden, and that is no likeness."""
    study = study_of_two((250, 3000))
    said = "There are only 2 people: nobody can be hidden among 49 others."
    assert [
        words.kgap_finding(study, 50),
        words.levels_finding((study, study), 50),
        words.why_finding(study, 50),
    ] == [said] * 3
    assert "sets people apart is" in words.why_finding(study, 2)


def test_a_person_in_many_is_not_said_to_be_none() -> None:
    """Of 5,000 people judged two are alike, 0.04%; of the others none, and half of the people are not most."""
    values = np.full((5000, 1), 0.25)
    values[:2] = 0
    study = replace(
        study_of_two((250, 3000)), dispersion=None, kgaps=KGaps(ks=(2,), query=np.arange(5000), values=values)
    )
    assert words.kgap_finding(study, 2).startswith(
        "**2 of 5,000 people judged** (below 0.1%) are 2-anonymous"
    )
    assert words.summary_row(study, 2)["k-anonymous"] == "below 0.1%"
    values[:2500] = 0
    assert words.levels_finding((study, study), 2).endswith("50.0% are: coarser is not enough.")


def test_a_distance_of_time_alone_is_all_of_it_by_hand() -> None:
    """At one place 96 minutes apart: the distance is time, and no share can be more than all."""
    assert (
        "for half of the people judged all of the distance to their nearest others is time"
        in words.why_finding(study_of_two((0, 96)), 2)
    )


def test_unicity_that_does_not_fall_has_no_power_of_resolution_by_hand() -> None:
    """Nine people 100 km from one another: at each level every one is alone, so that nothing falls."""
    people = fingerprints_from_samples(list(range(9)), [1000 * at for at in range(9)], [0] * 9, [0] * 9)
    found = unicity_by_level_from_fingerprints(
        people, (Level(0.1, 1), Level(1, 30), Level(20, 480)), points=(1, 4), rng=np.random.default_rng(1)
    )
    assert unicity_words.unicity_rows(found)[2]["4 known"] == "100.0%"
    said = unicity_words.law_sentence(resolution_laws_from_unicity(found))
    assert said.startswith(
        "With 4 samples known it hardly falls, if at all, as resolution gets coarser: by less than the 0.001 power"
    )


def test_folded_time_is_said_to_be_folded_and_dated_by_the_day_of_the_period_by_hand() -> None:
    """Two people at one place, on Thursday 2026-03-05 at 01:48 and a week later: twins where weeks lie on one another alone."""
    thursday = int(np.datetime64("2026-03-05T01:48", "m").astype(np.int64))
    people = fingerprints_from_samples([1, 2], [0, 0], [0, 0], [thursday, thursday + 7 * 1440])
    study = kgap_study_from_fingerprints(people, StudyParameters(fold_days=7))
    said = ", with time folded onto 7 days"
    # Whoever is hidden has nothing to move: up to 0 km and 0 min were said to be what hiding costs.
    assert (
        words.kgap_finding(study, 2)
        == f"**2 of 2 people** (100.0%) are 2-anonymous at 0.1 km and 1 min{said}."
    )
    assert f"the coarsest, 100.0% are{said}: most are" in words.levels_finding((study,), 2)
    folded = folded_fingerprints(people, fold_days=7)
    assert words.person_finding(folded, what_if_from_fingerprints(folded, 0)).startswith(
        f"This person has a **twin** among 1 other person{said}:"
    )
    assert "folded" not in words.kgap_finding(kgap_study_from_fingerprints(people, StudyParameters()), 2)
    assert [folded.time_of(0), people.time_of(0)] == ["day 4 of 7, 01:48", "2026-03-05 01:48"]
    assert folded_fingerprints(people, fold_days=14).time_of(1)[:4] == "day "


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([(1, 400), (2, 300)], "what sets people apart is **when, not where**: for half of the people judged 99% or more"),
        ([(150, 4), (190, 8)], "what sets people apart is **where rather than when**: for half of the people judged 1% or more"),
    ],
)  # fmt: skip
def test_what_sets_people_apart_is_the_larger_part_of_the_distance(
    samples: list[tuple[int, int]], said: str
) -> None:
    """0.1 and 0.2 km of 20 beside 400 and 300 minutes of 480: time is 0.729 of 0.737. 15 and 19 km beside 4 and 8 minutes: 0.0125 of 0.8625."""
    assert said in words.why_finding(study_of_two(*samples), 2)
