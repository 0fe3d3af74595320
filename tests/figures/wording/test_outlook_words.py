"""What a release is expected to hold, in words: what is noise among all that is published. Figures by hand."""

from typing import Any

from privlab.figures.wording import bound_offer_in_words, outlook_in_words
from privlab.od.expecting import ReleaseOutlook


def _outlook(**changed: Any) -> ReleaseOutlook:
    """534 people with at most 5 visits each: no more than 2,670 can be counted, whatever is published."""
    usual: dict[str, Any] = {
        "threshold": 5,
        "complete": False,
        "n_true_flows": 16_000,
        "published": 3539.0,
        "made_up": 656.0,
        "true_trips": 651_785,
        "published_trips": 33_676.0,
        "largest_true": 194,
        "half_width": 15,
        "weeks_without_trips": (),
        "counted_trips": 2670.0,
        "n_weeks": 1,
        "product": "visits",
    }
    return ReleaseOutlook(**usual | changed)


def test_more_published_than_counted_is_said_to_be_noise() -> None:
    said = outlook_in_words(_outlook())
    assert (
        "33,676 visits would be published in all, 651,785 are true, of which 2,670 are counted under the limit (the rest of what is "
        "published is noise that passed the threshold)." in said
    )
    assert "counted under the limit" not in outlook_in_words(_outlook(published_trips=2700.0))
    assert "counted under the limit" not in outlook_in_words(_outlook(complete=True))


def test_of_weeks_in_which_nobody_was_counted_no_largest_flow_of_0_people_is_spoken_of() -> None:
    said = outlook_in_words(_outlook(true_trips=0, published_trips=90.0, largest_true=0, counted_trips=0.0))
    assert said.startswith(
        "Nobody was counted in the weeks named: whatever is published is noise alone. Noise is up to ±15"
    )
    assert "0 people" not in said


def test_a_total_is_weighed_against_the_trips_of_a_week_that_has_any() -> None:
    """4,000 trips in two of three weeks, of which the limit takes 15%: 250 off are 12.5% of a week's, and 350 are 17.5%."""
    usual = {
        "true_trips": 4000,
        "counted_trips": 3400.0,
        "n_weeks": 3,
        "weeks_without_trips": ("2026-03-16",),
        "product": "flows",
        "published_trips": 3400.0,
    }
    worth, not_worth = (outlook_in_words(_outlook(**usual, given_back_half_width=off)) for off in (250, 350))
    assert "by up to ±250 trips in 95 of 100 weeks, 12.5% of a week's trips." in worth
    assert "publish it without the total" not in worth
    assert "17.5% of a week's trips. That is more than the 15.0% that the limit takes away" in not_worth


def test_another_limit_is_offered_with_what_it_leaves_beside_what_this_one_does() -> None:
    """A quarter of all visits instead of a tenth."""
    now, other = (_outlook(true_trips=1000, close_trips=close) for close in (100.0, 250.0))
    assert bound_offer_in_words(now, other, 20) == (
        "With a limit of 20 visits of a person, 25.0% of all visits would lie in counts within 10% of the truth instead of 10.0%, "
        "for the same ε."
    )
