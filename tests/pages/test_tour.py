"""The tour: every step has one thing to move and says what the papers say; figures against theory."""

import base64
import json
import math
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from privlab.kept.kept_places import RUNS_VARIABLE
from privlab.ui.state import sample_job
from privlab.ui.tour import tour_work
from privlab.ui.tour.tour_steps import STEPS
from tests.pages.test_all_pages import SAMPLES, flow_maps, opened, until


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    for name in SAMPLES:
        sample_job(name).result(timeout=900)


@pytest.fixture(autouse=True)
def _runs(tmp_path, monkeypatch):
    monkeypatch.setenv(RUNS_VARIABLE, str(tmp_path / "runs.sqlite"))


def step(number: int) -> AppTest:
    at = opened("tour", data="city", step=str(number))
    seen = ("plotly_chart", "table")
    return until(at, lambda at: bool(at.dataframe or flow_maps(at)) or any(at.get(kind) for kind in seen))


def metric(at: AppTest, part: str) -> str:
    return next(element.value for element in at.metric if part in element.label)


@pytest.mark.parametrize("number", range(1, len(STEPS) + 1))
def test_every_step_argues_shows_and_cites(number: int) -> None:
    at = step(number)
    assert not at.exception
    assert not at.error
    assert at.markdown[0].value.startswith(f"## {number}. ")
    assert any(element.value.startswith("**What to see:**") for element in at.markdown)
    assert len(at.caption[0].value) > 10
    moved = [one for kind in ("slider", "select_slider", "segmented_control") for one in getattr(at, kind)]
    assert sum(str(one.key).startswith("tour_") for one in moved) == 1
    # What a step before would begin is what it asks for as it opens, and all of it; the trails hang on the study.
    found = {
        str(slot): at.session_state[slot] for slot in at.session_state if "results of tour " in str(slot)
    }
    asked = {
        (slot, key) for slot, results in found.items() for key in results if slot != "results of tour person"
    }
    assert asked == {(f"results of {piece.slot}", piece.key) for piece in STEPS[number - 1].ahead()}


