"""What is said before an audit of the whole way, against what the audit then does."""

from dataclasses import replace
from typing import Any

import pytest

from privlab.lab.attacking import rehearse
from privlab.lab.publishing import release_parameters_from_wishes
from privlab.od.auditing import PipelineAuditParameters, work_ahead_from_parameters
from tests.lab.attacking.test_rehearse import WEEK, records

__all__ = ["records"]  # a fixture


@pytest.mark.parametrize(
    "wishes",
    [
        {"threshold": 4},
        {"threshold": 1},
        {"threshold": 0},
        {"threshold": 4, "product": "visits"},
        {"threshold": 4, "noise": "gaussian", "delta": 1e-3, "levels": 1},
    ],
)
def test_readings_and_releases_are_those_that_are_made_at_most(
    records, wishes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = {"readings": 0, "releases": 0}
    read, published = rehearse.settled_trips_from_release_data, rehearse.counts_as_published

    def reading(*given: Any, **named: Any) -> Any:
        done["readings"] += 1
        return read(*given, **named)

    def release(counts: Any) -> Any:
        done["releases"] += 1
        return published(counts)

    monkeypatch.setattr(rehearse, "settled_trips_from_release_data", reading)
    monkeypatch.setattr(rehearse, "counts_as_published", release)
    parameters = PipelineAuditParameters(
        release=release_parameters_from_wishes(
            **({"epsilon": 4.0, "max_trips_per_user": 2, "cells": "public"} | wishes)
        ),
        trials=200,
    )
    found = rehearse.pipeline_audit_from_release_data(
        records, parameters, week=WEEK, levels=["blocks:3"] if "levels" in wishes else ()
    )
    ahead = work_ahead_from_parameters(parameters, n_rows=48, n_zones=9)
    # Of nine zones there is not always room for the one among people who have more trips than are counted.
    assert done["readings"] in (ahead.n_readings, ahead.n_readings - 1)
    assert done["releases"] == 200 * (1 + len(found.canaries)) <= ahead.n_releases
    assert ahead.n_cells == (9 * 168 if wishes.get("product") == "visits" else 9 * 8)


def test_more_to_do_takes_longer() -> None:
    """All other things equal: releases, rows, zones, and the list of all cells."""
    release = release_parameters_from_wishes(
        epsilon=1.0, max_trips_per_user=10, threshold=100, cells="public"
    )
    parameters = PipelineAuditParameters(release=release, trials=2_000)

    def seconds(asked: PipelineAuditParameters, n_rows: int = 1_000_000, n_zones: int = 100) -> float:
        return work_ahead_from_parameters(asked, n_rows=n_rows, n_zones=n_zones).seconds

    usual = seconds(parameters)
    assert seconds(replace(parameters, trials=10_000)) > 3 * usual
    assert seconds(parameters, n_rows=10_000_000) > 2 * usual
    assert seconds(parameters, n_zones=600) > 2 * usual
    complete = replace(parameters, release=replace(release, threshold=0))
    assert seconds(complete) > usual
    found = replace(parameters, release=replace(release, cells="discovered"))
    assert (
        seconds(found, n_rows=100_000, n_zones=5_000)
        < seconds(parameters, n_rows=100_000, n_zones=5_000) / 10
    )
