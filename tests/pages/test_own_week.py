"""Your own week on Attack and in the tour: opened, said in a sentence, put on the curve, and forgotten."""

import json
from statistics import NormalDist
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from privlab.dp.gaussian import GaussianParameters
from privlab.ui.state import sample_job
from tests.lab.attacking.test_own_week import WEEKS, A, B, C, timeline
from tests.pages.test_all_pages import app, on_page, until


@pytest.fixture(scope="module", autouse=True)
def _sample_ready() -> None:
    sample_job("city").result(timeout=900)


def said(at: AppTest) -> list[str]:
    return [element.value for element in at.markdown if "you made" in element.value]


def figure_of(at: AppTest) -> Any:
    """Return the figure of the attack as the browser is sent it."""
    charts = [one for one in at.get("plotly_chart") if "attack_curve" in one.proto.id]
    return json.loads(charts[0].proto.spec)


def given(at: AppTest) -> Any:
    return next(element for element in at.file_uploader if str(element.key).startswith("timeline_"))


@pytest.mark.parametrize(
    ("page", "slider", "address"), [("attack", "k", {}), ("tour", "tour_author", {"step": "3"})]
)
def test_ones_own_week_is_told_put_on_the_curve_and_forgotten_issue_17(
    page: str, slider: str, address: dict[str, str]
) -> None:
    at = on_page(app(own_week="true", **address), page)
    assert not said(at)
    given(at).upload("Timeline.json", WEEKS, "application/json").run()
    until(at, lambda at: bool(said(at)))
    # docs/science.md, section 2.3: 0.707072 for three unique trips at ε = 0.66.
    assert said(at)[0] == (
        "In the week of 2026-03-02 you made **3 unique trips**: with ε = 0.66 for a trip, an attacker guesses right "
        "**71 times in 100** whether you are in the counts (a coin: 50)."
    )
    if page == "attack":
        marked = [one["text"] for one in figure_of(at)["layout"]["annotations"]]
        assert "your week, k = 3: 70.7%" in marked
        assert "k = 12: 85.2%" in marked
        assert "INTERNAL: true data" in json.dumps(figure_of(at)["layout"])  # a week of one's own
    before = at.slider(key=slider).value
    at.selectbox(key="timeline_week").set_value("2026-03-09").run()
    assert "**1 unique trip**" in said(at)[0]
    at.button(key="show_own_week").click().run()
    assert at.slider(key=slider).value == 1
    at.button(key="forget_own_week").click().run()
    assert not said(at)
    assert at.slider(key=slider).value == before  # nor is the number of one's trips left in the address
    if page == "attack":
        assert "INTERNAL" not in json.dumps(figure_of(at)["layout"])
    assert given(at).value is None
    assert not at.exception


def test_half_of_ones_weeks_are_told_in_whole_trips_by_hand() -> None:
    """Two unique trips in one week and five in the next: half of the weeks have three and a half or more, which is four or more."""
    way = (
        ("02T08", A),
        ("02T12", B),
        ("02T16", A),
        ("10T08", B),
        ("10T12", C),
        ("10T16", A),
        ("11T08", C),
        ("11T12", B),
    )
    stays = [(f"2026-03-{at}:00:00+01:00", *place) for at, place in way]
    at = on_page(app(own_week="true"), "attack")
    given(at).upload("Timeline.json", timeline(*stays), "application/json").run()
    until(at, lambda at: bool(said(at)))
    assert "**5 unique trips**" in said(at)[0]
    assert "In half of your 2 weeks you made 4 unique trips or more." in [one.value for one in at.markdown]


def test_under_a_bound_only_the_trips_that_count_are_attacked_against_theory() -> None:
    """At most one trip, with the whole ε: 1 − ½e^(−0.33) = 0.6405, the best on one count with Laplace noise."""
    at = on_page(app(own_week="true", epsilon="0.66", bound="1"), "attack")
    given(at).upload("Timeline.json", WEEKS, "application/json").run()
    until(at, lambda at: bool(said(at)))
    assert said(at)[0] == (
        "In the week of 2026-03-02 you made **3 unique trips**: with ε = 0.66 for a week, of which at most 1 unique trip is counted, "
        "an attacker guesses right **64 times in 100** whether you are in the counts (a coin: 50)."
    )


def test_under_gaussian_noise_the_sentence_is_that_of_the_mark_on_the_curve() -> None:
    """Three trips at L = 3 have the whole norm: Φ(√3·1024/(2σ)), σ the promise's own; the mark lies at the same height."""
    at = on_page(app(own_week="true", epsilon="1", bound="3", attack_gaussian="true"), "attack")
    given(at).upload("Timeline.json", WEEKS, "application/json").run()
    until(at, lambda at: bool(said(at)))
    sigma = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=3).sigma
    right = 100 * NormalDist().cdf(1024 * 3**0.5 / (2 * sigma))
    assert f"right **{right:.0f} times in 100**" in said(at)[0]
    assert "for a week, with Gaussian noise and δ = " in said(at)[0]
    marked = [one["text"] for one in figure_of(at)["layout"]["annotations"]]
    assert any(one.startswith(f"your week, k = 3: {right:.1f}") for one in marked)


def test_a_file_that_is_no_timeline_is_told_in_one_sentence() -> None:
    at = on_page(app(own_week="true"), "attack")
    given(at).upload("Timeline.json", b"user,time", "application/json").run()
    until(at, lambda at: bool(at.error))
    assert "no JSON" in at.error[0].value
    assert not at.exception
