"""Memory that sessions leave is used by those that come after them.

By itself the C library of Linux gives each new thread a heap of its own, up to eight for each core, and memory that is free in one is of no use
to the others: every run of a page is a thread. A server grew with each fifteen sessions that came and went, though nothing of them was left
(docs/reliability.md, "Sessions that come and go").
"""

import ctypes
import os

_M_ARENA_MAX, _FEW = -8, 2  # the first is a constant of malloc.h
_CHOSEN = ("MALLOC_ARENA_MAX", "GLIBC_TUNABLES")


def use_few_arenas() -> bool:
    """Have all threads that come share two heaps; return whether that is so now.

    Not where an operator has chosen otherwise, or the C library knows no such thing. A library that brings its own memory, as the database
    does, is not touched; nor is a process that the server starts.
    """
    if any(name in os.environ for name in _CHOSEN):
        return False
    try:
        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018 - another C library has another mallopt, or none
        return bool(library.mallopt(_M_ARENA_MAX, _FEW))
    except (AttributeError, OSError, TypeError):  # no such function; Windows has no library without a name
        return False
