"""Numbers → words: rates in 100, people and trips, lengths and times, weeks. Knows no page."""

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from privlab.od.trips import UNDATED
from privlab.safe_text import visible
from privlab.stats import percent_at_most

if TYPE_CHECKING:
    from privlab.od.usefulness import PublishedUse

_ALIKE = 1e-12  # apart: two chances that are one number but for floats
_TIMES = 10  # times the whole, from which on a share in per cent is no longer read
# What begins a link, a picture, a formula, code, a colour (:red), another letter (&lt;), what is struck out or bold, or a heading or list.
_MARKDOWN = re.compile(
    r"([\\`*\[\]<>$~]|:(?=[a-z])|&(?=#?\w+;)|(?<![a-z0-9])_|_(?![a-z0-9])|\A[#+=-](?=[#+=-]*(?:\s|\Z))|(?<=\A\d)[.)](?=\s))",
    re.IGNORECASE,
)
# What a page makes a link or a picture of, whatever stands before it: addresses, of e-mail too, and names such as :smile:.
_ALIVE = re.compile(
    r"""((?:https?://|ftp://|www\.)[^\s()<>`␊]*[^\s.,;:!?'"“”’()\[\]<>*_~`␊]|(?<![^\s@:,;/'"“”()<>\[\]])[^\s@:,;/'"“”()<>\[\]]+@[\w.-]*\.[\w-]+|:[a-z_+-][\w+/-]*:)""",
    re.IGNORECASE,
)


def period(week: str) -> str:
    """Return the week of a release in words.

    >>> period("2026-03-02"), period(UNDATED)
    ('week of 2026-03-02', 'undated (one period)')
    """
    return "undated (one period)" if week == UNDATED else f"week of {week}"


def weeks_of(weeks: Sequence[str]) -> str:
    """Return weeks by their Mondays.

    >>> weeks_of(["2026-03-02"]), weeks_of(["2026-03-02", "2026-03-09", "2026-03-16"])
    ('week of 2026-03-02', 'weeks of 2026-03-02, 2026-03-09 and 2026-03-16')
    """
    *others, last = weeks
    return f"weeks of {', '.join(others)} and {last}" if others else period(last)


def share_of(share: float, digits: int = 1) -> str:
    """Return a share in per cent, one above zero never as zero and one below one never as all; from ten on it is so many times.

    >>> share_of(0.0004), share_of(0.00004, 2), share_of(0.25), share_of(0.0, 2)
    ('below 0.1%', 'below 0.01%', '25.0%', '0.00%')
    >>> share_of(4226 / 4229, 0), share_of(0.9999), share_of(1.0), share_of(9.5, 0), share_of(8487.664)
    ('99.9%', 'more than 99.9%', '100.0%', '950%', '8,488 times')
    """
    if share >= _TIMES:
        return f"{share:,.0f} times"
    said, least = f"{share:.{digits}%}", 10.0 ** -(digits + 2)
    if 0 < share < 1 and said == f"{1:.{digits}%}":
        finer = f"{share:.1%}"
        return finer if finer != "100.0%" else f"more than {1 - min(least, 0.001):.{max(digits, 1)}%}"
    return f"below {least:.{digits}%}" if share > 0 and said == f"{0:.{digits}%}" else said


def capital(sentence: str) -> str:
    """Return a sentence with a capital in front; the rest stays as it is.

    >>> capital("below 0.1%"), capital("ε falls"), capital("")
    ('Below 0.1%', 'Ε falls', '')
    """
    return sentence[:1].upper() + sentence[1:]


def chance(share: float, digits: int = 2, *, sure: bool = True) -> str:
    """Return a chance in per cent, as a table has it: one that is neither 0 nor 1 reads as neither.

    Where it cannot be 1, as with noise on all counts, `sure` is False: a number may be too near to 1 to be another.

    >>> chance(0.6405), chance(0.999998), chance(0.00001), chance(1.0), chance(0.999998, 4), chance(1.0, sure=False)
    ('64.05%', '> 99.99%', '< 0.01%', '100.00%', '99.9998%', '> 99.99%')
    """
    least = 10.0 ** -(digits + 2)
    if share > 1 - least and (share < 1 or not sure):
        return f"> {1 - least:.{digits}%}"
    return f"< {least:.{digits}%}" if 0 < share < least else f"{share:.{digits}%}"


