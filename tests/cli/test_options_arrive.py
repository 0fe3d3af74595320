"""What is said by an option of a command arrives where it is for: each value by hand, none of them the usual one.

Nothing is read or worked out: what a command calls is put in place of by a listener, so that a word that gets lost on the way is
seen without data in which it would change a figure.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import date
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from privlab.aggregates.game_rules.parameters import ClassifierSettings, GameParameters
from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.checks import DataError
from privlab.cli.options.game_options import GameOptions, games_from_options
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.dp.audit.auditing import AuditParameters
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters
from privlab.dp.promise.guarantees import GuaranteeParameters
from privlab.fingerprints.glove.glove_result import GloveParameters
from privlab.fingerprints.levels import Level
from privlab.fingerprints.measures.study import StudyParameters
from privlab.fingerprints.search.stretch import StretchParameters
from privlab.fingerprints.singling_out.linkage import LinkParameters
from privlab.lab.judging.refusals import Accepted
from privlab.lab.publishing.publisher_words import PublisherWords
from privlab.od.auditing.pipeline_audit import PipelineAuditParameters
from privlab.od.combining.combinations import CombinationRequest
from privlab.od.comparing.mechanism_comparison import ComparisonParameters
from privlab.od.comparing.simulated_step import StepRequest
from privlab.od.planning.wishes_and_points import PlanRequest
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.releases.accounts.account_choice import AccountWish
from privlab.seeds import generator
from tests.command_line import Run

Heard = list[tuple[tuple[Any, ...], dict[str, Any]]]
Listen = Callable[[str], Heard]

DATA: Any = SimpleNamespace(
    name="data", report=SimpleNamespace(notes=[]), table=None, workspace=SimpleNamespace(query_share=float)
)
ZONING: Any = SimpleNamespace(
    spec="box:0,0,1,1:2x2", public_zones=lambda: [1, 2, 3, 4], zone_map=lambda zones: None
)
TRIPS: Any = SimpleNamespace(
    zones=SimpleNamespace(size=4, tolist=list), weeks=("2026-03-02",), busiest_week=0
)
WEEK = "2026-03-09"
READING = (
    *("--first-day", "2026-03-03", "--last-day", "2026-03-08", "--max-speed", 150, "--every-min", 5),
    *("--min-records", 3, "--drop-duplicates", "--timezone", "Europe/Berlin", "--recorded-in", "Asia/Tokyo"),
)
CLEANED = {
    "first_day": date(2026, 3, 3),
    "last_day": date(2026, 3, 8),
    "max_speed_km_h": 150.0,
    "every_min": 5,
    "min_records": 3,
    "drop_duplicates": True,
}


@pytest.fixture
def listen(monkeypatch: pytest.MonkeyPatch) -> Listen:
    """Return what puts a listener in the place of a function, named by its module and itself; the command ends there."""

    def listened(place: str) -> Heard:
        heard: Heard = []

        def hear(*given: Any, **named: Any) -> None:
            heard.append((given, named))
            raise DataError("Heard.")

        module, _, name = place.rpartition(".")
        monkeypatch.setattr(import_module(module), name, hear)
        return heard

    return listened


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return what lets the commands of a file find data and zones without reading any."""

    def unread(module: str) -> None:
        commands = import_module(f"privlab.cli.{module}")
        for name, given in (("opened", DATA), ("zoned", (DATA, ZONING))):
            if hasattr(commands, name):
                monkeypatch.setattr(commands, name, lambda *_, given=given, **__: given)

    return unread


