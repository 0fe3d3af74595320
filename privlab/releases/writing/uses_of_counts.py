"""A certificate → how whoever receives a release is to use its counts, in plain words: what they may read out of them, and what not."""

import math
from typing import Any

from privlab.od import Product, product_of
from privlab.od.releases import SecureReleaseParameters, WeekTotal
from privlab.od.usefulness import clip_ratio, deviations_with_total, given_back_half_width, total_half_width
from privlab.releases.folders.release_folders import CERTIFICATE, ESTIMATES, LEVELS
from privlab.releases.writing.zones_file import divisions_of
from privlab.safe_text import within_words

_Z_95 = 1.959964  # of a normal law, two-sided
_LEAST_DIGITS = 4  # after the point, of what counts are multiplied by
_SIZES = (100, 1_000, 10_000)  # of counts that the draw of what counts of each person is worked out for


def uses_from_certificate(certificate: dict[str, Any]) -> list[str]:
    """Return how to read the counts of a release, a sentence or more each, most often mistaken first."""
    product = product_of(certificate["parameters"].get("product", "flows"))
    parameters, use, cell = certificate["parameters"], certificate["utility"], product.cell
    threshold, width = parameters["threshold"], use["noise_half_width_95"]
    return [
        f"Noise moves a count by at most {width:,} in 95 of 100 {cell}s, up or down{_wider_in_words(certificate)}."
        + _apart_in_words(parameters, width)
        + (
            f" Small counts are there most of all where noise lifted them: the interval of each stands in {ESTIMATES}."
            if threshold > 0 and "estimates" in certificate
            else ""
        ),
        *_missing_in_words(certificate, cell),
        *_false_in_words(certificate, product),
        *_limit_in_words(certificate),
        *_totals_in_words(certificate),
        *_sums_in_words(certificate, product),
        *_districts_in_words(certificate),
        f"A sum over several {cell}s or weeks is one of {product.counted}, not of people: whoever is counted in two of them is in it twice.",
    ]


def _wider_in_words(certificate: dict[str, Any]) -> str:
    """Say why intervals of the estimates are wider than the noise, where trips are weighed: see `interval_half_width`."""
    parameters = certificate["parameters"]
    if not _weighed(certificate) or "estimates" not in certificate:
        return ""
    counted = product_of(parameters.get("product", "flows")).counted
    return f" (the intervals in {ESTIMATES} reach one further: what weighed {counted} add up to need not be whole before it is rounded)"


def _apart_in_words(parameters: dict[str, Any], width: int) -> str:
    """Say how far two counts must be apart to say anything: noise moves both, and so does a draw of what counts of each person.

    A person with D of something of which L are drawn is in a count with chance p = L/D: the draw has a variance of p(1 − p) for each, at
    most what is counted of it.
    """
    noise_alone = math.ceil(math.sqrt(2) * width)
    if parameters.get("clip") == "l2":
        return (
            " Read nothing into a smaller change of one count, nor into two counts that are less than about "
            f"{noise_alone:,} apart."
        )
    least = max(parameters["threshold"], _SIZES[0])  # no smaller count is in the file
    sizes = (least, *(n for n in _SIZES if n >= 2 * least))
    by_draw = {n: math.ceil(_Z_95 * math.sqrt(n)) for n in sizes}
    apart = {n: math.ceil(math.sqrt(2) * math.hypot(width, by)) for n, by in by_draw.items()}
    listed = ", ".join(f"one of {n:,} by ±{by:,}" for n, by in by_draw.items())
    of_apart = ", ".join(f"{by:,} where they are near {n:,}" for n, by in apart.items())
    return (
        f" Where people do more than the limit lets count, which of it counts is drawn anew each time, and that moves a count too: {listed} at "
        f"the most. Read nothing into a smaller change of one count, nor into two counts that are less than so far apart: {of_apart}."
    )