def part_of(share: float, whole: str, digits: int = 1) -> str:
    """Return which part of a whole a share is.

    >>> part_of(0.25, "all trips", 0), part_of(8487.664, "all trips")
    ('25% of all trips', '8,488 times all trips')
    """
    return f"{share_of(share, digits)} {'' if share >= _TIMES else 'of '}{whole}"


def whole_of(use: "PublishedUse") -> str:
    """Return what shares of a use are of: all trips, or where they are counted apart in parts of the week, how many that are."""
    in_parts = use.product.parts and not math.isnan(use.n_true)
    return (
        f"{use.n_true:,.0f} {use.product.counted} by part of the week"
        if in_parts
        else f"all {use.product.counted}"
    )


def zones_called(spec: str) -> str:
    """Return zones as a reader calls them, by what the command line calls them.

    >>> zones_called("column"), zones_called("grid:500")
    ('as the file names them', 'grid:500')
    """
    return "as the file names them" if spec == "column" else spec


def plain(text: str) -> str:
    """Return text from a file as Markdown that shows it as it is: no link, no picture, no formula.

    An address, which would be a link however it is written, stands in the type of code, and so does what would be a picture by its name.

    >>> plain("![x](http://a.b) $1$"), plain("ann@house.example, tag:red")
    ('!\\\\[x\\\\](`http://a.b`) \\\\$1\\\\$', '`ann@house.example`, tag\\\\:red')
    """
    parts = _ALIVE.split(visible(text))
    return "".join(as_code(part) if at % 2 else _MARKDOWN.sub(r"\\\1", part) for at, part in enumerate(parts))


def as_code(text: str) -> str:
    """Return a name or an address as Markdown that shows it as it is, in the type of code: an address of e-mail is no link.

    >>> as_code("ann@house.example"), as_code("a`b`` [x](y)"), as_code("`")
    ('`ann@house.example`', '```a`b`` [x](y)```', '`` ` ``')
    """
    seen = visible(text).strip() or "–"
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", seen)), default=0))
    room = " " if "`" in (seen[0], seen[-1]) else ""
    return f"{fence}{room}{seen}{room}{fence}"


def in_hundred(share: float) -> str:
    """Return a probability as a number of times in 100, exact where rounding would hide a difference: one above a coin's 50 reads as more.

    >>> in_hundred(0.8512), in_hundred(0.9552), in_hundred(0.99996), in_hundred(0.5), in_hundred(0.5025)
    ('85', '95.5', 'almost 100', '50', '50.2')
    """
    if 0.9995 <= share < 1:
        return "almost 100"
    if 0.5005 <= share <= 0.505:
        return f"{100 * share:.1f}"
    return f"{100 * share:.1f}" if 0.9 <= share < 1 else f"{100 * share:.0f}"


def in_hundred_at_most(bound: float, digits: int = 1) -> str:
    """Return a bound as a number of times in 100, never rounded down: as in per cent elsewhere.

    >>> in_hundred_at_most(0.65926), in_hundred_at_most(0.90025), in_hundred_at_most(0.5025)
    ('66', '90.1', '50.3')
    """
    return percent_at_most(bound, digits).removesuffix("%").removesuffix(".0")


def reached_and_bound(reached: float, bound: float) -> tuple[str, str]:
    """Return a rate and a bound as times in 100, with as many decimals as it takes for the larger one to read as larger.

    >>> reached_and_bound(0.5031, 0.5025), reached_and_bound(0.7048, 0.65926), reached_and_bound(0.6572, 0.6573)
    (('50.31', '50.25'), ('70', '66'), ('65.7', '65.8'))
    >>> reached_and_bound(0.90025, 0.90025), reached_and_bound(0.50001, 0.5)
    (('90.1', '90.1'), ('50.001', '50.000'))
    """
    said, most = in_hundred(reached), in_hundred_at_most(bound)
    if abs(reached - bound) < _ALIKE:
        return most, most
    for decimals in range(1, 7):
        if _as_they_are(said, most, reached > bound):
            break
        said, most = f"{100 * reached:.{decimals}f}", in_hundred_at_most(bound, decimals)
    return said, most


def _as_they_are(said: str, most: str, is_above: bool) -> bool:
    one, other = (100.0 if words.startswith("almost") else float(words) for words in (said, most))
    return one > other if is_above else one <= other


