"""What a certificate says of the model: counts that go both ways alike, by hand, and as earlier versions said it."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from privlab.od.products import FLOWS
from privlab.od.releases import SecureReleaseParameters, published_variance
from privlab.od.smoothing import ModelSums, margins_of_cells
from privlab.releases.writing.model_files import (
    PublishedModel,
    model_as_record,
    model_from_certificate,
    smoothed_cells,
    sums_follow,
)

N, WEEK, SCALE = 40, "2026-03-02", 2.0
PARAMETERS = SecureReleaseParameters(epsilon=1.0, max_trips_per_user=2, threshold=0)


def both_ways() -> tuple[pa.Table, np.ndarray]:
    """Return a release without threshold in which as many go as come back, but for a little, and its counts in order."""
    rng = np.random.default_rng(2)
    counts = rng.lognormal(5, 0.5, (N, N))
    counts = np.rint((counts + counts.T) / 2 + rng.normal(0, 3, (N, N))).astype(np.int64)
    cells = FLOWS.all_cells(N)
    origin, destination = np.divmod(cells, N)
    count = counts[origin, destination]
    table = pa.table(
        {"week": [WEEK] * cells.size, "origin": origin, "destination": destination, "count": count}
    )
    return table, count


def model_of(count: np.ndarray) -> PublishedModel:
    margins = margins_of_cells(FLOWS, N, None)
    told = ModelSums.from_noisy_counts(count, margins, published_variance("integer", SCALE))
    return PublishedModel(zones=tuple(range(N)), positions=None, weeks={WEEK: told})


def test_a_model_goes_through_a_certificate_and_what_earlier_ones_left_out_is_not_asked_for() -> None:
    table, count = both_ways()
    model = model_of(count)
    assert model.weeks[WEEK].alike > 0.9
    certificate = {"model": model_as_record(model), "zones": {"public": list(range(N))}}
    read = model_from_certificate(certificate)
    assert read is not None
    assert read.weeks == model.weeks
    assert sums_follow(table, read, PARAMETERS, SCALE)
    other = replace(model, weeks={WEEK: replace(model.weeks[WEEK], alike=0.5)})
    assert not sums_follow(table, other, PARAMETERS, SCALE)
    # An earlier version said nothing of flows back: that is no fault, and each flow stands by itself.
    del certificate["model"]["weeks"][WEEK]["alike"]
    earlier = model_from_certificate(certificate)
    assert earlier is not None
    assert earlier.weeks[WEEK].alike == 0
    assert sums_follow(table, earlier, PARAMETERS, SCALE)
    apart, together = (smoothed_cells(table, one, PARAMETERS, SCALE) for one in (earlier, read))
    assert not np.allclose(apart, together)


def test_published_cells_are_smoothed_by_those_that_are_published() -> None:
    """Of two flows between the same zones one is kept back: the other is smoothed as if it went one way only."""
    table, count = both_ways()
    model = model_of(count)
    one_way = replace(model, weeks={WEEK: replace(model.weeks[WEEK], alike=0.0)})
    kept = np.arange(1, count.size)  # all but 0 → 1
    rest = table.take(pa.array(kept))
    found = smoothed_cells(rest, model, PARAMETERS, SCALE)
    back = np.flatnonzero((rest["origin"].to_numpy() == 1) & (rest["destination"].to_numpy() == 0))
    np.testing.assert_allclose(found[back], smoothed_cells(rest, one_way, PARAMETERS, SCALE)[back])
    others = np.delete(np.arange(kept.size), back)
    np.testing.assert_allclose(found[others], smoothed_cells(table, model, PARAMETERS, SCALE)[kept][others])


def test_each_week_is_smoothed_by_itself() -> None:
    """Two weeks in one release, the second with three times the trips: each as if it had been released alone."""
    table, count = both_ways()
    later = table.set_column(0, "week", pa.array(["2026-03-09"] * count.size))
    later = later.set_column(3, "count", pa.array(3 * count))
    first, second = model_of(count), model_of(3 * count)
    second = replace(second, weeks={"2026-03-09": second.weeks[WEEK]})
    both = replace(first, weeks={**first.weeks, **second.weeks})
    found = smoothed_cells(pa.concat_tables([table, later]), both, PARAMETERS, SCALE)
    alone = [
        smoothed_cells(one, model, PARAMETERS, SCALE) for one, model in ((table, first), (later, second))
    ]
    np.testing.assert_allclose(found, np.concatenate(alone))
    assert found[count.size :].mean() > 2 * found[: count.size].mean()
