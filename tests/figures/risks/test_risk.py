"""The claimed bound in the figure of the risks: its name stands above the bars, and inside the figure."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.risks.risk import risk_histogram


@pytest.mark.parametrize(("claimed", "side"), [(0.66, "left"), (0.9, "right")])
def test_the_claimed_bound_is_named_clear_of_the_bars(claimed: float, side: str) -> None:
    risks: Any = SimpleNamespace(accuracy=np.array([0.7, 0.8]), claimed_bound=claimed)
    (name,) = risk_histogram(risks, LIGHT).layout.annotations
    assert (name.yanchor, name.xanchor) == ("bottom", side)
