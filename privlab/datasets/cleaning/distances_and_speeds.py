"""Distances and speeds between the records of a user, as expressions of the database.

Knows normalised records with coordinates; knows nothing of what is done with the distance.
"""

import ibis
import ibis.expr.types as ir

from privlab.datasets.cleaning.earth import EARTH_RADIUS_M


def distance_m(first: tuple[ir.Value, ir.Value], second: tuple[ir.Value, ir.Value], place: str) -> ir.Value:
    """Return the distance of two places in metres: great circle for "latlon", straight for "xy"."""
    if place == "xy":
        (x, y), (x_other, y_other) = first, second
        return ((x - x_other) ** 2 + (y - y_other) ** 2).sqrt()
    (lat, lon), (lat_other, lon_other) = first, second
    half_lat, half_lon = (lat_other - lat).radians() / 2, (lon_other - lon).radians() / 2
    # Haversine: exact for small distances too.
    chord = half_lat.sin() ** 2 + lat.radians().cos() * lat_other.radians().cos() * half_lon.sin() ** 2
    # Not least(): it ignores a NULL, and rounding may take the chord of antipodes above 1.
    return 2 * EARTH_RADIUS_M * ibis.ifelse(chord > 1, 1.0, chord).sqrt().asin()


def moves_from_records(
    records: ir.Table, place: str, *, within_weeks: bool = False, onward: bool = True
) -> ir.Table:
    """Return the records with what lies between each and its neighbours in time.

    Adds `jump_m` and `gap_s`, metres and seconds since the user's record before, `repeats`, whether it is the
    same as that one, and if `onward` `next_m`, `next_s`, those until the one after; NULL at the ends of a
    trace. A gap is at least what the times resolve:
    of times in whole minutes, two records of one minute are a minute apart. `within_weeks` makes of every
    user's week a trace of its own, and asks it alone what the times resolve.
    """
    first, second = ("lat", "lon") if place == "latlon" else ("x", "y")
    apart = ["user_id"]
    if within_weeks:
        records = records.mutate(trace_week=records.time.truncate("W"))
        apart = ["user_id", "trace_week"]
        resolution_s = _resolution_of_traces(records, apart)
    else:
        resolution_s = ibis.literal(_resolution_s(records))
    records = records.mutate(resolution_s=resolution_s)
    in_turn = ibis.window(group_by=apart, order_by=["time", first, second])

    def beside(column: ir.Column, ahead: bool) -> ir.Value:
        return (column.lead() if ahead else column.lag()).over(in_turn)

    sides = {
        f"{word}_{name}": beside(records[name], ahead)
        for word, ahead in (("before", False), ("after", True))[: 2 if onward else 1]
        for name in (first, second, "time")
    }
    near = records.mutate(**sides)
    here = (near[first], near[second])
    seconds = _seconds(near.time)
    before = (near[f"before_{first}"], near[f"before_{second}"])
    # The database works out every window that is named, whether it is used or not.
    following = (
        {
            "next_m": distance_m(here, (near[f"after_{first}"], near[f"after_{second}"]), place),
            "next_s": (_seconds(near.after_time) - seconds).clip(lower=near.resolution_s),
        }
        if onward
        else {}
    )
    moves = near.mutate(
        jump_m=distance_m(before, here, place),
        gap_s=(seconds - _seconds(near.before_time)).clip(lower=near.resolution_s),
        repeats=(near.before_time == near.time) & (before[0] == here[0]) & (before[1] == here[1]),
        **following,
    )
    return moves.drop(*sides, "resolution_s", *apart[1:])


def _seconds(time: ir.TimestampColumn) -> ir.Value:
    """Return seconds since 1970, with their fractions: the database knows them, and is said to give whole ones."""
    return time.epoch_seconds().cast("float64")


def _resolution_of_traces(records: ir.Table, apart: list[str]) -> ir.Value:
    trace = ibis.window(group_by=apart)
    fine = (records.time.second() != 0).any().over(trace)
    coarse = (records.time.minute() != 0).any().over(trace)
    return ibis.cases((fine, 1), (coarse, 60), else_=3600).cast("int64")


def _resolution_s(records: ir.Table) -> int:
    fine = records.agg(
        minute=(records.time.second() != 0).any(),
        hour=(records.time.minute() != 0).any(),
    )
    found = fine.to_pyarrow().to_pylist()[0]
    return 1 if found["minute"] else 60 if found["hour"] else 3600


def is_faster(distance: ir.Value, seconds: ir.Value, speed_km_h: float) -> ir.BooleanValue:
    """Return whether a distance in so many seconds takes more than a speed."""
    return distance > seconds * (speed_km_h / 3.6)
