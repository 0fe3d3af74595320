"""Small traces for the tests of the game: people with habits, and people nobody has seen."""

from datetime import date

import numpy as np

from privlab.aggregates.traces import Traces

MONDAY = date(2026, 3, 2)


def traces_of_sets(
    sets: list[set[tuple[int, int]]], *, n_zones: int, n_weeks: int, null_zone: bool
) -> Traces:
    """Return the traces of users given as sets of (epoch, zone)."""
    pairs = [pair for one in sets for pair in sorted(one)]
    return Traces(
        name="sets",
        digest=f"{hash(tuple(pairs)):x}",
        zones_spec="column",
        users=np.arange(len(sets)) + 100,
        zones=np.arange(n_zones),
        starts=np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.int64),
        epoch=np.array([epoch for epoch, _ in pairs], dtype=np.int32),
        zone=np.array([zone for _, zone in pairs], dtype=np.int32),
        first_day=MONDAY,
        n_days=7 * n_weeks,
        null_zone=null_zone,
    )


def habitual_traces(
    n_users: int = 40, n_zones: int = 6, n_weeks: int = 3, *, null_zone: bool = True, seed: int = 7
) -> Traces:
    """Return people who each have a few (hour of the week, zone) habits that they mostly keep."""
    rng, sets = np.random.default_rng(seed), []
    for user in range(n_users):
        n_habits = 5 + user % 12
        habits = list(
            zip(rng.integers(168, size=n_habits), rng.integers(n_zones, size=n_habits), strict=True)
        )
        kept = {
            (int(hour + 168 * week), int(zone))
            for week in range(n_weeks)
            for hour, zone in habits
            if rng.random() < 0.8
        }
        sets.append(kept | {(int(rng.integers(168 * n_weeks)), int(rng.integers(n_zones)))})
    return traces_of_sets(sets, n_zones=n_zones, n_weeks=n_weeks, null_zone=null_zone)


def unseen_traces(n_users: int, n_weeks: int) -> Traces:
    """Return people of whom nothing is known, for plans and draws that need no reports."""
    return traces_of_sets([set()] * n_users, n_zones=1, n_weeks=n_weeks, null_zone=True)
