"""Which hours of a week an adversary looks at: all of them, one day, or a window of one day."""

from dataclasses import dataclass

from privlab.checks import ParameterError

HOURS_A_DAY = 24
HOURS_A_WEEK = 168
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
PERIOD_HINT = "week, day:mon or hours:mon:8-16"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A stretch of `n_hours` hours of every week, from hour `first_hour` after Monday 00:00."""

    first_hour: int
    n_hours: int


def period_from_spec(spec: str) -> Period:
    """Return the hours that `week`, `day:mon` or `hours:mon:8-16` names; 8-16 ends as it strikes 16.

    >>> period_from_spec("hours:tue:8-16")
    Period(first_hour=32, n_hours=8)

    Raises ParameterError for anything else.
    """
    kind, _, rest = spec.strip().lower().partition(":")
    day, _, hours = rest.partition(":")
    if kind == "week" and not rest:
        return Period(first_hour=0, n_hours=HOURS_A_WEEK)
    if day in DAYS and kind == "day" and not hours:
        return Period(first_hour=HOURS_A_DAY * DAYS.index(day), n_hours=HOURS_A_DAY)
    if day in DAYS and kind == "hours":
        begin, _, end = hours.partition("-")
        if begin.isdecimal() and end.isdecimal() and int(begin) < int(end) <= HOURS_A_DAY:
            first = HOURS_A_DAY * DAYS.index(day) + int(begin)
            return Period(first_hour=first, n_hours=int(end) - int(begin))
    raise ParameterError(f"period must be {PERIOD_HINT}, got {spec!r}.")
