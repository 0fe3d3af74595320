"""What an address names and cannot be is said, with what is shown instead, till one chooses; what can be is not."""

from streamlit.testing.v1 import AppTest

from privlab.ui.state import sample_job
from tests.pages.test_all_pages import opened, until


def said(at: AppTest) -> list[str]:
    return [one.value for one in at.info if one.value.startswith("The address that was opened names")]


def test_what_cannot_be_is_said_till_it_is_changed() -> None:
    sample_job("commuters").result(timeout=900)
    at = opened(
        "plan", data="commuters", epsilon="abc", bound="0", noise="pink", week="2020-01-06", max_accuracy="-5"
    )
    # A run that waits for its plan ends before its controls are looked at; the next one says it.
    at = until(at, lambda one: any("max_accuracy" in words for words in said(one)))
    (words,) = said(at)
    for key, named, shown in (
        ("epsilon", "abc", "0.66"),
        ("bound", "0", "no bound"),
        ("noise", "pink", "laplace"),
        ("max_accuracy", "-5", "60"),
    ):
        assert f"{key} = “{named}”, which cannot be: shown is “{shown}”" in words
    at.select_slider(key="epsilon").set_value("1").run()
    (words,) = said(at)
    assert "epsilon" not in words
    assert "bound = “0”" in words
    assert not at.exception


def test_a_name_is_plain_text_and_not_endless() -> None:
    (words,) = said(opened("attack", data="![loud](x)" + "y" * 1_000))
    assert r"!\[loud\](x)" in words
    assert len(words) < 200


def test_what_can_be_is_not_mentioned() -> None:
    sample_job("cabs").result(timeout=900)
    for page in ("home", "attack", "guarantee"):
        at = opened(
            page,
            data="cabs",
            epsilon="0.50",
            bound="no bound",
            threshold="37",
            noise="integer",
            seed="7",
            group="everyone",
        )
        assert said(at) == [], page
        assert (at.session_state["threshold"], at.session_state["epsilon"]) == ("37", "0.5")
    # One's own data goes with its session, which has a sentence of its own.
    assert said(opened("attack", data="own data")) == []
    assert said(opened("groups", prior="zero-knowledge")) == []


def test_of_controls_with_words_of_their_own_too() -> None:
    sample_job("commuters").result(timeout=900)
    at = opened("groups", data="commuters", prior="everything", classifier="svm", arm="cells")
    at = until(at, lambda one: any("classifier" in words for words in said(one)))
    (words,) = said(at)
    assert "prior = “everything”, which cannot be: shown is “traces of some”" in words
    assert "classifier = “svm”, which cannot be: shown is “logistic regression”" in words
    assert "arm" not in words
    at.segmented_control(key="prior").set_value("perfect").run()
    assert all("prior" not in one for one in said(at))
    assert not at.exception


def test_an_address_with_the_words_of_the_command_line_goes_on_with_those_of_the_page() -> None:
    """Whoever copies it then hands on all that was asked for."""
    sample_job("commuters").result(timeout=900)
    at = opened("groups", data="commuters", prior="perfect", classifier="knn")
    at = until(at, lambda one: "classifier" in one.session_state)
    assert at.query_params["prior"] == "the very groups released"
    assert at.query_params["classifier"] == "nearest neighbours"
    assert (at.session_state["prior"], at.session_state["classifier"]) == ("perfect", "knn")
    assert said(at) == []


def test_of_several_that_are_chosen_at_once_too() -> None:
    """As a link of before names them, as the command line does, and as the page does."""
    for named in (
        ["half-scale", "gaussian"],
        ["Broken: half the noise", "OpenDP's Gaussian noise, as released"],
        ["half-scale", "nonsense", "OpenDP's Gaussian noise, as released"],
    ):
        at = opened("guarantee", data="city", bound="5", audited=named)
        assert at.session_state["audited"] == ["half-scale", "gaussian"]
        assert said(at) == []
        assert at.query_params["audited"] == [
            "Broken: half the noise",
            "OpenDP's Gaussian noise, as released",
        ]
    (words,) = said(opened("guarantee", data="city", audited="nonsense"))
    assert "audited = “nonsense”, which cannot be: shown is “OpenDP's Laplace noise, as released”" in words
