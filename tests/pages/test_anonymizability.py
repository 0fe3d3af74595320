"""The anonymizability page: its figures against hash counts, the command line and cases worked by hand."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from privlab.datasets.engines.workspace import Workspace
from privlab.fingerprints.fingerprints import fingerprints_at_level, fingerprints_from_dataset
from privlab.fingerprints.levels import Level
from privlab.lab.loading.load import sample_rows
from privlab.ui.fingerprints import person_view
from privlab.ui.state import sample_job
from tests.command_line import Answer
from tests.counts_data import BY_HAND
from tests.fingerprints.identical import n_identical_from_fingerprints
from tests.pages.test_all_pages import ROOT, finding, opened, until
from tests.pages.test_counts import opened_on, prepared_of

COARSE = "20-480"
# Ann and Bob are at one place at one time, and Bob once more elsewhere; Cyd is 11 km north of them, an hour later.
RECORDS = """user,time,lat,lon
ann,2026-03-02 08:00,45.0,7.0
bob,2026-03-02 08:00,45.0,7.0
cyd,2026-03-02 09:00,45.1,7.0
dan,2026-03-02 08:00,45.0,7.0
"""


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    for name in ("city", "subscribers"):
        sample_job(name).result(timeout=900)


def page(**address: str) -> AppTest:
    at = opened("anonymizability", data="subscribers", judged="250", **({"show": "k-gap"} | address))
    return until(at, lambda at: any(e.value.startswith("## ") for e in at.markdown))


def rows(at: AppTest, column: str) -> list[dict[str, str]]:
    return next(t.value for t in at.dataframe if column in t.value.columns).to_dict("records")


def test_counts_have_no_fingerprints_and_a_sample_is_a_click_away() -> None:
    at = opened_on(prepared_of(BY_HAND), "anonymizability")
    until(at, lambda at: any(one.key == "use_subscribers" for one in at.button))
    at.button(key="use_subscribers").click().run()
    assert at.selectbox(key="data").value == "subscribers"


def test_both_ends_of_trips_are_samples_so_that_the_first_sample_can_be_judged_issue_17() -> None:
    at = opened("anonymizability", data="city", show="by hand")
    until(at, lambda at: any(one.key == "judged" for one in at.selectbox))
    assert not at.warning
    assert at.selectbox(key="judged").value == "100"
    # What nobody has chosen is what a link to the next data opens with, since it does not name it.
    at.selectbox(key="data").set_value("subscribers").run()
    until(at, lambda at: any(one.key == "judged" for one in at.selectbox))
    assert at.selectbox(key="judged").value == "1000"


def test_share_of_anonymous_people_against_a_hash_count() -> None:
    with Workspace() as workspace:
        dataset, _ = sample_rows("subscribers", workspace)
        fingerprints = fingerprints_from_dataset(dataset)
    at = page(level=COARSE)
    at.selectbox(key="judged").set_value("everyone").run()
    # While it is worked out, no finding is shown.
    until(at, lambda at: any("5,000 people" in one.value for one in at.markdown))
    coarse = fingerprints_at_level(fingerprints, Level.from_text(COARSE))
    hidden = int((n_identical_from_fingerprints(coarse) >= 2).sum())
    assert finding(at).startswith(f"## **{hidden:,} of 5,000 people** ({hidden / 5000:.1%}) are 2-anonymous")
    assert rows(at, "mean k-gap")[0]["k-anonymous"] == f"{hidden / 5000:.1%}"


def test_the_page_says_what_the_command_line_says(answer: Answer) -> None:
    at = page(level=COARSE)
    file = ROOT / "sample_data" / "subscribers.parquet"
    said = answer("kgap", file, "--level", COARSE, "--query-users", "250", "--seed", "1", "--json")
    told = said["levels"][0]["k"]
    for row in rows(at, "mean k-gap"):
        assert row["mean k-gap"] == f"{told[row['k']]['mean']:.4f}"
        assert row["median"] == f"{told[row['k']]['quantiles']['0.5']:.4f}"


def test_unicity_opens_with_its_own_finding() -> None:
    at = page(level=COARSE, show="unicity")
    until(at, lambda at: bool(at.get("plotly_chart")))
    assert "single out" in finding(at)
    assert "At 20 km and 8 h, " in finding(at)
    assert "anonymous" not in finding(at)


@pytest.mark.parametrize("show", ["levels", "why", "unicity", "one person"])
def test_every_view_draws(show: str) -> None:
    at = page(level=COARSE, show=show)
    until(at, lambda at: bool(at.get("plotly_chart")))
    assert not at.exception
    assert not at.error
    assert all(len(element.proto.alt) > 20 for element in at.get("plotly_chart"))
    if show == "levels":  # the paper's figure beside ours, with the sizes and the folding that it depends on
        (said,) = (one.value for one in at.caption if "Figure 4" in one.value)
        for part in (
            "about 30%",
            "0.12% with 5,000 users",
            "1.4% with 82,000",
            "57% with all weeks folded",
        ):
            assert part in said


def test_another_k_needs_no_new_search_and_never_a_smaller_gap() -> None:
    at = page(level=COARSE)
    means = [float(row["mean k-gap"]) for row in rows(at, "mean k-gap")]
    assert means == sorted(means)
    at.select_slider(key="k_gap").set_value("100").run()
    assert "100-anonymous" in finding(at)
    assert not at.get("progress")


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        (
            "level",
            "abc",
            "“Level: cell (km) – time bin (min)” must be KM-MIN, such as 0.1-1 or 2.5-60, got 'abc'.",
        ),
        ("level", "0.15-1", "must be a multiple of 0.1"),
        ("fold", "a while", "“Fold time onto” must be whole days or weeks"),
    ],
)
def test_what_cannot_be_read_gets_one_sentence(key: str, value: str, sentence: str) -> None:
    at = opened("anonymizability", data="subscribers", judged="250", **({"level": COARSE} | {key: value}))
    until(at, lambda at: bool(at.warning))
    assert sentence in at.warning[0].value
    assert not at.exception


def loaded(text: str, show: str = "k-gap") -> AppTest:
    at = opened("data")
    at.file_uploader(key="upload").upload("people.csv", text.encode()).run()
    at.button(key="load").click().run()
    until(at, lambda at: "own_job" not in at.session_state)
    at.run()
    at.switch_page("../../pages/anonymizability.py").run()
    until(at, lambda at: any(e.value.startswith("## ") for e in at.markdown))
    at.segmented_control(key="show").set_value(show).run()
    return until(at, lambda at: any(e.value.startswith("## ") for e in at.markdown))


@pytest.mark.parametrize(
    ("text", "leads_on", "says"),
    [
        ("user,time,zone\nann,2026-03-02 08:00,1\nbob,2026-03-02 09:00,2\n",
         "Say on the page Data where the zones lie", "Say where the zones lie"),
        ("origin,destination,count\n1,2,30\n2,3,40\n",
         "Load data with records of people", "names nobody"),
    ],
)  # fmt: skip
def test_data_that_lacks_places_or_people_is_led_on_by_what_helps(
    text: str, leads_on: str, says: str
) -> None:
    """It would lack them again: nothing is to be tried again, and no error has happened."""
    at = opened("data")
    at.file_uploader(key="upload").upload("people.csv", text.encode()).run()
    at.button(key="load").click().run()
    until(at, lambda at: "own_job" not in at.session_state)
    at.run()
    at.switch_page("../../pages/anonymizability.py").run()
    until(at, lambda at: any(says in one.value for one in at.warning))
    assert not at.error
    assert not [one for one in at.button if one.label == "Try again"]
    assert leads_on in [one.proto.label for one in at.get("page_link")]
    assert not at.exception


# Ann, Bob and Dan share one sample; Cyd is alone.
MOVING = RECORDS + "".join(
    f"{user},2026-03-03 1{n}:00,45.{n},7.0\n" for user in ("ann", "bob", "dan", "cyd") for n in range(2)
)


def test_own_data_against_hand_and_its_remedy() -> None:
    at = loaded(MOVING)
    # Three of four have the same samples at 0.1 km and a minute.
    assert finding(at).startswith("## **3 of 4 people** (75.0%) are 2-anonymous at 0.1 km and 1 min")
    table = {row["k"]: row for row in rows(at, "mean k-gap")}
    assert table["5"]["k-anonymous"] == "too few people"
    # Cyd's three samples: two are everybody's, one is 11.1 km and 60 min from Ann's, of 3 samples each.
    d = (0.5 * 11.1 / 20 + 0.5 * 60 / 480) / 3
    assert float(table["2"]["mean k-gap"]) == pytest.approx(d / 4, abs=0.0005)
    at.segmented_control(key="show").set_value("remedy").run()
    at.number_input(key="glove_k").set_value(2).run()
    at.button(key="run_glove").click().run()
    until(at, lambda at: any("fingerprints for" in e.value for e in at.markdown))
    assert {row["holds"] for row in rows(at, "check")} == {"yes"}
    metrics = {element.label: element.value for element in at.metric}
    assert metrics["people left out"] == "0"
    assert not any("of the last run" in one.value for one in at.info)
    at.number_input(key="glove_k").set_value(3).run()
    at.number_input(key="glove_km").set_value(5.0).run()
    (said,) = (one.value for one in at.info if "of the last run" in one.value)
    assert "everyone among 2, starting from 0.1-1 (km–min)." in said
    told = {element.label: element.help for element in at.metric}
    for name in ("known to within 2 km", "known to within 2 h"):  # those that are left out are in no share
        assert told[name].startswith("Share of the published samples ")
    assert not at.exception


def test_among_how_many_a_person_is_hidden_is_said_of_each_level_by_hand() -> None:
    at = loaded(MOVING, "one person")  # the second of four: Ann, Bob or Dan, who have the same samples
    until(at, lambda at: any("hidden among" in one.value for one in at.markdown))
    assert any(
        one.value == "As the data is here, this person is hidden among 3 already." for one in at.markdown
    )
    assert {row["hidden"] for row in rows(at, "samples left")} >= {"yes, among 3"}
    at.number_input(key="person").set_value(4).run()  # Cyd, 11 km and an hour from the others
    until(at, lambda at: any("would hide" in one.value for one in at.markdown))
    assert rows(at, "samples left")[0]["hidden"] == "no"


def test_folded_time_has_no_date_and_where_it_is_not_folded_that_is_said() -> None:
    at = loaded(MOVING, "one person")
    at.text_input(key="fold").set_value("7d").run()
    at.number_input(key="person").set_value(
        4
    ).run()  # Cyd, of whom one sample is alone: on a Monday or Tuesday
    until(at, lambda at: any("would hide" in one.value for one in at.markdown))
    assert {row["when"][:10] for row in rows(at, "mean distance")} == {"day 1 of 7", "day 2 of 7"}
    assert "with time folded onto 7 days" in finding(at)
    not_folded = "Time is folded in the views one person, k-gap, levels, why. This one shows it as it is."
    assert not_folded not in [one.value for one in at.caption]
    at.segmented_control(key="show").set_value("unicity").run()
    assert not_folded in [one.value for one in at.caption]


def test_a_k_above_the_people_there_are_leads_on_to_one_that_can_be_asked_for() -> None:
    at = loaded(MOVING)  # four people
    at.select_slider(key="k_gap").set_value("50").run()
    assert finding(at) == "## There are only 4 people: nobody can be hidden among 49 others."
    at.button(key="possible_k").click().run()
    assert finding(at).startswith("## **3 of 4 people** (75.0%) are 2-anonymous")
    assert not [one for one in at.button if one.key == "possible_k"]


def test_unicity_against_hand() -> None:
    at = loaded(MOVING)
    at.segmented_control(key="show").set_value("unicity").run()
    until(at, lambda at: bool(at.get("plotly_chart")))
    # Only Cyd has a sample that nobody else has: one of four traces, once all three samples are known.
    assert rows(at, "3 known")[0]["3 known"] == "25.0%"
    # All have been to the same two places, most of them mostly to the one: Cyd alone mostly to the other.
    until(at, lambda at: any(one.key == "add_places" for one in at.button))
    one, two = rows(at, "alone, in any order")[:2]
    assert (one["alone, in any order"], one["alone, in their order"]) == ("25.0%", "25.0%")
    assert (two["alone, in any order"], two["alone, in their order"]) == ("0.0%", "25.0%")


def test_the_page_opens_with_one_person_issue_17() -> None:
    at = loaded(MOVING, show="one person")
    assert finding(at).startswith(
        "## This person has a **twin** among 3 other people"
    )  # the middle one of the four
    until(at, lambda at: bool(at.get("plotly_chart")))
    first = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert first["layout"]["title"]["text"] == "One person and the nearest other, day by day"
    assert first["layout"]["xaxis"]["title"]["text"] == "km west or east of home"
    at.segmented_control(key="show").set_value("k-gap").run()
    assert "2-anonymous" in finding(at)
    at.segmented_control(key="show").set_value("why").run()
    assert any("people apart" in one.value for one in at.markdown)


def test_the_first_view_goes_into_the_report_issue_17() -> None:
    at = until(
        page(show="one person", spread_fold="true"),
        lambda at: any(one.key == "add_person" for one in at.button),
    )
    at.button(key="add_kgap").click().run()
    (item,) = at.session_state["report_plan"].items
    assert item.exhibit == "kgap"
    assert item.view.option("people_judged") == 250
    figures = ("person_trails", "person_places", "person_parts", "person_giveaway", "person")
    for name in figures:
        at.button(key=f"add_{name}").click().run()
    _, *added = at.session_state["report_plan"].items
    assert tuple(one.exhibit for one in added) == figures
    assert {one.view.option("person") for one in added} == {at.number_input(key="person").value}


def test_a_day_more_of_the_trails_draws_only_what_shows_days(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other three figures of a person are of no day: drawn anew they took more of a move than the trails. Another person has all anew."""
    drawn: list[str] = []

    def counted(name: str) -> Callable[..., Any]:
        draw = getattr(person_view, name)
        return lambda *what, **more: (drawn.append(name), draw(*what, **more))[1]

    for name in ("trails_figure", "space_time_figure", "parts_figure", "giveaway_figure"):
        monkeypatch.setattr(person_view, name, counted(name))
    at = until(page(show="one person"), lambda at: len(at.get("plotly_chart")) == 4)
    before = [one.proto.spec for one in at.get("plotly_chart")]
    days = at.slider(key="person_days")
    drawn.clear()
    days.set_value(days.value + 1 if days.value < days.max else 1).run()
    assert drawn == ["trails_figure"]
    after = [one.proto.spec for one in at.get("plotly_chart")]
    assert after[0] != before[0]
    assert after[1:] == before[1:]
    drawn.clear()
    at.number_input(key="person").set_value(7).run()
    until(at, lambda at: len(at.get("plotly_chart")) == 4 and not at.get("progress"))
    assert {"space_time_figure", "parts_figure", "giveaway_figure"} <= set(drawn)
    assert not {one.proto.spec for one in at.get("plotly_chart")} & {*before, *after}