def _missing_in_words(certificate: dict[str, Any], cell: str) -> list[str]:
    """Say what a count that is not in the files may have been; with no threshold what a count below 0 is."""
    threshold = certificate["parameters"]["threshold"]
    # Of so many noise takes a count below the threshold in one of 40 cases at most: half of those in which it goes further than its width.
    seen = threshold + certificate["utility"]["noise_half_width_95"] + int(_weighed(certificate))
    rare = f" Where {seen:,} or more were counted that happens to one {cell} in 40 at the most."
    if certificate["zones"]["public"] is None:
        return [
            f"Of a {cell} that is not in the file either nobody was counted, or its count with noise was below {threshold:,} and was "
            f"left out.{rare}"
        ]
    if threshold == 0:
        return [
            f"Every {cell} that there can be has a row, whether anybody was counted in it or not. Noise made counts "
            "below 0 too small, as it made others too large: leave them in sums, which come out far too high without"
            + (", as sums of whole_count do." if "estimates" in certificate else ".")
        ]
    sums = (
        f" Sums in {CERTIFICATE} hold such counts all the same: where few are left out, they can be worked out of them."
        if "model" in certificate
        else ""
    )
    return [
        f"A {cell} that is not in the file need not be one of nobody: its count with noise was below {threshold:,}, and was left "
        f"out.{rare}{sums}"
    ]


def _weighed(certificate: dict[str, Any]) -> bool:
    return bool(certificate["parameters"].get("clip") == "l2")


def _sums_in_words(certificate: dict[str, Any], product: Product) -> list[str]:
    """Say what the noise of a sum is, and that of small counts a threshold leaves those that it lifted, so that it does not cancel out."""
    threshold, width = certificate["parameters"]["threshold"], certificate["utility"]["noise_half_width_95"]
    cell, counted = product.cell, product.counted
    grows = f"the square root of n: ±{width:,} for one, about ±{2 * width:,} for four."
    share = " A share of such a sum is off by about the noise of its count, divided by the sum."
    if threshold == 0:
        return [f"For the sum of n {cell}s the noise grows by {grows}{share}"]
    modelled = "model" in certificate and certificate["zones"]["public"] is not None
    instead = modelled and "estimates" in certificate and not weeks_of_no_use(certificate)
    return [
        f"For the sum of n {cell}s that are far above {threshold:,} the noise grows by {grows}{share}",
        f"Not so of small {cell}s: near {threshold:,} the file has those that noise lifted, and in a sum over many of them it does not cancel "
        f"out. Such a sum can be too high for the {cell}s in it by far more than that"
        + (": add up smoothed_count instead, which takes most of this away. Either" if instead else ". It")
        + f" lacks the {counted} of all that was left out.",
        *(_margins_in_words(certificate, product) if modelled else []),
    ]


def _margins_in_words(certificate: dict[str, Any], product: Product) -> list[str]:
    """Say which sums of all noisy counts the certificate holds, and what moves them."""
    n_zones, width = len(certificate["zones"]["public"]), certificate["utility"]["noise_half_width_95"]
    n_added = (n_zones - 1, n_zones - 1) if product.n_ends == 2 else (product.n_slots, n_zones)
    off = [math.ceil(width * math.sqrt(n)) for n in n_added]
    each = {
        "flows": "of each origin and, in the next list, of each destination, in the order of zones, public",
        "flows-by-slot": "of each origin and, in the next list, of each destination, in the order of zones, public, and of each the eight parts "
        "of the week in their order from workday 00-06 to weekend 18-24",
        "visits": "of each zone, in the order of zones, public, and, in the next list, of each of the 168 hours of the week, from Monday 0:00 on",
    }[product.name]
    moves = (
        f"each by at most {off[0]:,}"
        if off[0] == off[1]
        else f"those of zones by at most {off[0]:,}, of hours by {off[1]:,}"
    )
    return [
        f"The sums of all noisy counts, with those that were left out, stand in {CERTIFICATE} under model, weeks, sums: {each}. Noise moves "
        f"{moves} in 95 of 100."
    ]


