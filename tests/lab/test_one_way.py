"""Page and command reach a result by one way: what each asks lab for comes out equal, to the last row."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest

from privlab.aggregates.defences.bounds import AttackBound
from privlab.aggregates.findings.outcomes import Setting
from privlab.aggregates.findings.summaries import GameResult
from privlab.aggregates.game.bound_checks import BoundCheck
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.checks import (
    DataError,
    ParameterError,
    counts_from_text,
    number_from_text,
    numbers_from_text,
)
from privlab.cli.options.common_options import zoned
from privlab.cli.options.reading_options import Reading, cleaning_from_reading, opened
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.previews.previews import preview_from_path
from privlab.defaults import MOST_TRIPS
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.glove.glove_result import GloveParameters
from privlab.fingerprints.levels import DEFAULT_LEVELS, Level
from privlab.fingerprints.measures.study import LevelStudy, StudyParameters, level_study_from_fingerprints
from privlab.kept.kept_places import RUNS_VARIABLE
from privlab.kept.runs import Runs
from privlab.lab.attacking.play import PlayedGame, play_game, play_games_in_turns, runs_of_data
from privlab.lab.fingerprints.study import kgap_study_from_fingerprints
from privlab.lab.loading.load import (
    fingerprints_from_rows,
    prepared_trips_from_rows,
    sample_rows,
    traces_from_rows,
    trips_from_rows,
)
from privlab.lab.publishing.release_data import ReleaseData
from privlab.lab.reporting.collect import (
    KnownStudies,
    Materials,
    collected_report_from_plan,
    prepared_trips_of_rows,
    reason_against_report,
    reference_from_prepared_trips,
)
from privlab.od.attack.attack import AttackParameters
from privlab.od.matrix import UniqueTrips
from privlab.od.settled.settled_trips import NO_USERS, USERS_NOT_APART
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.progress import UNHEARD
from privlab.reports.exhibits.exhibits_people import games_from_view
from privlab.reports.external_rule import reason_against_part
from privlab.reports.report_plan import DataReference, ReportItem, ReportPlan, View
from privlab.ui.data.own_file import LoadRequest, OwnFile, read_rows
from privlab.ui.fingerprints import remedy_view
from privlab.ui.publish import publish_page
from privlab.ui.work.heavy_work import apart
from tests.aggregates.worlds import habitual_traces
from tests.command_line import Answer

MONDAY = "2026-03-02"


@pytest.fixture
def walks(tmp_path: Path) -> Path:
    """Twelve people who go between two places each hour of two days, one of them far away on the second day."""
    lines = ["user_id,timestamp,lat,lon"]
    for person in range(12):
        for day in (2, 3):
            for hour in range(8, 12):
                lat = 60.0 + 0.02 * ((person + hour) % 3) + (1.0 if person == 11 and day == 3 else 0.0)
                lines.append(f"p{person},2026-03-0{day} {hour:02d}:00,{lat},{25 + 0.02 * (hour % 2)}")
    path = tmp_path / "walks.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def asked_by_page(path: Path, zones: str, cleaning: Cleaning) -> LoadRequest:
    return LoadRequest(
        own=OwnFile(id="1", path=path),
        format="auto",
        mapping=preview_from_path(path).mapping,
        lookup=None,
        timezone=None,
        cleaning=cleaning,
        zones=zones,
        geography=None,
    )


def trips_of(found: UniqueTrips) -> list[tuple[int, ...]]:
    return sorted(zip(*(each.tolist() for each in (found.user, found.flow, found.trip_rank)), strict=True))


def test_page_and_command_read_the_same_rows(walks: Path) -> None:
    reading = Reading(first_day="2026-03-02", bounding_box="59,24,60.5,26", min_records=3)
    with Workspace() as workspace:
        request = asked_by_page(walks, "grid:1000", cleaning_from_reading(reading))
        page = read_rows(request, workspace, UNHEARD)
        of_page = prepared_trips_from_rows(*page)
        command = zoned(opened(str(walks), reading, workspace, "grid:1000"), "grid:1000", None)
        of_command = trips_from_rows(*command)
        assert prepared_trips_from_rows(*command).key == of_page.key
        traces = [traces_from_rows(*rows) for rows in (page, command)]
    assert of_page.rows == 96  # 12 people, two days, four hours; the box takes out one person's second day
    assert of_page.n_records == 92
    assert isinstance(of_command, UniqueTrips)
    assert isinstance(of_page.trips, UniqueTrips)
    assert trips_of(of_command) == trips_of(of_page.trips)
    assert of_command.user_rank.tolist() == of_page.trips.user_rank.tolist()
    assert of_command.weeks == of_page.trips.weeks == (MONDAY,)
    assert traces[0].digest == traces[1].digest
    assert traces[0].zone.tolist() == traces[1].zone.tolist()


def test_page_and_command_hide_the_same_people(answer: Answer, walks: Path, tmp_path: Path) -> None:
    out = tmp_path / "hidden.parquet"
    result = answer("glove", walks, "--k", 3, "--out", out, "--json")
    with Workspace() as workspace:
        rows = read_rows(asked_by_page(walks, "grid:1000", Cleaning()), workspace, UNHEARD)
        people = fingerprints_from_rows(*rows)
    hide = apart(
        remedy_view.hidden_people_from_fingerprints, people, GloveParameters(k=3), level=DEFAULT_LEVELS[0]
    )
    hidden = hide(UNHEARD)
    assert hidden.table.to_pylist() == pq.read_table(out).to_pylist()
    assert (hidden.verification.checks, hidden.verification.n_sharing) == (
        result["verified"],
        result["fewest_sharing"],
    )
    assert hidden.accuracy.within_km(2) == result["share_within_km"]["2"]


def test_page_and_command_judge_the_same_people_alike(answer: Answer, walks: Path, tmp_path: Path) -> None:
    out = tmp_path / "gaps.parquet"
    words = ("--level", "1-30", "--k", "2,10", "--query-users", 5, "--seed", 3, "--fold", "1d")
    result = answer("kgap", walks, *words, "--out", out, "--json")
    with Workspace() as workspace:
        rows = read_rows(asked_by_page(walks, "grid:1000", Cleaning()), workspace, UNHEARD)
        people = fingerprints_from_rows(*rows)
    parameters = StudyParameters(level=Level(1.0, 30), n_query=5, fold_days=1, seed=3)
    study = kgap_study_from_fingerprints(people, parameters)  # as the page asks for it
    table = pq.read_table(out).to_pandas()
    assert result["query_users"] == study.n_judged == 5
    assert sorted(set(table["user_id"])) == sorted(people.user_ids[study.kgaps.query])
    for k in (2, 10):
        of_command = table[table["k"] == k]
        assert of_command["kgap"].tolist() == study.kgaps.of(k).tolist()
        assert study.dispersion is not None
        shares = study.dispersion.temporal_share[:, study.dispersion.ks.index(k)]
        assert of_command["temporal_share"].tolist() == pytest.approx(shares.tolist(), nan_ok=True)
    (level,) = result["levels"]
    assert (level["users"], level["mean_samples"]) == (study.n_users, study.mean_samples)


GAME = GameParameters(
    group_size=3, targets=8, train_groups=40, test_groups=20, prior_share=0.5, classifiers=("lr",)
)


def scores(result: GameResult) -> list[Any]:
    return [(one.user, one.scores[0].auc, one.scores[0].inside) for one in result.outcomes]


def test_games_played_in_turns_end_where_one_play_ends(tmp_path: Path) -> None:
    traces, heard = habitual_traces(60), list[tuple[int, int]]()
    found = play_games_in_turns(
        traces,
        [GAME],
        runs=Runs(tmp_path / "runs.sqlite"),
        heard=lambda number, result: heard.append((number, len(result.outcomes))),
        progress=UNHEARD,
    )
    assert heard == [(0, 3), (0, 6), (0, 8)]
    assert repr(scores(found[0])) == repr(scores(play_game(traces, GAME).result))


def test_games_of_own_data_stay_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RUNS_VARIABLE, str(tmp_path / "kept.sqlite"))
    assert runs_of_data().path == tmp_path / "kept.sqlite"
    assert runs_of_data(tmp_path / "session").path == tmp_path / "session" / "runs.sqlite"


def test_the_mean_bound_of_an_adversary_by_hand() -> None:
    passive, strategic = (
        Setting(arm="statistics", classifier="lr", epsilon=1.0, adversary=who)
        for who in ("passive", "strategic")
    )
    checks = tuple(
        BoundCheck(
            user=user,
            setting=passive,
            auc=0.5,
            n_pairs=10,
            bound=AttackBound(
                n_reports=1, accuracy=0.6, auc=auc, accuracy_alone=0.6, auc_alone=0.6, exact=True
            ),
            chance=1.0,
            proven=False,
        )
        for user, auc in ((1, 0.6), (2, 0.9))
    )
    played = PlayedGame(result=GameResult(parameters=GAME, outcomes=(), n_left=0), checks=checks)
    assert played.mean_bound(passive) == (pytest.approx(0.75), False)
    assert played.mean_bound(strategic) is None


def prepared(**known: bool) -> Any:
    return SimpleNamespace(
        prepared=SimpleNamespace(**{"has_users": True, "users_apart": True, "zones_spec": "column"} | known),
        release=SimpleNamespace(max_trips_per_user=10),
    )


def test_page_and_command_refuse_the_same_data_with_the_same_words(walks: Path) -> None:
    assert publish_page.hindrance(prepared()) is None
    assert publish_page.hindrance(prepared(has_users=False, users_apart=False)) == NO_USERS
    assert publish_page.hindrance(prepared(users_apart=False)) == USERS_NOT_APART
    records = ColumnMapping(user_id="u", timestamp="t", lat="lat", lon="lon")
    counts = ColumnMapping(origin="o", destination="d", count="n")
    for mapping, cleaning, sentence in (
        (counts, Cleaning(), NO_USERS),
        (records, Cleaning(n_users=5), USERS_NOT_APART),
        (records, Cleaning(percentile=99), USERS_NOT_APART),
    ):
        with pytest.raises(ParameterError) as refused:
            ReleaseData(
                path=walks,
                form=FileForm(mapping=mapping),
                zones="grid:1000",
                geography=None,
                lookup=None,
                timezone=None,
                cleaning=cleaning,
            )
        assert str(refused.value) == sentence


def test_numbers_in_texts_have_one_phrasing() -> None:
    assert numbers_from_text("epsilon", "0.1, 1,") == [0.1, 1.0]
    assert counts_from_text("5; 3,2") == [5, 3, 2]
    for ask, sentence in (
        (lambda: number_from_text("epsilon", "much"), "epsilon must be a number, got 'much'."),
        (lambda: number_from_text("m", "2.5", whole=True), "m must be a whole number, got '2.5'."),
        (
            lambda: numbers_from_text("m", "1,x", whole=True),
            "m must be whole numbers separated by commas, got '1,x'.",
        ),
        (lambda: counts_from_text("1,x"), "counts must be whole numbers separated by commas, got '1,x'."),
    ):
        with pytest.raises(ParameterError) as refused:
            ask()
        assert str(refused.value) == sentence


def view(**options: Any) -> View:
    return View(release=ReleaseParameters(epsilon=0.66), options=tuple(options.items()))


def test_group_sizes_of_a_report_plan_that_are_no_numbers_get_a_sentence_iv() -> None:
    with pytest.raises(ParameterError, match="group_sizes must be whole numbers separated by commas, got"):
        games_from_view(view(group_sizes="10,ten"))


def test_one_rule_says_what_leaves_the_house() -> None:
    disclosing = ReportPlan(title="T", kind="external", items=(ReportItem(exhibit="people", view=view()),))
    sentence = reason_against_part("external", title="Unique trips per user", discloses=True)
    assert sentence is not None
    assert reason_against_report(disclosing) == sentence
    for kind, discloses in (("internal", True), ("internal", False), ("external", False)):
        assert reason_against_part(kind, title="T", discloses=discloses) is None
    with pytest.raises(DataError) as refused:
        collected_report_from_plan(disclosing, lambda reference: pytest.fail("nothing is read"))
    assert str(refused.value) == sentence
    # Of several parts all are named, each once.
    titles = ("people", "limits", "release_maps", "people")
    many = replace(disclosing, items=tuple(ReportItem(exhibit=name, view=view()) for name in titles))
    both = reason_against_report(many)
    assert both is not None
    assert both.startswith(
        "“Unique trips per user” and “Before and after, on a map” show true data and cannot"
    )
    with pytest.raises(DataError) as refused:
        collected_report_from_plan(many, lambda reference: pytest.fail("nothing is read"))
    assert str(refused.value) == both


def test_material_is_made_once_and_is_that_of_the_plan() -> None:
    asked: list[str] = []

    def own_rows(reference: DataReference) -> Any:
        asked.append(reference.name)
        return lambda workspace: sample_rows("cabs", workspace)

    materials = Materials(own_rows)
    wrong = DataReference(name="mine", sample=False, digest="0" * 32, zones="grid:1000")
    with pytest.raises(DataError, match="The data is not that of the report plan"):
        materials(wrong)
    assert asked == ["mine"]


def test_k_gaps_that_are_known_are_taken_up_and_others_worked_out_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three parts of a report on the same people search among them once, and not at all where a page has done so."""
    searched: list[StudyParameters] = []

    def study(fingerprints: Fingerprints, parameters: StudyParameters, **how: Any) -> LevelStudy:
        searched.append(parameters)
        return level_study_from_fingerprints(fingerprints, parameters, ks=(2,))

    monkeypatch.setattr("privlab.lab.reporting.collect.kgap_study_from_fingerprints", study)
    few = StudyParameters(n_query=3)
    own = Materials(lambda reference: lambda workspace: sample_rows("cabs", workspace))
    data = reference_from_prepared_trips(
        prepared_trips_of_rows(lambda workspace: sample_rows("cabs", workspace)), sample=True
    )
    first = own(data).kgap_study(few)
    assert own(data).kgap_study(few) is first
    assert searched == [few]
    known = KnownStudies(of_level={(data.digest, few): first, ("0" * 32, StudyParameters(n_query=2)): first})
    knowing = Materials(lambda reference: pytest.fail("a sample is read as it was shipped"), known=known)
    assert knowing(data).kgap_study(few) is first
    assert searched == [few]
    other = StudyParameters(n_query=2)  # known of other data only
    assert knowing(data).kgap_study(other) is not first
    assert searched == [few, other]


def test_the_longest_attack_curve_is_one_number() -> None:
    assert AttackParameters(epsilon=1.0).max_trips == MOST_TRIPS == 70
