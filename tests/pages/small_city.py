"""A city small enough to be released in a moment: the sample's first people, under the sample's own name."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from privlab.datasets.catalog import FOLDER, SAMPLES
from privlab.kept.kept_places import CACHE_VARIABLE
from privlab.ui import derived
from privlab.ui.state import forget_sample, sample_job

N_PEOPLE = 20_000
# A release of so few people at ε = 0.5 holds some fifty flows with counts of 200 and more, all of them true.
THRESHOLD = "200"


@contextmanager
def small_city(folder: Path) -> Iterator[None]:
    """Have the sample `city` be its first people only, in all pages of this process, and nowhere else."""
    whole, few = SAMPLES["city"], folder / "city.parquet"
    pq.write_table(pq.read_table(FOLDER / whole.file, filters=[("user_id", "<", N_PEOPLE)]), few)
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(SAMPLES, "city", replace(whole, file=str(few)))
        patched.setenv(CACHE_VARIABLE, str(folder / "cache"))
        patched.setattr(derived, "_worked_out", {})  # nor what was found out about it
        forget_sample("city")
        sample_job("city").result(timeout=900)
        yield
    forget_sample("city")
