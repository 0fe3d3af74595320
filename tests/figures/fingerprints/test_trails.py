"""Trails of one person against two people worked by hand."""

import numpy as np

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.drawing.titles import rules_without_parameters, set_title
from privlab.figures.fingerprints.anonymizability_words import person_finding
from privlab.figures.fingerprints.person import SAMPLES_COMPARED, laws_finding, laws_rows
from privlab.figures.fingerprints.trails import days_at_first, home_of, n_days_of, trails_figure
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.measures import pooled_parts_from_fingerprints
from privlab.fingerprints.measures.one_person import what_if_from_fingerprints

DAY = 1440
# Person 0: at (10, 10) on two mornings and at (13, 14) on the second day; person 1: at (10, 11) once, on the first day.
PEOPLE = Fingerprints(
    user_ids=np.array([1, 2]),
    offsets=np.array([0, 3, 4]),
    x=np.array([10, 10, 13, 10], dtype=np.int32),
    y=np.array([10, 10, 14, 11], dtype=np.int32),
    t=np.array([480, DAY + 480, DAY + 600, 500], dtype=np.int32),
    cell_m=1000,
)


def test_trails_are_in_km_from_home_day_by_day_against_hand() -> None:
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    assert home_of(PEOPLE, 0) == (10, 10)
    assert n_days_of(PEOPLE, found) == 2
    drawn = {trace.name: trace for trace in trails_figure(PEOPLE, found, LIGHT, days=2).data}
    assert drawn["this person"].x.tolist() == [0, 0, 3]
    assert drawn["this person"].y.tolist() == [0, 0, 4]
    assert drawn["this person"].customdata[2].tolist() == ["1970-01-02 10:00", "5.0", ""]  # 3, 4, 5
    assert drawn["the nearest other"].y.tolist() == [1]
    joined = np.stack([drawn["matched samples"].x, drawn["matched samples"].y]).reshape(2, -1, 3)
    assert joined[:, 2, :2].T.tolist() == [[3, 4], [0, 1]]
    first = {trace.name: trace for trace in trails_figure(PEOPLE, found, LIGHT, days=1).data}
    assert first["this person"].x.tolist() == [0]


def test_a_button_has_colours_on_a_screen_alone_so_that_no_picture_has_it() -> None:
    """What a picture draws is what the figure says: nothing opaque. Rules of style, which no picture has, show it where it is pressed."""
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    figure = trails_figure(PEOPLE, found, LIGHT, days=2)
    set_title(figure, "Title", "", true_data=True)
    (menu,) = figure.layout.updatemenus
    assert [one.label for one in menu.buttons] == ["▶ Play the days", "■ Stop"]
    assert {menu.bgcolor, menu.bordercolor, menu.font.color} == {"rgba(0,0,0,0)"}
    rules = rules_without_parameters("div", ".chart")
    screen = rules[rules.index("@media screen {") :]
    for part in ("rect", "text"):
        assert f".chart .updatemenu-button {part} {{" in screen
    assert "updatemenu" not in rules[: rules.index("@media screen {")]


def test_a_picture_opens_with_as_many_days_as_can_be_told_apart() -> None:
    def opened(a_day: int, n_days: int) -> int:
        t = (np.arange(n_days)[:, None] * DAY + np.arange(a_day)).ravel().astype(np.int32)
        people = Fingerprints(
            user_ids=np.array([1, 2]), offsets=np.array([0, t.size, t.size + 1]),
            x=np.arange(t.size + 1, dtype=np.int32), y=np.arange(t.size + 1, dtype=np.int32), t=np.append(t, np.int32(0)), cell_m=1000,
        )  # fmt: skip
        return days_at_first(people, what_if_from_fingerprints(people, 0, k=2, levels=(), n_workers=1))

    assert opened(40, 10) == 10  # 400 samples
    assert opened(40, 11) == 10
    assert opened(150, 5) == 2
    assert opened(500, 3) == 1


def test_trails_play_day_by_day_on_axes_that_stay_issue_17() -> None:
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    figure = trails_figure(PEOPLE, found, LIGHT, days=2)
    seen = [{trace.name: len(trace.x) for trace in frame.data}["this person"] for frame in figure.frames]
    assert seen == [1, 3]
    assert figure.layout.xaxis.range == trails_figure(PEOPLE, found, LIGHT, days=1).layout.xaxis.range
    assert figure.layout.xaxis.range[0] < 0 < 3 < figure.layout.xaxis.range[1]


def test_where_it_is_low_one_line_says_what_is_what_and_no_legend() -> None:
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    high, low = (trails_figure(PEOPLE, found, LIGHT, days=2, low=one, playing=False) for one in (False, True))
    assert high.layout.showlegend is not False
    assert low.layout.showlegend is False
    (line,) = (one.text for one in low.layout.annotations if "home" in one.text)
    assert "<br>" not in line
    words = ["person", "home", "nearest other", "matched"]
    assert [part.rpartition("&#160;")[2] for part in line.split("&#160; ")] == words
    colours = [f"color:{one}" for one in (LIGHT.attack, LIGHT.marker, LIGHT.claim, LIGHT.muted)]
    assert [colour in part for colour, part in zip(colours, line.split("&#160; "), strict=True)] == [True] * 4


def test_the_nearest_other_in_plain_units_against_hand_issue_17() -> None:
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    # 1, 1 and 3 + 3 km along the axes: 8/3 on average; 20, 1,420 and 1,540 minutes: 993, or 16.6 hours.
    assert person_finding(PEOPLE, found) == (
        "**Nobody moved like this person**: of 1 other person the nearest was 2.7 km and 16.6 h away, on average over the "
        "person's own 3 samples, each place and time counted once."
    )


def test_an_other_seen_on_a_later_day_alone_is_drawn_and_said_to_be_so() -> None:
    """Person 0 on the first day, person 1 two days later: a line led to nobody."""
    later = Fingerprints(
        user_ids=np.array([1, 2]),
        offsets=np.array([0, 2, 3]),
        x=np.array([10, 12, 10], dtype=np.int32),
        y=np.array([10, 10, 11], dtype=np.int32),
        t=np.array([480, 600, 2 * DAY + 500], dtype=np.int32),
        cell_m=1000,
    )
    found = what_if_from_fingerprints(later, 0, k=2, levels=(), n_workers=1)
    figure = trails_figure(later, found, LIGHT, days=1)
    drawn = {trace.name: trace for trace in figure.data}
    assert drawn["the nearest other"].y.tolist() == [1]
    assert [one.text for one in figure.layout.annotations] == ["the nearest other: on other days only"]
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    assert not trails_figure(PEOPLE, found, LIGHT, days=2).layout.annotations


def test_what_is_compared_is_of_whoever_has_more_samples() -> None:
    """Of person 1, seen once, against person 0, seen three times, three samples are compared: the title counts its own one."""
    found = what_if_from_fingerprints(PEOPLE, 1, k=2, levels=(), n_workers=1)
    assert person_finding(PEOPLE, found).endswith(
        "over the person's own 1 sample, each place and time counted once."
    )
    laws = pooled_parts_from_fingerprints(PEOPLE, [1], k=2, n_workers=1)
    assert {row[SAMPLES_COMPARED] for row in laws_rows({"person 1 of 2": laws[0]})} == {"3"}
    assert "by the samples of whoever has more of them" in laws_finding({"person 1 of 2": laws[0]}, 2)
