"""The way of a file of one's own over the data page: brought in, looked at, loaded, cut anew."""

import pytest

from privlab.ui.state import sample_job
from tests.pages.test_all_pages import SAMPLES, opened
from tests.pages.test_sources import POINTS, load, shown


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    for name in SAMPLES:
        sample_job(name).result(timeout=900)


def test_the_sample_is_out_of_sight_while_a_file_is_brought_in() -> None:
    at = opened("data")
    assert shown(at)["users"] == "200,000"
    assert not at.expander or "Bring your own" not in {one.label for one in at.expander}
    at.file_uploader(key="upload").upload("points.csv", POINTS.encode()).run()
    assert shown(at) == {}
    assert any("points.csv is not loaded yet" in one.value for one in at.markdown)
    load(at)
    assert shown(at)["users"] == "3"


def test_a_sample_comes_back_by_one_click_and_the_file_stays_in_hand() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("points.csv", POINTS.encode()).run()
    at.button(key="use_city").click().run()
    assert shown(at)["users"] == "200,000"
    load(at)
    assert shown(at)["users"] == "3"
