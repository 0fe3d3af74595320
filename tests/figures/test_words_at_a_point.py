"""What a chart says at the point that is pointed at: a number of things is grammar for 1 too."""

import re
from pathlib import Path

import pytest

FIGURES = Path(__file__).parents[2] / "privlab" / "figures"
# A value of the chart and right after it a word in the plural: of one trip it would read “1 unique trips”.
COUNTED = re.compile(
    r"%\{+[^{}]*\}+ (?:unique )?(?:flows|games|groups|people|places|records|samples|targets|trips|users|visits|weeks|zones)\b"
)


@pytest.mark.parametrize("path", sorted(FIGURES.rglob("*.py")), ids=lambda path: path.name)
def test_no_number_of_a_chart_stands_before_a_word_in_the_plural_issue_17(path: Path) -> None:
    assert COUNTED.findall(path.read_text()) == []


def test_what_the_rule_must_see_it_sees() -> None:
    assert COUNTED.search("%{x} unique trips: %{y:.1%}")
    assert COUNTED.search("%{{y:,}} people")
    assert not COUNTED.search("unique trips %{x}: %{y:.1%} of all trips")
