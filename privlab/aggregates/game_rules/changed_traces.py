"""Traces → the same without one of their properties, as controls have it. True data."""

from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.traces import Traces
from privlab.checks import ParameterError
from privlab.controls import Visits, controls_from_specs, visits_under_controls

_DAY = 24
# What the last controls made of traces, which several views of a game ask for; it is gone with them.
_changed: WeakKeyDictionary[Traces, Traces] = WeakKeyDictionary()


def traces_under_controls(traces: Traces, specs: Sequence[str], *, seed: int) -> Traces:
    """Return traces changed by controls, drawn by a seed; as they are without any, or where that was done before.

    A visit is a report, a place a zone; the null zone follows from what is left. Users without a report left have no trace.

    Raises ParameterError for what is no control, and for more users or days than there are.
    """
    controls = controls_from_specs(specs)
    mark = f"{' '.join(controls)}, seed {seed}" if controls else ""
    if traces.controls == mark:
        return traces
    if traces.controls:
        raise ParameterError(f"control must change data once, got {mark!r} after {traces.controls!r}.")
    last = _changed.get(traces)
    if last is not None and last.controls == mark:
        return last
    monday = _DAY * traces.first_day.weekday()
    changed = visits_under_controls(
        Visits(
            users=np.arange(traces.n_users),
            starts=traces.starts,
            row=np.arange(traces.epoch.size),
            hour=traces.epoch.astype(np.int64) + monday,
            place=traces.zone.astype(np.int64),
            n_places=int(traces.zones.size),
            first=monday,
            end=monday + _DAY * traces.n_days,
        ),
        controls,
        seed=seed,
    )
    n_hours = changed.end - changed.first
    # By user, hour and place: one number for all three is sorted in a fraction of the time.
    report = (changed.user * n_hours + changed.hour - changed.first) * changed.n_places + changed.place
    report.sort()
    hour, place = np.divmod(report, changed.n_places)
    found = replace(
        traces,
        digest=f"{traces.digest} with {mark}",
        users=traces.users[changed.users],
        starts=changed.starts,
        epoch=(hour % n_hours).astype(np.int32),
        zone=place.astype(np.int32),
        n_days=n_hours // _DAY,
        controls=mark,
    )
    _changed[traces] = found  # others may be at work on the same traces with other controls
    return found


def traces_of_game(traces: Traces, parameters: GameParameters) -> Traces:
    """Return the traces that a game is played with: under its controls, drawn by its seed."""
    return traces_under_controls(traces, parameters.controls, seed=parameters.seed)
