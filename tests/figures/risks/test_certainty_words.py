"""How certain an attacker ends, in a figure and in words: figures from docs/science.md, section 2.5."""

import math

import numpy as np
import pytest

from privlab.dp.certainty.certainty import Certainty, CertaintyParameters, posterior_law_from_parameters
from privlab.dp.certainty.gaussian_certainty import GaussianQuestion, posterior_law_from_gaussian_question
from privlab.dp.gaussian import GaussianParameters
from privlab.figures.drawing.palette import DARK, LIGHT, rgba
from privlab.figures.risks.certainty import (
    certainty_after_weeks,
    certainty_words,
    claim_readings,
    posterior_figure,
)


@pytest.mark.parametrize(
    ("k", "inside", "outside"), [(1, 0, 0), (2, 40.1496, 12.3549), (10, 73.0436, 9.7742)]
)
def test_bars_beyond_the_claim_add_up_to_the_chance(k, inside, outside):
    law = posterior_law_from_parameters(CertaintyParameters(epsilon=0.66, trips=k))
    for colours in (LIGHT, DARK):
        into, out = posterior_figure(law, colours).data
        beyond = np.asarray(into.x) > 0.659260
        assert np.sum(np.asarray(into.y)[beyond]) == pytest.approx(inside, abs=1e-3)
        assert -np.sum(np.asarray(out.y)[beyond]) == pytest.approx(outside, abs=1e-3)
        assert np.sum(into.y) == pytest.approx(100)
        assert np.sum(out.y) == pytest.approx(-100)
        assert len(set(into.marker.color)) == 2


def test_a_bar_that_ends_at_the_claim_is_within_it():
    """Bars up to what is asked are faint on both sides, and those that begin there or later are not."""
    law = posterior_law_from_parameters(CertaintyParameters(epsilon=0.66, trips=10))
    into, out = posterior_figure(law, LIGHT).data
    asked = law.certainty.parameters.asked
    assert any(abs(edge - asked) < 1e-9 for edge in law.edges)
    for bars, colour in ((into, LIGHT.attack), (out, LIGHT.simulated)):
        full = [rgba(colour, 1.0) == one for one in bars.marker.color]
        assert full == [middle > asked for middle in bars.x]
        assert True in full
        assert False in full


def test_nobody_learns_anything_of_someone_without_trips():
    law = posterior_law_from_parameters(CertaintyParameters(epsilon=0.66, trips=0, prior=0.3))
    into, _ = posterior_figure(law, LIGHT).data
    assert abs(np.asarray(into.x)[np.argmax(into.y)] - 0.3) < 0.011
    assert max(into.y) == 100


@pytest.mark.parametrize(
    ("certain", "accurate", "bound", "said"),
    [
        (2, 3, None, "as certainty it fails from k = 2, as mean accuracy from k = 3."),
        (2, None, None, "as certainty it fails from k = 2, as mean accuracy it holds."),
        (None, None, 10, "here held against a bound of 10 unique trips per person: it holds, as certainty and as mean accuracy."),
    ],
)  # fmt: skip
def test_both_readings_of_the_claim_are_said_and_whose_it_is(certain, accurate, bound, said):
    sentence = claim_readings(certain, accurate, 0.66, bound)
    assert sentence.endswith(said)
    assert "the publisher's (Bassolas et al. 2019), made for ε = 0.66 without a bound" in sentence


@pytest.mark.parametrize(
    ("epsilon", "claimed", "said"),
    [(0.66, "the publisher's claim: at most 66.0%", None), (0.82, "the claim at ε = 0.82: at most 69.5%", "read at ε = 0.82")],
)  # fmt: skip
def test_what_the_publisher_did_not_claim_is_not_said_to_be_theirs(epsilon, claimed, said):
    """Bassolas et al. 2019 published at ε = 0.66 and bounded nobody; e^0.82/(1+e^0.82) is 69.42%, and no bound is rounded down."""
    law = posterior_law_from_parameters(CertaintyParameters(epsilon=epsilon, trips=2, max_trips_per_user=5))
    assert posterior_figure(law, LIGHT).layout.annotations[0].text == claimed
    sentence = claim_readings(None, None, epsilon, 5)
    assert sentence.startswith(
        "The claim is the publisher's (Bassolas et al. 2019), made for ε = 0.66 without a bound on a person's trips, here "
    )
    assert ("read at" in sentence) == (said is not None)
    assert said is None or said in sentence
    assert "held against a bound of 5 unique trips per person: it holds" in sentence


def test_the_claim_is_read_anew_under_gaussian_noise_too():
    release = GaussianParameters(epsilon=0.82, delta=1e-6, max_trips_per_user=3)
    law = posterior_law_from_gaussian_question(GaussianQuestion(release=release, trips=2))
    assert posterior_figure(law, LIGHT).layout.annotations[0].text == "the claim at ε = 0.82: at most 69.5%"