def test_how_distances_are_spread_is_worked_out_where_it_is_opened_alone_issue_17() -> None:
    """Of a large sample it takes longer than all else of the first view."""
    at = until(page(show="one person"), lambda at: any(one.key == "add_kgap" for one in at.button))
    assert not any(one.key == "add_person" for one in at.button)
    assert "work of spread" not in at.session_state


def test_by_hand_two_rows_agree_and_the_cost_is_said_issue_17() -> None:
    at = page(level=COARSE, show="by hand", hand_level_1="5-120", hand_level_2="5-120")
    assert "No two rows agree yet." in at.info[0].value
    at.select_slider(key="hand_level_3").set_value("20-480").run()
    # (5 + 5 + 20)/3 km and (120 + 120 + 480)/3 min: tests/fingerprints/test_by_hand.py.
    assert at.success[0].value == (
        "A and B agree in all three samples. A sample is now known to within 10 km and 4 h on average."
    )


def test_places_by_hand_are_written_to_the_same_tenth_of_a_kilometre() -> None:
    """13 km stood below 11.3 km, as if it were known less exactly."""
    at = page(level=COARSE, show="by hand")
    cells = [str(cell) for column in at.table[0].value for cell in at.table[0].value[column]]
    told = [km for cell in cells for km in re.findall(r"([\d.]+) km", cell)]
    assert len(told) == 18
    assert all(re.fullmatch(r"\d+\.\d", km) for km in told)


