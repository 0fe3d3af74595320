"""Games on own data leave nothing outside the session, and what is forgotten nothing in it: they say how surely people are recognised."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from privlab.kept.kept_places import RUNS_VARIABLE
from privlab.reports import ReportPlan
from privlab.ui.data import own_file
from privlab.ui.groups import game_play
from privlab.ui.report import report_downloads
from privlab.ui.state import OWN


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a session; what outlasts it is kept beside it."""
    monkeypatch.setenv(RUNS_VARIABLE, str(tmp_path / "kept.sqlite"))
    folder = SimpleNamespace(path=tmp_path / "session")
    for page in (game_play, report_downloads):
        monkeypatch.setattr(page, "session_folder", lambda: folder)
    return folder.path


def test_games_on_own_data_are_kept_in_the_session_and_those_on_samples_where_all_are(session: Path) -> None:
    own: Any = SimpleNamespace(data=OWN)
    sample: Any = SimpleNamespace(data="city")
    assert game_play.runs_of(own).path.parent == session
    assert game_play.runs_of(sample).path == session.parent / "kept.sqlite"


def test_games_that_a_report_plays_on_own_data_are_kept_in_the_session_alone(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_downloads, "st", SimpleNamespace(session_state={}))
    monkeypatch.setattr(report_downloads, "own_data", lambda: None)
    monkeypatch.setattr(report_downloads, "results_of", lambda name: {})
    kept: list[dict[str, Any]] = []
    monkeypatch.setattr(report_downloads, "Materials", lambda rows, **said: kept.append(said))
    report_downloads._materials(ReportPlan(title="T"))
    assert [one["own_runs"].path.parent for one in kept] == [session]


def test_all_that_a_session_holds_of_its_own_data_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of every role, what was read and made of them, and work that is still under way."""
    own = [f"own_file_{role}" for role in ("data", "second", "polygons", "positions")]
    own += ["own_prepared", "own_job", "own_request", "own_pair", "session_folder", "released"]
    state: dict[str, Any] = dict.fromkeys(own, "held") | {"data": "city"}
    monkeypatch.setattr(own_file, "st", SimpleNamespace(session_state=state))
    gone: list[str] = []
    for name in ("forget_work", "forget_results", "forget_uploads", "forget_own_parts"):
        monkeypatch.setattr(own_file, name, lambda name=name: gone.append(name))
    own_file.forget_everything()
    assert not {*own} & {*state}
    assert sorted(gone) == ["forget_own_parts", "forget_results", "forget_uploads", "forget_work"]
