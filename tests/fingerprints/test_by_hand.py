"""The example of three people against hand."""

from privlab.fingerprints.by_hand import table_by_hand
from privlab.fingerprints.levels import Level

FINE, MIDDLE, COARSE = Level(0.1, 1), Level(5, 120), Level(20, 480)


def test_two_of_three_agree_at_the_least_cost_found_by_hand_issue_17() -> None:
    # A and B: within 0–5 km and 8–10 h, within 10–15, 5–10 km and 14–16 h; in the evening 4.4 and 8.2 km east lie on both
    # sides of 5 km, and share only 0–20 km and 16–24 h.
    assert not any(table_by_hand((MIDDLE, MIDDLE, MIDDLE)).alike.values())
    assert not any(table_by_hand((FINE, MIDDLE, COARSE)).alike.values())
    found = table_by_hand((MIDDLE, MIDDLE, COARSE))
    assert found.alike == {"A": ("B",), "B": ("A",), "C": ()}
    assert (found.mean_km, found.mean_min) == (10, 240)  # (5 + 5 + 20)/3 km, (120 + 120 + 480)/3 min
    # C leaves at 6:30, in the third of the day before that of 8:12: no level at hand hides C.
    assert table_by_hand((COARSE, COARSE, COARSE)).alike["C"] == ()


def test_cells_are_cut_at_tenths_of_a_kilometre_against_hand_issue_17() -> None:
    table = table_by_hand((FINE, MIDDLE, COARSE))
    assert table.cells["A"] == ((2.1, 3.4, 492), (10.0, 5.0, 840), (0.0, 0.0, 960))