@pytest.mark.parametrize(("is_busy", "names"), [(True, []), (False, ["tour cabs"])])
def test_nothing_is_begun_ahead_while_the_session_waits_for_work(
    monkeypatch: pytest.MonkeyPatch, is_busy: bool, names: list[str]
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(tour_work, "is_apart", lambda: True)
    monkeypatch.setattr(tour_work, "any_is_running", lambda: is_busy)
    monkeypatch.setattr(tour_work, "begun_ahead", lambda name, *_: begun.append(name))
    tour_work.begin_ahead(STEPS[5].ahead())
    assert begun == names


@pytest.mark.parametrize("is_apart", [True, False])
def test_the_next_step_s_work_begins_while_one_is_read(
    monkeypatch: pytest.MonkeyPatch, is_apart: bool
) -> None:
    """In the server's own process, where all others would wait for it, it does not."""
    monkeypatch.setattr(tour_work, "is_apart", lambda: is_apart)
    slot = "work of tour levels"
    at = until(
        step(9), lambda at: "results of tour person" in at.session_state and len(at.get("plotly_chart")) == 2
    ).run()
    assert (slot in at.session_state) == is_apart
    if is_apart:
        begun = at.session_state[slot]
        begun.job.result(timeout=900)
        at.button(key="tour_next").click().run()
        assert at.session_state[slot] is begun
        assert at.markdown[0].value == "## 10. Coarser is not enough"
        assert at.get("plotly_chart")
        assert "work of tour why" in at.session_state


@pytest.mark.parametrize(
    ("number", "chosen", "said"),
    [
        (6, "city", "Figures of the sample cabs, invented taxis, not of the data that is chosen, city."),
        (7, "city", "Figures of the sample commuters, invented transit cards, not of the data that is chosen, city."),
        (8, "cabs", "Figures of the sample cabs, invented taxis."),
        (9, "cabs", "Figures of the sample subscribers, invented phone users, not of the data that is chosen, cabs."),
        (11, "subscribers", "Figures of the sample subscribers, invented phone users."),
    ],
)  # fmt: skip
def test_a_step_about_people_names_its_sample_where_the_sidebar_shows_another(
    number: int, chosen: str, said: str
) -> None:
    at = opened("tour", data=chosen, step=str(number))
    until(at, lambda at: any(one.value.startswith("Figures of the sample") for one in at.caption))
    (told,) = [one.value for one in at.caption if one.value.startswith("Figures of the sample")]
    assert told.startswith(f"{said} ")


def test_steps_7_and_11_say_what_each_is_true_of() -> None:
    """Counts of groups give people away by places, whole trails by times: each says which, and names the other step."""
    groups, trails = (STEPS[number - 1] for number in (7, 11))
    assert trails.title == "In whole trails it is when, not where"
    assert "In counts of groups, at step 7" in trails.see
    assert "Of whole trails, the last step says otherwise" in groups.see


def test_the_walk_goes_on_and_back() -> None:
    at = opened("tour", data="city")
    assert at.button(key="tour_back").disabled
    at.button(key="tour_next").click().run()
    at.button(key="tour_next").click().run()
    assert at.markdown[0].value == "## 3. The author"
    at.button(key="tour_back").click().run()
    assert at.markdown[0].value == "## 2. Three trips"
    at.radio(key="step").set_value(str(len(STEPS))).run()
    assert at.button(key="tour_next").disabled


def test_nothing_comes_up_over_a_step_while_the_mouse_rests_on_next() -> None:
    """Whoever clicks through the walk leaves the mouse on Next: what the keys do is told to who asks beside it."""
    at = opened("tour", data="city")
    assert not any(at.button(key=key).help for key in ("tour_back", "tour_next"))
    (keys,) = [one for one in at.markdown if one.value == "Keys"]
    assert "Page Down" in keys.proto.help


def test_figures_of_the_first_steps_against_theory() -> None:
    # One cell of Laplace noise: 1 − ½e^{−ε/2}. docs/science.md, section 2.3, at k = 3 and 32.
    assert metric(step(1), "1 unique trip") == f"{100 * (1 - math.exp(-0.33) / 2):.0f} times in 100"
    assert metric(step(2), "3 unique trips") == "71 times in 100"
    at = step(3)
    assert metric(at, "32 unique trips") == "95.5 times in 100"
    at.slider(key="tour_author").set_value(70).run()
    assert metric(at, "70 unique trips") == "99.4 times in 100"


def test_the_threshold_hides_rare_trips_only() -> None:
    at = step(4)
    said = {element.value for element in at.markdown}
    # k = 10 as without a threshold (docs/science.md, section 2.3)
    assert "flows of 1,000 others: **83 times in 100**" in said
    assert "ten flows nobody else makes: **50 times in 100**" in said
    dots = [one.proto.body.count("background:") for one in at.get("html") if "dots filled" in one.proto.body]
    assert dots == [83, 50, 75]


def test_maps_show_the_flows_of_the_step_issue_17() -> None:
    (claim,) = flow_maps(step(1))
    assert [pane["what"] for pane in claim["panes"]] == ["true", "published"]
    at = step(4)
    (changes,) = flow_maps(at)
    assert [pane["what"] for pane in changes["panes"]] == ["difference"]
    true, published = (pane["n_flows"] for pane in claim["panes"])
    told = next(
        element.value
        for element in at.markdown
        if element.value.startswith("**On the map (an invented city):**")
    )
    assert f"{published:,} flows are published" in told
    assert (
        f"{true - published:,} are left out, 0 are false" in told
    )  # a false flow needs noise of 100 / (1/0.66)
    at.select_slider(key="tour_threshold").set_value("0").run()
    told = next(
        element.value
        for element in at.markdown
        if element.value.startswith("**On the map (an invented city):**")
    )
    assert f"{true:,} flows are published, with 100% of the trips; 0 are left out, 5 are false" in told


def test_one_persons_trips_are_on_the_map_issue_17() -> None:
    at = step(2)
    assert [pane["n_flows"] for one in flow_maps(at) for pane in one["panes"]] == [3]
    at.slider(key="tour_k").set_value(6).run()
    (six,) = flow_maps(at)
    assert six["panes"][0]["title"] == "One person's 6 unique trips (internal)"
    assert six["panes"][0]["n_flows"] == 6
    at = step(3)
    assert [pane["n_flows"] for one in flow_maps(at) for pane in one["panes"]] == [32]
    # The step speaks of one of the paper's authors, whose trips the lab does not have.
    assert any("an invented person of the sample" in one.value for one in at.caption)


def test_a_table_of_a_step_is_read_from_afar_and_on_a_telephone_in_full() -> None:
    """What is drawn in a grid neither grows with a projector's type nor breaks its lines on a narrow screen."""
    at = step(8)
    assert not at.dataframe
    (table,) = at.table
    errors = table.value["error of the counts (mean, relative)"].tolist()
    assert errors[0] == "none"
    assert all(one.endswith("%") for one in errors[1:])


def test_a_bound_keeps_the_claim() -> None:
    at = step(5)
    told = metric(at, "32 unique trips")
    assert float(told.split()[0]) < 66
    assert 0 < float(metric(at, "left uncounted").rstrip("%")) < 100


def test_the_price_of_the_bound_is_seen_as_noise_issue_17() -> None:
    at = step(5)

    def spread() -> tuple[float, float, str]:
        figures = [json.loads(one.proto.spec) for one in at.get("plotly_chart")]
        (drawn,) = (trace for one in figures for trace in one["data"] if "published" in trace["name"])
        published = np.frombuffer(base64.b64decode(drawn["y"]["bdata"]), drawn["y"]["dtype"])
        said = next(one.value for one in at.caption if one.value.startswith("Of a flow"))
        return float(published.min()), float(np.ptp(published)), said

    def told(said: str) -> tuple[int, ...]:
        return tuple(map(int, re.findall(r"counts (\d+) on average.* releases say (\d+) to (\d+)", said)[0]))

    low, wide, said = spread()
    # 100 equal parts of Laplace's law with the scale L/ε: the last middle lies where 1 in 200 is left, ln(100) scales away.
    # Which trips count moves a dot by 2.6 deviations of 11.3 at the most, either way.
    assert wide == pytest.approx(2 * math.log(100) * 10 / 0.66, abs=2 * 2.6 * 11.3)
    # Drawn in the city sample. By hand: 45 of noise, and 1.96·√(488·172/660) = 22.1 of the choice: 50.1 together.
    assert said.startswith("Of a flow of 660 trips the limit counts 488 on average, drawn anew each time;")
    assert told(said) == (488, 438, 539)
    # A bound need not cost so much: docs/science.md, section 5.1, has 84% for a release with a total at ε = 0.66.
    keeps = re.search(r"a published total keep ([\d.]+)% of all trips within 10%", said)
    assert keeps is not None
    assert round(float(keeps[1])) == 84
    at.select_slider(key="tour_bound").set_value("2").run()
    assert spread()[0] < low
    # 100 equal parts of a normal law reach 2.58 deviations, here of 9.8.
    assert 2 * 2.5 * 9.8 < spread()[1] < wide / 2
    # Noise is ±9 there, and tells less: which of the trips count moves the count by ±1.96·√(117·543/660) = ±19.2, both by ±21.2.
    assert told(spread()[2]) == (117, 96, 138)


def test_noise_for_a_person_stops_both_attackers() -> None:
    at = step(8)
    at.segmented_control(key="tour_defence").set_value("lpa").run()
    until(at, lambda at: bool(at.table))
    table = at.table[0].value.set_index("the attacker")
    rows = {name: float(auc) for name, auc in table["mean AUC (0.5: a blind guess)"].items()}
    assert rows["sees true counts"] > 0.8
    assert rows["knows nothing of the noise"] < 0.65
    assert rows["learns on counts with the same noise"] < 0.65
    assert any(one.value.startswith("Laplace, all of a user (LPA Δ/ε): ε = 1 ") for one in at.caption)


def test_the_nearest_other_of_one_person_is_seen_issue_17() -> None:
    at = opened("tour", data="city", step="9")
    until(at, lambda at: len(at.get("plotly_chart")) == 2)
    _, trails = (json.loads(one.proto.spec) for one in at.get("plotly_chart"))
    assert {"this person", "the nearest other", "home of this person"} <= {
        one["name"] for one in trails["data"]
    }
    assert "updatemenus" not in trails["layout"]


def test_what_each_line_is_takes_one_line_and_no_legend() -> None:
    """A legend of six lines, and one of four, took a third of the figures' height on a projector."""
    at = opened("tour", data="city", step="9", present="1")
    until(at, lambda at: len(at.get("plotly_chart")) == 2)
    layouts = [json.loads(one.proto.spec)["layout"] for one in at.get("plotly_chart")]
    assert [one["showlegend"] for one in layouts] == [False, False]
    said = [re.sub("<[^>]*>|&#160;", " ", one["annotations"][0]["text"]).split() for one in layouts]
    assert said[0] == ["k", "=", "━", "2", "━", "5", "━", "10", "─", "25", "─", "50", "─", "100"]
    assert said[1] == ["●", "person", "★", "home", "■", "nearest", "other", "━", "matched"]


def test_coarser_data_is_shown_by_hand_and_for_everybody() -> None:
    """Beside three people's table stand the shares at all levels, the chosen one by itself, as the finding says."""
    at = step(10)
    until(at, lambda at: bool(at.table) and bool(at.get("plotly_chart")))
    (bars,) = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    assert bars["y"] == [
        "0.1 km, 1 min",
        "1 km, 30 min",
        "2.5 km, 1 h",
        "5 km, 2 h",
        "10 km, 4 h",
        "20 km, 8 h",
    ]
    assert bars["text"][-1] == "\u00a00.2%"
    assert any(one.value.startswith("**1 of 500 people judged** (0.2%)") for one in at.markdown)
    assert len({*bars["marker"]["color"][:-1]}) == 1 != len({*bars["marker"]["color"]})


def test_the_names_of_lines_upright_stand_where_the_curve_is_not() -> None:
    (figure,) = [json.loads(one.proto.spec) for one in step(11).get("plotly_chart")]
    named = {
        one["text"]: one["yanchor"] for one in figure["layout"]["annotations"] if one.get("textangle") == -90
    }
    assert named == {"half time": "top", "paper's median": "top"}  # 45% lie below the second


def test_dots_say_how_many_of_a_hundred_pairs_of_groups_are_told_apart_issue_17() -> None:
    at = step(6)
    right = round(100 * float(metric(at, "mean AUC, groups of 10")))
    assert [
        f"{right} of 100 dots" in one.proto.body for one in at.get("html") if "dots" in one.proto.body
    ] == [True]


def test_the_glossary_is_a_click_away() -> None:
    at = opened("tour", data="city")
    at.button(key="glossary").click().run()
    assert not at.exception
    shown = [element.value for element in at.markdown]
    for term in ("k-gap", "unique trips", "OD matrix"):
        assert any(value.startswith(f"**{term}") for value in shown), term


def test_the_steps_are_dots_with_names_and_the_presentation_is_in_the_address_issue_17() -> None:
    at = opened("tour", data="city", step="2", present="1")
    steps = at.radio(key="step")
    assert steps.value == "2"
    assert list(steps.proto.captions) == [step.title for step in STEPS]
    assert at.query_params["present"] == "1"
    at.button(key="leave_presentation").click().run()
    assert "present" not in at.query_params


def test_the_curve_is_drawn_up_to_the_trips_of_the_step_and_a_hundred_dots_say_it_issue_17() -> None:
    at = step(2)
    drawn = {line["name"]: line for line in json.loads(at.get("plotly_chart")[0].proto.spec)["data"]}
    packed = drawn["best attack, exact"]["x"]
    assert np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"]).tolist() == [0, 1, 2, 3]
    dots = next(one.proto.body for one in at.get("html") if "dots filled" in one.proto.body)
    # docs/science.md, section 2.3: 0.707 at k = 3.
    assert "71 of 100 dots" in dots
    assert "repeat(20," in dots  # rows of twenty, however narrow the column
    assert dots.count("background:") == 71
