"""Every colour has one meaning that a reader can look up, on light and on dark pages."""

from dataclasses import fields

from privlab.figures.drawing.palette import COLOUR_MEANINGS, DARK, LIGHT, Palette


def test_every_colour_has_a_meaning() -> None:
    for palette in (LIGHT, DARK):
        by_colour: dict[str, list[str]] = {}
        for field in fields(Palette):
            by_colour.setdefault(getattr(palette, field.name), []).append(field.name)
        # What has the colour of something else is said where that is.
        assert all(sum(name in COLOUR_MEANINGS for name in names) == 1 for names in by_colour.values())
    assert set(COLOUR_MEANINGS) < {field.name for field in fields(Palette)}
