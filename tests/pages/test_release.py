"""The page Release: what analyses of the counts would find stands below the figures, once it is unfolded."""

from streamlit.testing.v1 import AppTest

from tests.pages.test_all_pages import finding, opened, until


def test_what_it_is_good_for_says_each_analysis_before_and_after_issue_18() -> None:
    at = opened("release", bound="10", threshold="1", data="commuters")
    until(at, lambda one: bool(one.expander))
    assert not any(one.value.startswith("Trips by origin") for one in at.markdown)

    def told(one: AppTest) -> bool:
        one.session_state["analyses_fold"] = True  # which a run of its own would fold again
        return any(said.value.startswith("Trips by origin") for said in one.markdown)

    until(at, told)
    assert not at.exception
    (said,) = [one.value for one in at.markdown if one.value.startswith("Trips by origin")]
    assert "of the 50 largest flows are among the largest published" in said
    (table,) = [one.value for one in at.dataframe if "analysis" in one.value]
    assert len(table) == 9
    assert not (table["error"] == "unknown").any()


def test_a_mechanism_of_the_address_is_simulated_and_follows_the_sliders_issue_18() -> None:
    at = opened("release", bound="3", threshold="20", data="commuters", mechanism="Gaussian noise")
    at = until(at, lambda one: bool(one.metric))

    def noise() -> float:
        said = {one.label: one.value for one in at.metric}["noise on a flow"]
        return float(said.removeprefix("±").replace(",", ""))

    before = noise()
    assert "with δ = 10⁻⁶ beside it, covers all that one person does in a week" in finding(at)
    at.select_slider(key="epsilon").set_value("1").run()
    assert 1.3 < before / noise() < 1.6  # of 0.66 to 1: the noise falls almost as ε grows
    before = noise()
    at.select_slider(key="bound").set_value("100").run()
    # By the square root of the limit; both are the least whole number of trips that holds the noise, up to one too many.
    assert (before - 1) * (100 / 3) ** 0.5 < noise() < before * (100 / 3) ** 0.5 + 1
    assert not [one for one in at.button if str(one.key).startswith("add_")]
    at.button(key="publish_this").click().run()
    assert at.session_state["publish_noise"] == "gaussian"
    at.select_slider(key="bound").set_value("no bound").run()
    assert any("promises nothing without a limit" in one.value for one in at.warning)
    at.button(key="simulate_as_set").click().run()
    assert "The promise covers one trip, not a person." in finding(at)
    assert not at.exception
