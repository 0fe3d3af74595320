"""Every option of every command with absurd values, and certificates changed at random: one sentence, no traceback."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from privlab.checks import DataError
from privlab.cli.main import app
from privlab.releases.ledger.ledger import LEDGER_VARIABLE
from privlab.releases.reading.verification import verification_from_certificate
from privlab.reports.report_plan import ReportPlan, json_from_report_plan
from tests.command_line import Ended, Run
from tests.json_parts import changed, places

ABSURD = ("", "nan", "-inf", "-1", "1e999", "9" * 30, "\u202e10", "a\x01b", "x" * 3_000)
# What each command needs; the option that is tried is given last, and wins.
NEEDED: dict[str, tuple[object, ...]] = {
    "generate": ("cabs", "--users", 5, "--out", "OUT.parquet"),
    "describe": ("WORLD",),
    "attack-curve": ("--epsilon", 1, "--max-trips", 3),
    "cell-attack": ("--epsilon", 1, "--threshold", 10, "--counts", "100"),
    "certainty": ("--epsilon", 1, "--trips", 3),
    "triangle": ("TIMELINE",),
    "od": ("WORLD", "--out", "OUT"),
    "guarantee": ("--epsilon", 1),
    "practice": (),
    "risk": ("WORLD",),
    "judge": ("WORLD",),
    "audit": ("--mechanism", "laplace", "--trials", 100),
    "plan": ("WORLD", "--max-accuracy", 0.9, "--min-utility", 0.1),
    "release": ("WORLD", "--out", "OUT", "--epsilon", 1, "--max-trips-per-user", 2, "--week", "2026-03-02"),
    "verify": (),
    "kgap": ("WORLD",),
    "link": ("WORLD",),
    "unicity": ("WORLD", "--draws", 10),
    "glove": ("WORLD", "--out", "OUT"),
    "game": ("WORLD", "--targets", 1, "--group-size", 1),
    "recover": ("WORLD", "--users", 2, "--days", 1),
    "report": ("PLAN", "--out", "OUT.html"),
    "handout": ("--out", "OUT.html"),
    "health": (),
}
# Said the same way by all commands: tried with one that reads and does little else.
READING = {
    "--format", "--column", "--time-format", "--timezone", "--recorded-in", "--join", "--join-on", "--first-day",
    "--last-day", "--bounding-box", "--percentile", "--max-speed", "--every-min", "--min-records", "--sample-users",
}  # fmt: skip
GROUP: Any = typer.main.get_command(app)


def options(command: str) -> list[str]:
    found = [
        parameter.opts[0]
        for parameter in GROUP.commands[command].params
        if parameter.opts[0].startswith("--") and not parameter.is_flag
    ]
    return [name for name in found if command == "describe" or name not in READING]


def test_all_commands_are_tried() -> None:
    assert set(NEEDED) | {"ledger"} == set(GROUP.commands)


TIMELINE = (
    b'{"locations": [{"latitudeE7": 0, "longitudeE7": 0, "timestamp": "2026-03-02T08:00:00Z"},'
    b'{"latitudeE7": 10000000, "longitudeE7": 0, "timestamp": "2026-03-02T09:00:00Z"}]}'
)


def honest(result: Ended, words: tuple[object, ...]) -> None:
    """Check that a command answered, or failed with code 2 and one sentence."""
    code, out, err = result
    assert code in (0, 2) or (code == 1 and words[0] in ("plan", "health")), (
        words,
        out,
        err,
    )  # 1: nothing satisfies both
    assert "Traceback" not in out + err, (words, err)
    if code == 2:
        assert err.strip(), words
        assert len(err) < 800, (words, err)


@pytest.mark.parametrize("command", NEEDED)
def test_absurd_values_of_every_option_iv(
    command: str, cli: Run, world_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "ledger.sqlite"))
    monkeypatch.setenv("PRIVLAB_RUNS", str(tmp_path / "runs.sqlite"))
    monkeypatch.chdir(tmp_path)
    named = {"WORLD": world_csv, "OUT": tmp_path / "out", "PLAN": tmp_path / "plan.json"}
    named |= {f"OUT.{kind}": tmp_path / f"out.{kind}" for kind in ("parquet", "html")}
    named["TIMELINE"] = tmp_path / "Timeline.json"
    named["TIMELINE"].write_bytes(TIMELINE)
    named["PLAN"].write_text(json_from_report_plan(ReportPlan(title="nothing")), encoding="utf-8")
    needed = [named.get(str(word), word) for word in NEEDED[command]]
    for turn, option in enumerate(options(command)):
        for value in (ABSURD[turn % len(ABSURD)], ABSURD[(turn + 4) % len(ABSURD)]):
            words = (command, *needed, option, value)
            honest(cli(*words), words)


def test_absurd_ledgers_iv(cli: Run, world_csv: Path) -> None:
    for value in ABSURD[1:]:
        for words in (
            ("ledger", "show", "--ledger", f"/dev/null/{value}"),
            ("ledger", "set-budget", world_csv, "--epsilon", value, "--ledger", f"/dev/null/{value}"),
            ("ledger", "set-limit", "--epsilon", value, "--ledger", f"/dev/null/{value}"),
            ("ledger", "check", "--head", value, "--ledger", f"/dev/null/{value}"),
            ("ledger", "export", "--out", value, "--ledger", f"/dev/null/{value}"),
            ("ledger", "show", "--ledger", f"postgresql://{value}"),
            ("ledger", "rename", "cards", value, "--ledger", f"/dev/null/{value}"),
            ("ledger", "merge", value, "cards", "--ledger", f"/dev/null/{value}"),
        ):
            code, out, err = cli(*words)
            assert code == 2 or (code, words[1]) == (0, "show")
            assert "Traceback" not in out + err
            assert err.count("\n") <= 1


def test_absurd_files_iv(cli: Run, tmp_path: Path) -> None:
    for command in ("describe", "verify", "kgap"):
        for path in (tmp_path, tmp_path / "none", tmp_path / ("x" * 300), "\u202ea", "a\x01b", ""):
            words = (command, path)
            honest(cli(*words), words)


@pytest.fixture
def certificate(cli: Run, tmp_path: Path) -> Path:
    """Return a sound certificate beside its release."""
    rows = [
        (f"u{n}", f"2026-03-02 {hour:02d}:05", 44.1 + n % 3 / 2, 8.1 + hour % 3 / 2)
        for n in range(9)
        for hour in range(6, 12)
    ]
    data = tmp_path / "records.csv"
    pd.DataFrame(rows, columns=["user", "time", "lat", "lon"]).to_csv(data, index=False)
    words = (
        *("release", data, "--out", tmp_path / "released", "--epsilon", 1, "--max-trips-per-user", 2),
        *("--zones", "box:44,8,46,10:3x3", "--week", "2026-03-02", "--ledger", tmp_path / "ledger.sqlite"),
        *("--accept-made-up", "a drill"),  # nothing reaches the threshold
    )
    code, _, err = cli(*words)
    assert code == 0, err
    return tmp_path / "released" / "certificate.json"


JSON = some.recursive(
    some.none() | some.booleans() | some.floats() | some.text(max_size=4) | some.integers(),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


def test_a_changed_certificate_is_refused_or_a_check_fails(certificate: Path) -> None:
    sound = json.loads(certificate.read_text(encoding="utf-8"))
    assert verification_from_certificate(certificate).holds

    @settings(
        max_examples=150,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(some.sampled_from(places(sound)), JSON)
    def tried(path: tuple[Any, ...], to: Any) -> None:
        text = json.dumps(changed(sound, path, to))
        certificate.write_text(text, encoding="utf-8")
        complaint = ""
        try:
            assert all(
                isinstance(check.holds, bool) for check in verification_from_certificate(certificate).checks
            )
        except DataError as error:
            complaint = str(error)
        assert "\n" not in complaint

    tried()


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"[" * 100_000, b"{}", b"null", b'{"a": NaN}', b"9" * 5_000]
)
def test_a_certificate_that_is_none_iv(content: bytes, certificate: Path, cli: Run) -> None:
    certificate.write_bytes(content)
    code, out, err = cli("verify", certificate)
    assert code in (1, 2)
    assert "Traceback" not in out + err
