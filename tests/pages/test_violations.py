"""What must not leave the program: a table that does not hold, an AUC above its bound. Page and command refuse alike."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import privlab.fingerprints.glove.published as published
from privlab.aggregates.defences.named_defences import defence_from_spec
from privlab.aggregates.game import bound_checks
from privlab.checks import BoundViolation
from privlab.cli.main import app
from privlab.kept.kept_places import RUNS_VARIABLE
from privlab.ui.state import sample_job
from tests.pages.test_all_pages import opened, until
from tests.pages.test_anonymizability import MOVING, loaded


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(RUNS_VARIABLE, str(tmp_path / "runs.sqlite"))
    return tmp_path / "runs.sqlite"


@pytest.fixture
def _one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have GLOVE's table come out with one person's row moved, so that nobody shares it."""
    honest = published.table_from_hidden_groups

    def broken(groups: Any) -> pa.Table:
        table = honest(groups)
        x = table["x_m"].to_pylist()
        return table.set_column(table.column_names.index("x_m"), "x_m", [[x[0] + 100, *x[1:]]])

    monkeypatch.setattr(published, "table_from_hidden_groups", broken)


@pytest.mark.usefixtures("_one_alone")
def test_a_table_that_does_not_hold_is_offered_by_no_page() -> None:
    for name in ("city", "subscribers"):
        sample_job(name).result(timeout=900)
    at = loaded(MOVING)
    at.segmented_control(key="show").set_value("remedy").run()
    at.button(key="run_glove").click().run()
    until(at, lambda at: bool(at.error))
    assert "every fingerprint is shared by at least 2 users" in at.error[0].value
    assert "This is a fault in this program" in at.error[0].value
    assert [button.key for button in at.get("download_button") if "glove" in str(button.key)] == []
    assert not at.get("plotly_chart")


@pytest.mark.usefixtures("_one_alone")
def test_a_table_that_does_not_hold_is_written_by_no_command(tmp_path: Path) -> None:
    (tmp_path / "moving.csv").write_text(MOVING, encoding="utf-8")
    given = ["glove", str(tmp_path / "moving.csv"), "--out", str(tmp_path / "hidden.parquet")]
    result = CliRunner().invoke(app, given)
    assert isinstance(result.exception, BoundViolation)
    assert "every fingerprint is shared by at least 2 users" in str(result.exception)
    assert not (tmp_path / "hidden.parquet").exists()


def test_an_auc_above_its_bound_is_shown_by_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Played with the noise of ε per report, judged by the bound of a tiny ε per user, as in test_bounds."""
    sample_job("cabs").result(timeout=900)
    honest = bound_checks.bound_from_window

    def bound_of_lpa(window: Any, target: int, stand_ins: Any, defence: Any, *rest: Any) -> Any:
        claimed = defence_from_spec("lpa", epsilon=0.01, facts=defence.facts)
        return honest(window, target, stand_ins, claimed)

    monkeypatch.setattr(bound_checks, "bound_from_window", bound_of_lpa)
    at = opened("groups", data="cabs", targets="3", sizes="5", show_groups="defences", arm="likelihood")
    until(at, lambda at: any(m.key == "mechanisms" for m in at.multiselect))
    at.multiselect(key="mechanisms").set_value(["lpa-event"]).run()
    at.multiselect(key="defence_epsilons").set_value(["20"]).run()
    at.button(key="run_defences").click().run()
    until(at, lambda at: bool(at.error) or any("AUC undefended" in t.value.columns for t in at.dataframe))
    assert "above the bound" in at.error[0].value
    assert not any("AUC undefended" in t.value.columns for t in at.dataframe)


def test_a_fault_in_the_promises_of_defences_is_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ValueError that is no complaint of ours is a fault of the program, and must not pass for bad input."""
    sample_job("cabs").result(timeout=900)

    def faulty(key: str, traces: Any, game: Any) -> Any:
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr("privlab.ui.groups.cached_games.defences", faulty)
    at = opened("groups", data="cabs", targets="3", sizes="5", show_groups="defences")
    until(at, lambda at: bool(at.exception or at.warning))
    assert [element.value for element in at.warning] == []
    assert len(at.exception) == 1
