"""Colours that the colour-blind can tell apart, for light and dark pages; one meaning each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """CSS colours by meaning, after Okabe and Ito (2008)."""

    true: str  # true counts
    attack: str  # the exact attack; published flows
    simulated: str
    claim: str  # what the publisher says; lost flows
    proven: str  # what composition proves
    repaired: str  # the release with a bound per user
    spurious: str  # false flows
    muted: str
    marker: str


COLOUR_MEANINGS = {
    "true": "true data, for internal eyes; games that are simulated",
    "attack": "what is published; how often the best attack is right; the person that is looked at",
    "claim": "what a publisher claims; on maps what is lost: true, but not published; the nearest other person",
    "proven": "what is proven: no attack can do more",
    "repaired": "the repair: a release with a limit for each person",
    "spurious": "false flows: published, but made by nobody",
    "muted": "what takes no attack: a blind guess, a baseline",
    "marker": "where you stand: your own trips, the release that is recommended",
}
"""What a colour of the palette means, on every page, map and report."""

LIGHT = Palette(
    true="#4A5560",
    attack="#0072B2",
    simulated="#4A5560",
    claim="#D55E00",
    proven="#7A3E9D",
    repaired="#007A5A",
    spurious="#B3417F",
    muted="#8A929B",
    marker="#111111",
)
DARK = Palette(
    true="#C5CCD3",
    attack="#56B4E9",
    simulated="#C5CCD3",
    claim="#FF8A4C",
    proven="#C4A5F5",
    repaired="#2FD6A3",
    spurious="#F0A3CF",
    muted="#7C8792",
    marker="#FFFFFF",
)


def palette_for(dark: bool) -> Palette:
    """Return the palette of a page theme."""
    return DARK if dark else LIGHT


# Stretches of viridis (van der Walt and Smith 2015) whose contrast to the page is 3 to 1 or more, at even steps of a ninth of it: so
# neighbours of many curves differ alike.
_STEPS_ON_LIGHT = ("#482878", "#3E4989", "#31688E", "#26828E", "#1F9E89")
_STEPS_ON_DARK = ("#FDE725", "#B5DE2B", "#6ECE58", "#35B779", "#1F9E89", "#26828E")


def steps_of_order(n: int, palette: Palette) -> list[str]:
    """Return colours of `n` curves in order, from what stands out most to what does least: one scale, also to the colour-blind.

    >>> steps_of_order(2, LIGHT), steps_of_order(1, DARK)
    (['#482878', '#1F9E89'], ['#FDE725'])
    """
    dark = sum(rgb(palette.marker)) > sum(rgb("#808080"))
    ends = [rgb(one) for one in (_STEPS_ON_DARK if dark else _STEPS_ON_LIGHT)]
    found = []
    for number in range(n):
        at = number / max(n - 1, 1) * (len(ends) - 1)
        low = min(int(at), len(ends) - 2)
        mixed = [round(a + (b - a) * (at - low)) for a, b in zip(ends[low], ends[low + 1], strict=True)]
        found.append("#" + "".join(f"{one:02X}" for one in mixed))
    return found


def rgba(colour: str, alpha: float) -> str:
    """Return a CSS colour with transparency.

    >>> rgba("#0072B2", 0.5)
    'rgba(0,114,178,0.5)'
    """
    red, green, blue = rgb(colour)
    return f"rgba({red},{green},{blue},{alpha:g})"


def rgb(colour: str) -> list[int]:
    """Return red, green and blue from 0 to 255."""
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
