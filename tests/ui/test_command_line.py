"""The command that a page shows names all that its data was read with."""

import shlex
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.layouts import FileForm
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.ui.data.own_file import LoadRequest, OwnFile
from privlab.ui.shell.command_line import command_from_release, command_from_request
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
    told = dict(pairwise(shlex.split(command_from_release(plan, None, request, None))))
    assert (told["--recorded-in"], told["--crs"]) == ("UTC", "EPSG:25832")
    told = dict(pairwise(shlex.split(command_from_request(request, ColumnMapping(recorded_in="UTC"), None))))
    assert told["--crs"] == "EPSG:25832"


def test_a_release_names_second_file_time_zone_and_positions() -> None:
    lookup: Any = SimpleNamespace(path=Path("/x/tracks.csv"), on="track_id", key="id")
    plan, request = own_data(None, "column", ColumnMapping(), lookup)
    words = shlex.split(command_from_release(plan, None, request, "stations.csv"))
    assert words[:5] == ["python", "-m", "privlab", "release", "own.csv"]
    told = dict(pairwise(words))
    assert told["--zone-positions"] == "stations.csv"
    assert (told["--join"], told["--join-on"]) == ("tracks.csv", "track_id=id")
    assert told["--timezone"] == "Europe/Paris"
    assert (told["--week"], told["--max-trips-per-user"], told["--out"]) == ("MONDAY", "L", "release")
