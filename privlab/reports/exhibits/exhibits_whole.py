"""Exhibits of a report that is put together by one button, around those of a release: data, wishes, plan, limits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from privlab.checks import DataError
from privlab.defaults import CLOSE, MOST_PEOPLE
from privlab.dp.promise import chance_beyond_promise, delta_words
from privlab.figures.drawing import LIGHT
from privlab.figures.planning import (
    mechanisms_figure,
    mechanisms_in_words,
    mechanisms_rows,
    no_mechanism_in_words,
    plan_figure,
)
from privlab.figures.wording import people, words
from privlab.limits import MIN_EPSILON
from privlab.od import ONE_PERSON, UniqueTrips
from privlab.od.combining import CombinationRequest, best_combination, planned_points_from_unique_trips
from privlab.od.planning import MECHANISM_NAMES, USUAL_WISHES, PlanRequest, advice_from_points
from privlab.od.trips import funnel_rows
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material, unmarked
from privlab.reports.exhibits.exhibits_od import of_people, week_of_view
from privlab.reports.exhibits.simulated_releases import PLANNED_DELTA, delta_of_view, gaussian_promise
from privlab.reports.report_plan import ReleasesTogether, View

WISHES = (
    "max_accuracy",
    "min_utility",
    "tolerance",
    "max_made_up",
    "weeks",
    "max_certainty",
    "max_cases",
    "cells",
    "noise",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What limits a promise: its δ, the weeks it covers, and what its maker has accepted in words.

    `chance` is how often at most the loss of someone who is in exceeds the ε of all weeks, where that is not δ itself: with
    Gaussian noise, NaN where it is not known.
    """

    delta: float
    n_weeks: int
    accepted: tuple[str, ...]
    bounded: bool
    simulated: bool
    chance: float | None = None


def request_from_view(view: View) -> PlanRequest:
    """Return the wishes that a part of a report keeps, by the names of the fields of a PlanRequest.

    Raises DataError where it keeps none.
    """
    said = {name: view.option(f"wish_{name}") for name in WISHES}
    if said["max_accuracy"] is None or said["min_utility"] is None:
        raise DataError(
            "A part about wishes must say max_accuracy and min_utility; add it anew from the page Plan."
        )
    return PlanRequest(**{name: value for name, value in said.items() if value is not None})


def _data(material: Material, view: View) -> Content:
    prepared = material.trips()
    of_visits = view.option("product") == "visits"  # whoever is seen in a zone is counted, trip or none
    trips, rows = prepared.trips, funnel_rows(prepared.funnel[:3] if of_visits else prepared.funnel)
    used = (
        f"Of {words.number_of('row', prepared.rows)}, {prepared.n_records:,} "
        f"{'is' if prepared.n_records == 1 else 'are'} used"
    )
    lost: list[dict[str, str | int]] = [
        {"step": "dropped", "count": count, "reason": reason} for reason, count in prepared.dropped.items()
    ]
    if of_visits:
        who = f"{people(prepared.n_users or 0)} {'was' if prepared.n_users == 1 else 'were'} seen in"
    elif isinstance(trips, UniqueTrips):
        who = f"{people(trips.n_users)} made {words.number_of('unique trip', trips.flow.size)} between"
    else:
        are = "is" if trips.total == 1 else "are"
        who = f"{words.number_of('trip', trips.total)} {are} counted, and whose they are the file does not say, between"
    report = prepared.data_report
    when = (
        ""
        if report.first is None or report.last is None
        else f", from {report.first:%Y-%m-%d} to {report.last:%Y-%m-%d}"
    )
    unlisted = "" if view.option("cells") == "discovered" else prepared.unlisted
    elsewhere = f" {unlisted}." if unlisted else ""
    return Content(
        sentence=f"{used}. {words.capital(who)} {words.number_of('zone', trips.zones.size)} in {_weeks(len(trips.weeks))}{when}.{elsewhere}",
        rows=[{name: _number(value) for name, value in row.items()} for row in [*rows, *lost]],
    )


def _wishes(_: Any, view: View) -> Content:
    wish = request_from_view(view)
    rows = [
        {
            "wish": "nobody is guessed right in more than (a coin: 50%)",
            "at": f"{100 * wish.max_accuracy:g}% of cases",
        },
        {
            "wish": f"of all trips, in flows published within {100 * wish.tolerance:g}% of the truth, at least",
            "at": f"{100 * wish.min_utility:g}%",
        },
        {"wish": "published flows that nobody made, at most", "at": f"{100 * wish.max_made_up:g}%"},
        {"wish": "weekly releases that one person may be in", "at": f"{wish.weeks:,}"},
    ]
    if wish.max_certainty is not None and wish.max_cases is not None:
        rows.append(
            {
                "wish": f"an attacker ends more than {100 * wish.max_certainty:g}% certain, at most in",
                "at": f"{100 * wish.max_cases:g}% of cases",
            }
        )
    usual = replace(USUAL_WISHES, cells=wish.cells, noise=wish.noise)
    whose = "These are the lab's own wishes, which nobody changed. " if wish == usual else ""
    made = view.whole("weekly_releases", wish.weeks) or wish.weeks
    more = (
        ""
        if made <= wish.weeks
        else f" They are wishes for {_releases(wish.weeks)} that one person may be in; {_releases(made)} were made, which together promise less: "
        "see the part on the promise."
    )
    return Content(
        sentence=f"{whose}Nobody is to be guessed right in more than {100 * wish.max_accuracy:g}% of cases, and at least "
        f"{100 * wish.min_utility:g}% of all trips are to lie in flows published within {100 * wish.tolerance:g}% of the truth.{more} "
        "Whether they are kept is not said here: it hangs on the true data.",
        rows=rows,
        facts=wish,
    )


