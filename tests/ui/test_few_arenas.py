"""The heaps of a process with many threads, counted by the C library itself."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from privlab.ui.serving import use_few_arenas

ROOT = Path(__file__).parents[2]
# Nine threads at a time ask for memory too small to be had from the system by itself; malloc_info(3) then lists the heaps.
_HEAPS = """
import ctypes, sys, threading
{before}
library, together = ctypes.CDLL(None), threading.Barrier(9)
library.malloc.restype = ctypes.c_void_p
def work():
    together.wait()
    library.malloc(ctypes.c_size_t(5000))
    together.wait()
threads = [threading.Thread(target=work) for _ in range(9)]
for one in threads: one.start()
for one in threads: one.join()
library.fopen.restype = ctypes.c_void_p
file = library.fopen(sys.argv[1].encode(), b"w")
library.malloc_info(0, ctypes.c_void_p(file))
library.fclose(ctypes.c_void_p(file))
"""
LIMITED = "from privlab.ui.serving import use_few_arenas; use_few_arenas()"
on_glibc = platform.libc_ver()[0] == "glibc"


def n_heaps(tmp_path: Path, before: str, **environment: str) -> int:
    told = tmp_path / "heaps.xml"
    chosen = ("MALLOC_ARENA_MAX", "GLIBC_TUNABLES")  # by whoever runs the tests
    inherited = {name: value for name, value in os.environ.items() if name not in chosen}
    subprocess.run(
        [sys.executable, "-c", _HEAPS.format(before=before), str(told)],
        cwd=ROOT,
        env=inherited | environment,
        check=True,
    )
    return told.read_text(encoding="ascii").count("<heap nr=")


def test_threads_share_two_heaps(tmp_path: Path) -> None:
    """Each has its own otherwise, as far as eight for each core go. Another C library than Linux's is left as it is."""
    if not on_glibc:
        assert not use_few_arenas()
        return
    assert n_heaps(tmp_path, "") > 4
    assert n_heaps(tmp_path, LIMITED) == 2


def test_what_an_operator_has_chosen_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MALLOC_ARENA_MAX", "4")
    assert not use_few_arenas()
    if on_glibc:
        assert n_heaps(tmp_path, LIMITED, MALLOC_ARENA_MAX="4") == 4


def test_the_server_does_so_before_it_has_threads() -> None:
    """Those that are there keep the heap that they have."""
    words = (ROOT / "app.py").read_text(encoding="utf-8")
    assert words.index("\nuse_few_arenas()") < words.index("\nloading.begin()")
