"""The groups page: plays, refines, says what the command line says, and takes bad input in one sentence."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from privlab.kept.kept_places import RUNS_VARIABLE
from privlab.kept.runs import Runs
from privlab.progress import Progress
from privlab.reports.exhibits.exhibits_people import game_from_view, games_from_view
from privlab.ui.state import sample_job
from tests.command_line import Answer
from tests.pages.test_all_pages import ROOT, finding, on_page, opened, until
from tests.pages.test_sources import load

BOX = "box:37.7356,-122.444,37.797,-122.3663:10x10"


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    sample_job("cabs").result(timeout=900)


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setenv(RUNS_VARIABLE, str(tmp_path / "runs.sqlite"))
    return Runs(tmp_path / "runs.sqlite")


def page(**address: str) -> AppTest:
    at = opened("groups", data="cabs", targets="3", **address)
    return until(at, lambda at: bool(at.get("plotly_chart")))


def rows(at: AppTest, column: str) -> list[dict[str, str]]:
    return next(t.value for t in at.dataframe if column in t.value.columns).to_dict("records")


def played(at: AppTest, n: int = 3) -> AppTest:
    done = f"{n} of {n}"
    n_sizes = len(at.multiselect(key="sizes").value)
    shown = [[done] * n_sizes]
    return until(at, lambda at: [[row["targets"] for row in rows(at, "mean AUC")]] == shown)


def test_the_page_says_what_the_command_line_says(runs: Runs, answer: Answer) -> None:
    at = played(page())
    words = ["--prior", "subset", "--group-size", "10,100", "--targets", "3", "--classifier", "lr"]
    words += ["--arm", "statistics", "--seed", "1", "--fresh", "--json"]
    said = answer("game", ROOT / "sample_data" / "cabs.parquet", "--zones", BOX, *words)
    told = {f"{row['group_size']:,}": f"{row['auc_mean']:.3f}" for row in said["results"]}
    assert {row["people in a group"]: row["mean AUC"] for row in rows(at, "mean AUC")} == told
    assert {run.n_outcomes for run in runs.all()} == {3}
    assert "In groups of 10, this attacker finds" in finding(at)
    seen = [(one.type, str(getattr(one, "value", ""))) for one in at.main]
    said = next(n for n, (kind, value) in enumerate(seen) if kind == "markdown" and value.startswith("## "))
    assert said < next(n for n, (kind, _) in enumerate(seen) if kind == "button_group")


@pytest.mark.parametrize(
    ("named", "shown"), [("classifier", "knn"), ("classifier", "mlp"), ("classifier", "rf"), ("arm", "cells")]
)
def test_an_address_may_name_what_is_learned_by_as_the_command_line_does(named: str, shown: str) -> None:
    """Without it nearest neighbours showed the figures of logistic regression, and nothing said so."""
    at = page(sizes="10", **{named: shown})
    assert at.selectbox(key=named).value == shown
    assert not at.exception


def test_the_loss_of_the_game_has_a_name_of_its_own_and_says_that_it_is_no_epsilon() -> None:
    """Beside ε, which pages call privacy loss, a column of that name read as ε."""
    at = played(page(sizes="10"))
    (table,) = [one for one in at.dataframe if "mean AUC" in one.value.columns]
    assert [name for name in table.value.columns if "loss" in name] == ["mean privacy loss of the game (PL)"]
    told = json.loads(table.proto.columns)["mean privacy loss of the game (PL)"]["help"]
    assert "is no ε" in told


def test_views_share_what_was_played() -> None:
    at = played(page())
    for view in ("by group size", "ROC", "who is at risk", "one aggregate"):
        at.segmented_control(key="show_groups").set_value(view).run()
        assert at.get("plotly_chart"), view
        assert not at.exception
        assert not at.error
    at.segmented_control(key="show_groups").set_value("ROC").run()
    judged = []
    for percent in (100, 0):  # all accused; nobody without the target
        at.slider(key="false_alarms").set_value(percent).run()
        judged.append([*rows(at, "judged rightly")[0].values()][3:7])
    assert judged[0] == ["150", "0", "150", "0"]
    assert judged[1][2:] == ["0", "150"]


def test_sizes_that_the_data_lacks_are_named_and_the_others_played() -> None:
    at = page(sizes="5")
    at.multiselect(key="sizes").set_value(["5", "500"]).run()
    said = "Groups of 500 are left out. Groups can have at most 106 people here. Of 534 people the attacker knows 107."
    assert any(one.value.startswith(said) for one in at.caption)


def test_more_targets_go_on_from_the_first(runs: Runs) -> None:
    at = played(page())
    before = {run.made for run in runs.all()}
    at.number_input(key="targets").set_value(6).run()
    played(at, 6)
    assert {run.made for run in runs.all()} == before  # the same runs, carried on
    assert {run.n_outcomes for run in runs.all()} == {6}


def test_a_run_that_was_kept_lies_under_another() -> None:
    at = played(page())
    at.selectbox(key="classifier").set_value("knn").run()
    played(at)
    kept = at.multiselect(key="compare_runs").options
    assert any("logistic regression" in name and "m = 10," in name for name in kept)
    at.multiselect(key="compare_runs").set_value(kept[:1]).run()
    drawn = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    assert any("m = 1" in curve.get("name", "") for curve in drawn)


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ("a few", "“People in a group (m)” must be a whole number, got 'a few'."),
        ("500", "Groups can have at most 106 people here"),
        ("0", "“People in a group (m)” must be between 1 and"),
        ("1", "too few different groups of such a size among the 534 people"),
    ],
)
def test_groups_that_cannot_be_get_one_sentence(sizes: str, sentence: str) -> None:
    at = opened("groups", data="cabs", targets="3", sizes=sizes)
    until(at, lambda at: bool(at.warning))
    assert sentence in at.warning[0].value
    assert not at.exception


def test_noise_takes_the_attack_away_and_says_what_it_promises() -> None:
    at = opened("groups", data="cabs", targets="3", sizes="10", show_groups="defences")
    until(at, lambda at: any(m.key == "mechanisms" for m in at.multiselect))
    at.multiselect(key="mechanisms").set_value(["lpa", "suppress:5"]).run()
    at.multiselect(key="defence_epsilons").set_value(["0.1"]).run()
    assert any(
        "Laplace, all of a user (LPA Δ/ε): ε = 0.1 for all reports of one user." in element.value
        for element in at.markdown
    )
    at.button(key="run_defences").click().run()
    until(at, lambda at: any("AUC undefended" in t.value.columns for t in at.dataframe))
    (paper,) = [one.value for one in at.table if "as in the paper" in one.value.columns]
    assert list(paper["as in the paper"])[2:4] == ["not played"] * 2
    found = {(row["defence"], row["attacker"]): row for row in rows(at, "AUC undefended")}
    lpa, few = "Laplace, all of a user (LPA Δ/ε)", "leave out counts below 5"  # as the control names them
    assert set(found) == {(name, who) for name in (lpa, few) for who in ("passive", "strategic")}
    assert any("3 targets tell little" in one.value for one in at.markdown)
    # Noise a hundred times the counts: nothing is left to be seen, whoever looks (docs/science.md, section 3.6).
    raw = float(found[lpa, "strategic"]["AUC undefended"])
    assert float(found[lpa, "strategic"]["AUC"]) < raw - 0.2
    errors = [float(found[name, "strategic"]["mean relative error"].replace(",", "")) for name in (lpa, few)]
    assert errors[0] > errors[1]
    assert not at.exception


def test_an_aggregate_before_and_after_goes_into_the_report_with_its_defence() -> None:
    at = opened("groups", data="cabs", targets="3", sizes="10", show_groups="defences", defended_fold="true")
    until(at, lambda at: any(one.key == "add_groups_defended" for one in at.button))
    for name in ("groups_aggregate", "groups_defended"):
        at.button(key=f"add_{name}").click().run()
    before, after = at.session_state["report_plan"].items
    assert (before.view.option("defence"), before.view.option("target")) == (None, 1)
    assert (after.view.option("defence"), after.view.option("epsilon")) == ("gaussian", 1.0)
    assert game_from_view(after.view) == game_from_view(before.view)
    assert not at.exception


@pytest.mark.parametrize("address", [{"arm": "cells+rule"}])
def test_a_rule_about_zeros_needs_true_counts(address: dict[str, str]) -> None:
    at = opened("groups", data="cabs", targets="3", sizes="10", show_groups="defences")
    until(at, lambda at: any(m.key == "mechanisms" for m in at.multiselect))
    at.selectbox(key="arm").set_value(address["arm"]).run()
    assert "a zero contradicts nothing" in at.warning[0].value
    assert not at.exception


def shown_words(at: AppTest) -> str:
    return " ".join(element.value for element in [*at.caption, *at.markdown])


def test_the_page_says_of_same_groups_that_the_attacker_knows_them_issue_16() -> None:
    told = shown_words(played(page(prior="same-groups", sizes="10")))
    assert "the same groups in a later week" in told
    assert "Known to the attacker: same groups, earlier (prior same-groups)" in told
    assert "has not seen" not in told


def test_the_page_says_of_three_targets_that_they_tell_nothing_of_who_is_at_risk_issue_16() -> None:
    at = played(page(sizes="10"))
    at.segmented_control(key="show_groups").set_value("who is at risk").run()
    told = shown_words(until(at, lambda at: "do not tell who is at risk" in shown_words(at)))
    assert "So few targets (3)" in told
    assert "clearly" not in told


def test_nothing_but_the_release_by_share_known_says_what_the_command_says(answer: Answer) -> None:
    at = opened("groups", data="cabs", targets="3", sizes="10", show_groups="by share known")
    until(at, lambda at: any(one.key == "zero_game" for one in at.button))
    at.button(key="zero_game").click().run()
    assert at.selectbox(key="arm").value == "cells"
    at.multiselect(key="known").set_value(["1", "0.1"]).run()
    until(at, lambda at: len(at.get("plotly_chart")) == 3 and "Playing" not in shown_words(at))
    words = ["--prior", "zero-knowledge", "--known", "1,0.1", "--group-size", "10", "--targets", "3"]
    said = answer("game", ROOT / "sample_data" / "cabs.parquet", "--zones", BOX, *words, "--fresh", "--json")
    whole, tenth = (row["auc_mean"] for row in said["results"])
    told = f"the whole trace: AUC {whole:.2f}; 10% of the trace: AUC {tenth:.2f}"
    until(at, lambda at: told in finding(at))
    estimate = said["results"][0]["estimate"]
    [row] = rows(at, "visits a person, estimated")
    assert row["true"] == f"{estimate['true_visits']:,.1f}"
    assert row["visits a person, estimated"].startswith(f"{estimate['visits']:,.1f} ")
    for over in ("hours", "zones"):
        at.button(key=f"add_groups_{over}").click().run()
    added = at.session_state["report_plan"].items
    assert [one.exhibit for one in added] == ["groups_hours", "groups_zones"]
    assert {games_from_view(one.view)[-1].known for one in added} == {"0.1"}
    at.segmented_control(key="show_groups").set_value("who is recognised").run()
    until(at, lambda at: any("mean AUC" in t.value.columns for t in at.dataframe))
    assert [one["known"] for one in rows(at, "mean AUC")] == ["the whole trace", "10% of the trace"]
    at.multiselect(key="known").set_value(["much"]).run()
    assert "“Known of the target” must be a share above 0 and at most 1, or top:N" in at.warning[
        0
    ].value.replace("\\:", ":")
    assert not at.exception


def test_an_address_that_names_no_arm_means_the_command_s_own() -> None:
    """Raw cells after one release, the paper's statistics otherwise; what the address names stays."""

    def arm(**address: str) -> str:
        at = opened("groups", data="cabs", targets="3", sizes="5", show_groups="one aggregate", **address)
        until(at, lambda at: any(one.key == "arm" for one in at.selectbox))
        return str(at.selectbox(key="arm").value)

    zero = "nothing but the release"
    assert arm(prior=zero) == "cells"
    assert arm(prior=zero, arm="likelihood, nothing learned") == "likelihood"
    assert arm() == "statistics"


