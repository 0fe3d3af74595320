"""Which file of a release a steward is told to count with: by hand, where the noisy total of a week gives back less than it may be off."""

from types import SimpleNamespace

from privlab.ui.publish.made_releases import _which_file

# 95 of 100 draws of a total's noise stay within 1.96 · 9600/4 = 4,704 trips.
MECHANISM = {"scale": 9600.0, "total_units_per_trip": 4}


def said_of(*trips: int) -> str:
    weeks = ("2026-03-02", "2026-03-09")
    totals = {week: {"trips": one, "counted": 1000} for week, one in zip(weeks, trips, strict=True)}
    return _which_file(SimpleNamespace(certificate={"mechanism": MECHANISM, "totals": totals}))


def test_the_weeks_in_which_a_total_is_of_no_use_are_named() -> None:
    said = said_of(9000, 5704)
    assert said.startswith("To count with: the column unbiased_count of estimates.csv")
    assert said.endswith(
        "In the week of 2026-03-09 take release.csv: the noisy total gives back no more there than it may be off itself."
    )
    assert "In the week of" not in said_of(9000, 5705)
    assert said_of(5704, 1000).startswith("To count with: release.csv. The noisy total gives back no more")
