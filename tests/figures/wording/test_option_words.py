"""Options of a part of a report in words, worked by hand."""

from privlab.figures.wording import options_in_words
from privlab.od.planning import MECHANISM_NAMES


def test_one_release_in_the_ledger_is_not_one_releases() -> None:
    said = options_in_words({"together_n": 1, "together_epsilon": 0.5})
    assert "releases of these people in the ledger: 1" in said
    assert "1 releases" not in said


def test_a_mechanism_that_is_called_noise_is_not_called_it_twice() -> None:
    for name in (*MECHANISM_NAMES.values(), "Gaussian noise on flows found in the data"):
        assert options_in_words({"noise": name}) == [name]
    assert options_in_words({"noise": "gaussian"}) == ["Gaussian noise"]


def test_what_was_accepted_is_said_without_the_names_of_options() -> None:
    said = options_in_words(
        {
            "accepted_delta": True,
            "accepted_made_up": True,
            "zones_listed": True,
            "of_release": "66",
            "chance": 0.01,
        }
    )
    assert said == [
        "its δ accepted",
        "false flows accepted",
        "the zones of a zone file",
        "of the release 66",
        "beyond ε with a chance of 0.01",
    ]
