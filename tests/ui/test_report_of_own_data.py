"""What a report leaves behind of a session's own data: nothing outside the session."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from privlab.kept.kept_places import RUNS_VARIABLE
from privlab.reports import ReportPlan
from privlab.ui.report import report_downloads


def test_games_that_a_report_plays_on_own_data_are_kept_in_the_session_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They name people and say how surely they are recognised; those on samples are kept where all are."""
    monkeypatch.setenv(RUNS_VARIABLE, str(tmp_path / "kept.sqlite"))
    monkeypatch.setattr(report_downloads, "st", SimpleNamespace(session_state={}))
    session = SimpleNamespace(path=tmp_path / "session")
    monkeypatch.setattr(report_downloads, "session_folder", lambda: session)
    monkeypatch.setattr(report_downloads, "own_data", lambda: None)
    monkeypatch.setattr(report_downloads, "results_of", lambda name: {})
    kept: list[dict[str, object]] = []
    monkeypatch.setattr(report_downloads, "Materials", lambda rows, **said: kept.append(said))
    report_downloads._materials(ReportPlan(title="T"))
    assert [one["own_runs"].path.parent for one in kept] == [session.path]
