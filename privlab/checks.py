"""The one phrasing of every complaint.

Knows how to say what is wrong with a parameter or a file; knows nothing of what the
parameter means. Every error here is one sentence a page or the command line can show as it is.
"""

import math
from collections.abc import Collection
from datetime import date, datetime
from numbers import Number

_MOST_CHARACTERS = 600  # of a complaint; what was given may be of any length


class ParameterError(ValueError):
    """A parameter outside its domain: `{name} must {constraint}, got {value}.`"""

    def __init__(self, message: str, *, whole: bool = False) -> None:
        """`whole`: nothing in the message was given from outside, so that it is said however long it is."""
        super().__init__(message if whole else _shortened(message))


class DataError(ValueError):
    """A file that cannot be used, in one sentence: what, where (row, column), what to do.

    `row` counts lines of the file from 1, header included, where it is known. Characters that do not print (a
    line end in a file's name, a mark that turns the direction of writing) are written as escapes. Where the fault is that times
    can be read in several ways, `readings` are these ways: each a format, and the first text in doubt as read by it.
    """

    def __init__(
        self,
        message: str,
        *,
        row: int | None = None,
        column: str | None = None,
        readings: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(
            _shortened("".join(one if one.isprintable() else repr(one)[1:-1] for one in message))
        )
        self.row = row
        self.column = column
        self.readings = readings


class UnfitDataError(DataError):
    """Data that lacks what is asked of it, a user or where zones lie: asked again, it would lack it again."""


class UnnamedColumnsError(DataError):
    """Rows of which nobody said, and no name tells, which columns hold the user, the time and the place."""


class UnlikeFilesError(DataError):
    """Files of one folder or archive with other columns: no parts of one, but one may say more of the other's rows."""


def _shortened(message: str) -> str:
    half = _MOST_CHARACTERS // 2
    return message if len(message) <= _MOST_CHARACTERS else f"{message[:half]} … {message[-half:]}"


class BoundViolation(AssertionError):
    """A measured risk above what the mechanism allows: a fault in this program, not in the data."""


def require_between(name: str, value: float, low: float, high: float) -> float:
    """Return `value` as a float, or raise if it is not a finite number in [low, high].

    >>> require_between("epsilon", 0.66, 0.01, 20)
    0.66
    """
    number = _as_number(name, value)
    if not low <= number <= high:
        raise ParameterError(f"{name} must be between {low:,g} and {high:,g}, got {value:,g}.")
    return number


def require_whole(name: str, value: float, low: int, high: int) -> int:
    """Return `value` as an int, or raise if it is not a whole number in [low, high]."""
    number = _as_number(name, value)
    if number != math.floor(number):
        raise ParameterError(f"{name} must be a whole number, got {value:g}.")
    if not low <= number <= high:
        raise ParameterError(f"{name} must be between {low:,} and {high:,}, got {value:,.0f}.")
    return int(number)


def require_choice(name: str, value: str, choices: Collection[str]) -> str:
    """Return `value`, or raise if it is not one of `choices`."""
    if value not in choices:
        raise ParameterError(f"{name} must be one of {', '.join(choices)}, got {value!r}.")
    return value


def require_day(name: str, value: date | None) -> date | None:
    """Return a day, None for none, or raise for a text, a moment of a day or anything else.

    >>> require_day("first_day", date(2026, 3, 2))
    datetime.date(2026, 3, 2)
    """
    if value is not None and (isinstance(value, datetime) or not isinstance(value, date)):
        raise ParameterError(f"{name} must be a day, as datetime.date(2026, 3, 2), got {value!r}.")
    return value


def number_from_text(name: str, text: str, *, whole: bool = False) -> float:
    """Return the number that a text names, or raise if it names none.

    >>> number_from_text("epsilon", "0.66")
    0.66
    """
    try:
        if "_" in text:  # Python's own spelling of ten is 1_0
            raise ValueError(text)
        return float(int(text)) if whole else float(text)
    except (ValueError, OverflowError):
        kind = "whole number" if whole else "number"
        raise ParameterError(f"{name} must be a {kind}, got {text!r}.") from None


def numbers_from_text(name: str, text: str, *, whole: bool = False) -> list[float]:
    """Return numbers written with commas between them; none for an empty text. Raises ParameterError otherwise.

    >>> numbers_from_text("epsilon", "0.1,1")
    [0.1, 1.0]
    """
    try:
        return [number_from_text(name, part, whole=whole) for part in text.split(",") if part.strip()]
    except ParameterError:
        kind = "whole numbers" if whole else "numbers"
        raise ParameterError(f"{name} must be {kind} separated by commas, got {text!r}.") from None


def counts_from_text(text: str) -> list[int]:
    """Return whole numbers written with commas or semicolons between them. Raises ParameterError otherwise.

    >>> counts_from_text("1000, 99,95")
    [1000, 99, 95]
    """
    try:
        return [
            int(number_from_text("counts", part, whole=True))
            for part in text.replace(";", ",").split(",")
            if part.strip()
        ]
    except ParameterError:
        raise ParameterError(f"counts must be whole numbers separated by commas, got {text!r}.") from None


def day_from_text(name: str, text: str | None) -> date | None:
    """Return the day that a text names, None for none. Raises ParameterError for what is no day.

    >>> day_from_text("from", "2026-03-02")
    datetime.date(2026, 3, 2)
    """
    if text is None:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        raise ParameterError(f"{name} must be a day such as 2026-03-02, got {text!r}.") from None


def _as_number(name: str, value: float) -> float:
    if getattr(value, "shape", None) == ():  # numpy's scalars and arrays without dimensions
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, bool | complex) or not isinstance(value, Number):
        raise ParameterError(f"{name} must be a number, got {value!r}.")
    try:
        number = float(value)
    except OverflowError:
        raise ParameterError(f"{name} must be a finite number, got one beyond all floats.") from None
    if not math.isfinite(number):
        raise ParameterError(f"{name} must be a finite number, got {value}.")
    return number
