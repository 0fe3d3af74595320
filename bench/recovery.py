"""Trails back from counts: the grouped way beside the dense one in the same run, and seconds of a large one.

People of a made-up town have a home and a workplace among `--zones` zones; each is somewhere at random in a `--share`
of the hours. Costs between two steps are the same both ways; `tests/aggregates/recovery` holds them to it.
"""

import argparse
import time

import numpy as np
import numpy.typing as npt

from privlab.aggregates.recovery.followed import counts_from_zones
from privlab.aggregates.recovery.trails_from_counts import trails_from_counts


def town(
    n_people: int, n_hours: int, n_zones: int, share: float
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return zones (N, T) of people, and where zones lie in km."""
    rng, side = np.random.default_rng(1), int(np.ceil(np.sqrt(n_zones)))
    at_km = np.stack(np.divmod(np.arange(n_zones), side), axis=1).astype(np.float64)
    home, work = rng.integers(n_zones, size=(2, n_people, 1))
    hour = np.arange(n_hours) % 24
    zone = np.where((hour < 7) | (hour > 18), home, work)
    anywhere = rng.random(zone.shape) < share
    return np.where(anywhere, rng.integers(n_zones, size=zone.shape), zone).astype(np.int32), at_km


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--zones", type=int, default=400)
    parser.add_argument("--share", type=float, nargs="+", default=[0.02, 0.1, 0.5])
    parser.add_argument("--dense-days", type=int, default=1, help="0: the quick way alone")
    asked = parser.parse_args()
    for share in asked.share:
        zone, at_km = town(asked.users, 24 * asked.days, asked.zones, share)
        counts = counts_from_zones(zone, asked.zones)
        seconds = {}
        for grouped, days in ((True, asked.days), (True, asked.dense_days), (False, asked.dense_days)):
            if days:
                began = time.perf_counter()
                trails_from_counts(counts[:, : 24 * days], at_km, steps_a_day=24, grouped=grouped)
                seconds[grouped, days] = time.perf_counter() - began
        print(
            f"anywhere in {share:.0%} of the hours: {seconds[True, asked.days]:.1f} s for {asked.days} days",
            flush=True,
        )
        if asked.dense_days:
            ratio = seconds[False, asked.dense_days] / seconds[True, asked.dense_days]
            print(f"  the dense way takes {ratio:.1f} times as long ({asked.dense_days} day)")


if __name__ == "__main__":
    main()
