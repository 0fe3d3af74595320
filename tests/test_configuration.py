"""The configuration that the lab is delivered with: only this machine, no telemetry, forged requests refused, packages pinned."""

import importlib.util
import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from streamlit import config

from bench.licences import installed
from privlab.limits import MAX_UPLOAD_MB

ROOT = Path(__file__).parents[1]
CONFIGURATION = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def test_only_this_machine_is_served_and_nobody_is_told() -> None:
    assert CONFIGURATION["server"]["address"] == "127.0.0.1"
    assert CONFIGURATION["browser"]["gatherUsageStats"] is False
    assert CONFIGURATION["server"]["allowedHosts"] == ["localhost", "127.0.0.1"]
    assert CONFIGURATION["client"]["showErrorDetails"] in ("type", "none")


def test_tables_have_no_download_without_a_mark_issue_16() -> None:
    assert CONFIGURATION["client"]["disableDataExport"] is True


def test_as_much_may_be_uploaded_as_the_lab_takes_in_issue_15() -> None:
    """Streamlit's limit is the lab's; a proxy before it adds what wraps a file on its way."""
    assert CONFIGURATION["server"]["maxUploadSize"] == MAX_UPLOAD_MB
    proxy = re.search(
        r"client_max_body_size (\d+)m;", (ROOT / "team" / "nginx.conf").read_text(encoding="utf-8")
    )
    assert proxy is not None
    assert MAX_UPLOAD_MB < int(proxy[1]) <= MAX_UPLOAD_MB + 20


def test_protections_that_are_on_by_default_are_left_on() -> None:
    for name in ("server.enableXsrfProtection", "server.enableCORS"):
        assert config.get_option(name) is True
        assert name.split(".")[1] not in CONFIGURATION["server"]
    assert config.get_option("server.enableAgentApi") is False
    assert "enableAgentApi" not in CONFIGURATION["server"]


LOCKED = (
    "requirements",
    "requirements-spark",
    "requirements-postgres",
    "requirements-login",
    "requirements-dev",
)


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.sub(r"\[.*\]", "", name)).lower()


def pins(file: str) -> dict[str, str]:
    """Packages that a file names with their versions, those of the files it refers to included."""
    found: dict[str, str] = {}
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found |= pins(line.removeprefix("-r "))
        elif match := re.match(r"([A-Za-z0-9._\[\]-]+)==([^ ;\\]+)", line):
            found[plain(match[1])] = match[2]
    return found


def test_every_package_is_pinned_in_the_version_that_is_tested() -> None:
    tested = {plain(name): package.version for name, package in installed().items()}
    assert tested.items() <= pins("requirements.txt").items()


def test_the_list_of_licences_names_every_package() -> None:
    rows = Path("docs/licences.md").read_text("utf-8").partition("|---|")[2].splitlines()[1:]
    assert [row.split("|")[1].strip() for row in rows if row] == list(installed()), (
        "run python -m bench.licences > docs/licences.md"
    )


def test_the_locked_lists_are_those_of_what_is_asked_for() -> None:
    brought = pins("constraints.txt")
    for name in LOCKED:
        asked, locked = pins(f"{name}.in"), pins(f"{name}.txt")
        assert asked.items() <= locked.items(), f"{name}: run make lock"
        assert locked.items() <= (asked | brought).items(), f"{name}: name the rest in constraints.txt"


def test_every_locked_package_has_the_digests_of_its_files_and_no_place_it_comes_from() -> None:
    for name in LOCKED:
        text = (ROOT / f"{name}.txt").read_text(encoding="utf-8")
        packages = re.split(r"\n(?=[a-z])", re.sub(r"(?m)^#.*\n", "", text))
        assert len(packages) == len(pins(f"{name}.txt")) > 50
        for package in packages:
            first, *digests = package.replace("\\\n", "\n").split("\n")
            assert re.fullmatch(
                r"[a-z0-9.-]+==[0-9a-z.]+( ; [a-z_]+ [!=>]= '[A-Za-z0-9.]+'( and [a-z_]+ [!=>]= '[A-Za-z0-9.]+')*)? *",
                first,
            ), first
            digests = [line.strip() for line in digests if line.strip()]
            assert digests, first
            assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in digests), first


