"""Fingerprints → the same without one of their properties, as controls have it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from privlab.checks import ParameterError
from privlab.controls import Visits, controls_from_specs, visits_under_controls
from privlab.fingerprints.fingerprints import Fingerprints, numbered_cells

_HOUR_MIN, _DAY_H = 60, 24
_A_MONDAY_H = 4 * _DAY_H  # 1970-01-05 00:00, from 1970-01-01 00:00


def fingerprints_under_controls(
    fingerprints: Fingerprints, specs: Sequence[str], *, seed: int
) -> Fingerprints:
    """Return fingerprints changed by controls, drawn by a seed; as they are without any, or where that was done before.

    A visit is a sample, a place a cell that anybody was in; days are those from the first sample to the last. A sample keeps
    its minute of the hour. Users without a sample left are left out.

    Raises ParameterError for what is no control, for more users or days than there are, and for bins that cut no hour.
    """
    controls = controls_from_specs(specs)
    mark = f"{' '.join(controls)}, seed {seed}" if controls else ""
    if fingerprints.controls == mark:
        return fingerprints
    if fingerprints.controls:
        raise ParameterError(f"control must change data once, got {mark!r} after {fingerprints.controls!r}.")
    if _HOUR_MIN % fingerprints.bin_min:
        raise ParameterError(
            f"control must come before coarser bins, got bins of {fingerprints.bin_min} min."
        )
    hour, minute = np.divmod(fingerprints.t.astype(np.int64), _HOUR_MIN)
    days = hour // _DAY_H if hour.size else np.zeros(1, dtype=np.int64)
    place, in_cell = numbered_cells(fingerprints.x, fingerprints.y)
    changed = visits_under_controls(
        Visits(
            users=np.arange(fingerprints.n_users),
            starts=fingerprints.offsets,
            row=np.arange(hour.size),
            hour=hour - _A_MONDAY_H,
            place=place,
            n_places=in_cell.size,
            first=int(days.min()) * _DAY_H - _A_MONDAY_H,
            end=(int(days.max()) + 1) * _DAY_H - _A_MONDAY_H,
        ),
        controls,
        seed=seed,
    )
    t = ((changed.hour + _A_MONDAY_H) * _HOUR_MIN + minute[changed.row]).astype(np.int32)
    x, y = (axis[in_cell[changed.place]] for axis in (fingerprints.x, fingerprints.y))
    order = np.lexsort((y, x, t, changed.user))
    return replace(
        fingerprints,
        user_ids=fingerprints.user_ids[changed.users],
        offsets=changed.starts.astype(np.int64),
        x=x[order],
        y=y[order],
        t=t[order],
        controls=mark,
    )