def _releases(n: int) -> str:
    return "one weekly release" if n == 1 else f"{n:,} weekly releases"


_ACCEPTED = {
    "delta": "the δ",
    "made_up": "that some of what is published may be false, or that nothing is published",
}


def plan_content(material: Material, view: View, *, about: str = "", made: Sequence[float] = ()) -> Content:
    """Return the plan that the lab would recommend, and what the report is `about`: no plan but a release that was `made`, or settings."""
    prepared = material.trips()
    request = request_from_view(view)
    points = planned_points_from_unique_trips(
        of_people(prepared),
        request,
        week=week_of_view(prepared, view),
        is_public=prepared.public_zones is not None,
        group_size=view.group_size,
    )
    advice = advice_from_points(points, request)
    rows = [
        {
            "release": name,
            "noise": MECHANISM_NAMES[one.mechanism],
            "ε": f"{one.epsilon:g}",
            "trips per user, at most": f"{one.max_trips_per_user:,}",
            "threshold": f"{one.threshold:,}",
            "guessed right": one.risk_words,
            "useful": one.use_words,
        }
        for name, one in (
            ("recommended", advice.recommended),
            ("most useful within the risk", advice.best_allowed),
            ("least risk of that use", advice.least_risky),
        )
        if one is not None
    ]
    return Content(
        sentence=f"{advice.recommendation} {about or f'What this report is about: {view.release_in_words}.'}",
        figure=plan_figure(advice, LIGHT, made=made),
        rows=rows,
    )


