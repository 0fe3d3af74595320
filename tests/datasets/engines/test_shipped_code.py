"""What a worker of a cluster imports from the archive needs no compiler, and leaves nothing behind; in a process like a worker's."""

import os
import subprocess
import sys
from pathlib import Path

import privlab
from privlab.datasets.engines import shipped_code
from privlab.fingerprints.search.compiled import kernel

# A package of one kernel that stands for privlab: compiling it takes a moment, not ten seconds.
_SOURCE = """
from privlab.fingerprints.search.compiled import kernel

def _twice(number):
    return 2 * number

twice = kernel(_twice)
"""
_WORKER = """
import sys
sys.path[:0] = sys.argv[1:]
from made_up.inner.doubling import twice
assert twice(21) == 42
print(sum(twice.stats.cache_hits.values()), sum(twice.stats.cache_misses.values()), twice.stats.cache_path)
"""


def worked(folder: Path, *paths: Path) -> tuple[int, int, str]:
    """Return how often a process with these paths found compiled code, how often it compiled, and where code is kept."""
    done = subprocess.run(
        [sys.executable, "-c", _WORKER, *map(str, paths), str(Path(privlab.__file__).parents[1])],
        env=os.environ | {"XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    hits, misses, place = done.stdout.split(maxsplit=2)
    return int(hits), int(misses), place.strip()


def test_a_worker_takes_what_was_compiled_here_and_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    inner = tmp_path / "source" / "made_up" / "inner"
    inner.mkdir(parents=True)
    for file in (inner / "__init__.py", inner.parent / "__init__.py"):
        file.touch()
    (inner / "doubling.py").write_text(_SOURCE)
    assert worked(tmp_path, tmp_path / "source") == (0, 1, str(inner / "__pycache__"))
    monkeypatch.setattr(shipped_code, "_PACKAGE", inner.parent)
    workers = [tmp_path / name for name in ("worker-1", "worker-2")]
    for folder, has_code in zip(workers, (True, False), strict=True):
        folder.mkdir()
        program = folder / "privlab.zip"
        shipped_code.write_program(program)
        if has_code:
            shipped_code.write_compiled(program)
        there = str(program.with_suffix(".unpacked") / "made_up" / "inner" / "__pycache__")
        assert worked(tmp_path, program) == (int(has_code), int(not has_code), there)
        assert worked(tmp_path, program) == (1, 0, there)  # another process of the same worker
        assert {one.name for one in folder.iterdir()} <= {
            "privlab.zip", "privlab.compiled", "privlab.unpacked",
        }  # fmt: skip
    assert not (tmp_path / "cache").exists()


def test_where_nothing_can_be_unpacked_the_function_stays_as_it_is(tmp_path: Path) -> None:
    archive = tmp_path / "privlab.zip"
    archive.write_bytes(b"no archive")
    (tmp_path / "privlab.unpacked").write_text("a file where the folder would be")

    def thrice(number: int) -> int:
        return 3 * number

    inside = str(archive / "made_up" / "thrice.py")
    thrice.__code__ = thrice.__code__.replace(co_filename=inside)
    assert shipped_code.unpacked(thrice).__code__.co_filename == inside


def test_a_function_of_a_file_stays_as_it_is() -> None:
    code = kernel.__code__
    assert shipped_code.unpacked(kernel).__code__ is code
