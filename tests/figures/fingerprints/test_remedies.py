"""Fingerprints before and after generalisation: samples lie in the boxes that are drawn of them, by hand."""

import numpy as np
import pytest

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.fingerprints.remedies import accuracy_figure, before_and_after_figure
from privlab.fingerprints.fingerprints import fingerprints_from_samples
from privlab.fingerprints.glove.glove_result import GloveParameters, accuracy_from_hidden_groups
from privlab.fingerprints.glove.hiding import hidden_groups_from_fingerprints


def test_samples_lie_within_the_boxes_that_hide_them_by_hand() -> None:
    """Two people, one sample each, 3 cells of 100 m apart to the east and 1 to the north, and 120 minutes: one box holds both."""
    people = fingerprints_from_samples([1, 2], [10, 13], [20, 21], [0, 120])
    groups = hidden_groups_from_fingerprints(people, GloveParameters(k=2), n_workers=1)
    samples, box = before_and_after_figure(groups, LIGHT).data
    assert sorted(samples.x) == pytest.approx([1.05, 1.35])
    assert sorted(samples.y) == pytest.approx([2.05, 2.15])
    # A kilometre to the north is as long as one to the east, in both.
    layout = before_and_after_figure(groups, LIGHT).layout
    assert (layout.yaxis.scaleanchor, layout.yaxis.scaleratio) == ("x", 1)
    assert (layout.xaxis2.matches, layout.yaxis2.matches) == ("x", "y")
    corners = [(x, y) for x, y in zip(box.x, box.y, strict=True) if x is not None and not np.isnan(x)]
    assert (min(corners), max(corners)) == (pytest.approx((1.0, 2.0)), pytest.approx((1.4, 2.2)))
    space, time = accuracy_figure(accuracy_from_hidden_groups(groups), LIGHT).data
    assert list(space.x) == pytest.approx([0, 0.4])  # its longer side
    assert list(time.x) == pytest.approx([0, 121 / 60])
    assert list(space.y) == list(time.y) == [0, 1]