def test_what_the_page_opens_with_is_on_disk_for_the_next_server_issue_17(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work on a sample that is kept: a new process, which has none of it in memory, does not work again."""
    from privlab.kept.kept_places import CACHE_VARIABLE
    from privlab.progress import UNHEARD, Progress
    from privlab.ui import derived

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    begun: list[int] = []

    def work(progress: Progress) -> float:
        begun.append(1)
        return 0.25

    for _ in range(2):
        monkeypatch.setattr(derived, "_worked_out", {})
        once = derived.once_of_sample("subscribers", "first test", work, keep="test")
        assert once(UNHEARD) == 0.25
    assert begun == [1]
    assert [one.name.partition("-")[0] for one in tmp_path.iterdir()] == ["test"]


def test_a_control_changes_the_data_of_k_gaps_and_of_no_other_view(answer: Answer) -> None:
    at = page(kgap_control="shuffle-hours")
    assert "On data changed as a control (shuffle-hours)" in finding(at)
    assert any("not the data as they are" in one.value for one in at.info)
    words = ["--level", "0.1-1", "--query-users", "250", "--control", "shuffle-hours"]
    said = answer("kgap", ROOT / "sample_data" / "subscribers.parquet", *words, "--json")
    median = said["levels"][0]["k"]["2"]["quantiles"]["0.5"]
    assert any(row["median"] == f"{median:.4f}" for row in rows(at, "median"))
    at.segmented_control(key="show").set_value("by hand").run()
    assert not any("not the data as they are" in one.value for one in at.info)
    assert any("This one shows the data as they are" in one.value for one in at.caption)
    at.multiselect(key="kgap_control").set_value(["days:15"]).run()
    assert "“As a control, change the data first” must be at most 14" in at.warning[0].value
    at.button(key="first_study").click().run()
    assert at.multiselect(key="kgap_control").value == []


def test_linked_again_says_what_the_command_says(answer: Answer) -> None:
    at = page(show="linked again")
    until(at, lambda at: any("linked right" in t.value.columns for t in at.dataframe))
    words = ["--level", "0.1-1,1-30,20-480", "--days", "1,3,7", "--query-users", "250"]
    said = answer("link", ROOT / "sample_data" / "subscribers.parquet", *words, "--json")["links"]
    assert [row["linked right"] for row in rows(at, "linked right")] == [
        f"{one['share']:.1%}" for one in said
    ]
    assert "are linked right to themselves among 4,997" in finding(at)
    at.multiselect(key="link_days").set_value(["8"]).run()
    assert "“Days in each half” must be at most 7" in at.warning[0].value
    at.button(key="first_link").click().run()
    until(at, lambda at: [len(t.value) for t in at.dataframe if "linked right" in t.value.columns] == [1])
    at.multiselect(key="kgap_control").set_value(["users:100"]).run()
    until(at, lambda at: any("among 100" in one.value for one in at.markdown))
    assert any("What stays of the share linked" in one.value for one in at.info)
    assert not at.exception


def test_days_without_anybody_in_both_halves_are_left_out_and_lead_on_against_hand() -> None:
    """Eight days, whose middle is before the fifth. Ann is there two days before it and on the third after: three days find her again."""
    days = {"ann": (3, 7), "bob": (1, 2), "cyd": (8,)}
    at = loaded(
        "user,time,lat,lon\n"
        + "".join(
            f"{user},2026-03-0{day} 0{hour}:00,45.0,7.0\n"
            for user, own in days.items()
            for day in own
            for hour in range(6, 9)
        ),
        show="linked again",
    )
    until(at, lambda at: any("linked right" in t.value.columns for t in at.dataframe))
    assert {row["days in each half"] for row in rows(at, "linked right")} == {"3", "4"}
    assert any(one.value.startswith("Left out: 1 day in each half:") for one in at.caption)
    at.multiselect(key="link_days").set_value(["1"]).run()
    until(at, lambda at: any(one.key == "other_link_days" for one in at.button))
    said = " ".join(one.value for kind in (at.error, at.warning, at.info) for one in kind)
    assert "both halves of 1 day, so there is nobody to link" in said
    assert at.button(key="other_link_days").label == "Compare 3 days in each half"
    at.button(key="other_link_days").click().run()
    until(at, lambda at: any("linked right" in t.value.columns for t in at.dataframe))
    assert {row["days in each half"] for row in rows(at, "linked right")} == {"3"}
    assert not at.exception


def test_the_person_looked_at_goes_with_the_number_judged_until_one_is_chosen() -> None:
    """By hand: the middle one of 250 is the 125th, of 100 the 50th; a link names no person until one is chosen."""

    def of(judged: str) -> AppTest:
        at.selectbox(key="judged").set_value(judged).run()
        return until(at, lambda at: any(one.key == "person" for one in at.number_input))

    at = until(
        opened("anonymizability", data="subscribers", judged="250", show="one person"),
        lambda at: any(one.key == "person" for one in at.number_input),
    )
    assert at.number_input(key="person").value == 125
    assert of("100").number_input(key="person").value == 50
    at.number_input(key="person").set_value(7).run()
    assert of("250").number_input(key="person").value == 7


@pytest.mark.parametrize(("show", "key"), [("unicity", "unicity_levels"), ("linked again", "link_levels")])
def test_the_levels_compared_go_with_the_level_until_they_are_chosen(show: str, key: str) -> None:
    """They begin with the level of the page; a link that names no others opens so."""

    def at_rest(at: AppTest) -> AppTest:
        return until(at, lambda at: any(one.key == key for one in at.multiselect) and not at.get("progress"))

    at = at_rest(opened("anonymizability", data="subscribers", judged="100", show=show))
    assert at.multiselect(key=key).value[0] == "0.1-1"
    at.selectbox(key="level").set_value(COARSE).run()
    assert at_rest(at).multiselect(key=key).value[0] == COARSE
    at.multiselect(key=key).set_value(["20-480"]).run()
    at.selectbox(key="level").set_value("0.1-1").run()
    assert at_rest(at).multiselect(key=key).value == ["20-480"]
