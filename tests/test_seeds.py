"""Named streams: the same for the same name and seed, unrelated otherwise."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from privlab.limits import MAX_SEED
from privlab.seeds import generator


@given(st.integers(0, MAX_SEED), st.text(max_size=20))
def test_same_stream_same_draws(seed, stream):
    assert np.array_equal(generator(seed, stream).random(5), generator(seed, stream).random(5))


@given(st.tuples(st.integers(0, 50), st.text(max_size=4)), st.tuples(st.integers(0, 50), st.text(max_size=4)))
def test_other_stream_other_draws(one, other):
    if one != other:
        assert generator(*one).random() != generator(*other).random()


def test_draws_do_not_depend_on_the_process():
    program = "from privlab.seeds import generator; print(generator(7, 'noise').integers(0, 2**62))"
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": salt},
        ).stdout
        for salt in ("0", "1")
    }
    assert seen == {f"{generator(7, 'noise').integers(0, 2**62)}\n"}


@pytest.mark.parametrize(("one", "other"), [((1, "a"), (1, "b")), ((1, "a"), (2, "a")), ((0, ""), (1, ""))])
def test_streams_are_uncorrelated_against_theory(one, other):
    a, b = generator(*one).random(20_000), generator(*other).random(20_000)
    assert scipy.stats.pearsonr(a, b).pvalue > 1e-6
    assert scipy.stats.kstest(a, "uniform").pvalue > 1e-6