def _false_in_words(certificate: dict[str, Any], product: Product) -> list[str]:
    """Say how many of the published counts may be of nobody."""
    use, cell = certificate["utility"], product.cell
    false, published = use["made_up_cells_expected_at_most"], use["published_cells"]
    if false is None:
        return [f"In every {cell} of the file somebody was counted: no other was given noise."]
    each = (
        f" How likely each is real stands in {ESTIMATES}, chance_of_flow: add up 1 minus that chance over some rows, and you have about how "
        "many of them may be false. Noise cannot tell nobody from a few people, so that often fewer are."
        if "estimates" in certificate
        else ""
    )
    if certificate["parameters"]["threshold"] == 0:
        return [f"Where nobody was counted a count is noise alone.{each}"]
    said = (
        f"about {false:,.0f}" if false >= 10 else f"about {false:,.1f}" if false >= 0.1 else "fewer than 0.1"
    )
    if not published:
        return [f"Had nobody been counted at all, noise alone would show {said} {cell}s.{each}"]
    of_them = (
        f"no more than that of the {published:,} published"
        if false <= published
        else f"all {published:,} published may"
    )
    are = "are expected to be false" if false <= published else "be false"
    return [f"Had nobody been counted at all, noise alone would show {said} {cell}s: {of_them} {are}.{each}"]


def _totals_in_words(certificate: dict[str, Any]) -> list[str]:
    """Say what unbiased counts are worth: their noise, and that of the totals by which they are multiplied."""
    if not certificate["parameters"].get("total_share"):
        return []
    width, off = certificate["utility"]["noise_half_width_95"], _total_off(certificate)
    parameters = SecureReleaseParameters(**certificate["parameters"])
    weeks = []
    for week, one in certificate["totals"].items():
        ratio = clip_ratio(parameters, WeekTotal(**one))
        weeks.append(
            f"in the week of {week} by {factor_in_words(certificate, ratio)}, so that its noise is ±{math.ceil(ratio * width):,}, and the total is "
            f"{one['trips']:,} trips"
        )
    return [
        f"The unbiased count is the published one, multiplied {'; '.join(weeks)}. Multiply at_least_95 and at_most_95 by the same number "
        "for it.",
        f"Noise moves the total of a week itself by at most {off:,} trips in 95 of 100 weeks, and the number that counts are multiplied by, "
        f"which hangs on the sum of all noisy counts too, by at most {_factors_off_in_words(certificate)}: a sum of unbiased counts is off by "
        "that part of itself besides, however many counts it is of.",
    ]


def _factors_off_in_words(certificate: dict[str, Any]) -> str:
    """Return by what part of itself noise moves the number that counts of a week are multiplied by, in 95 of 100, never rounded down.

    It is the total over the sum of all noisy counts; each has noise of its own, and of many cells that of the sum is the larger.
    """
    of_total, of_sum = deviations_with_total(*_noise_of_total(certificate))
    weeks = []
    for week, one in certificate["totals"].items():
        if min(one["trips"], one["counted"]) > 0:
            part = _Z_95 * math.hypot(of_total / one["trips"], of_sum / one["counted"])
            weeks.append(f"{math.ceil(1e4 * part) / 100:.2f}% in the week of {week}")
        else:
            weeks.append(f"more than it is itself in the week of {week}")
    return ", ".join(weeks)


def _noise_of_total(certificate: dict[str, Any]) -> tuple[float, int, int]:
    """Return σ in units of a count, the units of a total, and in how many cells of a week counts have noise."""
    said, product = certificate["mechanism"], product_of(certificate["parameters"].get("product", "flows"))
    return said["scale"], said["total_units_per_trip"], product.n_cells(len(certificate["zones"]["public"]))


def factor_in_words(certificate: dict[str, Any], ratio: float) -> str:
    """Return what unbiased counts are a multiple of published ones by, to as many digits as it takes: four after the point at least, and so
    many that the sum of all counts comes out within half a trip.
    """
    total = abs(certificate["utility"]["published_total"])
    return f"{ratio:.{max(_LEAST_DIGITS, len(f'{total:.0f}'))}f}"


