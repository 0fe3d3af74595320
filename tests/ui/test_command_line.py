"""The command that a page shows names all that its data was read with."""

import shlex
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.layouts import FileForm
from privlab.od.auditing import PipelineAuditParameters
from privlab.od.planning import USUAL_WISHES, PlanRequest
from privlab.od.releases import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.ui.data.own_file import LoadRequest, OwnFile
from privlab.ui.shell.command_line import (
    command_from_audit,
    command_from_plan,
    command_from_release,
    command_from_request,
)
from privlab.ui.state import OWN, Plan


def own_data(
    form: FileForm | None, zones: str, mapping: ColumnMapping, lookup: Any = None
) -> tuple[Plan, LoadRequest]:
    """Return a plan for a file of one's own, and how it was loaded."""
    prepared: Any = SimpleNamespace(form=form, zones_spec=zones)
    request = LoadRequest(
        own=OwnFile(id="1", path=Path("/x/own.csv")), format="auto", mapping=mapping, lookup=lookup, timezone="Europe/Paris",
        cleaning=Cleaning(), zones=zones, geography=None,
    )  # fmt: skip
    release = ReleaseParameters(epsilon=0.66, threshold=5)
    plan = Plan(data=OWN, prepared=prepared, release=release, group_size=None, week="2026-03-02", seed=1)
    return plan, request


def test_a_release_names_the_clock_and_the_system_that_its_file_was_written_in() -> None:
    mapping = ColumnMapping(
        user_id="who", timestamp="when", x="x", y="y", recorded_in="UTC", crs="EPSG:25832"
    )
    plan, request = own_data(FileForm(mapping=mapping), "grid:2000:48,11,49,12", mapping)
    told = dict(pairwise(shlex.split(command_from_release(plan, None, request))))
    assert (told["--recorded-in"], told["--crs"]) == ("UTC", "EPSG:25832")
    told = dict(pairwise(shlex.split(command_from_request(request, ColumnMapping(recorded_in="UTC")))))
    assert told["--crs"] == "EPSG:25832"


def test_a_release_names_second_file_time_zone_and_positions() -> None:
    lookup: Any = SimpleNamespace(path=Path("/x/tracks.csv"), on="track_id", key="id")
    plan, request = own_data(None, "column", ColumnMapping(), lookup)
    request = replace(request, zone_file=Path("/x/stations.csv"))
    words = shlex.split(command_from_release(plan, None, request))
    assert words[:5] == ["python", "-m", "privlab", "release", "own.csv"]
    told = dict(pairwise(words))
    assert told["--zone-positions"] == "stations.csv"
    request = replace(request, zone_file=Path("/x/areas.gpkg"), zone_layer="our stops")
    assert dict(pairwise(shlex.split(command_from_release(plan, None, request))))["--zone-positions"] == (
        "areas.gpkg/our stops"
    )
    assert (told["--join"], told["--join-on"]) == ("tracks.csv", "track_id=id")
    assert told["--timezone"] == "Europe/Paris"
    assert (told["--week"], told["--max-trips-per-user"], told["--out"]) == ("MONDAY", "L", "release")


def cleaned(form: FileForm | None, zones: str, mapping: ColumnMapping) -> tuple[Plan, LoadRequest]:
    """Return the same of a file of which only a part is kept."""
    plan, request = own_data(form, zones, mapping)
    return plan, replace(
        request,
        zone_file=Path("/x/stations.csv"),
        cleaning=Cleaning(
            first_day=date(2026, 3, 3),
            min_records=4,
            drop_duplicates=True,
            box=(-33.861234, 151.20735, -33, 152),
        ),
    )


def test_commands_clean_as_the_page_has_cleaned() -> None:
    mapping = ColumnMapping(user_id="who", timestamp="when", zone="where", time_format="seconds")
    plan, request = cleaned(FileForm(mapping=mapping, ids="text"), "column", mapping)
    audited = PipelineAuditParameters(
        release=SecureReleaseParameters(epsilon=2, max_trips_per_user=3, threshold=5),
        trials=200,
        level=0.95,
        seed=7,
    )
    for command in (
        command_from_release(plan, None, request),
        command_from_audit(plan, audited, (), request),
        command_from_plan(plan, USUAL_WISHES, request),
    ):
        words = shlex.split(command)
        told = dict(pairwise(words))
        assert (told["--first-day"], told["--min-records"]) == ("2026-03-03", "4"), command
        assert "--drop-duplicates" in words
        assert told["--bounding-box"] == "-33.861234,151.20735,-33,152"
        assert (told["--zones"], told["--zone-positions"]) == ("column", "stations.csv")
        assert (told["--time-format"], told["--timezone"]) == ("seconds", "Europe/Paris")
        assert {"user_id=who", "timestamp=when", "zone=where"} <= {*words}
        assert "own.csv" in words[4:6]


