"""Days that are numbers, and slots of a day that are numbers -> wall-clock timestamps.

Knows no column and no file. YJMob100K and the data of the HuMob challenges have times of this kind: the day of the study and
the half hour of that day.
"""

import re
from datetime import datetime

import ibis
import ibis.expr.types as ir

from privlab.datasets.times.shapes import naive_from_microseconds
from privlab.defaults import DAY_0

_EPOCH = datetime(1970, 1, 1)
_DAY_MIN = 24 * 60
_FORMAT = re.compile(r"slots:(\d{1,4})")
_DAY_AND_SLOT = r"^(\d{1,5})(\.0+)? (\d{1,4})(\.0+)?$"
_SLOT_ALONE = r"^(\d{1,8})(\.0+)?$"


def slot_min_from_format(time_format: str | None) -> int | None:
    """Return how many minutes a slot has; None where times are written in another way, or the slots do not fill a day.

    >>> slot_min_from_format("slots:30"), slot_min_from_format("slots:50"), slot_min_from_format("iso")
    (30, None, None)
    """
    found = _FORMAT.fullmatch(time_format or "")
    minutes = int(found[1]) if found else 0
    return minutes if minutes and _DAY_MIN % minutes == 0 else None


def time_from_slots(text: ir.StringValue, slot_min: int) -> ir.TimestampValue:
    """Return when slots begin, NULL where there is none.

    A text holds the day and the slot of the day, both counted from 0 and with a blank between ("3 17"), or the slot alone, counted from
    the beginning of day 0. A slot that its day does not have is none.
    """
    both = text.re_search(_DAY_AND_SLOT)
    day = ibis.ifelse(both, text.re_extract(_DAY_AND_SLOT, 1), ibis.literal("0")).try_cast("int64")
    of_day = text.re_extract(_DAY_AND_SLOT, 3).try_cast("int64")
    alone = text.re_extract(_SLOT_ALONE, 1).try_cast("int64")
    in_day = ibis.ifelse(both & (of_day < _DAY_MIN // slot_min), of_day, ibis.null("int64"))
    slot = ibis.ifelse(text.re_search(_SLOT_ALONE), alone, in_day)
    begin_us = int((DAY_0 - _EPOCH).total_seconds()) * 1_000_000
    return naive_from_microseconds(begin_us + (day * _DAY_MIN + slot * slot_min) * 60_000_000)
