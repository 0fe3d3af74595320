"""How inner loops are compiled: without the interpreter's lock, and kept on disk where that is allowed.

Threads of this program run them side by side; numba's own threads are not used, since two visitors'
searches at once would end the process. A kernel calls kernels of its own file only: code kept on disk
does not notice changes in other files.
"""

from collections.abc import Callable
from typing import Any

from privlab.datasets.engines import compiled

Kernel = Callable[..., Any]


def kernel(function: Kernel) -> Kernel:
    """Return the compiled function."""
    return compiled(function, error_model="numpy")