def _mechanisms(material: Material, view: View) -> Content:
    """With the option `use` the promise is the least that leaves so many per cent; else `epsilon`, or that of the part's release."""
    use = view.option("use")
    min_utility = None if use is None else view.number("use", 0) / 100
    request = CombinationRequest(
        epsilon=MIN_EPSILON if use is not None else view.number("ε", view.release.epsilon),
        delta=PLANNED_DELTA,
        tolerance=view.number("tolerance", CLOSE),
        max_made_up=view.number("false_flows", 0.01),
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


_ALWAYS = (
    ("Who a person is", ONE_PERSON),
    (
        "What is measured",
        "Whether an attacker can tell that someone is in the counts. What else may be learned of a person is not measured.",
    ),
    (
        "Who is judged",
        f"Where this report says the risk of single people, it is that of all of them, or of {MOST_PEOPLE:,} drawn at random where there "
        "are more, by the best attack there is.",
    ),
)


def _limits(_: Any, view: View) -> Content:
    delta = delta_of_view(view)
    accepted = tuple(name for name in _ACCEPTED if view.option(f"accepted_{name}"))
    simulated, cell = view.option("of_release") is None, view.product.cell
    chance = _chance(view)
    rows = [
        *(
            [("Accepted in words", f"The maker has accepted: {accepted_in_words(accepted)}.")]
            if accepted
            else []
        ),
        *([("δ", _delta_in_words(delta, chance))] if delta else []),
        _bound_row(view),
        ("Other releases", _others(view.together)),
        (f"Small {cell}s", _small_in_words(view)),
        *_unlisted_row(view),
        ("Noise", _noise_in_words(view, false_cells="made_up" in accepted)),
        *_ALWAYS,
    ]
    if simulated:
        rows.append(
            (
                "Simulation",
                "This report is of no release: figures after noise are those of one seeded simulation.",
            )
        )
    return Content(
        sentence="What nobody should read out of this report.",
        rows=[{"limit": name, "what it means": words} for name, words in rows],
        facts=Limits(
            delta=delta,
            n_weeks=view.whole("weekly_releases", 1),
            accepted=accepted,
            bounded=view.release.max_trips_per_user is not None,
            simulated=simulated,
            chance=chance,
        ),
    )


def _chance(view: View) -> float | None:
    """Return how often at most the loss of someone who is in exceeds ε, None where δ says it: as a release says it, or as simulated."""
    if view.option("law") != "gaussian":
        return None
    said = view.option("chance")
    simulated = said is None and view.option("of_release") is None
    promise = gaussian_promise(view, view.whole("weekly_releases", 1)) if simulated else None
    if promise is not None:
        return chance_beyond_promise(promise)
    return math.nan if said is None else view.number("chance", 0)


def _delta_in_words(delta: float, chance: float | None) -> str:
    """Say what δ is: with Gaussian noise not the chance that the loss exceeds ε."""
    if chance is None:
        return f"With a chance of {delta_words(delta)} whatever is promised does not hold."
    often = f"of more than {delta_words(delta)}" if math.isnan(chance) else f"of up to {delta_words(chance)}"
    return (
        f"With a chance {often} an attacker who held both answers for equally likely ends more certain of a person who is in than the ε "
        f"of all weeks allows. δ = {delta_words(delta)} is not that chance: it weighs how far beyond ε they end."
    )


def _unlisted_row(view: View) -> list[tuple[str, str]]:
    """Say what the list of zones leaves out, where the data may have others; not whether it has: an external report says it too."""
    if not view.option("zones_listed"):
        return []
    counted = view.product.counted
    what = "made in one" if counted == "visits" else "that begin or end in one"
    return [
        (
            "Zones on no list",
            f"Zones that the zone file does not list are left out: {counted} {what} are in no count.",
        )
    ]


def _small_in_words(view: View) -> str:
    """Say what a count that is missing may have been; with no threshold, what one below 0 is."""
    cell, threshold = view.product.cell, view.release.threshold
    if view.option("cells") == "discovered":
        return f"Counts below {threshold:,} are left out. Of a {cell} that is missing either nobody was counted, or it was left out."
    if threshold == 0 and view.option("of_release") is not None:
        return (
            f"Every {cell} is published, also one of nobody. Noise made counts below 0 too small, as it made others too large: sums come out "
            "far too high without them."
        )
    return f"Counts below {threshold:,} are left out. A {cell} that is missing need not be one of nobody."


def _noise_in_words(view: View, *, false_cells: bool) -> str:
    cell = view.product.cell
    if view.option("cells") == "discovered" or view.release.threshold == 0:  # no noise alone is lifted
        return f"Single counts are off, small ones by much; sums over many {cell}s are off by more in people, less in per cent."
    if false_cells:
        return (
            f"Single counts may be noise alone. Only counts of {view.release.threshold:,} or more are published, so that false {cell}s "
            f"only ever add: where they are many, sums over many {cell}s come out far too high, in people as in per cent."
        )
    return (
        f"Single counts are off, small ones by much; sums over many {cell}s are off by more in people, less in per cent, where few of "
        f"them are false {cell}s."
    )


def _others(together: ReleasesTogether | None) -> str:
    """Return what other releases add, with those that the ledger held when the report was put together."""
    adds = "Every further release of the same people adds to what they lose; the ledger adds it up."
    if together is None:
        return adds
    if together.n == 1:
        return f"{adds} When this report was put together, this one was the only one charged there."
    return (
        f"{adds} When this report was put together, {together.n:,} releases of these people were charged there. Together they promise a "
        f"person ε = {together.epsilon:.4g} at δ = {delta_words(together.delta)} (added up: ε = {together.added:.4g}); what else this report "
        "says of a promise is of this release alone."
    )


def accepted_in_words(accepted: Sequence[str]) -> str:
    """Say what the maker of a release has accepted, by its names in a certificate."""
    return ", and ".join(_ACCEPTED[one] for one in accepted)


def _bound_row(view: View) -> tuple[str, str]:
    """Return what the bound on a person's trips does to the counts, or that there is none."""
    bound, counted, cell = view.release.max_trips_per_user, view.product.counted, view.product.cell
    if bound is None:
        return (
            "No bound",
            "Without a bound on the trips of a person, the promise covers one trip and no person.",
        )
    if view.option("clip") != "l2":
        return (
            "Bound",
            f"At most {bound:,} {_different(counted, bound)} of a person and week {'is' if bound == 1 else 'are'} counted; what is above is "
            "missing from every count. What counts is drawn anew each time: two releases can differ by more than the noise for that alone.",
        )
    words = f"Of whoever made more than {bound:,} {_different(counted, bound)} in a week, every one counts with less weight, and"
    if view.option("total"):
        total = "a noisy total gives that back to all flows alike: flows of people who travel much stay too low, the others come out too high."
    else:
        total = f"sums over many {cell}s come out too low."
    return "Bound", f"{words} {total}"


def _different(counted: str, n: int) -> str:
    return f"{'unique' if counted == 'trips' else 'different'} {counted.removesuffix('s') if n == 1 else counted}"


def _weeks(n: int) -> str:
    return "one week" if n == 1 else f"{n:,} weeks"


def _number(value: str | int) -> str:
    return f"{value:,}" if isinstance(value, int) else value


EXHIBITS = (
    Exhibit(name="data", title="The data", page="data", discloses=True, make=_data, says_its_plan=True),
    Exhibit(
        name="wishes", title="What was wished", page="plan", discloses=False, make=_wishes, says_its_plan=True
    ),
    Exhibit(name="plan", title="The plan", page="plan", discloses=True, make=plan_content),
    Exhibit(
        name="mechanisms",
        title="The same promise, step by step",
        page="plan",
        discloses=True,
        make=_mechanisms,
        says_its_plan=True,
    ),
    Exhibit(name="limits", title="Limits", page="publish", discloses=False, make=_limits, says_its_plan=True),
)
