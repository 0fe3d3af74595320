"""What is said of traces that a few samples single out, and of people whom their places do, by hand."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from privlab.figures.fingerprints.unicity_words import law_sentence, places_finding
from privlab.fingerprints import Level


def test_more_people_are_alone_with_the_order_of_their_places_than_without() -> None:
    found: Any = SimpleNamespace(
        places=np.array([1, 2, 3]), level=Level(1, 60), n_users=200, share_of_sets=np.array([0.1, 0.2, 0.5]),
        share_of_lists=np.array([0.1, 0.3, 0.75]), n_short=np.array([0, 3, 7]),
    )  # fmt: skip
    said = places_finding([found])
    assert (
        "50.0% of 200 people are the only ones with their 3 most visited places, and 75.0% with the order too"
        in said
    )
    assert "; 7 have fewer places" in said


def test_the_law_that_is_said_is_that_of_four_samples_or_of_the_most_there_are() -> None:
    def law(points: int, exponent: float) -> Any:
        return SimpleNamespace(
            points=points, exponent=exponent, low=exponent - 0.01, high=exponent + 0.01, n_levels=5, off_by=1.1, n_without=0
        )  # fmt: skip

    laws = [law(2, 0.05), law(3, 0.11), law(4, 0.17), law(5, 0.2)]
    assert law_sentence(laws).startswith("With 4 samples known it falls as the 0.170 power of resolution")
    assert law_sentence(laws[:2]).startswith("With 3 samples known it falls as the 0.110 power")
    assert law_sentence([]) == ""
