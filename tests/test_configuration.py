"""The configuration that the lab is delivered with: only this machine, no telemetry, forged requests refused, packages pinned."""

import re
import tomllib
from pathlib import Path

from streamlit import config

from bench.licences import installed

ROOT = Path(__file__).parents[1]
CONFIGURATION = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def test_only_this_machine_is_served_and_nobody_is_told() -> None:
    assert CONFIGURATION["server"]["address"] == "127.0.0.1"
    assert CONFIGURATION["browser"]["gatherUsageStats"] is False
    assert CONFIGURATION["server"]["allowedHosts"] == ["localhost", "127.0.0.1"]
    assert CONFIGURATION["client"]["showErrorDetails"] in ("type", "none")


def test_protections_that_are_on_by_default_are_left_on() -> None:
    for name in ("server.enableXsrfProtection", "server.enableCORS"):
        assert config.get_option(name) is True
        assert name.split(".")[1] not in CONFIGURATION["server"]
    assert config.get_option("server.enableAgentApi") is False
    assert "enableAgentApi" not in CONFIGURATION["server"]


def test_every_package_is_pinned_in_the_version_that_is_tested() -> None:
    lines = [
        line.split("==")
        for name in ("requirements.txt", "constraints.txt")
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
        if "==" in line
    ]
    pinned = {re.sub(r"\[.*\]", "", name).lower(): version for name, version in lines}
    assert {name: package.version for name, package in installed().items()}.items() <= pinned.items()
