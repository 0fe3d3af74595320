"""Every colour has one meaning that a reader can look up, on light and on dark pages."""

from dataclasses import fields
from itertools import pairwise

import pytest

from privlab.figures.drawing.palette import COLOUR_MEANINGS, DARK, LIGHT, Palette, rgb, steps_of_order


def test_every_colour_has_a_meaning() -> None:
    for palette in (LIGHT, DARK):
        by_colour: dict[str, list[str]] = {}
        for field in fields(Palette):
            by_colour.setdefault(getattr(palette, field.name), []).append(field.name)
        # What has the colour of something else is said where that is.
        assert all(sum(name in COLOUR_MEANINGS for name in names) == 1 for names in by_colour.values())
    assert set(COLOUR_MEANINGS) < {field.name for field in fields(Palette)}


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    parts = [one / 255 for one in rgb(colour)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("palette", "page"), [(LIGHT, "#FFFFFF"), (DARK, "#1A1B1D")])
def test_curves_in_order_are_told_apart_without_colour_and_seen_on_the_page(
    palette: Palette, page: str
) -> None:
    """Their luminance goes one way, which nobody's eyes turn round; 3 to 1 is what WCAG 2.2 asks of lines (1.4.11)."""
    for n in range(1, 9):
        found = steps_of_order(n, palette)
        assert len(set(found)) == n
        shades = [luminance(one) for one in found]
        assert shades == sorted(shades, reverse=palette is DARK)
        for shade in shades:
            high, low = sorted((shade, luminance(page)), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 3


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_neighbours_among_six_curves_in_order_differ_in_lightness_cie_1976(palette: Palette) -> None:
    """Six k-gaps stand in one figure. A lightness of CIE 1976 goes from 0 to 100; one step of it is just seen, five at a glance."""
    lightness = [116 * luminance(one) ** (1 / 3) - 16 for one in steps_of_order(6, palette)]
    assert all(abs(one - other) >= 5 for one, other in pairwise(lightness))
