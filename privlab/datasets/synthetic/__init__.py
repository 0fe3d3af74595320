"""The samples, made from a seed: a city, commuters, cabs, subscribers. All invented.

Uses datasets' records.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.synthetic.sample_files import (
        write_sample,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "write_sample",
]
