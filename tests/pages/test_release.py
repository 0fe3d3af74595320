"""The page Release: what analyses of the counts would find stands below the figures, once it is unfolded."""

from streamlit.testing.v1 import AppTest

from tests.pages.test_all_pages import opened, until


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