def _districts_in_words(certificate: dict[str, Any]) -> list[str]:
    """Say how sums of districts are to be read, and how wide their noise is."""
    divisions = divisions_of(certificate)
    if not divisions:
        return []
    said = certificate["mechanism"]
    widths = ", ".join(
        f"±{total_half_width(said['scale'], units):,} for {within_words(one['name'], spaced=True)}"
        for one, units in zip(divisions, said["level_units_per_trip"], strict=True)
    )
    times = (
        ", times the number by which unbiased counts are multiplied, and by the part of itself that this number is off by"
        if certificate.get("totals")
        else ""
    )
    lost = weeks_of_no_use(certificate)
    weeks = f"week{'s' if len(lost) > 1 else ''} of {', '.join(lost)}"
    but = (
        f", but noisy_count in the {weeks}, where the total gives back no more than noise may" if lost else ""
    )
    return [
        f"Sums of districts stand in {LEVELS}, with noise of their own: it moves noisy_count by at most {widths}, in 95 of 100, and "
        f"agreed_count by no more than that{times}. That is the noise alone: what the limit takes away is missing from these sums as from the "
        f"counts. For all trips from one district to another take agreed_count there, rather than a sum over rows{but}.",
    ]


def _total_off(certificate: dict[str, Any]) -> int:
    """Return what noise moves the total of a week by at most in 95 of 100 weeks, in trips."""
    said = certificate["mechanism"]
    return total_half_width(said["scale"], said["total_units_per_trip"])


def weeks_of_no_use(certificate: dict[str, Any]) -> dict[str, int]:
    """Return the weeks in which a total gives back no more than noise may, with what it gives back, in trips; none without totals.

    It gives back what it has more than the sum of all noisy counts: of many cells the noise of that sum is the larger.
    """
    if not certificate.get("totals"):
        return {}
    off = given_back_half_width(*_noise_of_total(certificate))
    gives = {week: one["trips"] - one["counted"] for week, one in certificate["totals"].items()}
    return {week: max(0, given) for week, given in gives.items() if given <= off}


def limit_at_first(parameters: dict[str, Any]) -> str:
    """Say before all else that counts are too low for a limit, so that nobody takes them for all there was."""
    counted, bound = _limited(parameters)
    if parameters.get("clip") != "l2":
        return f"Of each person at most {bound:,} {counted} a week {'is' if bound == 1 else 'are'} counted: counts are too low."
    return f"Where a person has more than {bound:,} {counted} in a week, each counts for less than one: counts are too low."


def _limited(parameters: dict[str, Any]) -> tuple[str, int]:
    bound = parameters["max_trips_per_user"]
    counted = product_of(parameters.get("product", "flows")).counted
    return f"different {counted if bound > 1 else counted.removesuffix('s')}", bound


def _limit_in_words(certificate: dict[str, Any]) -> list[str]:
    """Say what the limit does to counts, and what is worth taking instead of them."""
    parameters = certificate["parameters"]
    different, bound = _limited(parameters)
    product = product_of(parameters.get("product", "flows"))
    counted, cell = product.counted, product.cell
    where = (
        "where people who travel much go" if counted == "trips" else f"where people with many {counted} are"
    )
    unknown = "by how much, no file tells; it can be far more than the noise"
    if parameters.get("clip") != "l2":
        return [
            f"At most {bound:,} {different} of a person and week {'is' if bound == 1 else 'are'} counted, drawn at random; the others are "
            f"missing, so that counts are too low, most of all {where}: {unknown}."
        ]
    less = f"Where a person has more than {bound:,} {different} in a week, each of them counts for less than one, so that counts"
    if not parameters.get("total_share"):
        return [f"{less} are too low, most of all {where}, and sums over many {cell}s too: {unknown}."]
    column = (
        "take agreed_count, which has this back too and fits the districts"
        if "levels" in certificate
        else "take that column for flows and for sums"
    )
    said = [
        f"{less} are too low. The column unbiased_count of {ESTIMATES} gives this back to all flows alike, by a noisy total of the "
        f"week: {column}. {where.capitalize()}, counts stay too low all the same, and elsewhere they come out too high, by an amount that "
        "no file tells."
    ]
    lost = weeks_of_no_use(certificate)
    if lost:
        off = given_back_half_width(*_noise_of_total(certificate))
        weeks = ", ".join(f"{given:,} in the week of {week}" for week, given in lost.items())
        also = ", agreed_count and smoothed_count" if "levels" in certificate else " and smoothed_count"
        said.append(
            "Not so where what is given back, the total less the sum of all noisy counts, may be noise: that moves it by up to "
            f"{off:,} trips, and it is {weeks}. There take the published counts: unbiased_count{also} can be further from the truth than "
            "they are."
        )
    return said
