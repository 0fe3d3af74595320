"""How a file is written, settled before a row of it is looked at.

The lab guesses all of this, from the rows if need be, and is mostly right. A secure release may guess
nothing from rows: one person's row could then change how everybody else's are read.
"""

from dataclasses import dataclass

from privlab.checks import ParameterError, require_choice
from privlab.datasets.columns.ids import ID_KINDS
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.files.delimiters import DELIMITERS
from privlab.datasets.layouts.known_layouts import FORMATS, HEADERLESS, TABLE

ISO = "iso"  # a time format: ISO 8601, with or without an offset, each row by itself
ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileForm:
    """What must be known of a file so that each of its rows can be read by itself.

    `format` is one of `FORMATS` but "auto". `delimiter` is None for what the header line shows; a table
    without a header needs one. `mapping` names the columns; its `time_format`, None for `ISO` where times
    are text. `ids` says what the file's own zone ids are, "number" or "text"; None where zones are cut
    from coordinates. Users are text always.
    """

    mapping: ColumnMapping
    format: str = TABLE
    delimiter: str | None = None
    encoding: str = "utf-8"
    ids: str | None = None

    def __post_init__(self) -> None:
        """Check every field. Raises ParameterError."""
        require_choice("format", self.format, tuple(name for name in FORMATS if name != "auto"))
        if self.delimiter is not None or self.format == HEADERLESS:
            _require_delimiter(self.delimiter)
        require_choice("encoding", self.encoding, ENCODINGS)
        if self.ids is not None:
            require_choice("ids", self.ids, ID_KINDS)


def _require_delimiter(delimiter: str | None) -> None:
    if delimiter is None or delimiter not in DELIMITERS:
        raise ParameterError(
            "delimiter must be named for a table without a header, and be a comma, semicolon, tab or bar, got "
            f"{delimiter!r}."
        )