def test_another_share_of_groups_with_the_target_stands_beside_half_and_half_as_in_the_command(
    answer: Answer,
) -> None:
    at = page(sizes="10")
    at.multiselect(key="balance").set_value(["0.5", "0.1"]).run()
    words = [
        "--prior",
        "subset",
        "--classifier",
        "lr",
        "--group-size",
        "10",
        "--targets",
        "3",
        "--balance",
        "0.5,0.1",
    ]
    said = answer("game", ROOT / "sample_data" / "cabs.parquet", "--zones", BOX, *words, "--fresh", "--json")
    even, tenth = said["results"]
    less = f"{tenth['auc_less_even']:+.3f}".replace("-", "−")
    told = [
        f"50% with the target: mean AUC {even['auc_mean']:.3f}, privacy loss of the game (PL) {even['pl_mean']:.2f}",
        f"10% with the target: mean AUC {tenth['auc_mean']:.3f} "
        f"({less} ± {tenth['auc_less_even_half_width']:.3f}), privacy loss of the game (PL) {tenth['pl_mean']:.2f}",
        "a blind guess: 0.5 and 0.05 to 0.08",
    ]
    until(at, lambda at: all(one in finding(at) for one in told))
    shares = [row["groups with the target"] for row in rows(at, "groups with the target")]
    assert shares == ["50% with the target", "10% with the target"]
    at.segmented_control(key="show_groups").set_value("ROC").run()
    until(at, lambda at: any("judged rightly" in t.value.columns for t in at.dataframe))
    [_, row] = rows(at, "judged rightly")
    assert sum(int(value) for name, value in row.items() if name.startswith("with the target")) == 3 * 10
    at.multiselect(key="balance").set_value(["0.1/0.1/0.1"]).run()
    assert (
        "“Groups with the target (share)” must be the share of groups with the target" in at.warning[0].value
    )
    at.button(key="first_game").click().run()
    assert at.multiselect(key="balance").value == ["0.5"]
    assert not at.exception


