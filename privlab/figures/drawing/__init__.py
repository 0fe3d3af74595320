"""What all figures share: colours, titles, meanings, names of lines, marks of true data, and their files.

Uses the ground floor only.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.figures.drawing.how_to_read import (
        MEANINGS,
    )
    from privlab.figures.drawing.html import (
        Figure,
        html_from_figure,
        picture_options,
    )
    from privlab.figures.drawing.numbers_of_figure import (
        csv_from_figure,
    )
    from privlab.figures.drawing.palette import (
        COLOUR_MEANINGS,
        LIGHT,
        Palette,
        palette_for,
    )
    from privlab.figures.drawing.titles import (
        TITLES,
        enlarge,
        room_for_title,
        rules_without_parameters,
        set_title,
    )
    from privlab.figures.drawing.true_data_marks import (
        MARK,
        holds_true_data,
        marked_csv,
        marked_name,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "COLOUR_MEANINGS",
    "LIGHT",
    "MARK",
    "MEANINGS",
    "TITLES",
    "Figure",
    "Palette",
    "csv_from_figure",
    "enlarge",
    "holds_true_data",
    "html_from_figure",
    "marked_csv",
    "marked_name",
    "palette_for",
    "picture_options",
    "room_for_title",
    "rules_without_parameters",
    "set_title",
]
