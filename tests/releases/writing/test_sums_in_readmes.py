"""What README.txt says of sums, of missing rows and of reading its files, against the law of the noise drawn and added up here."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from privlab.od import product_of
from privlab.od.smoothing import ModelSums, margins_of_cells
from privlab.releases.writing.readme_files import readme_from_certificate
from tests.releases.writing.test_readme_files import certificate_of, words_of

SCALE = 40  # of the noise of the release of test_secure_files: 2 trips, ε = 0.05


def said_of(certificate: dict[str, Any]) -> str:
    return words_of(readme_from_certificate(certificate, with_zones=False))


def law() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """P(x) ∝ e^(−|x|/40) of all whole numbers that matter."""
    x = np.arange(-2000, 2001)
    chance = np.exp(-np.abs(x) / SCALE)
    return x, chance / chance.sum()


def number_in(words: str, pattern: str) -> int:
    found = re.search(pattern, words)
    assert found is not None, pattern
    return int(found[1].replace(",", ""))


def test_how_large_a_flow_is_that_is_hardly_ever_missing_by_enumeration(tmp_path: Path) -> None:
    said = said_of(certificate_of(tmp_path))
    assert "need not be one of nobody" in said
    seen = number_in(said, r"Where ([\d,]+) or more were counted that happens to one flow in 40 at the most")
    x, chance = law()
    assert chance[seen + x < 50].sum() <= 1 / 40
    assert chance[seen - 3 + x < 50].sum() > 1 / 40 * 0.9  # and it is no idle number


def test_sums_of_all_noisy_counts_are_moved_as_it_says_by_adding_up_the_law(tmp_path: Path) -> None:
    """Three zones: each origin's sum is of two flows, and what noise moves it by is the law of one folded with that of the other."""
    certificate = certificate_of(tmp_path)
    said = said_of(certificate)
    assert "model, weeks, sums: of each origin and, in the next list, of each destination" in said
    off = number_in(said, r"Noise moves each by at most ([\d,]+) in 95 of 100")
    _, chance = law()
    two = np.convolve(chance, chance)
    x = np.arange(two.size) - two.size // 2
    assert 0.95 <= two[np.abs(x) <= off].sum() < 0.97
    sums = certificate["model"]["weeks"]["2026-03-02"]["sums"]
    assert [len(one) for one in sums] == [3, 3]


def test_small_counts_add_up_to_too_much_and_smoothed_ones_to_far_less_by_simulation(tmp_path: Path) -> None:
    """A country of 60 zones whose flows are products of two sizes: of most of them the threshold shows what noise lifted."""
    rng = np.random.default_rng(3)
    product, n_zones, threshold = product_of("flows"), 60, 200
    (origin, destination), _ = product.ends_and_slot(product.all_cells(n_zones), n_zones)
    sizes = rng.lognormal(0, 1, (2, n_zones))
    true = rng.poisson(40 * sizes[0][origin] * sizes[1][destination])
    margins = margins_of_cells(product, n_zones, None)
    x, chance = law()
    variance = float((x**2 * chance).sum())
    width = int(np.abs(x)[np.cumsum(chance) >= 0.975][0])
    by_count, by_smoothed = [], []
    for _ in range(20):
        noisy = true + rng.choice(x, true.size, p=chance)
        published = noisy >= threshold
        told = ModelSums.from_noisy_counts(noisy, margins, variance)
        smoothed = told.smoothed(np.where(published, noisy, np.nan), margins, variance)
        usual = width * math.sqrt(published.sum())
        by_count.append((noisy - true)[published].sum() / usual)
        by_smoothed.append((smoothed - true)[published].sum() / usual)
    assert min(by_count) > 2  # whoever goes by the square root is wrong each time, and always the same way
    assert np.abs(by_smoothed).mean() < np.mean(by_count) / 2  # “most of this”
    said = said_of(certificate_of(tmp_path))
    assert (
        "near 50 the file has those that noise lifted, and in a sum over many of them it does not cancel out"
        in said
    )
    assert "add up smoothed_count instead, which takes most of this away" in said


def test_smoothed_counts_are_not_offered_where_no_model_takes_away_what_noise_lifts(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path, zones__public=None)
    del certificate["model"]
    said = said_of(certificate)
    assert "does not cancel out" in said
    assert "smoothed_count instead" not in said
    assert "of each origin and" not in said


def test_sums_of_visits_are_by_zone_and_by_hour_and_their_noise_by_how_many_are_added_up(
    tmp_path: Path,
) -> None:
    """Three zones: 168 counts in the sum of each, and three in that of each hour; ±120 for one."""
    certificate = certificate_of(tmp_path, parameters__product="visits")
    width = certificate["utility"]["noise_half_width_95"]
    said = said_of(certificate)
    assert "each of the 168 hours of the week, from Monday 0:00 on" in said
    off = (
        number_in(said, r"those of zones by at most ([\d,]+), of hours"),
        number_in(said, r"of hours by ([\d,]+) in 95"),
    )
    assert off == (math.ceil(width * math.sqrt(168)), math.ceil(width * math.sqrt(3)))