def test_a_control_changes_the_data_and_the_page_says_so_as_the_command_does(answer: Answer) -> None:
    at = page(sizes="10", groups_control="permute-zones")
    played(at)
    assert any("not the data as they are" in one.value for one in at.info)
    assert "On data changed as a control (permute-zones)" in finding(at)
    words = ["--group-size", "10", "--targets", "3", "--classifier", "lr", "--control", "permute-zones"]
    said = answer("game", ROOT / "sample_data" / "cabs.parquet", "--zones", BOX, *words, "--fresh", "--json")
    (shown,) = rows(at, "mean AUC")
    assert shown["mean AUC"] == f"{said['results'][0]['auc_mean']:.3f}"
    at.multiselect(key="groups_control").set_value(["shuffle-hours"]).run()
    assert any("of one week, so that regular weeks could not help" in one.value for one in at.info)
    assert not at.exception


@pytest.mark.parametrize("control", ["upside-down", "users:535", "thin:0"])
def test_a_control_that_cannot_be_gets_one_sentence_and_a_way_on(control: str) -> None:
    at = opened("groups", data="cabs", targets="3", sizes="10", groups_control=control)
    until(at, lambda at: bool(at.warning))
    assert "control" in at.warning[0].value
    at.button(key="first_game").click().run()
    assert at.multiselect(key="groups_control").value == []
    assert not at.exception


