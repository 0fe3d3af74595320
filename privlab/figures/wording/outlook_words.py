"""What a release is expected to hold, in words for the steward: figures of true data."""

from privlab.defaults import CLOSE
from privlab.dp.promise import delta_words
from privlab.figures.wording.words import number_of, share_of
from privlab.od import product_of
from privlab.od.expecting import ReleaseOutlook
from privlab.stats import percent_at_least

_MUCH_NOISE = 1.1  # times what is counted: published in all, more is noise of the counts that it lifted over the threshold


def outlook_in_words(outlook: ReleaseOutlook) -> str:
    """Return what would be published, how much of it made up, against what is true, in two sentences."""
    product = product_of(outlook.product)
    cell, counted = product.cell, product.counted
    raw = (
        ""
        if outlook.given_back_half_width is None
        else f" once the total gives back what the limit takes (unbiased_count), ±{outlook.half_width:,} before"
    )
    noise = f"oise is up to ±{outlook.used_half_width:,} in 95 of 100 {cell}s{raw}."
    parts = f"{product.parts} " if product.parts else ""
    if outlook.nothing_is_published:
        return f"{nothing_published(outlook.largest_true, outlook.threshold, cell)} {parts}N{noise}"
    if not outlook.true_trips:
        return f"Nobody was counted in the weeks named: whatever is published is noise alone. N{noise}"
    noise = f"{parts}The largest true {cell} has {_people(outlook.largest_true)}; n{noise}"
    total = f"{_count(outlook.published_trips)} {counted} would be published in all, {outlook.true_trips:,} are true"
    if not outlook.complete and outlook.published_trips > _MUCH_NOISE * outlook.counted_trips:
        total += (
            f", of which {_count(outlook.counted_trips)} are counted under the limit (the rest of what is published is noise that "
            "passed the threshold)"
        )
    noise += total_in_words(outlook) + levels_in_words(outlook) + close_in_words(outlook)
    if outlook.complete:
        return (
            f"All {outlook.published:,.0f} {cell}s are expected to be published, {outlook.made_up:,.0f} of them "
            f"without a true {counted[:-1]}; {total}. {noise}"
        )
    return (
        f"Of {_count(outlook.published)} {cell}s that are expected to be published, {_count(outlook.made_up)} "
        f"({share_of(outlook.made_up_share)}) would be false; {total}. {noise}"
    )


def total_in_words(outlook: ReleaseOutlook) -> str:
    """Return how far off what the total of a week gives back is, and whether it is of use; "" without one."""
    if outlook.given_back_half_width is None:
        return ""
    weeks = max(outlook.n_weeks - len(outlook.weeks_without_trips), 1)
    share = outlook.given_back_half_width * weeks / max(outlook.true_trips, 1)
    words = (
        f" Noise moves what the published total of a week gives back of what the limit takes away by up to ±{outlook.given_back_half_width:,} "
        f"trips in 95 of 100 weeks, {share:.1%} of a week's trips."
    )
    if share < outlook.share_taken:
        return words
    return f"{words} That is more than the {outlook.share_taken:.1%} that the limit takes away: publish it without the total."


def level_words(name: str) -> str:
    """Return a level's districts as a reader calls them.

    >>> level_words("blocks:3"), level_words("district")
    ('3 × 3 blocks of zones', 'district')
    """
    kind, _, n = name.partition(":")
    return f"{n} × {n} blocks of zones" if kind == "blocks" else name


def levels_in_words(outlook: ReleaseOutlook) -> str:
    """Return what sums of districts gain by noise of their own, what that costs each flow, and whether it is of use; "" without."""
    if not outlook.levels:
        return ""
    said = " and ".join(
        f"{one.error:.1%} of all trips instead of {one.without_levels:.1%} ({level_words(one.name)})"
        for one in outlook.levels
    )
    words = (
        f" Sums from district to district are expected to be off by {said}, once what weights take is given back; the noise on each "
        f"flow is {max(outlook.noise_of_cells - 1, 0):.0%} wider for it."
    )
    if outlook.levels_are_worth_it:
        return words
    return f"{words} That is hardly of use here: publish it without levels, or take larger districts."


def levels_offer_in_words(with_levels: ReleaseOutlook) -> str:
    """Return what noisy sums of districts would give for the same ε."""
    one = with_levels.levels[0]
    return (
        f"Sums from district to district ({level_words(one.name)}) with noise of their own, paid from the same ε, would be off by "
        f"{one.error:.1%} of all trips instead of {one.without_levels:.1%} when flows are added up; the noise on each flow would be "
        f"{max(with_levels.noise_of_cells - 1, 0):.0%} wider."
    )


