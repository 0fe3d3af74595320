"""The price of a limit as dots, against a flow worked by hand."""

import numpy as np
import pytest

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.flows.one_flow import price_figure, price_in_words


def test_one_flow_in_three_releases_by_hand() -> None:
    figure = price_figure(200.0, 150.0, np.array([-20.0, 0.0, 20.0]), LIGHT, half_width=12)
    assert figure.data[0].y.tolist() == [130, 150, 170]
    band, true, counted = figure.layout.shapes
    assert (band.y0, band.y1) == (138, 162)
    assert (true.y0, counted.y0) == (200, 150)
    assert [one.text for one in figure.layout.annotations] == ["true: 200", "counted: 150"]
    assert {one.line.color for one in (true, counted)} == {LIGHT.true}  # no claim is drawn here
    # Another limit, the same axis.
    other = price_figure(200.0, 199.0, np.array([-90.0, 90.0]), LIGHT, half_width=70)
    assert other.layout.yaxis.range == figure.layout.yaxis.range == pytest.approx((0, 330))


def test_counts_are_never_said_to_be_below_zero() -> None:
    assert (
        price_in_words(30, 20, 45)
        == "Of a flow of 30 trips the limit counts 20 on average, drawn anew each time; about 95 of 100 releases say 0 to 65."
    )