def test_the_controls_of_defences_stay_in_place_when_nothing_is_said_of_changed_data_any_more() -> None:
    """Else the address no longer follows them, which every run of a page here holds."""
    at = opened(
        "groups",
        data="cabs",
        targets="3",
        sizes="10",
        show_groups="defences",
        groups_control="permute-zones",
        mechanisms="lpa",
    )
    until(at, lambda at: any("not the data as they are" in one.value for one in at.info))
    at.multiselect(key="groups_control").set_value([]).run()
    assert not any("not the data as they are" in one.value for one in at.info)
    assert at.multiselect(key="mechanisms").value == ["lpa"]


def test_what_defences_promise_is_said_under_the_names_of_their_controls() -> None:
    at = opened("groups", data="cabs", targets="3", sizes="10", show_groups="defences")
    until(at, lambda at: any("for all reports of one user" in one.value for one in at.markdown))
    (said,) = (one.value for one in at.markdown if "for all reports of one user" in one.value)
    assert "- Laplace, all of a user (LPA Δ/ε): ε = 0.1 for all reports of one user." in said
    assert "lpa" not in said
    assert "gaussian:" not in said


def test_one_aggregate_of_data_with_too_few_weeks_is_refused_with_a_way_on() -> None:
    """Five days hold no earlier week, of which nothing but the release is learned."""
    at = opened("data", targets="3", sizes="10", prior="zero-knowledge", show_groups="one aggregate")
    rows = "user,time,lat,lon\n" + "".join(
        f"u{n},2026-03-0{2 + day} {8 + hour:02d}:10,{45.02 + 0.04 * ((n + hour) % 4):.2f},{7.02 + 0.05 * (n % 3):.2f}\n"
        for n in range(60)
        for day in range(5)
        for hour in range(3)
    )
    at.file_uploader(key="upload").upload("own.csv", rows.encode()).run()
    load(at)
    on_page(at, "groups")
    until(at, lambda at: bool(at.warning or at.exception or at.get("plotly_chart")))
    assert not at.exception
    assert any("week" in one.value for one in at.warning)
    assert at.main.button