def test_all_ways_to_install_ask_for_the_digests() -> None:
    lines = [
        line
        for file in ("README.md", "Makefile", "docs/scale.md")
        for line in (ROOT / file).read_text(encoding="utf-8").splitlines()
        if "install" in line and "requirements" in line and "-r " in line
    ]
    assert len(lines) == 7
    assert all("--require-hashes" in line for line in lines)


def requirements_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("requirements_tool", ROOT / ".ci" / "requirements.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_newer_versions_are_asked_for_but_for_those_that_are_held() -> None:
    tool = requirements_tool()
    text = (ROOT / "requirements.in").read_text(encoding="utf-8")
    asked = tool.unpinned_from_text(text)
    held = [line for line in asked.splitlines() if "==" in line]
    assert held
    assert all("# held: " in line for line in held)
    assert "\nstreamlit\n" in asked
    assert "\nibis-framework[duckdb]\n" in asked


def test_versions_that_were_resolved_are_pinned(tmp_path: Path) -> None:
    """The lists as they are lead to themselves; one package that moved moves where it is named and nowhere else."""
    tool = requirements_tool()
    for name in (*(f"{one}.in" for one in tool.LISTS), "constraints.txt"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    resolved = tmp_path / "resolved"
    resolved.mkdir()
    for one in tool.LISTS:
        text = (ROOT / f"{one}.txt").read_text(encoding="utf-8")
        (resolved / f"{one}.txt").write_text(text, encoding="utf-8")
    assert tool.repin(resolved, tmp_path) == []
    for name in (*(f"{one}.in" for one in tool.LISTS), "constraints.txt"):
        assert tool.versions_from_text((tmp_path / name).read_text()) == tool.versions_from_text(
            (ROOT / name).read_text()
        )
    for one in tool.LISTS:
        path = resolved / f"{one}.txt"
        path.write_text(re.sub(r"(?m)^(numpy|anyio)==[^ ]+", r"\1==99.1", path.read_text()))
    moved = tool.repin(resolved, tmp_path)
    assert [line.partition(":")[0] for line in moved] == ["anyio", "numpy"]
    assert "numpy==99.1\n" in (tmp_path / "requirements.in").read_text()
    assert "anyio==99.1\n" in (tmp_path / "constraints.txt").read_text()
    two = "numpy==2.4.6 ; python_full_version < '3.12'\nnumpy==2.10.5 ; python_full_version >= '3.12'\n"
    assert tool.versions_from_text(two) == {"numpy": "2.4.6"}  # one version must fit all


def test_a_python_that_the_packages_are_not_built_for_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """README says from which Python to which; the one before and the one after are told so, and how to name another."""
    said = re.search(r"needs Python 3\.(\d+) to 3\.(\d+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert said is not None
    oldest, newest = int(said[1]), int(said[2])
    for minor, fits in ((oldest - 1, False), (oldest, True), (newest, True), (newest + 1, False)):
        monkeypatch.setattr(sys, "version_info", (3, minor, 0, "final", 0))
        if fits:
            runpy.run_path(str(ROOT / ".ci" / "python_version.py"))
            continue
        with pytest.raises(
            SystemExit, match=rf"Python 3\.{oldest} to 3\.{newest}; this is .* make run PYTHON="
        ):
            runpy.run_path(str(ROOT / ".ci" / "python_version.py"))
    assert "$(PYTHON) .ci/python_version.py" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_a_port_is_asked_for_where_one_is_named_alone() -> None:
    """Without one Streamlit takes 8501, or the next that is free; one that is named and taken ends it."""

    # Without what a `make` that runs these tests tells the next one, and without a port of whoever runs them.
    outside = {name: value for name, value in os.environ.items() if "MAKE" not in name and name != "PORT"}

    def last_line(*words: str) -> str:
        command = ["make", "-n", "--no-print-directory", "run", *words]
        done = subprocess.run(command, cwd=ROOT, env=outside, check=True, capture_output=True, text=True)
        return done.stdout.splitlines()[-1]

    assert last_line().split()[-2:] == ["run", "app.py"]
    assert last_line("PORT=8600").endswith("run app.py --server.port 8600")
