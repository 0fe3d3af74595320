"""How a file is laid out: delimiter, header, and the layouts that others publish.

Uses files.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.layouts.file_form import (
        ISO,
        FileForm,
    )
    from privlab.datasets.layouts.known_layouts import (
        AUTO,
        FORMATS,
        HEADERLESS,
        KNOWN,
        TABLE,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "AUTO",
    "FORMATS",
    "HEADERLESS",
    "ISO",
    "KNOWN",
    "TABLE",
    "FileForm",
]
