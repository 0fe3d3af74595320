"""Which file of a release a steward is told to count with: by hand, where a week's noisy total gives back less than noise may."""

from types import SimpleNamespace

from privlab.ui.publish.made_releases import _which_file

# 95 of 100 draws of the noise of a total less that of the sum of six counts stay within 1.96 · √((9600/4)² + 6 · 9.38²) = 4,704.1 trips.
MECHANISM = {"scale": 9600.0, "total_units_per_trip": 4}


def said_of(*trips: int, n_zones: int = 3) -> str:
    weeks = ("2026-03-02", "2026-03-09")
    totals = {week: {"trips": one, "counted": 1000} for week, one in zip(weeks, trips, strict=True)}
    zones = {"public": list(range(n_zones))}
    certificate = {"mechanism": MECHANISM, "totals": totals, "zones": zones, "parameters": {}}
    return _which_file(SimpleNamespace(certificate=certificate))


def test_the_weeks_in_which_a_total_is_of_no_use_are_named() -> None:
    said = said_of(9000, 5704)
    assert said.startswith("To count with: the column unbiased_count of estimates.csv")
    assert said.endswith(
        "In the week of 2026-03-09 take release.csv: the noisy total gives back no more there than noise may."
    )
    assert "In the week of" in said_of(9000, 5705)
    assert "In the week of" not in said_of(9000, 5706)
    assert said_of(5704, 1000).startswith("To count with: release.csv. The noisy total gives back no more")


def test_of_many_zones_it_is_the_sum_of_all_noisy_counts_that_may_be_off() -> None:
    """600 zones have 359,400 flows: the noise of their sum is 1.96 · √359,400 · 9.38 = 11,021, with the total's 11,983 trips."""
    assert said_of(12_983, 12_983, n_zones=600).startswith("To count with: release.csv.")
    assert said_of(13_000, 13_000, n_zones=600).startswith("To count with: the column unbiased_count")
