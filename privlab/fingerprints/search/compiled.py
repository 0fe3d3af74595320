"""How inner loops are compiled: without the interpreter's lock, and kept on disk where that is allowed.

Threads of this program run them side by side; numba's own threads are not used, since two visitors'
searches at once would end the process. A kernel calls kernels of its own file only: code kept on disk
does not notice changes in other files.
"""

from collections.abc import Callable
from typing import Any

import numba

from privlab.datasets.engines import unpacked

Kernel = Callable[..., Any]


def kernel(function: Kernel) -> Kernel:
    """Return the compiled function.

    Its machine code is kept beside the source or, where that cannot be written, in the user's cache
    folder (or NUMBA_CACHE_DIR); where nothing can be written, it is compiled anew by every process. Workers of a cluster
    are sent what is kept beside the source.
    """
    function = unpacked(function)
    try:
        compiled: Kernel = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    except RuntimeError:  # no place for the cache
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled
