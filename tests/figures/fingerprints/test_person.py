"""One person's figures: what is compared by eye has one scale, and no name is written across another picture."""

import numpy as np
import pytest

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.fingerprints.anonymizability_words import nothing_apart
from privlab.figures.fingerprints.person import giveaway_figure, laws_figure, laws_rows, space_time_figure
from privlab.fingerprints import Fingerprints
from privlab.fingerprints.measures import PooledParts
from privlab.fingerprints.measures.one_person import what_if_from_fingerprints
from tests.figures.fingerprints.test_trails import PEOPLE


def test_space_and_time_are_drawn_on_one_scale() -> None:
    """A distance that is ten times as long in time is drawn ten times as long."""
    nothing = dict.fromkeys(("total", "spatial", "temporal"), 0.0)
    law = PooledParts(
        user=0,
        spatial=np.array([0.01, 0.05]),
        temporal=np.array([0.1, 0.5]),
        gini=nothing,
        tail_weight=nothing,
    )
    layout = laws_figure({"person 1 of 2": law}, LIGHT).layout
    assert [layout[name].matches for name in ("xaxis", "xaxis2", "xaxis3")] == ["x"] * 3


def test_the_axis_of_the_second_picture_is_named_outside_the_first() -> None:
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    assert space_time_figure(PEOPLE, found, LIGHT).layout.yaxis2.side == "right"


def test_places_are_drawn_on_one_scale_however_narrow_the_figure_is() -> None:
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    assert space_time_figure(PEOPLE, found, LIGHT).layout.yaxis.scaleanchor == "x"


def test_the_most_telling_samples_make_up_a_growing_share_from_nothing_to_all() -> None:
    """Of three samples none makes nothing of the distance, and all make all; between them the farther come first."""
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    curve = giveaway_figure(found, LIGHT).data[0]
    assert curve.x.tolist() == [0, 1 / 3, 2 / 3, 1]
    parts = sorted((found.spatial + found.temporal)[:, 0].tolist(), reverse=True)
    assert curve.y.tolist() == pytest.approx([0, *np.cumsum(parts) / sum(parts)])
    assert curve.y[-1] == 1


def test_of_sample_distances_the_size_of_99_in_100_is_said_by_hand() -> None:
    """The 99th of 1/1000, 2/1000, … 100/1000, and the middle between the 50th and the 51st."""
    parts = dict.fromkeys(("total", "spatial", "temporal"), 0.0)
    law = PooledParts(
        user=0, spatial=np.arange(1, 101) / 1000, temporal=np.zeros(100), gini=parts, tail_weight=parts
    )
    total, space, time = laws_rows({"person 1 of 2": law})
    assert (space["median distance"], space["99% within"]) == ("0.051", "0.099")
    assert (total["99% within"], time["99% within"]) == ("0.099", "0.000")


def test_of_a_twin_no_curve_is_drawn_and_no_sample_gives_anything_away() -> None:
    """Two people with the same two samples: there is no distance of which samples could make up a share."""
    twins = Fingerprints(
        user_ids=np.array([1, 2]),
        offsets=np.array([0, 2, 4]),
        x=np.array([20, 50] * 2, dtype=np.int32),
        y=np.array([10, 50] * 2, dtype=np.int32),
        t=np.array([480, 1920] * 2, dtype=np.int32),
        cell_m=100,
    )
    found = what_if_from_fingerprints(twins, 0, k=2, levels=(), n_workers=1)
    assert nothing_apart(found)
    figure = giveaway_figure(found, LIGHT)
    assert [one.name for one in figure.data] == ["all alike"]
    assert any("others have the same" in one.text for one in figure.layout.annotations)
    other = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    assert not nothing_apart(other)
    assert giveaway_figure(other, LIGHT).data[0].name == "this person"
