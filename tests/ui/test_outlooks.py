"""What the page Publish expects of a release is of just what that release would count, however it reads the file."""

from types import SimpleNamespace
from typing import Any

import pytest

from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.layouts.file_form import FileForm
from privlab.od.releases.release_plan import (
    ReleasePlan,
    SecureReleaseParameters,
    release_plan_from_parameters,
)
from privlab.ui import cached
from privlab.ui.publish import outlook_view
from tests.od.by_hand import WEEK, trips_of


def plan_of(zones: list[Any] | None, product: str = "flows") -> ReleasePlan:
    parameters = SecureReleaseParameters(
        epsilon=5,
        max_trips_per_user=1,
        threshold=10,
        product=product,
        cells="discovered" if zones is None else "public",
    )
    return release_plan_from_parameters(parameters, weeks=[WEEK], zones_spec="column", public_zones=zones)


@pytest.mark.parametrize("read", [[7, 12, 30], ["7", "12", "30"]])
@pytest.mark.parametrize("said", [[7, 12], ["7", "12"], ["07", "12"]])
def test_ids_that_a_release_reads_otherwise_than_the_page_are_the_same_zones(
    read: list[Any], said: list[Any]
) -> None:
    """Forty people from 7 to 12, thirty from 7 to 30, which is on no list; 07 is another zone than 7."""
    prepared = SimpleNamespace(trips=trips_of([[1]] * 40 + [[2]] * 30, read))
    plan = plan_of(said)
    found = cached.release_outlook.__wrapped__("key", prepared, plan.parameters, plan.weeks, (), plan)
    assert found.true_trips == (0 if "07" in said else 40)
    assert found.nothing_is_published is ("07" in said)


def test_visits_between_listed_zones_are_not_taken_for_all_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all possible counts the file is read for those in listed zones; of those found in the data for all of them."""
    keys: list[Any] = []

    def awaited(name: str, key: Any, work: Any) -> None:
        keys.append(key)

    monkeypatch.setattr(outlook_view, "awaited", awaited)
    monkeypatch.setattr(outlook_view, "error_of", lambda name: None)
    page = SimpleNamespace(prepared=SimpleNamespace(key="key", source_digest="digest"))
    data = SimpleNamespace(form=FileForm(mapping=ColumnMapping()))
    for zones in ([7, 12], None, [7, 12]):
        outlook_view._outlook_of(page, plan_of(zones, "visits"), data)  # type: ignore[arg-type]
    assert keys[0] == keys[2]
    assert keys[0] != keys[1]
