"""The exhibit of what other noise, clips and a total leave of the flows for the same promise, step by step."""

from privlab.dp.promise import delta_words
from privlab.figures.drawing import LIGHT
from privlab.figures.planning import (
    mechanisms_figure,
    mechanisms_in_words,
    mechanisms_rows,
    no_mechanism_in_words,
)
from privlab.limits import MIN_EPSILON
from privlab.od.combining import CombinationRequest, best_combination
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material, unmarked
from privlab.reports.exhibits.exhibits_od import week_of_view
from privlab.reports.exhibits.simulated_releases import PLANNED_DELTA
from privlab.reports.report_plan import View


def _mechanisms(material: Material, view: View) -> Content:
    """With the option `use` the promise is the least that leaves so many per cent; else `epsilon`, or that of the part's release."""
    use = view.option("use")
    min_utility = None if use is None else float(use) / 100
    request = CombinationRequest(
        epsilon=MIN_EPSILON if use is not None else float(view.option("ε", view.release.epsilon)),
        delta=PLANNED_DELTA,
        tolerance=float(view.option("tolerance", 0.1)),
        max_made_up=float(view.option("false_flows", 0.01)),
    )
    week = week_of_view(material.trips(), view)
    steps = material.best_releases(request, week=week, group_size=view.group_size, min_utility=min_utility)
    if best_combination(steps) is None:
        return Content(sentence=no_mechanism_in_words(min_utility, max_made_up=request.max_made_up))
    words = mechanisms_in_words(steps, tolerance=request.tolerance)
    return Content(
        sentence=f"{unmarked(words)} Expected of the true counts of the week of {week}, not drawn. Gaussian noise promises ε at "
        f"δ = {delta_words(PLANNED_DELTA)}. What a total gives back, what agrees with sums of districts, and what is smoothed stand beside the "
        "noisy counts.",
        figure=mechanisms_figure(steps, LIGHT, tolerance=request.tolerance),
        rows=mechanisms_rows(steps, tolerance=request.tolerance),
    )


EXHIBITS = (
    Exhibit(
        name="mechanisms",
        title="The same promise, step by step",
        page="plan",
        discloses=True,
        make=_mechanisms,
        says_its_plan=True,
    ),
)