def test_gaussian_noise_passes_the_claim_seldom_and_holds_it_else():
    sentence = claim_readings(None, None, 0.66, 3, beyond=2.8e-5)
    assert sentence.endswith(
        "As mean accuracy it holds. As certainty it is passed in fewer than 0.1 of 100 releases and holds in all others, whatever the person "
        "did in the week."
    )
    assert "fails" not in sentence


def test_words_against_science():
    law = posterior_law_from_parameters(CertaintyParameters(epsilon=0.66, trips=3))
    words = certainty_words(law.certainty)
    assert words.startswith("In 36 of 100 releases that count someone with 3 unique trips")
    assert "more than 65.9% certain of it; in 8.5 of 100 releases without that person" in words


@pytest.mark.parametrize(("trips", "prior", "beyond"), [(1, 0.99, 0), (1, 0.05, 0), (2, 0.99, 40)])
def test_the_claim_goes_with_what_is_held_beforehand_by_bayes(trips, prior, beyond):
    """One trip loses at most ε, whatever was held before: odds of 99 to 1 become odds of 99·e^0.66 to 1 at most."""
    law = posterior_law_from_parameters(CertaintyParameters(epsilon=0.66, trips=trips, prior=prior))
    odds = prior / (1 - prior) * np.exp(0.66)
    words = certainty_words(law.certainty)
    most = f"{math.ceil(1000 * odds / (1 + odds)) / 10:.1f}%"  # a bound, which is not rounded down
    assert words.startswith(
        f"Beforehand the attacker holds it {prior:.0%} likely, and may end {most} certain by the claim. "
        f"In {beyond} of 100 releases that count someone"
    )
    named = posterior_figure(law, LIGHT).layout.annotations[0].text
    assert named == f"the claim, from {prior:.0%} beforehand: at most {most}"


@pytest.mark.parametrize(("prior", "sides"), [(0.5, ["left", "right"]), (0.01, ["right", "right"])])
def test_bars_are_named_in_their_colour_where_they_are_low_by_hand(prior, sides):
    """Held for equally likely, those who are in end high; held for unlikely, they end low as well."""
    law = posterior_law_from_parameters(CertaintyParameters(epsilon=0.66, trips=2, prior=prior))
    figure = posterior_figure(law, LIGHT)
    assert figure.layout.yaxis.range[1] > 1.1 * max(
        figure.layout.yaxis.tickvals
    )  # no tick runs through a name
    named = figure.layout.annotations[1:]
    assert [one.text for one in named] == ["who is in", "who is not"]
    assert [one.font.color for one in named] == [LIGHT.attack, LIGHT.simulated]
    assert [one.xanchor for one in named] == sides


def after_weeks(accuracy: float, in_above: float, out_above: float, trips: int = 12) -> Certainty:
    return Certainty(
        parameters=CertaintyParameters(epsilon=0.66, trips=trips, above=0.95),
        accuracy=accuracy,
        in_above=in_above,
        out_above=out_above,
        either_way=0.5,
        largest=1.0,
        tpr_at={},
    )


def test_what_weeks_make_of_someone_is_said_beside_whose_the_promise_is_by_hand():
    said = certainty_after_weeks(after_weeks(0.8034, 0.332, 0.0161), 52)
    assert said == (
        "The ε of all 52 weeks is promised to everyone. About someone with 12 unique trips in each of 52 weekly releases, all of them published, "
        "the best attack is right in 80 of 100 cases (a coin: 50). In 33 of 100 cases in which the person is in, it ends more than 95% certain "
        "of it; in 1.6 of 100 in which the person is not, just as certain, and wrong. Beforehand it holds both for equally likely."
    )
    one = certainty_after_weeks(after_weeks(0.5, 0.0, 0.0, trips=1), 1, with_others=True)
    assert one.startswith(
        "The ε of the week is promised to everyone. About someone with 1 unique trip in one weekly release, which others make too, all of them "
        "published, the best attack is right in 50 of 100 cases (a coin: 50). In 0 of 100"
    )


def test_what_is_rounded_to_one_is_never_said_to_be_certain():
    said = certainty_after_weeks(after_weeks(1.0, 1.0, 1e-99), 520)
    assert "right in almost 100 of 100 cases" in said
    assert "In almost 100 of 100 cases in which the person is in" in said
    assert "in fewer than 0.1 of 100 in which" in said


def test_a_promise_to_one_trip_is_not_said_to_be_everyone_s():
    said = certainty_after_weeks(after_weeks(0.8034, 0.332, 0.0161), 52, to_everyone=False)
    assert said.startswith("About someone with 12 unique trips in each of 52 weekly releases")
