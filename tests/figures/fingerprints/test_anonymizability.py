"""k-gaps, what they are made of, and who is singled out, as figures and in words: what is drawn and said is what was given, by hand."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.stats

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.fingerprints.anonymizability import (
    anonymous_figure,
    link_figure,
    places_figure,
    tail_weight_figure,
    unicity_figure,
)
from privlab.figures.fingerprints.anonymizability_words import levels_finding, link_finding
from privlab.figures.fingerprints.cost_words import cost_words
from privlab.fingerprints import Level
from privlab.fingerprints.singling_out import Linkage

FINE, COARSE = Level(0.1, 1), Level(20, 480)


def test_tail_weights_of_known_laws_stand_where_they_are_on_an_axis_of_powers() -> None:
    """(q99 − q50)/(q75 − q50), over that of the normal law; the axis counts names by powers of ten, and lines by what they are."""
    values = np.array([[0.5], [1.0], [2.0]])
    parts: Any = SimpleNamespace(
        ks=(2,), tail_weight=values, tail_weight_spatial=values, tail_weight_temporal=values
    )
    layout = tail_weight_figure(parts, LIGHT, k=2).layout
    named = {one.text: one.x for one in layout.annotations}
    lines = sorted(one.x0 for one in layout.shapes)
    for name, law in (
        ("uniform", scipy.stats.uniform),
        ("normal", scipy.stats.norm),
        ("exponential", scipy.stats.expon),
    ):
        q50, q75, q99 = law.ppf([0.5, 0.75, 0.99])
        weight = (q99 - q50) / (q75 - q50) * scipy.stats.norm.ppf(0.75) / scipy.stats.norm.ppf(0.99)
        assert named[name] == pytest.approx(np.log10(weight), abs=1e-4)
        assert min(abs(one - weight) for one in lines) < 1e-4


def test_the_band_of_a_curve_holds_its_interval_at_each_number_of_samples() -> None:
    curve: Any = SimpleNamespace(
        points=np.array([1, 2, 3]),
        share=np.array([0.1, 0.5, 0.9]),
        low=np.array([0.05, 0.4, 0.8]),
        high=np.array([0.2, 0.6, 0.95]),
    )
    band, line = unicity_figure({"city": curve}, LIGHT).data
    for n, low, high in ((1, 0.05, 0.2), (2, 0.4, 0.6), (3, 0.8, 0.95)):
        assert {y for x, y in zip(band.x, band.y, strict=True) if x == n} == {low, high}
    assert band.y[:3].tolist() == [0.2, 0.6, 0.95]  # along the upper ends, and back along the lower ones
    assert line.y.tolist() == [0.1, 0.5, 0.9]
    assert line.customdata.tolist() == [[0.05, 0.2], [0.4, 0.6], [0.8, 0.95]]


def test_places_in_their_order_tell_more_people_than_in_any_order() -> None:
    found: Any = SimpleNamespace(
        level=FINE,
        places=np.array([1, 2]),
        share_of_lists=np.array([0.1, 0.6]),
        share_of_sets=np.array([0.1, 0.4]),
    )
    drawn = {one.name: one.y.tolist() for one in places_figure([found], LIGHT).data}
    assert drawn == {
        "0.1 km, 1 min, in their order": [0.1, 0.6],
        "0.1 km, 1 min, in any order": [0.1, 0.4],
    }


def linked(level: Level, days: int, right: float) -> Linkage:
    """Of 40 who are looked for among 50; the interval is 0.1 below and 0.05 above."""
    return Linkage(
        level=level, days=days, n_users=60, n_candidates=50, n_sought=40, right=right, share=right / 40,
        low=right / 40 - 0.1, high=right / 40 + 0.05, chance=0.02, n_tied=0,
    )  # fmt: skip


def test_who_is_linked_is_drawn_with_its_interval_and_said_of_the_longest_halves() -> None:
    found = [linked(FINE, 2, 10), linked(FINE, 7, 30), linked(COARSE, 7, 20)]
    drawn = {one.name: one for one in link_figure(found, LIGHT).data}
    fine = drawn["0.1 km, 1 min"]
    assert (list(fine.x), list(fine.y)) == ([2, 7], [0.25, 0.75])
    assert list(fine.error_y.array) == pytest.approx([0.05, 0.05])
    assert list(fine.error_y.arrayminus) == pytest.approx([0.1, 0.1])
    assert list(drawn["a blind guess"].y) == [0.02, 0.02]
    assert link_finding(found, ()) == (
        "By the places they visit at 0.1 km and 1 min, **75.0%** of 40 people seen again in the 7 days after are linked right to themselves "
        "among 50 (95% interval 65.0% to 80.0%; a blind guess: 2.00%)."
    )


def gaps(level: Level, values: list[float]) -> Any:
    known = np.array(values)
    return SimpleNamespace(
        parameters=SimpleNamespace(level=level, fold_days=None),
        n_judged=known.size,
        kgaps=SimpleNamespace(of=lambda k: known),
    )


def test_who_is_anonymous_is_drawn_and_said_of_every_level() -> None:
    """Of four people one has the same fingerprint as another at the finest level, and three at the coarsest."""
    studies = (gaps(FINE, [0.0, 0.1, 0.2, 0.3]), gaps(COARSE, [0.0, 0.0, 0.0, 0.1]))
    (bars,) = anonymous_figure(studies, LIGHT, k=2, chosen=str(COARSE)).data
    assert dict(zip(bars.x, bars.text, strict=True)) == {"0.1 km<br>1 min": "25.0%", "20 km<br>8 h": "75.0%"}
    assert bars.marker.color[1] == LIGHT.marker != bars.marker.color[0]
    assert levels_finding(studies, 2) == (
        "At the finest level 25.0% of 4 people judged are 2-anonymous; at 20 km and 8 h, the coarsest, 75.0% are: most are, at the price of "
        "such coarse data."
    )


def test_each_bar_that_goes_sideways_has_its_name_however_low_the_screen() -> None:
    """Plotly names every second bar where it takes names to be close; marks at each whole number of an axis of categories are all."""
    studies = (gaps(FINE, [0.0, 0.1]), gaps(COARSE, [0.0, 0.0]))
    figure = anonymous_figure(studies, LIGHT, k=2, sideways=True)
    assert figure.data[0].text == ("\u00a050.0%", "\u00a0100.0%"), "no figure touches its bar"
    axis = figure.layout.yaxis
    assert (axis.type, axis.dtick) == ("category", 1)


@pytest.mark.parametrize(
    ("capped_km", "capped_min", "said"),
    [
        ([0, 0, 0], [0, 0, 0], "up to 2 km and 30 min"),
        ([0, 0, 0.5], [0, 0, 0.5], "up to 2 km and 30 min"),  # the median person is nearer than that one
        ([0, 0.1, 0], [0, 0, 0], "2 km or more and up to 30 min (space is counted up to 20 km)"),
        ([0, 0, 0.5], [0.1, 0, 0], "up to 2 km and 30 min or more (time is counted up to 8 h)"),
    ],
)
def test_a_cost_is_a_lower_bound_where_those_up_to_the_median_are_counted_no_farther(
    capped_km: list[float], capped_min: list[float], said: str
) -> None:
    """Three people, whose samples would have to move 1, 2 and 19 km, and 10, 30 and 400 min."""
    column = {
        name: np.array(values, dtype=np.float64)[:, None]
        for name, values in (
            ("mean_km", [1, 2, 19]), ("mean_min", [10, 30, 400]), ("capped_km", capped_km), ("capped_min", capped_min),
        )
    }  # fmt: skip
    stretch = SimpleNamespace(max_km=20, max_min=480)
    study: Any = SimpleNamespace(
        dispersion=SimpleNamespace(ks=(2,), **column),
        parameters=SimpleNamespace(stretch=stretch, fold_days=None),
    )
    assert cost_words(study, 2) == said
