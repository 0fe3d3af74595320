"""The least threshold that keeps made-up cells rare: by hand, the share of all that are published."""

from privlab.limits import MAX_THRESHOLD
from privlab.od.planning.rare_thresholds import least_rare_threshold


def test_the_least_threshold_by_hand() -> None:
    """Of 100 empty cells 100/τ are published beside 90 true ones: at τ = 10 ten of a hundred, and at 8 or 9 more than a tenth."""
    found = least_rare_threshold(
        100, 0.1, empty_passes=lambda threshold: 1 / threshold, expected_kept=lambda _: 90.0, at_least=8.0
    )
    assert found == (10, 10.0)


def test_none_where_no_threshold_keeps_them_rare() -> None:
    asked: list[int] = []

    def always(threshold: int) -> float:
        asked.append(threshold)
        return 1.0

    found = least_rare_threshold(100, 0.1, empty_passes=always, expected_kept=lambda _: 90.0, at_least=5.0)
    assert found is None
    assert asked[-1] == MAX_THRESHOLD  # the largest was tried too
