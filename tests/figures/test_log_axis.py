"""Marks of a logarithmic axis: within it, rising, enough of them, and each written as the number it stands at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privlab.figures.drawing.log_axis import log_axis


@given(st.floats(-6, 6), st.floats(0.35, 6))
def test_marks_are_within_and_say_where_they_are(begin: float, decades: float) -> None:
    low, high = 10.0**begin, 10.0 ** (begin + decades)
    axis = log_axis("trips", low, high)
    marks = axis["tickvals"]
    assert all(low * 0.999 <= one <= high * 1.001 for one in marks)
    assert marks == sorted(marks)
    assert 2 <= len(marks) <= 7
    assert [float(one.replace(",", "")) for one in axis["ticktext"]] == pytest.approx(marks)
