"""Controls as they are written: each read back as it is said, and one sentence for what is none."""

import pytest

from privlab.checks import ParameterError
from privlab.controls import control_sentence, controls_from_specs
from privlab.controls.control_words import changes_in_words


def test_any_order_and_spelling_is_one() -> None:
    asked = ["Shuffle-Hours", " thin:.50", "none", "", "users:12"]
    assert controls_from_specs(asked) == ("users:12", "thin:0.5", "shuffle-hours")
    assert controls_from_specs(reversed(asked)) == controls_from_specs(asked)
    assert controls_from_specs(controls_from_specs(asked)) == controls_from_specs(asked)
    assert controls_from_specs(controls_from_specs(["users:1000001"])) == ("users:1000001",)


@pytest.mark.parametrize(
    ("specs", "sentence"),
    [
        (["thin"], "control must be thin:0.5, shuffle-hours"),
        (["shuffle-hours:2"], "control must be thin:0.5, shuffle-hours"),
        (["turn-round"], "got 'turn-round'"),
        (["thin:0"], "control thin must be between 0.001 and 1, got 0"),
        (["thin:half"], "control thin must be a number, got 'half'"),
        (["users:1"], "control users must be between 2 and"),
        (["days:2.5"], "control days must be a whole number"),
        (["thin:0.5", "thin:0.2"], "control must be named once each, got thin twice"),
    ],
)
def test_what_is_no_control_gets_one_sentence(specs: list[str], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        controls_from_specs(specs)


def test_the_words_name_every_control_and_what_it_asks() -> None:
    specs = controls_from_specs(["permute-zones", "thin:0.25", "days:7", "users:1000", "shuffle-hours"])
    said = control_sentence(specs, measure="k-gap")
    assert "These are not the data as they are" in said
    for words in ("1,000 people", "first 7 days", "25%", "random order", "exchanged", "the k-gap"):
        assert words in said
    assert changes_in_words(specs).count(";") == 4
    assert control_sentence((), measure="AUC") == ""


@pytest.mark.parametrize(
    ("spec", "due"),
    [
        ("users:50", "how many people there are"),
        ("days:7", "how many days are seen"),
        ("thin:0.5", "how many visits each person makes"),
        ("shuffle-hours", "when people are where, and how regularly"),
        ("permute-zones", "which places these are, and who else goes there"),
    ],
)
def test_what_a_control_takes_away_is_what_the_rest_is_not_due_to(spec: str, due: str) -> None:
    said = control_sentence([spec], measure="AUC")
    assert f"What stays of the AUC, beside that of the unchanged data, is not due to {due};" in said