def chance_at_most(bound: float, digits: int = 2) -> str:
    """Return a bound as a table has it, never rounded down; one too near to 1 to be written as above what can be.

    >>> chance_at_most(0.900249510803, 3), chance_at_most(0.9999999), chance_at_most(1.0), chance_at_most(0.65925)
    ('90.025%', '> 99.99%', '> 99.99%', '65.93%')
    """
    least = 10.0 ** -(digits + 2)
    return f"> {1 - least:.{digits}%}" if bound > 1 - least else percent_at_most(bound, digits)


def chance_in_hundred(share: float) -> str:
    """Return a probability as a number of times in 100 where 0 and 100 mean never and always.

    >>> chance_in_hundred(0.0), chance_in_hundred(0.4015), chance_in_hundred(0.0004), chance_in_hundred(0.99999)
    ('0', '40', 'fewer than 0.1', 'almost 100')
    """
    if 0 < share < 0.001:
        return "fewer than 0.1"
    return f"{100 * share:.1f}" if 0 < share < 0.1 else in_hundred(share)


def people(count: int | None) -> str:
    """Return a number of people in words; None where the data names none.

    >>> people(1), people(1200), people(None)
    ('1 person', '1,200 people', 'an unknown number of people')
    """
    if count is None:
        return "an unknown number of people"
    return "1 person" if count == 1 else f"{count:,} people"


def number_of(what: str, count: int) -> str:
    """Return a number of things in words, whose name has an s where there are several.

    >>> number_of("row", 1), number_of("row", 1200), number_of("zone", 0)
    ('1 row', '1,200 rows', '0 zones')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


_FIVE_DIGITS = 9_999.5  # rounds to 10,000


def four_digits(value: float) -> str:
    """Return a figure to four digits, and as a whole number where it has more, never as a power of ten.

    >>> four_digits(0.05), four_digits(1234.56), four_digits(9999.7), four_digits(20_000.0)
    ('0.05', '1,235', '10,000', '20,000')
    """
    return f"{value:,.4g}" if abs(value) < _FIVE_DIGITS else f"{value:,.0f}"


def fewer_than_none(counted: str) -> str:
    """Return that noise takes away more than there is of what is `counted`, in place of a share below 0."""
    return f"All published counts together are fewer than none: noise takes away more than all {counted}."


def trips(count: int) -> str:
    """Return a number of unique trips in words."""
    return number_of("unique trip", count)


def unit_in_words(name: str, *, bounded: bool, one: str = "unique trip") -> str:
    """Return what the promise to a trip, a user's week or a user protects; `one` is what is counted.

    Under a limit the figure of a trip is that of someone who makes no other: of whoever has more, another is counted in its
    place, or all weigh more, and the trip may lose more than that (docs/science.md, section 5.11).
    """
    return {
        "trip": f"someone's only {one}" if bounded else f"one {one}",
        "user-week": "all that a person does in a week",
        "user": "all that a person does in all these weeks",
    }[name]


def about_so_long(seconds: float) -> str:
    """Return how long something is expected to take, no finer than that is known.

    >>> about_so_long(20), about_so_long(80), about_so_long(520), about_so_long(1_300), about_so_long(9_000)
    ('less than a minute', 'about a minute', 'about 9 minutes', 'about 20 minutes', 'about 2.5 hours')
    """
    if seconds < 50:
        return "less than a minute"
    if seconds < 95:
        return "about a minute"
    if seconds < 5_100:
        n = round(seconds / 60)
        return f"about {n if n < 12 else 5 * round(n / 5)} minutes"
    return f"about {seconds / 3_600:.2g} hours"


def length(metres: float) -> str:
    """Return a length in metres or kilometres.

    >>> length(500), length(2000.0), length(2500), length(531.414)
    ('500 m', '2 km', '2.5 km', '531 m')
    """
    return f"{metres:.3g} m" if metres < 999.5 else f"{metres / 1000:.3g} km"


def duration(minutes: float) -> str:
    """Return a length of time in the unit that suits it.

    >>> duration(12), duration(90), duration(4000)
    ('12 min', '1.5 h', '2.8 days')
    """
    if minutes < 60:
        return f"{minutes:.3g} min"
    return f"{minutes / 60:.3g} h" if minutes < 48 * 60 else f"{minutes / 1440:,.1f} days"
