"""The command audit on a file: stable names, exit codes, refusals in one sentence."""

import json
from pathlib import Path

import pytest

from tests.command_line import Answer, Run

KEYS = {
    "pipeline", "zones", "week", "product", "says", "mechanism", "parameters", "convicted", "promised_epsilon", "promised_delta",
    "promised_accuracy", "epsilon_lower", "levels", "people_added", "canaries", "tests", "notes", "seed",
}  # fmt: skip


def words_of(path: Path, *more: object) -> tuple[object, ...]:
    usual = ("--week", "2026-03-02", "--zones", "column", "--ids", "number", "--cells", "discovered")
    return (
        "audit",
        "--pipeline",
        path,
        *usual,
        "--epsilon",
        4,
        "--max-trips-per-user",
        2,
        "--threshold",
        6,
        *more,
    )


def test_a_file_passes_by_its_names_and_the_same_seed_says_the_same(answer: Answer, world_csv: Path) -> None:
    words = words_of(world_csv, "--trials", 200, "--level", 0.999999, "--json")
    once, twice = (answer(*words) for _ in range(2))
    assert set(once) == KEYS
    assert once["convicted"] is False
    assert once["promised_epsilon"] == 4
    names = [one["canary"] for one in once["canaries"]]
    assert [one["canary"] for one in once["tests"]] == [name for name in names for _ in range(3)]
    assert {one["test"] for one in once["tests"]} == {"fixed", "accuracy", "rates"}
    assert all(
        one["others_moved"] == 0 and one["trips_read"] == one["trips_written"] > 0 for one in once["canaries"]
    )
    assert once == twice


def test_a_broken_way_ends_with_code_1(cli: Run, world_csv: Path) -> None:
    code, printed, _ = cli(*words_of(world_csv, "--trials", 300, "--mechanism", "half-the-noise", "--json"))
    assert code == 1
    found = json.loads(printed)
    assert (found["mechanism"], found["convicted"]) == ("half-the-noise", True)
    assert found["says"].startswith("Caught. A test for someone added to the file")


def test_gaussian_noise_as_it_runs_passes_and_its_broken_twins_do_not(cli: Run) -> None:
    """An honest one is convicted once in a million runs; twice the promised distance practically always."""
    usual = ("--max-trips-per-user", 4, "--trials", 8_000, "--level", 0.999999, "--json")
    for mechanism, convicted in (
        ("gaussian", 0),
        ("gaussian-half-sigma", 1),
        ("gaussian-norm-not-rooted", 1),
    ):
        code, printed, _ = cli("audit", "--mechanism", mechanism, "--delta", 1e-5, *usual)
        found = json.loads(printed)
        assert (code, found["convicted"], found["proven_delta"]) == (convicted, bool(convicted), 1e-5)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("audit", "--mechanism", "gaussian-norm-not-rooted"), "max_trips_per_user must be at least 2 with mechanism"),
        (("audit", "--mechanism", "half-scale", "--delta", 0.1), "delta goes with Gaussian noise: leave it out"),
        (("audit",), "mechanism must be given, or a file with --pipeline"),
        (("audit", "--mechanism", "half-scale", "--week", "2026-03-02"), "week goes with a file: add --pipeline"),
        (("audit", "--mechanism", "half-scale", "--unbiased"), "unbiased goes with a file: add --pipeline"),
        (("audit", "--pipeline", "WORLD"), "week must be given with --pipeline"),
        (("audit", "--pipeline", "WORLD", "--week", "2026-03-02", "--product", "people"), "product must be one of"),
        (("audit", "--pipeline", "WORLD", "--week", "2026-03-02", "--levels", "blocks:2"), "levels must be left out with noise integer"),
        (("audit", "--mechanism", "half-scale", "--levels", "blocks:2"), "levels goes with a file: add --pipeline"),
        (("audit", "--pipeline", "WORLD", "--week", "2026-03-02", "--mechanism", "shared-noise"), "pipeline must be one of"),
        (("audit", "--pipeline", "WORLD", "--week", "2026-03-02", "--zones", "column"), "ids must be number or text"),
        (
            ("audit", "--pipeline", "WORLD", "--week", "2026-03-02", "--percentile", 95, "--ids", "number"),
            "percentile and sample_users must be left out",
        ),
    ],
)  # fmt: skip
def test_refusals_iv(words: tuple[object, ...], says: str, answer: Answer, world_csv: Path) -> None:
    assert says in answer(*(world_csv if one == "WORLD" else one for one in words), fails=True)