def test_games_that_the_data_does_not_hold_are_refused_without_being_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """City has one whole week, and who learns from earlier weeks needs two."""
    from privlab.ui.groups import game_play

    stopped: list[str] = []

    def begun(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(game_play, "start_work", begun)
    monkeypatch.setattr(game_play, "stop_work", stopped.append)
    at = opened("groups", data="city", targets="3", prior="same groups, earlier")
    until(at, lambda at: bool(at.warning))
    assert (
        "who knows earlier releases (prior same-groups) needs 2 whole weeks, Monday to Sunday: the one attacked, and those before it."
        in at.warning[0].value
    )
    assert at.warning[0].value.endswith("there is 1.")
    assert at.button(key="small_game")
    assert set(stopped) == {"groups"}  # what was played before goes on for nobody


def test_what_is_found_after_the_page_was_shown_has_its_place_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of the page that shows games as they grow is run by itself, as a browser asks for it; AppTest runs whole pages."""
    from functools import partial
    from types import SimpleNamespace
    from typing import Any

    from streamlit.testing.v1 import local_script_runner

    from privlab.ui.groups import game_play

    first = played(page())
    later = game_play.Play(games=())
    job: Any = SimpleNamespace(
        done=False, share=0.0, words="Starting", seconds_left=None, cancel=None, error=None
    )
    monkeypatch.setattr(game_play, "_FIRST_LOOK_S", 0.0)
    monkeypatch.setattr(game_play, "_playing", lambda *_: (later, job))
    at = until(
        opened("groups", data="cabs", targets="3"),
        lambda at: "cancel_groups" in {one.key for one in at.button},
    )
    later.results = first.session_state["play_groups"].results
    alone = partial(local_script_runner.RerunData, fragment_id_queue=[*at._fragment_storage._fragments][-1:])
    monkeypatch.setattr(local_script_runner, "RerunData", alone)
    at.run()
    assert not at.exception
    assert finding(at) == finding(first)


def test_games_that_a_sample_opens_with_are_played_once_for_all_and_no_choice_is_issue_17(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from privlab.ui import derived
    from privlab.ui.groups import game_play, groups_page

    def again(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(derived, "_worked_out", {})
    monkeypatch.setattr(groups_page, "_USUAL_TARGETS", 3)
    first = played(page())
    assert [what[0] for _, what in derived._worked_out] == ["first games"]
    played(page(sizes="10", arm="cells"))
    assert len(derived._worked_out) == 1
    monkeypatch.setattr(game_play, "play_games_in_turns", again)  # nobody plays again
    second = played(page())
    assert finding(second) == finding(first)
    assert rows(second, "mean AUC") == rows(first, "mean AUC")


def test_what_a_page_works_out_of_a_file_is_kept_in_no_place_that_others_see(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the settings, those that a page opens with on a sample included."""
    from dataclasses import replace
    from types import SimpleNamespace
    from typing import Any

    from privlab.aggregates.game_rules import CLASSIFIERS, GameParameters
    from privlab.aggregates.recovery import RecoveryParameters
    from privlab.ui import derived
    from privlab.ui.groups import groups_page
    from privlab.ui.recovery import recovery_page
    from privlab.ui.state import OWN

    traces: Any = SimpleNamespace(n_users=500)
    placed: Any = (traces, None)
    first = [GameParameters(group_size=size, targets=30, classifiers=CLASSIFIERS[:1]) for size in (10, 100)]
    plans: Any = [SimpleNamespace(data=data, prepared=SimpleNamespace(key=data)) for data in ("cabs", OWN)]
    sample, file = plans
    assert groups_page.opens_with(traces, first)
    assert not groups_page.opens_with(traces, [replace(first[0], seed=2)])

    def result(_name: str, _key: object, work: Any, **_: object) -> None:
        work(Progress())

    monkeypatch.setattr(derived, "_worked_out", {})
    for way in ("apart_and_heard", "briefly"):
        monkeypatch.setattr(recovery_page, way, lambda *_, **__: lambda progress: "put together")
    monkeypatch.setattr(recovery_page, "unfinished_of", lambda name: {})
    monkeypatch.setattr(recovery_page, "awaited", result)
    monkeypatch.setattr(recovery_page, "is_running", lambda name: True)
    recovery_page.recovery_of(file, placed, RecoveryParameters())
    derived.once_as_it_opens(file, "what a page opens with", lambda progress: "worked out", opens=True)(
        Progress()
    )
    assert derived._worked_out == {}
    recovery_page.recovery_of(sample, placed, RecoveryParameters())
    assert [what[0] for _, what in derived._worked_out] == ["first recovery"]


def test_what_is_learned_from_stays_in_its_place_when_less_is_asked_before_it() -> None:
    """Only an attacker with nothing but the release is asked what is known; every run of a page here holds that no control moves up."""
    at = until(
        opened("groups", data="cabs", targets="3", period="day:mon"),
        lambda at: any(one.key == "prior" for one in at.button_group),
    )
    at.segmented_control(key="prior").set_value("zero-knowledge").run()
    assert at.multiselect(key="known").value
    at.segmented_control(key="prior").set_value("subset").run()
    assert not [one for one in at.multiselect if one.key == "known"]
    assert at.selectbox(key="period").value == "day:mon"
