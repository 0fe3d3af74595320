"""Traces that a few samples single out, and people whom their most visited places do → sentences and tables. Computes nothing."""

from collections.abc import Sequence

from privlab.figures.fingerprints.cost_words import level_words
from privlab.figures.wording.words import share_of
from privlab.fingerprints.singling_out import PlacesUnicity, ResolutionLaw, UnicityByLevel

PAPER_ON_PLACES = (
    "Zang and Bolot (2011, as quoted by others) found the three most visited sectors of half of 25 million US users to be theirs alone. Among "
    "fewer people more are alone for want of others."
)
_LEAST_POWER = 0.001
_OF_THE_PAPER = "De Montjoye et al. (2013) found about the 1/10 power."


def unicity_finding(found: UnicityByLevel) -> str:
    """Return how many traces a few samples single out, at the first level."""
    first = found.curves[0]
    at = min(3, first.points.size - 1)
    traces = "all traces" if first.every_user else f"{first.n_traces:,} traces drawn at random"
    return (
        f"At {level_words(found.levels[0])}, {first.points[at]} sample{'s' if first.points[at] > 1 else ''} of a trace "
        f"single{'' if first.points[at] > 1 else 's'} out {share_of(first.share[at])} of {traces} "
        f"(95% interval {first.low[at]:.1%} to {first.high[at]:.1%})."
    )


def unicity_rows(found: UnicityByLevel) -> list[dict[str, str]]:
    """Return the share of traces singled out, a line per level."""
    return [
        {"level (km–min)": str(level)}
        | {
            f"{n} known": share_of(share)
            for n, share in zip(one.points.tolist(), one.share.tolist(), strict=True)
        }
        for level, one in zip(found.levels, found.curves, strict=True)
    ]


def places_finding(found: Sequence[PlacesUnicity]) -> str:
    """Return how many people their three most visited places single out, at the first level, or as many as were looked at."""
    first = found[0]
    at = min(2, first.places.size - 1)
    n = int(first.places[at])
    places = f"{n} most visited places" if n > 1 else "most visited place"
    return (
        f"At {level_words(first.level)}, whatever the hour, {share_of(first.share_of_sets[at])} of {first.n_users:,} people are the only ones with "
        f"their {places}, and {share_of(first.share_of_lists[at])} with the order too; {first.n_short[at]:,} have fewer places, and count with "
        "those they have."
    )


def places_rows(found: Sequence[PlacesUnicity]) -> list[dict[str, str]]:
    """Return who is alone in so many most visited places, as a set and in their order, a line per level and number."""
    return [
        {
            "level (km–min)": str(one.level),
            "most visited places": f"{n}",
            "alone, in any order": share_of(as_set),
            "alone, in their order": share_of(in_order),
            "people with fewer": f"{short:,}",
        }
        for one in found
        for n, as_set, in_order, short in zip(
            one.places.tolist(),
            one.share_of_sets.tolist(),
            one.share_of_lists.tolist(),
            one.n_short.tolist(),
            strict=True,
        )
    ]


def law_sentence(laws: Sequence[ResolutionLaw]) -> str:
    """Return the power of the resolution with which unicity falls, at four samples or the most there are; empty without any."""
    if not laws:
        return ""
    law = next((one for one in laws if one.points == 4), laws[-1])
    if max(abs(law.low), abs(law.high)) < _LEAST_POWER and not law.n_without:
        return (
            f"With {law.points} samples known it hardly falls, if at all, as resolution gets coarser: by less than the {_LEAST_POWER:g} power "
            f"(cell times bin; {law.n_levels} levels). {_OF_THE_PAPER}"
        )
    beyond = "; at coarser ones no trace is singled out, so that it falls faster" if law.n_without else ""
    return (
        f"With {law.points} samples known it falls as the {law.exponent:.3f} power of resolution (cell times bin; 95% interval "
        f"{law.low:.3f} to {law.high:.3f}, {law.n_levels} levels; a power is off by a factor of {law.off_by:.2f} at "
        f"most{beyond}). {_OF_THE_PAPER}"
    )
