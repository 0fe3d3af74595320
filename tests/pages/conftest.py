"""What pages of one process work out of a sample anew for each session, worked out once: each test opens sessions of its own."""

from typing import Any

import pytest

from privlab.datasets import SAMPLES
from privlab.lab.planning import plan_points_from_trips
from privlab.od.planning import PlanPoint, PlanRequest
from privlab.ui import state

_ASKED = (
    "tolerance",
    "max_made_up",
    "weeks",
    "cells",
    "noise",
)  # what the points hang on; the wishes choose among them


@pytest.fixture(autouse=True, scope="package")
def _plans_of_samples() -> Any:
    """Have the page Plan find the releases of a sample that a test before has had worked out."""
    found: dict[tuple[Any, ...], tuple[Any, tuple[PlanPoint, ...]]] = {}

    def once(trips: Any, request: PlanRequest, **more: Any) -> tuple[PlanPoint, ...]:
        jobs = [state._sample_jobs[name] for name in SAMPLES if name in state._sample_jobs]
        if not any(job.done and not job.error and job.result().trips is trips for job in jobs):
            return plan_points_from_trips(trips, request, **more)
        asked = (more["is_public"], more["week"], more["group_size"])
        key = (id(trips), *asked, *(getattr(request, name) for name in _ASKED))
        if key not in found:
            found[key] = (trips, plan_points_from_trips(trips, request, **more))
        return found[key][1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("privlab.ui.planning.plan_page.plan_points_from_trips", once)
        yield
