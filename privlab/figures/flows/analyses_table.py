"""What analyses find before and after → a table and a sentence. Computes nothing."""

import math
from collections.abc import Sequence

from privlab.figures.wording import words
from privlab.od.usefulness import Analysis

_NOTHING = 1e-9  # below it a count, a distance or an exponent is what rounding leaves of 0

# What a reader sees for each analysis: its name, and what its two figures and its error are.
_WORDS = {
    "total_by_origin": ("trips by origin", "trips", "of all trips, over the zones"),
    "district_to_district": (
        "trips from district to district",
        "trips, within a district too",
        "of all trips, over pairs of districts",
    ),
    "largest_flows": ("the largest flows", "flows", "of them not among the largest published"),
    "order_of_largest": ("their order", "pairs in order", "of the pairs in the other order (a coin: 50%)"),
    "distance": ("how far trips go", "km on average", "of trips in another class of distance"),
    "gravity_origin": ("gravity model: origin", "exponent", "difference"),
    "gravity_destination": ("gravity model: destination", "exponent", "difference"),
    "gravity_distance": ("gravity model: distance", "exponent", "difference"),
    "epidemic_order": (
        "order in which an epidemic arrives",
        "of the first zones reached",
        "of the pairs of zones in the other order (a coin: 50%)",
    ),
}


def analyses_rows(analyses: Sequence[Analysis]) -> list[dict[str, str]]:
    """Return what a table of the analyses says, a row each."""
    rows = []
    for one in analyses:
        name, unit, of = _WORDS[one.name]
        rows.append(
            {
                "analysis": name,
                "error": _error(one),
                "the error is": of,
                "true": _number(one.before),
                "published": _number(one.after),
                "figures are": unit,
            }
        )
    return rows


def _error(one: Analysis) -> str:
    """Return an error as a share, or as a difference of exponents."""
    if math.isnan(one.error):
        return "unknown"
    if one.name.startswith("gravity"):
        return f"{one.error:.3f}"
    return words.share_of(0.0 if one.error < _NOTHING else one.error)


def _number(value: float) -> str:
    """Return a figure; what arithmetic leaves of a zero is 0, without a sign.

    >>> _number(-1.58e-15), _number(-0.0), _number(-0.25), _number(1200.0)
    ('0', '0', '−0.25', '1,200')
    """
    if math.isnan(value):
        return "unknown"
    if abs(value) < _NOTHING:
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 100 or value == round(value) else f"{value:.3g}"
    return text.replace("-", "−")


def analyses_in_words(analyses: Sequence[Analysis]) -> str:
    """Return in one sentence what the counts are good for: how far off sums are, and what stays of the largest flows."""
    by_name = {one.name: one for one in analyses}
    largest, origin, district, distance = (
        by_name[name]
        for name in ("largest_flows", "total_by_origin", "district_to_district", "gravity_distance")
    )
    if not largest.before:
        return "There is no true flow to compare with."
    off = _error(origin)
    said = [
        f"Trips by origin are off by {off}{' their number' if off.endswith('times') else ''} in all",
        *([] if math.isnan(district.error) else [f"those from district to district by {_error(district)}"]),
        f"{largest.after:,.0f} of the {largest.before:,.0f} largest flows are among the largest published",
        *(
            []
            if math.isnan(distance.error)
            else [
                f"a gravity model finds the exponent {distance.after:z.2f} of distance in place of {distance.before:z.2f}"
            ]
        ),
    ]
    return f"{'; '.join(said)}.".replace(" -", " −")
