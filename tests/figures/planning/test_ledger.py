"""A year of releases in words: the way that leaves most is named, by noise alone only where use is not known. Figures by hand."""

import math
from pathlib import Path

from privlab.dp.composing import WeeklyNoise
from privlab.figures.drawing import csv_from_figure, palette_for
from privlab.figures.planning import account_figure, year_in_words
from privlab.releases.ledger import Ledger


def week(noise: str, adding: str, deviation: float, bound: int) -> WeeklyNoise:
    return WeeklyNoise(
        noise=noise,
        adding=adding,
        epsilon=math.sqrt(2) * bound / deviation if noise == "integer" else 0.25,
        deviation=deviation,
        total_epsilon=2.0,
        delta=1e-6,
        weeks=52,
        max_trips_per_user=bound,
    )


NOISES = (
    week("integer", "sum", 1103.09, 30),
    week("integer", "concentrated", 133.028, 30),
    week("integer", "together", 120.0, 30),
    week("gaussian", "concentrated", 94.0653, 3),
)


def test_a_year_is_said_by_what_it_leaves() -> None:
    said = year_in_words(NOISES, (0.003, 0.022, 0.9, 0.015))
    assert (
        "each week has integer noise of up to ±282 trips in 95 of 100 flows, under a limit of 30 trips"
        in said
    )
    assert "instead of ±2,337 (a limit of 30 trips) with ε added to ε." in said
    assert (
        "expected to leave 2.2% of all trips in flows within 10% of the truth, where ε added to ε leaves 0.3%."
        in said
    )


def test_without_use_the_least_noise_is_said() -> None:
    said = year_in_words(NOISES)
    assert "Gaussian noise of up to ±184 trips in 95 of 100 flows, under a limit of 3 trips" in said
    assert "expected to leave" not in said


def test_where_no_week_can_have_so_little_that_is_said_with_what_to_do() -> None:
    said = "No week can have so little of it. Allow a larger ε for all weeks, or fewer weeks."
    assert year_in_words(()) == said
    assert year_in_words(NOISES[2:3]) == said  # worked out together: no ledger keeps to it


def test_where_only_the_plain_sum_is_left_its_noise_is_said() -> None:
    said = year_in_words(NOISES[:1], (0.003,))
    assert (
        "each week has integer noise of up to ±2,337 trips in 95 of 100 flows, under a limit of 30 trips"
        in said
    )
    assert "with ρ added to ρ a week's ε would be too small to release with." in said
    assert said.endswith(
        "**Nothing useful is left in any week**: less than 1% of all trips in flows within 10% of the truth."
    )


def test_one_trip_is_no_trips() -> None:
    both = year_in_words((week("integer", "sum", 36.7, 1), week("gaussian", "concentrated", 30.0, 1)))
    assert "under a limit of 1 trip of a person and week" in both
    assert "(a limit of 1 trip) with ε added to ε" in both
    alone = year_in_words((week("integer", "sum", 36.7, 1),))
    assert "under a limit of 1 trip of a person and week, with ε added to ε" in alone


def test_where_no_plain_sum_is_possible_that_is_said() -> None:
    said = year_in_words(NOISES[1:2], (0.5,))
    assert "with ε added to ε a week's ε would be too small to release with" in said
    assert said.endswith("leave 50.0% of all trips in flows within 10% of the truth.")


def test_the_numbers_of_the_bar_of_an_account_name_each_release_and_its_epsilon(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    for epsilon in (0.5, 2.0):
        ledger.reserve_budget("a", epsilon=epsilon, delta=0.0, what="")
    account = ledger.account("a")
    first, second = (entry.made for entry in account.entries)
    figure = account_figure(account, palette_for(False), next_epsilon=0.25)
    legend = figure.layout.legend  # its two lines on a telephone stand clear of the title above
    assert (legend.yref, legend.yanchor, legend.y) == ("container", "bottom", 0)
    assert csv_from_figure(figure).decode().splitlines() == [
        'what,release,made (UTC),"ε, spent by one user"',
        f"spent,1,{first},0.5",
        f"spent,2,{second},2.0",
        "one more release would add,,,0.25",
    ]