def gaussian_noise_in_words(integer: ReleaseOutlook, gaussian: ReleaseOutlook, delta: float) -> str:
    """Return what Gaussian noise gives beside integer noise for the same ε, and what it costs."""
    product = product_of(integer.product)
    return (
        f"Gaussian noise would give more for the same ε: noise of up to ±{gaussian.half_width:,} instead of "
        f"±{integer.half_width:,} in 95 of 100 {product.cell}s, and {_count(gaussian.published_trips)} {product.counted} in "
        f"published {product.cell}s instead "
        f"of {_count(integer.published_trips)}. Its promise has a δ of {delta_words(delta)}: now and then someone loses more "
        "than ε."
    )


def total_offer_in_words(with_total: ReleaseOutlook) -> str:
    """Return what a noisy total would give back of what the limit on trips takes away."""
    return (
        f"The limit on trips takes {with_total.share_taken:.0%} of all trips out of the counts. A published total, with noise of its own paid from "
        "the same ε, would give them back in the estimates beside the counts, to all flows alike, and make the noise on "
        f"each flow up to ±{with_total.used_half_width:,} in 95 of 100 flows."
    )


def both_in_words(integer: ReleaseOutlook, with_total: ReleaseOutlook, delta: float) -> str:
    """Return what Gaussian noise with a noisy total gives beside integer noise for the same ε, and what it costs."""
    return (
        f"The limit on trips takes {integer.share_taken:.0%} of all trips out of the counts. Gaussian noise with a published total "
        "would count all trips, with less weight where a person has many, and give back in the estimates what that takes away. Noise is then "
        f"up to ±{with_total.used_half_width:,} in 95 of 100 flows, and no flow is too low by it; now it is ±{integer.half_width:,}, and flows "
        f"are too low by {integer.share_taken:.0%} in all. Its promise has a δ of {delta_words(delta)}: now and then someone loses more than ε."
    )


def close_in_words(outlook: ReleaseOutlook) -> str:
    """Return how much comes near the truth in the published counts, or in the estimates, where a total gives back what is taken.

    Beside sums of districts that is the estimate of each flow by itself; what agrees with those sums has no more variance.
    """
    product = product_of(outlook.product)
    if outlook.given_back_half_width is not None:
        agreed = (
            " by themselves (unbiased_count); those that agree with the sums of districts (agreed_count) are about as near, or nearer"
            if outlook.levels
            else ""
        )
        return (
            f" In the file of estimates, where the total gives that back, {percent_at_least(outlook.share_close)} of all {product.counted} "
            f"lie in {product.cell}s that come within {CLOSE:.0%} of the truth{agreed}."
        )
    return f" Of all {product.counted}, {percent_at_least(outlook.share_close)} lie in {product.cell}s that come within {CLOSE:.0%} of the truth."


def bound_offer_in_words(expected: ReleaseOutlook, other: ReleaseOutlook, bound: int) -> str:
    """Return what another limit on a person's trips or visits leaves near the truth, for the same ε."""
    product = product_of(other.product)
    return (
        f"With a limit of {number_of(product.counted[:-1], bound)} of a person, {percent_at_least(other.share_close)} of all "
        f"{product.counted} would lie in {product.cell}s within {CLOSE:.0%} of the truth instead of "
        f"{percent_at_least(expected.share_close)}, for the same ε."
    )


def per_cent(share: float) -> str:
    """Return a share of trips.

    >>> per_cent(0.0004), per_cent(0.014), per_cent(0.87)
    ('less than 0.1%', '1.4%', '87%')
    """
    return "less than 0.1%" if 0 < share < 0.001 else f"{100 * share:.{1 if share < 0.1 else 0}f}%"


def nothing_published(largest: int, threshold: int, cell: str = "flow") -> str:
    """Return that nothing of the data reaches the threshold, as it is or under a limit; `cell` is the word for what is counted in.

    >>> nothing_published(43, 100)
    'Nothing is published: your largest flow has 43 people, and counts below 100 are left out.'
    >>> nothing_published(1200, 100)
    'Nothing is published: your largest flow has 1,200 people, but the limit counts too few of them, and counts below 100 are left out.'
    """
    limited = "" if largest < threshold else " but the limit counts too few of them,"
    return f"Nothing is published: your largest {cell} has {_people(largest)},{limited} and counts below {threshold:,} are left out."


def _people(n: int) -> str:
    return "1 person" if n == 1 else f"{n:,} people"


def _count(expected: float) -> str:
    """Return an expected number of flows or trips.

    >>> _count(2798.4), _count(2.71), _count(0), _count(3e-7)
    ('2,798', '2.7', '0', 'fewer than 0.01')
    """
    if 0 < expected < 0.01:
        return "fewer than 0.01"
    return f"{expected:,.0f}" if expected >= 10 or expected == round(expected) else f"{expected:.2g}"
