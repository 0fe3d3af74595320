"""Complaints: what passes, what does not, and the exact sentence."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privlab.checks import (
    BoundViolation,
    DataError,
    ParameterError,
    require_between,
    require_choice,
    require_whole,
)

NO_NUMBERS = [None, "0.66", "abc", "", True, False, [1], (1,), {}, 1j, b"1", object()]


@pytest.mark.parametrize(
    "value", [1, 1.0, np.float32(1), np.int64(1), np.float64(1), Fraction(1), Decimal(1), np.array(1.0)]
)
def test_every_kind_of_number_passes_as_float_or_int(value):
    assert type(require_between("x", value, 0, 2)) is float
    assert type(require_whole("x", value, 0, 2)) is int
    assert require_between("x", value, 1, 1) == require_whole("x", value, 1, 1) == 1


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_between_against_theory(value, a, b):
    low, high = min(a, b), max(a, b)
    if low <= value <= high:
        assert require_between("x", value, low, high) == value
    else:
        with pytest.raises(ParameterError, match=r"^x must be between .* and .*, got .*\.$"):
            require_between("x", value, low, high)


@given(st.floats(-50, 50) | st.integers(-50, 50))
def test_whole_against_theory(value):
    if value == int(value) and -10 <= value <= 10:
        assert require_whole("n", value, -10, 10) == value
    else:
        with pytest.raises(ParameterError, match=r"^n must be (a whole number|between -10 and 10), got "):
            require_whole("n", value, -10, 10)


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_no_number_iv(value):
    for require in (require_between, require_whole):
        with pytest.raises(ParameterError, match=r"^epsilon must be a number, got .*\.$"):
            require("epsilon", value, 0, 20)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan"), Decimal("NaN")])
def test_not_finite_iv(value):
    for require in (require_between, require_whole):
        with pytest.raises(ParameterError, match=r"^epsilon must be a finite number, got .*\.$"):
            require("epsilon", value, 0, 20)


@pytest.mark.parametrize(
    "value", [10**400, -(10**400), 10**5000, Decimal("1e400")], ids=["400", "-400", "5000", "d"]
)
def test_number_beyond_float_iv(value):
    for require in (require_between, require_whole):
        with pytest.raises(ParameterError, match=r"^epsilon must be "):
            require("epsilon", value, 0, 20)


@pytest.mark.parametrize(
    "value", [np.array([1.0, 2.0]), np.array([]), np.str_("abc"), np.bool_(True)], ids=repr
)
def test_numpy_that_is_no_number_iv(value):
    for require in (require_between, require_whole):
        with pytest.raises(ParameterError, match=r"^epsilon must be "):
            require("epsilon", value, 0, 20)


def test_exact_sentences_iv():
    for call, words in (
        (lambda: require_between("epsilon", 21, 0.01, 20), "epsilon must be between 0.01 and 20, got 21."),
        (lambda: require_whole("max_trips", 2.5, 0, 1000), "max_trips must be a whole number, got 2.5."),
        (
            lambda: require_whole("max_trips", 5000, 0, 1000),
            "max_trips must be between 0 and 1,000, got 5,000.",
        ),
        (lambda: require_choice("noise", "x", ("a", "b")), "noise must be one of a, b, got 'x'."),
    ):
        with pytest.raises(ParameterError) as caught:
            call()
        assert str(caught.value) == words


def test_choice():
    assert require_choice("noise", "a", ("a", "b")) == "a"
    with pytest.raises(ParameterError, match=r"^noise must be one of a, b, got None\.$"):
        require_choice("noise", None, ("a", "b"))


def test_kinds_of_errors():
    assert issubclass(ParameterError, ValueError)
    assert issubclass(DataError, ValueError)
    assert issubclass(BoundViolation, AssertionError)
    error = DataError("words", row=3, column="lat")
    assert (str(error), error.row, error.column) == ("words", 3, "lat")
