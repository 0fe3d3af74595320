"""How a release is called where it is offered."""

import re

import pytest

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.planning.mechanisms import mechanism_name, mechanisms_figure, mechanisms_rows
from privlab.od.combining.combinations import Combination
from privlab.od.releases.release_plan import SecureReleaseParameters


@pytest.mark.parametrize(("most", "said"), [(1, "at most 1 trip,"), (2, "at most 2 trips,")])
def test_one_trip_is_no_trips(most: int, said: str) -> None:
    one = Combination(
        name="integer",
        parameters=SecureReleaseParameters(epsilon=1.0, max_trips_per_user=most, threshold=20),
        within=0,
        rmse=0,
        made_up_share=0,
        noise_deviation=0,
    )
    assert mechanism_name(one) == f"integer noise, {said} threshold 20"


def test_what_a_step_gains_is_said_of_the_step_that_it_adds_to_by_hand() -> None:
    """The smoothed counts add to those with a total, two steps before: 84.8% is 3.1 points on 81.7%, and 4.5 on the 80.3% between."""
    shares = {
        "gaussian, l2, unbiased": 0.817,
        "gaussian, l2, unbiased, levels": 0.803,
        "gaussian, l2, unbiased, smoothed": 0.848,
    }
    steps = [
        Combination(
            name=name,
            parameters=SecureReleaseParameters(epsilon=1.0, max_trips_per_user=3, threshold=1),
            within=within,
            rmse=20,
            made_up_share=0,
            noise_deviation=0,
        )
        for name, within in shares.items()
    ]
    figure = mechanisms_figure(steps, LIGHT)
    # A picture is seen without the page: nothing was measured.
    assert "expected" in figure.layout.xaxis.title.text
    said = [one.text for one in figure.layout.annotations]
    assert [re.search(r" \((.*)\)", text) and re.search(r" \((.*)\)", text)[1] for text in said] == [
        None, "−1.4", "+3.1 on step 1",
    ]  # fmt: skip


def test_a_row_of_a_step_says_each_figure_under_its_name() -> None:
    one = Combination(
        name="gaussian, l2",
        parameters=SecureReleaseParameters(
            epsilon=1.0, max_trips_per_user=7, threshold=12, noise="gaussian", clip="l2", delta=1e-6
        ),
        within=0.75,
        rmse=3.25,
        made_up_share=0.0125,
        noise_deviation=4.5,
    )
    assert mechanisms_rows([one]) == [
        {
            "step": "1. Gaussian noise, all trips weighted",
            "L": "7",
            "threshold": "12",
            "within 10%": "75.0%",
            "RMSE (trips)": "3.2",
            "false flows": "1.2%",
            "noise on a flow (standard deviation)": "4.5",
        }
    ]