def only(heard: Heard, ended: tuple[int, str, str]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return what was heard of a command that has ended, and nothing but that."""
    assert ended == (2, "", "Heard.\n")
    return heard.pop()


def test_how_data_is_read_and_what_is_taken_out(listen: Listen, cli: Run, world_csv: Path) -> None:
    heard = listen("privlab.lab.loading.dataset_from_source")
    words = (
        *READING,
        "--bounding-box",
        "1,2,3,4.5",
        "--percentile",
        90,
        "--sample-users",
        7,
        "--step-m",
        500,
    )
    (source, _), _ = only(heard, cli("describe", world_csv, *words, "--time-format", "%Y-%m-%d %H:%M"))
    assert source.cleaning == Cleaning(**CLEANED, box=(1, 2, 3, 4.5), percentile=90, n_users=7)
    mapping = source.mapping
    assert (source.path, source.timezone, mapping.recorded_in) == (world_csv, "Europe/Berlin", "Asia/Tokyo")
    assert (mapping.time_format, mapping.step_m) == ("%Y-%m-%d %H:%M", 500)


def test_a_release(listen: Listen, cli: Run, world_csv: Path, tmp_path: Path) -> None:
    heard = listen("privlab.lab.publishing.publish_release")
    words = (
        *(
            "--zones",
            "column",
            "--ids",
            "number",
            "--cells",
            "discovered",
            "--noise",
            "gaussian",
            "--clip",
            "keep",
        ),
        *(
            "--epsilon",
            0.5,
            "--delta",
            1e-7,
            "--max-trips-per-user",
            7,
            "--threshold",
            333,
            "--product",
            "visits",
        ),
        *("--week", "2026-03-02", "--week", WEEK, "--accept-delta", "why δ", "--accept-made-up", "why not"),
        *("--publisher", "Us", "--source", "Cards", "--account", "cards", "--new-account", *READING),
        *("--ledger", tmp_path / "ledger.sqlite"),
    )
    given, named = only(heard, cli("release", world_csv, "--out", tmp_path / "out", *words))
    plan, data = named["plan"], named["data"]
    assert plan.parameters == SecureReleaseParameters(
        epsilon=0.5, delta=1e-7, max_trips_per_user=7, threshold=333, product="visits", cells="discovered",
        noise="gaussian", clip="keep",
    )  # fmt: skip
    assert plan.weeks == ("2026-03-02", WEEK)
    assert (data.cleaning, data.timezone, data.form.ids) == (Cleaning(**CLEANED), "Europe/Berlin", "number")
    assert data.form.mapping.recorded_in == "Asia/Tokyo"
    assert named["accepted"] == Accepted(delta="why δ", made_up="why not")
    assert named["said"] == PublisherWords(publisher="Us", source="Cards")
    assert named["wish"] == AccountWish(title="cards", is_new=True)
    assert (given[0], given[1].path) == (tmp_path / "out", tmp_path / "ledger.sqlite")


def test_a_plan_by_wishes(
    listen: Listen, read: Callable[[str], None], cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def trips(*_: object) -> Iterator[tuple[Any, bool]]:
        yield TRIPS, True

    monkeypatch.setattr("privlab.cli.flows.plan_command.zoned_trips", trips)
    heard = listen("privlab.lab.planning.plan_points_from_trips")
    words = (
        *("--max-accuracy", 0.7, "--min-utility", 0.3, "--max-certainty", 0.9, "--max-cases", 0.2),
        *(
            "--tolerance",
            0.25,
            "--max-made-up",
            0.03,
            "--weeks",
            4,
            "--cells",
            "discovered",
            "--noise",
            "gaussian",
        ),
        *("--week", WEEK, "--group-size", 20),
    )
    (source, request), named = only(heard, cli("plan", "data.csv", *words))
    assert source is TRIPS
    assert request == PlanRequest(
        max_accuracy=0.7, min_utility=0.3, max_certainty=0.9, max_cases=0.2, tolerance=0.25, max_made_up=0.03,
        weeks=4, cells="discovered", noise="gaussian",
    )  # fmt: skip
    assert (named["week"], named["group_size"], named["is_public"]) == (WEEK, 20, True)


@pytest.mark.parametrize(("option", "value"), [("--epsilon", 0.7), ("--min-utility", 0.4)])
def test_a_plan_for_one_promise_or_one_use(
    option: str,
    value: float,
    listen: Listen,
    read: Callable[[str], None],
    cli: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weighed: Heard = []

    def weigh(*given: Any, **named: Any) -> str:
        weighed.append((given, named))
        return "weighed"

    read("flows.plan_command")
    monkeypatch.setattr(import_module("privlab.lab.loading"), "trips_from_rows", lambda *_, **__: TRIPS)
    lab = import_module("privlab.lab.comparing")
    monkeypatch.setattr(lab, "weighed_week_from_trips", weigh)
    monkeypatch.setattr(lab, "reason_against_combinations", lambda *_: None)
    heard = listen("privlab.lab.comparing.combinations_from_week")
    words = ("--delta", 1e-7, "--tolerance", 0.25, "--max-made-up", 0.03, "--week", WEEK, "--group-size", 20)
    (week, request), named = only(heard, cli("plan", "data.csv", option, value, *words))
    is_promise = option == "--epsilon"
    assert request == CombinationRequest(
        epsilon=0.7 if is_promise else 0.01, delta=1e-7, tolerance=0.25, max_made_up=0.03
    )
    assert (week, named["min_utility"]) == ("weighed", None if is_promise else 0.4)
    assert (weighed[0][1]["week"], weighed[0][1]["group_size"]) == (WEEK, 20)


def test_who_is_judged_of_a_release(listen: Listen, cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def trips(*given: object) -> Iterator[tuple[Any, bool]]:
        assert given[4] == 3  # the seed, by which trips are put in an order
        yield TRIPS, True

    commands = "privlab.cli.flows.guarantee_commands"
    monkeypatch.setattr(f"{commands}.zoned_trips", trips)
    people = ("--week", WEEK, "--week", "2026-03-16", "--users", 12, "--seed", 3, "--cells", "discovered")
    heard = listen(f"{commands}.people_told")
    words = ("--epsilon", 0.5, "--threshold", 33, "--max-trips-per-user", 7, "--noise", "integer")
    given, _ = only(heard, cli("risk", "data.csv", *words, "--group-size", 20, *people))
    asked = ReleaseParameters(epsilon=0.5, threshold=33, max_trips_per_user=7, noise="integer")
    assert given == (TRIPS, asked, [WEEK, "2026-03-16"], 20, 12, 3, "discovered")
    given, _ = only(heard, cli("guarantee", *words, "--data", "data.csv", *people))
    assert given == (TRIPS, asked, [WEEK, "2026-03-16"], None, 12, 3, "discovered")
    heard = listen(f"{commands}.people_told_under_gaussian")
    words = (
        "--epsilon",
        0.5,
        "--delta",
        1e-7,
        "--threshold",
        33,
        "--max-trips-per-user",
        7,
        "--noise",
        "gaussian",
    )
    given, _ = only(heard, cli("guarantee", *words, "--clip", "keep", "--data", "data.csv", *people))
    gaussian = GaussianParameters(
        epsilon=0.5, delta=1e-7, threshold=33, max_trips_per_user=7, clip="keep", cells="discovered", weeks=2
    )
    assert given == (TRIPS, gaussian, [WEEK, "2026-03-16"], 12, 3)


def test_what_a_promise_is_worked_out_for(listen: Listen, cli: Run) -> None:
    words = ("--epsilon", 0.5, "--max-trips-per-user", 7, "--weeks", 4, "--threshold", 33)
    heard = listen("privlab.dp.promise.guarantee_from_parameters")
    more = ("--noise", "laplace", "--target-delta", 1e-7, "--cells", "discovered")
    (promise,), _ = only(heard, cli("guarantee", *words, *more))
    assert promise == GuaranteeParameters(
        epsilon=0.5, max_trips_per_user=7, weeks=4, threshold=33, noise="laplace", target_delta=1e-7, cells="discovered"
    )  # fmt: skip
    heard = listen("privlab.dp.promise.guarantee_from_gaussian_parameters")
    (gaussian,), _ = only(
        heard, cli("guarantee", *words, "--noise", "gaussian", "--delta", 1e-7, "--unbiased")
    )
    assert gaussian == GaussianParameters(
        epsilon=0.5, max_trips_per_user=7, weeks=4, threshold=33, delta=1e-7, total_share=0.03
    )


def test_what_analyses_look_at(
    listen: Listen, read: Callable[[str], None], cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    read("flows.judge_command")
    prepared = SimpleNamespace(zones_spec="box", trips=TRIPS)
    monkeypatch.setattr(import_module("privlab.lab.loading"), "prepared_trips_from_rows", lambda *_: prepared)
    heard = listen("privlab.lab.comparing.simulated_analyses_from_trips")
    words = ("--epsilon", 0.5, "--threshold", 33, "--max-trips-per-user", 7)
    whom = ("--week", WEEK, "--group-size", 20, "--seed", 3)
    (_, asked), named = only(heard, cli("judge", "data.csv", *words, "--noise", "integer", *whom))
    assert asked == ReleaseParameters(epsilon=0.5, threshold=33, max_trips_per_user=7, noise="integer")
    assert named == {"week": WEEK, "group_size": 20, "seed": 3}
    gaussian = ("--noise", "gaussian", "--delta", 1e-7, "--unbiased")
    (_, asked), _ = only(heard, cli("judge", "data.csv", *words, *gaussian, *whom))
    assert asked == GaussianParameters(
        epsilon=0.5, threshold=33, max_trips_per_user=7, delta=1e-7, total_share=0.03
    )


def test_flows_of_every_week(
    listen: Listen, read: Callable[[str], None], cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from privlab.od.trips.trip_tables import TripTables

    read("main")
    source = object.__new__(TripTables)
    loading = import_module("privlab.lab.loading")
    monkeypatch.setattr(loading, "trip_source_from_rows", lambda *_, **__: source)
    heard = listen("privlab.od.simulating.od_simulation_from_trip_tables")
    words = ("--epsilon", 0.5, "--threshold", 33, "--max-trips-per-user", 7, "--group-size", 20, "--seed", 3)
    given, named = only(heard, cli("od", "data.csv", "--out", tmp_path, *words, "--noise", "integer"))
    asked = ReleaseParameters(epsilon=0.5, threshold=33, max_trips_per_user=7, noise="integer")
    assert given == (source, asked)
    assert (named["group_size"], named["seed"]) == (20, 3)
    gaussian = ("--noise", "gaussian", "--delta", 1e-7, "--clip", "keep")
    given, _ = only(heard, cli("od", "data.csv", "--out", tmp_path, *words, *gaussian))
    assert given[1] == GaussianParameters(
        epsilon=0.5, threshold=33, max_trips_per_user=7, delta=1e-7, clip="keep"
    )
    heard = listen("privlab.lab.comparing.simulated_product_from_rows")
    more = ("--product", "visits", "--week", WEEK, "--seed", 3, "--noise", "gaussian", "--delta", 1e-7)
    given, named = only(heard, cli("od", "data.csv", "--out", tmp_path, *words[:6], *more, "--clip", "keep"))
    assert given[2] == SecureReleaseParameters(
        epsilon=0.5, threshold=33, max_trips_per_user=7, noise="gaussian", delta=1e-7, clip="keep", product="visits"
    )  # fmt: skip
    assert named == {"weeks": [WEEK], "seed": 3}


def test_mechanisms_that_are_compared(listen: Listen, read: Callable[[str], None], cli: Run) -> None:
    read("main")
    heard = listen("privlab.lab.comparing.comparison_from_rows")
    words = (
        *("--compare", "--epsilon", 0.5, "--delta", 1e-7, "--threshold", 33, "--draws", 4),
        *("--week", WEEK, "--group-size", 20, "--seed", 3),
    )
    given, named = only(heard, cli("od", "data.csv", *words))
    assert given[2] == ComparisonParameters(epsilon=0.5, delta=1e-7, threshold=33, draws=4)
    assert named == {"week": WEEK, "group_size": 20, "seed": 3}
    heard = listen("privlab.lab.comparing.compared_step_from_rows")
    alone = ("--mechanism", "gaussian, l2", "--max-trips-per-user", 7)
    given, named = only(heard, cli("od", "data.csv", *words, *alone))
    assert given[2] == StepRequest(
        name="gaussian, l2", epsilon=0.5, delta=1e-7, max_trips_per_user=7, threshold=33, cells="public"
    )
    assert named == {"week": WEEK, "group_size": 20, "seed": 3, "draws": 4}


def test_an_audit(listen: Listen, cli: Run, world_csv: Path) -> None:
    heard = listen("privlab.dp.audit.audit_from_parameters")
    words = ("--epsilon", 0.5, "--max-trips-per-user", 7, "--trials", 300, "--level", 0.9)
    given, _ = only(heard, cli("audit", "--mechanism", "gaussian", *words, "--delta", 1e-7))
    asked = AuditParameters(epsilon=0.5, max_trips_per_user=7, trials=300, level=0.9, delta=1e-7)
    assert given == (asked, "gaussian")
    heard = listen("privlab.lab.attacking.pipeline_audit_from_release_data")
    more = (
        *("--pipeline", world_csv, "--week", WEEK, "--threshold", 33),
        *(
            "--cells",
            "discovered",
            "--noise",
            "gaussian",
            "--clip",
            "keep",
            "--delta",
            1e-7,
            "--product",
            "visits",
        ),
        *("--seed", 3, "--ids", "number", "--zones", "column", *READING),
    )
    release = SecureReleaseParameters(
        epsilon=0.5, max_trips_per_user=7, threshold=33, cells="discovered", noise="gaussian", clip="keep", delta=1e-7,
        product="visits",
    )  # fmt: skip
    for said, chance, pipeline in (
        (("--chance", "system"), "system", "honest"),
        (("--mechanism", "half-the-noise"), "seed", "half-the-noise"),
    ):
        (data, asked), named = only(heard, cli("audit", *words, *more, *said))
        assert asked == PipelineAuditParameters(
            release=release, trials=300, level=0.9, seed=3, chance=chance, pipeline=pipeline
        )
        assert (data.cleaning, data.form.ids, named["week"]) == (Cleaning(**CLEANED), "number", WEEK)


def test_fingerprints(
    listen: Listen, read: Callable[[str], None], cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in ("fingerprint_commands", "remedy_commands", "link_command"):
        read(f"fingerprints.{module}")
    people = SimpleNamespace(n_records=0, n_left_out=0, n_users=0, n_empty_users=0)
    centres: list[Any] = []

    def placed(*_: Any, centre: Any = None, **__: Any) -> Any:
        centres.append(centre)
        return people

    monkeypatch.setattr(import_module("privlab.lab.loading"), "fingerprints_from_rows", placed)
    heard = listen("privlab.lab.fingerprints.kgap_study_from_fingerprints")
    words = (
        *(
            "--level",
            "2-15",
            "--k",
            "3,4",
            "--max-km",
            30,
            "--max-min",
            600,
            "--weights",
            "0.4,0.6",
            "--fold",
            "14d",
        ),
        *("--centre", "48.5,2.5", "--control", "thin:0.5", "--query-users", 9, "--seed", 3, "--workers", 2),
    )
    (_, study), named = only(heard, cli("kgap", "data.csv", *words))
    assert study == StudyParameters(
        level=Level(2, 15), fold_days=14, controls=("thin:0.5",), n_query=9, seed=3,
        stretch=StretchParameters(max_km=30, max_min=600, space_weight=0.4, time_weight=0.6),
    )  # fmt: skip
    assert (named["ks"], named["n_workers"], centres) == ((3, 4), 2, [(48.5, 2.5)])
    heard = listen("privlab.fingerprints.singling_out.unicity_by_level_from_fingerprints")
    words = ("--level", "2-15", "--points", "2,5", "--draws", 9, "--seed", 3)
    given, named = only(heard, cli("unicity", "data.csv", *words))
    assert (given[1], tuple(named["points"]), named["draws"]) == ((Level(2, 15),), (2, 5), 9)
    assert named["rng"].random() == generator(3, "unicity").random()
    heard = listen("privlab.lab.fingerprints.hidden_people_from_fingerprints")
    words = ("--k", 4, "--suppress-km", 3.5, "--suppress-min", 90, "--workers", 2)
    given, named = only(heard, cli("glove", "data.csv", "--out", tmp_path / "out.parquet", *words))
    assert (given[1], named["n_workers"]) == (GloveParameters(k=4, suppress_km=3.5, suppress_min=90), 2)
    heard = listen("privlab.lab.fingerprints.linked_halves_from_fingerprints")
    words = ("--level", "2-15", "--days", "3,2", "--query-users", 9, "--control", "users:5", "--seed", 3)
    given, _ = only(heard, cli("link", "data.csv", *words))
    assert given[1] == LinkParameters(
        levels=(Level(2, 15),), days=(2, 3), n_query=9, controls=("users:5",), seed=3
    )


def test_trails_from_counts(
    listen: Listen, read: Callable[[str], None], cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    read("groups.recovery_command")
    traces = SimpleNamespace(n_users=50, name="data")
    attacking = import_module("privlab.lab.attacking")
    monkeypatch.setattr(attacking, "placed_traces_from_rows", lambda *_: (traces, "map"))
    heard = listen("privlab.lab.attacking.recovery_from_traces")
    words = (
        *(
            "--users",
            20,
            "--days",
            3,
            "--step",
            120,
            "--from",
            "2026-03-04",
            "--defence",
            "lpa-event",
            "--epsilon",
            0.5,
        ),
        *("--improve", "habits,midnight", "--seed", 3),
    )
    given, _ = only(heard, cli("recover", "data.csv", *words))
    asked = RecoveryParameters(
        users=20, days=3, step_min=120, first_day=date(2026, 3, 4), defence="lpa-event", epsilon=0.5,
        improvements=("midnight", "habits"), seed=3,
    )  # fmt: skip
    assert given == (traces, "map", asked)
    monkeypatch.setattr(attacking, "recovery_from_traces", lambda *_, **__: None)
    heard = listen("privlab.lab.attacking.recovery_points_from_traces")
    given, _ = only(heard, cli("recover", "data.csv", *words, "--over", "steps"))
    assert {one.step_min for one in given[2]} > {60}
    assert {(one.users, one.days, one.seed, one.defence) for one in given[2]} == {(20, 3, 3, "lpa-event")}


def test_games_of_groups(listen: Listen, read: Callable[[str], None], cli: Run) -> None:
    read("groups.game_commands")
    heard = listen("privlab.lab.loading.traces_from_rows")
    words = ("--no-null-zone", "--from", "2026-03-04", "--to", "2026-03-20")
    _, named = only(heard, cli("game", "data.csv", *words))
    assert named == {"null_zone": False, "first_day": date(2026, 3, 4), "last_day": date(2026, 3, 20)}


@pytest.mark.parametrize(
    ("options", "fitting"),
    [({"prior": "subset", "prior_share": 0.3, "test_groups": 20}, {"prior_share": 0.3, "test_groups": 20}),
     ({"prior": "different-groups", "observation_weeks": 2}, {"observation_weeks": 2})],
)  # fmt: skip
def test_each_word_of_a_game(options: dict[str, Any], fitting: dict[str, Any]) -> None:
    said = GameOptions(
        group_size="7", targets=9, classifier="knn", arm="cells", period="day:mon", defence="lpa-event", epsilon="0.5",
        adversary="strategic", train_groups=30, balance="0.1", feature_elimination=True, setting=["neighbours=3"],
        sanity="zone", random_labels=True, control=["thin:0.5"], seed=3, **options,
    )  # fmt: skip
    (game,) = games_from_options(said)
    assert game == GameParameters(
        prior=options["prior"], group_size=7, targets=9, classifiers=("knn",), arms=("cells",), period="day:mon",
        defence="lpa-event", epsilons=(0.5,), adversaries=("strategic",), train_groups=30, balance=game.balance,
        feature_elimination=True, settings=ClassifierSettings(neighbours=3), sanity="zone", random_labels=True,
        controls=("thin:0.5",), seed=3, **fitting,
    )  # fmt: skip
    assert game.balance.startswith("0.1")
    usual = GameParameters()
    of_others = {"prior", "prior_share", "test_groups", "observation_weeks", "known", "sanity_share"}
    assert all(
        getattr(game, one.name) != getattr(usual, one.name)
        for one in fields(game)
        if one.name not in of_others
    )


def test_a_sample_of_any_size(listen: Listen, cli: Run, tmp_path: Path) -> None:
    heard = listen("privlab.datasets.synthetic.write_sample")
    out = tmp_path / "cabs.parquet"
    assert only(heard, cli("generate", "cabs", "--out", out, "--users", 7, "--seed", 3)) == (
        ("cabs", out),
        {"n_users": 7, "seed": 3},
    )


def test_a_backup_without_the_runs(listen: Listen, cli: Run, tmp_path: Path) -> None:
    words = (tmp_path / "ledger.zip", "--no-runs", "--ledger", tmp_path / "ledger.sqlite")
    given, named = only(listen("privlab.lab.ledgers.back_up"), cli("ledger", "backup", *words))
    assert (given[0].path, given[1], named) == (words[3], words[0], {"with_runs": False})
    given, named = only(listen("privlab.lab.ledgers.restore"), cli("ledger", "restore", *words))
    assert (given[0], given[1].path, named) == (words[0], words[3], {"with_runs": False})
