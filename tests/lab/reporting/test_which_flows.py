"""Which flows get noise, as parts of a report on data are told it: once, and as a part that is told of it later."""

import itertools
from dataclasses import replace

import pytest

from privlab.lab.reporting import REPORTED_MECHANISMS, options_with_cells, report_plan_from_data
from privlab.od.planning import USUAL_WISHES
from privlab.od.simulating import ReleaseParameters
from privlab.reports import DataReference

RELEASE = ReleaseParameters(epsilon=1.0, max_trips_per_user=5, threshold=10)
DATA = DataReference(name="city", sample=True, digest="", zones="column")


@pytest.mark.parametrize(
    ("mechanism", "cells"), list(itertools.product((None, *REPORTED_MECHANISMS), ("public", "discovered")))
)
def test_no_part_is_told_twice_of_anything(mechanism: str | None, cells: str) -> None:
    def parts(cells: str) -> dict[str, tuple[tuple[str, object], ...]]:
        plan = report_plan_from_data(
            data=DATA, release=RELEASE, week="2026-03-02", mechanism=mechanism, cells=cells
        )
        return {item.exhibit: item.view.options for item in plan.items}

    found = parts(cells)
    assert {name: options for name, options in found.items() if len(dict(options)) < len(options)} == {}
    told = {name: dict(options_with_cells(name, options, cells)) for name, options in parts("public").items()}
    wished = ("wish_cells",)  # of wishes, which are kept as they were
    assert {name: {k: v for k, v in one.items() if k not in wished} for name, one in told.items()} == {
        name: {k: v for k, v in dict(one).items() if k not in wished} for name, one in found.items()
    }


@pytest.mark.parametrize("mechanism", REPORTED_MECHANISMS)
def test_limits_say_the_delta_of_all_weeks_that_are_wished_for(mechanism: str) -> None:
    """One in a million for each of four weekly releases."""
    plan = report_plan_from_data(
        data=DATA,
        release=RELEASE,
        week="2026-03-02",
        mechanism=mechanism,
        wishes=replace(USUAL_WISHES, weeks=4),
    )
    (limits,) = (dict(item.view.options) for item in plan.items if item.exhibit == "limits")
    assert (limits["weekly_releases"], limits["delta"]) == (4, pytest.approx(4e-6))