def test_without_a_threshold_noise_chooses_nothing(tmp_path: Path) -> None:
    said = said_of(certificate_of(tmp_path, parameters__threshold=0))
    assert "For the sum of n flows the noise grows by the square root of n" in said
    assert "cancel out" not in said


@pytest.mark.parametrize(
    ("zones", "text", "quote"),
    [([1, 2, 3], False, False), (["007", "1-2"], True, False), (["-5", "7"], True, True)],
)
def test_what_a_spreadsheet_does_to_names_is_said_where_it_does_it(
    zones: list[Any], text: bool, quote: bool, tmp_path: Path
) -> None:
    said = said_of(certificate_of(tmp_path, zones__public=zones))
    assert "with a comma between columns, a point before decimals, and days as year-month-day" in said
    assert ("007 loses its zeros, 1-2 becomes a day" in said) is text
    assert ("has one more ' before it" in said) is quote


def test_districts_by_number_are_text_too(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path)
    certificate["mechanism"]["level_units_per_trip"] = [256]
    certificate["levels"] = {
        "divisions": [{"name": "blocks:2", "of": ["1-1", "1-2", "2-1"], "sums": {"2026-03-02": {}}}]
    }
    assert "1-2 becomes a day" in said_of(certificate)


def test_it_says_how_to_cite_a_release_and_whom_to_ask(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path)
    signed = certificate["signature"]["value"][:16]
    said = said_of(certificate).partition("HOW TO CITE IT")[2]
    assert f"Release of {certificate['made'][:10]}, made with privlab" in said
    assert f"signature {signed}.”" in said
    assert "ask whoever you have them from" in said
    certificate["said_by_publisher"] = {"publisher": "City of N, data@n.example"}
    said = said_of(certificate).partition("HOW TO CITE IT")[2]
    assert (
        "“City of N, data@n.example: people from zone to zone, by week, with noise. Week of 2026-03-02."
        in said
    )
    assert "ask whoever" not in said


def test_counts_that_a_total_multiplies_are_off_by_its_noise_and_by_that_of_the_sum_below_it_by_simulation(
    tmp_path: Path,
) -> None:
    """Two districts of 30 zones each, σ 20 trips; a total with a noise of 120. The sum of all 3,540 noisy counts has a noise of 1,190.

    What agrees between levels is nearly the noisy sum of a pair of districts, times the total over the sum of all.
    """
    rng = np.random.default_rng(8)
    sigma, n_zones, n_draws = 20.0, 60, 4000
    n_cells = n_zones * (n_zones - 1)
    all_counted, of_pair, total = 60_000.0, 24_000.0, 66_000.0
    certificate = certificate_of(
        tmp_path, utility__noise_half_width_95=40, zones__public=list(range(n_zones))
    )
    certificate["parameters"] |= {
        "noise": "gaussian",
        "clip": "l2",
        "delta": 1e-6,
        "total_share": 0.03,
        "levels": 1,
    }
    scale = sigma * 1024
    certificate["mechanism"] = {
        "scale": scale,
        "total_units_per_trip": scale / 120,
        "level_units_per_trip": [256],
    }
    certificate["totals"] = {"2026-03-02": {"trips": int(total), "counted": int(all_counted)}}
    certificate["levels"] = {
        "divisions": [{"name": "side", "of": ["N"] * 30 + ["S"] * 30, "sums": {"2026-03-02": {}}}]
    }
    said = said_of(certificate)
    found = re.search(
        r"multiplied by, .*? by at most ([\d.]+)% in the week of 2026-03-02: a sum of unbiased counts", said
    )
    assert found is not None
    part = float(found[1]) / 100
    width = number_in(said, r"noisy_count by at most ±([\d,]+) for side")
    assert "and by the part of itself that this number is off by" in said
    ratio = (total + rng.normal(0, 120, n_draws)) / (
        all_counted + rng.normal(0, sigma * math.sqrt(n_cells), n_draws)
    )
    agreed = (of_pair + rng.normal(0, 4 * sigma, n_draws)) * ratio
    truth = of_pair * total / all_counted
    by_noise = width * total / all_counted
    assert (np.abs(agreed - truth) <= by_noise).mean() < 0.5  # all that was said before
    assert (np.abs(agreed - truth) <= by_noise + part * truth).mean() >= 0.95
    assert 0.94 <= (np.abs(ratio - total / all_counted) <= part * total / all_counted).mean() <= 0.97
