"""Samples on disk: what comes back is what went in, to the bit; what is damaged, foreign or of other code is made anew."""

import dataclasses
import logging
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privlab
from privlab.datasets import catalog
from privlab.datasets.engines.workspace import Workspace
from privlab.fingerprints.measures import StudyParameters, what_if_from_fingerprints
from privlab.kept import samples
from privlab.kept.kept_places import CACHE_VARIABLE, cache_folder
from privlab.kept.samples import kept_sample
from privlab.lab.fingerprints import kgap_study_from_fingerprints
from privlab.lab.loading.load import fingerprints_from_rows, sample_rows, traces_from_rows
from privlab.od.trips.prepared_trips import PreparedTrips, prepared_trips_from_dataset
from privlab.progress import UNHEARD


@pytest.fixture(scope="module")
def prepared() -> PreparedTrips:
    with Workspace() as workspace:
        return prepared_trips_from_dataset(*sample_rows("subscribers", workspace), seed=1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


class Making:
    """Something that is made, and how often."""

    def __init__(self, made: Any) -> None:
        self.made, self.times = made, 0

    def __call__(self) -> Any:
        self.times += 1
        return self.made


def same(one: Any, other: Any) -> bool:
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype) and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if dataclasses.is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one))
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@pytest.mark.parametrize("what", ["trips", "fingerprints", "traces", "kgap", "person"])
def test_what_was_kept_comes_back_to_the_bit(folder: Path, prepared: PreparedTrips, what: str) -> None:
    made: Any = prepared
    if what != "trips":
        making: Callable[..., Any] = traces_from_rows if what == "traces" else fingerprints_from_rows
        with Workspace() as workspace:
            made = making(*sample_rows("subscribers", workspace), UNHEARD)
    if what == "kgap":
        made = kgap_study_from_fingerprints(made, StudyParameters(n_query=5))
    if what == "person":
        made = what_if_from_fingerprints(made, 3, k=2)
    making_once = Making(made)
    assert kept_sample("subscribers", what, making_once) is made
    again = kept_sample("subscribers", what, making_once)
    assert making_once.times == 1
    assert again is not made
    assert same(again, made)
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def damaged(file: Path, how: str) -> None:
    content = bytearray(file.read_bytes())
    match how:
        case "one bit":
            content[len(content) // 2] ^= 1
        case "cut off":
            del content[-100:]
        case "empty":
            content.clear()
        case "another program's":
            content[:] = pickle.dumps({"key": "x"})
    file.write_bytes(content)
    if how == "open to others":
        file.chmod(0o644)
    if how == "open to a group":
        file.chmod(0o640)
    if how == "a link":
        file.rename(file.with_name("elsewhere"))
        file.symlink_to(file.with_name("elsewhere"))


@pytest.mark.parametrize(
    "how", ["one bit", "cut off", "empty", "another program's", "open to others", "open to a group", "a link"]
)
def test_what_is_damaged_or_foreign_is_made_anew(
    folder: Path, prepared: PreparedTrips, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    making = Making(prepared)
    kept_sample("subscribers", "trips", making)
    (file,) = folder.glob("*.sample")
    damaged(file, how)
    with caplog.at_level(logging.WARNING):
        assert same(kept_sample("subscribers", "trips", making), prepared)
    assert making.times == 2
    assert "is made anew" in caplog.text
    assert same(kept_sample("subscribers", "trips", making), prepared)
    assert making.times == 2
    assert file.stat().st_mode & 0o777 == 0o600
    assert not file.is_symlink()


@pytest.mark.parametrize(("name", "what"), [("cabs", "trips"), ("subscribers", "traces")])
def test_another_s_file_under_this_name_is_made_anew(
    folder: Path, prepared: PreparedTrips, name: str, what: str
) -> None:
    """A file is bound to its sample and to what it is of it: renamed, it is no other's."""
    kept_sample(name, what, Making(prepared))
    (file,) = folder.glob("*.sample")
    making = Making(prepared)
    kept_sample("subscribers", "trips", making)
    wanted = next(folder.glob("trips-subscribers-*"))
    os.replace(file, wanted)
    kept_sample("subscribers", "trips", making)
    assert making.times == 2


def test_other_code_or_another_sample_makes_it_anew_and_takes_the_old_away(
    folder: Path, prepared: PreparedTrips, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    making = Making(prepared)
    kept_sample("subscribers", "trips", making)
    monkeypatch.setattr(samples, "_versions", lambda: "other")
    kept_sample("subscribers", "trips", making)
    assert making.times == 2
    content = (catalog.FOLDER / "subscribers.parquet").read_bytes()
    (tmp_path / "subscribers.parquet").write_bytes(content + b"x")
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    kept_sample("subscribers", "trips", making)
    assert making.times == 3
    assert len(list(folder.iterdir())) == 1


def test_what_another_user_wrote_is_not_read(
    folder: Path, prepared: PreparedTrips, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may write into the folder could put a file of his own there, for its owner alone as ours are."""
    kept_sample("subscribers", "trips", Making(prepared))
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    making = Making(prepared)
    kept_sample("subscribers", "trips", making)
    assert making.times == 1


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the program's files, which the cache takes for the program: they may be changed."""
    root = tmp_path / "program" / "privlab"
    shutil.copytree(Path(privlab.__file__).parent, root, ignore=_no_code)
    monkeypatch.setattr(privlab, "__file__", str(root / "__init__.py"))
    monkeypatch.setattr(samples, "__file__", str(root / "kept" / "samples.py"))
    samples._versions.cache_clear()
    yield root
    samples._versions.cache_clear()


def _no_code(at: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".py") and not (Path(at) / name).is_dir()]


@pytest.mark.parametrize(
    ("changed", "anew"),
    [
        ("stats.py", True),
        ("datasets/cleaning/cleaning_steps.py", True),
        ("dp/gaussian/__init__.py", True),
        ("od/trips/prepared_trips.py", True),
        ("aggregates/traces.py", True),
        ("fingerprints/measures/kgap.py", True),
        ("lab/loading/load.py", True),
        ("kept/samples.py", True),
        ("ui/main.py", False),  # what only shows it
    ],
)
def test_a_change_of_the_code_that_makes_a_sample_makes_it_anew(
    folder: Path, program: Path, changed: str, anew: bool
) -> None:
    making = Making([1, 2, 3])
    kept_sample("subscribers", "trips", making)
    kept_sample("subscribers", "trips", making)
    assert making.times == 1
    with (program / changed).open("a") as file:
        file.write("# changed\n")
    samples._versions.cache_clear()  # the program is started again
    kept_sample("subscribers", "trips", making)
    assert making.times == 1 + anew


@pytest.mark.parametrize("library", ["numpy", "duckdb", "h3", "python"])
def test_another_library_or_python_makes_it_anew(
    folder: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    making = Making([1, 2, 3])
    kept_sample("subscribers", "trips", making)
    if library == "python":
        monkeypatch.setattr(sys, "version", "9.9")
    monkeypatch.setattr(samples, "version", lambda one: "9.9" if one == library else version(one))
    samples._versions.cache_clear()
    kept_sample("subscribers", "trips", making)
    samples._versions.cache_clear()
    assert making.times == 2


def test_it_can_be_switched_off_and_does_without_a_folder_to_write_to(
    tmp_path: Path, prepared: PreparedTrips, monkeypatch: pytest.MonkeyPatch
) -> None:
    making = Making(prepared)
    monkeypatch.setenv(CACHE_VARIABLE, "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    kept_sample("subscribers", "trips", making)
    kept_sample("subscribers", "trips", making)
    assert making.times == 2
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    assert kept_sample("subscribers", "trips", making) is prepared
    monkeypatch.delenv(CACHE_VARIABLE)
    assert cache_folder() == tmp_path / "user" / "privlab"


def test_what_no_file_can_hold_is_not_kept(folder: Path) -> None:
    making = Making({"code": print})
    kept_sample("subscribers", "trips", making)
    kept_sample("subscribers", "trips", making)
    assert making.times == 2
    assert not folder.exists() or list(folder.iterdir()) == []