def test_an_audit_of_the_whole_way_names_its_release_and_its_ids() -> None:
    mapping = ColumnMapping(user_id="who", timestamp="when", zone="where")
    plan, request = own_data(FileForm(mapping=mapping, ids="number"), "column", mapping)
    release = SecureReleaseParameters(epsilon=2, max_trips_per_user=3, threshold=5, product="visits")
    audited = PipelineAuditParameters(release=release, trials=200, level=0.95, seed=7, pipeline="no-bound")
    words = shlex.split(command_from_audit(plan, audited, (), request))
    assert words[:6] == ["python", "-m", "privlab", "audit", "--pipeline", "own.csv"]
    told = dict(pairwise(words))
    assert (told["--ids"], told["--product"], told["--mechanism"]) == ("number", "visits", "no-bound")
    assert (told["--epsilon"], told["--max-trips-per-user"], told["--threshold"]) == ("2", "3", "5")
    assert (told["--trials"], told["--level"], told["--seed"], told["--week"]) == (
        "200",
        "0.95",
        "7",
        "2026-03-02",
    )


def released_with(zones: list[int] | None = None, **chosen: Any) -> dict[str, str]:
    """Return each word of the command of a release beside the one after it."""
    mapping = ColumnMapping(user_id="who", timestamp="when", zone="where")
    plan, request = own_data(FileForm(mapping=mapping, ids="number", delimiter=";"), "column", mapping)
    release = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=2, max_trips_per_user=3, threshold=5, **chosen),
        weeks=["2026-03-02", "2026-03-09"],
        zones_spec="column",
        public_zones=zones,
    )
    return dict(pairwise(shlex.split(command_from_release(plan, release, request))))


def test_a_release_names_all_that_its_promise_hangs_on() -> None:
    """Noise, limit by weight, δ to its last digit, a total and which flows get noise; of integer noise on all flows nothing."""
    gaussian = released_with([1, 2, 3], noise="gaussian", clip="l2", delta=1.25e-6, total_share=0.1)
    assert (gaussian["--noise"], gaussian["--clip"], gaussian["--delta"]) == ("gaussian", "l2", "1.25e-06")
    assert (gaussian["--ids"], gaussian["--delimiter"]) == ("number", ";")
    assert "--unbiased" in gaussian
    assert "--cells" not in gaussian
    alone = released_with([1, 2, 3], noise="gaussian", delta=1e-6)
    assert alone["--clip"] == "keep"
    assert "--unbiased" not in alone
    assert released_with(cells="discovered")["--cells"] == "discovered"
    assert not {"--noise", "--clip", "--delta", "--unbiased", "--cells"} & {*released_with([1, 2, 3])}


def test_what_the_steward_has_said_goes_into_the_command() -> None:
    mapping = ColumnMapping(user_id="who", timestamp="when", zone="where")
    plan, request = own_data(FileForm(mapping=mapping), "column", mapping)
    said = {"accept-delta": "a drill; for 12 days", "new-account": None}
    words = shlex.split(command_from_release(plan, None, request, said=said))
    assert dict(pairwise(words))["--accept-delta"] == "a drill; for 12 days"
    assert words[words.index("--new-account") + 1] == "--out"


def test_a_plan_names_each_of_its_wishes_and_whom_it_is_of() -> None:
    mapping = ColumnMapping(user_id="who", timestamp="when", zone="where")
    plan, request = own_data(None, "column", mapping)
    wished = PlanRequest(
        max_accuracy=0.62, min_utility=0.31, tolerance=0.2, max_made_up=0.05, weeks=4,
        max_certainty=0.9, max_cases=0.03, cells="discovered", noise="integer",
    )  # fmt: skip
    told = dict(
        pairwise(
            shlex.split(command_from_plan(replace(plan, week="2026-05-04", group_size=700), wished, request))
        )
    )
    assert (told["--max-accuracy"], told["--min-utility"]) == ("0.62", "0.31")
    assert (told["--tolerance"], told["--max-made-up"]) == ("0.2", "0.05")
    assert (told["--max-certainty"], told["--max-cases"]) == ("0.9", "0.03")
    assert (told["--weeks"], told["--week"], told["--group-size"]) == ("4", "2026-05-04", "700")
    assert (told["--cells"], told["--noise"]) == ("discovered", "integer")


def test_commands_name_each_way_of_cleaning() -> None:
    """Days, the middle per cent, the speed, one record in so many minutes, records needed, and users that are drawn."""
    mapping = ColumnMapping(user_id="who", timestamp="when", lat="north", lon="east")
    plan, request = own_data(FileForm(mapping=mapping), "grid:2000:48,11,49,12", mapping)
    cleaning = Cleaning(
        last_day=date(2026, 3, 30), percentile=99.5, max_speed_km_h=120.5, every_min=10, min_records=2, n_users=250
    )  # fmt: skip
    request = replace(request, cleaning=cleaning)
    for command in (
        command_from_release(plan, None, request),
        command_from_request(request, ColumnMapping()),
        command_from_plan(plan, USUAL_WISHES, request),
    ):
        told = dict(pairwise(shlex.split(command)))
        assert told["--last-day"] == "2026-03-30"
        assert (told["--percentile"], told["--max-speed"], told["--every-min"]) == ("99.5", "120.5", "10")
        assert (told["--min-records"], told["--sample-users"]) == ("2", "250")
        assert not {"--first-day", "--bounding-box", "--drop-duplicates"} & {*told}
