"""Traces → traces without one of their properties: what an attack still finds there is not due to that property."""

from dataclasses import replace

import numpy as np

from privlab.aggregates.traces import Traces

_HOURS_A_WEEK = 168


def traces_with_hours_shuffled(traces: Traces, rng: np.random.Generator) -> Traces:
    """Return the same traces with the hours of each user and week in random order, each order drawn anew.

    Habits are gone: no hour of a week tells of the same hour of another. Places stay, and how many hours
    and zones anybody has in a week: what was reported within one hour stays together. Hours outside the
    whole weeks are left as they are.
    """
    if not traces.mondays:
        return traces
    start = 24 * (traces.mondays[0] - traces.first_day).days
    user = np.repeat(np.arange(traces.n_users), np.diff(traces.starts))
    week, hour = np.divmod(traces.epoch.astype(np.int64) - start, _HOURS_A_WEEK)
    inside = (week >= 0) & (week < len(traces.mondays))
    # One order of the hours for each user and week that has a report.
    _, row = np.unique(user[inside] * len(traces.mondays) + week[inside], return_inverse=True)
    orders = np.argsort(rng.random((int(row.max(initial=-1)) + 1, _HOURS_A_WEEK)), axis=1)
    epoch = traces.epoch.copy()
    epoch[inside] = start + week[inside] * _HOURS_A_WEEK + orders[row, hour[inside]]
    order = np.lexsort((traces.zone, epoch, user))
    return replace(
        traces,
        name=f"{traces.name}, hours shuffled",
        digest=f"{traces.digest} with hours shuffled",
        epoch=epoch[order],
        zone=traces.zone[order],
    )
