"""Records → hours → trips, as expressions that run in the database: each hour goes to the zone with most records.

Written once in Ibis; nothing is computed until a caller stores or counts the result. The rules
are those of Houssiau et al. (2022); what they leave open is decided in docs/decisions/0002.
"""

import ibis
import ibis.expr.types as ir

from privlab.datasets.columns import id_order


def votes_from_zoned_records(zoned: ir.Table) -> ir.Table:
    """Return user_id, zone, hour, n: records of each user in each zone and wall-clock hour.

    Duplicate records count. Those outside the zones stand under the zone NULL: a filter here would make
    the database work out every zone twice.
    """
    return zoned.group_by("user_id", "zone", hour=zoned.time.truncate("h")).agg(n=ibis._.count())


def hours_from_votes(votes: ir.Table) -> ir.Table:
    """Return user_id, hour, zone: the zone with most records of each user in each wall-clock hour.

    Among equals the first zone id wins, in an order that is the same whether ids are numbers or text
    (`id_order`).
    """
    inside = votes.filter(votes.zone.notnull())
    ranked = ibis.window(group_by=["user_id", "hour"], order_by=[ibis.desc("n"), *id_order(inside.zone)])
    winners = inside.mutate(place=ibis.row_number().over(ranked)).filter(ibis._.place == 0)
    return winners.select("user_id", "hour", "zone")


def trips_from_hours(hours: ir.Table, *, within_weeks: bool = False) -> ir.Table:
    """Return user_id, time, origin, destination: a change of zone between two consecutive hours.

    An hour without a record breaks the chain. `time` is the start of the second hour. `within_weeks`
    leaves out moves from the last hour of a Sunday to the first of a Monday: they lie in two weeks, and
    what a person did in the one would change the counts of the other.
    """
    chain = ibis.window(group_by="user_id", order_by="hour")
    steps = hours.mutate(origin=hours.zone.lag().over(chain), before=hours.hour.lag().over(chain))
    moved = (steps.before + ibis.interval(hours=1) == steps.hour) & (steps.origin != steps.zone)
    if within_weeks:
        moved = moved & (steps.before.truncate("W") == steps.hour.truncate("W"))
    return steps.filter(moved).select("user_id", time="hour", origin="origin", destination="zone")


def moves_from_hours(hours: ir.Table) -> ir.Table:
    """Return the hours, of each user in a zone, that follow at once on another hour the user was seen in."""
    chain = ibis.window(group_by="user_id", order_by="hour")
    steps = hours.mutate(before=hours.hour.lag().over(chain))
    return steps.filter(steps.before + ibis.interval(hours=1) == steps.hour).drop("before")
