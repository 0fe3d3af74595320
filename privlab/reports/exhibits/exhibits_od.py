"""Exhibits of the origin–destination flow: the attack, the release, the guarantee, and who is at risk."""

from typing import Any

from privlab.checks import DataError, require_whole
from privlab.defaults import CLOSE, MOST_PEOPLE, MOST_TRIPS, QUOTED_TRIPS
from privlab.dp.certainty import (
    CertaintyParameters,
    GaussianQuestion,
    composed_epsilon,
    posterior_law_from_gaussian_question,
    posterior_law_from_parameters,
)
from privlab.dp.promise import (
    PUBLISHED_PRACTICE,
    STATED_PRACTICE,
)
from privlab.figures.drawing import LIGHT
from privlab.figures.flows import decay_figure, error_figure, scatter_figure
from privlab.figures.planning import (
    ONLY_WHAT_IS_STATED,
    practice_figure,
    practice_rows,
    practice_sentence,
)
from privlab.figures.risks import (
    attack_figure,
    certainty_words,
    posterior_figure,
    risk_histogram,
    risks_finding,
    spread_of_risks,
    trips_histogram,
)
from privlab.figures.wording import findings, nothing_published, words
from privlab.limits import MAX_WEEKS
from privlab.od import UniqueTrips, unique_trips_per_user
from privlab.od.attack import (
    AttackCurve,
    AttackParameters,
    accuracies_by_epsilon,
    attack_curve_from_parameters,
    bounded_attack_from_release_parameters,
    share_above_claim,
)
from privlab.od.expecting import largest_flow_if_nothing_is_published
from privlab.od.risks import (
    GaussianRisks,
    PersonRisks,
    gaussian_risks_from_unique_trips,
    person_risks_from_unique_trips,
)
from privlab.od.simulating import ReleaseReview
from privlab.od.trips import PreparedTrips
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material, unmarked
from privlab.reports.exhibits.simulated_releases import gaussian_promise, promise_of_view, simulated_review
from privlab.reports.report_plan import View
from privlab.seeds import generator
from privlab.stats import percent_at_most


def _curve(view: View, repetitions: int = 0) -> AttackCurve:
    parameters = AttackParameters(
        epsilon=view.release.epsilon, noise=view.release.noise, repetitions=repetitions
    )
    return attack_curve_from_parameters(parameters, generator(view.seed, "attack games"))


_RIGHT = "best attack is right in (a coin: 50%)"


def _attack(_: Material, view: View) -> Content:
    k = require_whole("k", view.option("k", 12), 0, MOST_TRIPS)
    curve = _curve(view, view.option("simulated_games", 10_000))
    bounded = bounded_attack_from_release_parameters(view.release, MOST_TRIPS)
    reached = None if bounded is None else float(bounded.optimal[k])
    rows: list[dict[str, Any]] = []
    for n in sorted({*QUOTED_TRIPS, k}):
        row = {
            "unique trips": n,
            _RIGHT: words.chance(curve.optimal[n], sure=False),
            "proven bound": words.chance(curve.user_level_bound[n], sure=False),
            "claimed bound": percent_at_most(curve.claimed_bound, 2),
        }
        if bounded is not None:
            row["the same under the bound"] = words.chance(bounded.optimal[n], sure=False)
        rows.append(row)
    return Content(
        sentence=unmarked(
            findings.attack_finding(
                curve, view.release, k, reached, found=view.option("cells") == "discovered"
            )
        ),
        figure=attack_figure(curve, LIGHT, your_trips=k, bounded=bounded),
        rows=rows,
    )


def _adds_up(_: Material, view: View) -> Content:
    k = require_whole("k", view.option("k", 12), 0, MOST_TRIPS)
    weeks = require_whole("weeks", view.option("weeks", 52), 1, MAX_WEEKS)
    epsilon = view.release.epsilon
    bound = view.release.max_trips_per_user
    if bound is not None:
        return Content(
            sentence=f"With at most {words.trips(bound)} counted per user and week, all a user does in a week costs ε = "
            f"{epsilon:g}, and {epsilon * weeks:,.6g} over {words.number_of('week', weeks)}."
        )
    week, whole = composed_epsilon(epsilon, k), composed_epsilon(epsilon, k, weeks)
    return Content(
        sentence=f"An ε of {epsilon:g} for each trip is an ε of {words.four_digits(week)} for someone with {words.trips(k)} in a "
        f"week, and of {words.four_digits(whole)} over {words.number_of('week', weeks)}.",
    )


def _certainty(_: Material, view: View) -> Content:
    k = require_whole("k", view.option("k", 12), 0, MOST_TRIPS)
    prior = require_whole("prior", view.option("prior", 50), 1, 99) / 100
    promise = gaussian_promise(view)
    law = (
        posterior_law_from_parameters(
            CertaintyParameters(
                epsilon=view.release.epsilon,
                trips=k,
                noise=view.release.noise,
                max_trips_per_user=view.release.max_trips_per_user,
                prior=prior,
            )
        )
        if promise is None
        else posterior_law_from_gaussian_question(GaussianQuestion(release=promise, trips=k, prior=prior))
    )
    return Content(
        sentence=f"{unmarked(certainty_words(law.certainty))} That is over the noise, where all flows of the person are published.",
        figure=posterior_figure(law, LIGHT),
        facts=law.certainty,
    )


def _guarantee(_: Material, view: View) -> Content:
    guarantee = promise_of_view(view)
    rows = [
        {
            "protected": words.unit_in_words(name, bounded=guarantee.user_week is not None),
            "ε": "none without a bound" if unit is None else f"{unit.epsilon:.4g}",
            _RIGHT: "no limit" if unit is None else words.chance_at_most(unit.optimal_accuracy, 1),
            "proven: at most": "no limit" if unit is None else words.chance_at_most(unit.proven_accuracy, 1),
        }
        for name, unit in guarantee.as_dict().items()
    ]
    return Content(sentence=guarantee.statement, rows=rows, facts=guarantee)


def _people(material: Material, view: View) -> Content:
    prepared = material.trips()
    trips = of_people(prepared)
    n_trips = unique_trips_per_user(trips, week=week_of_view(prepared, view), group_size=view.group_size)
    curve = _curve(view)
    first = curve.first_trips_above_claim
    sentence = findings.people_finding(n_trips, first, share_above_claim(n_trips, curve), view.release)
    # The attack beside it may be on someone with more than anybody here has.
    if n_trips.size > 1 and n_trips.any():
        sentence += f" The most that one person has is {words.trips(int(n_trips.max()))}."
    limit = view.release.max_trips_per_user
    return Content(
        sentence=unmarked(sentence), figure=trips_histogram(n_trips, LIGHT, first_above=first, limit=limit)
    )


def _person_risks(material: Material, view: View) -> Content:
    prepared = material.trips()
    trips, week = of_people(prepared), week_of_view(prepared, view)
    promise = gaussian_promise(view)
    if promise is not None:
        return _risks_content(
            gaussian_risks_from_unique_trips(
                trips, promise, weeks=[week], n_people=min(view.group_size or MOST_PEOPLE, MOST_PEOPLE)
            ),
            " That is where all their flows are published; a flow that is left out only lowers it.",
        )
    largest = largest_flow_if_nothing_is_published(trips, view.release, week=week, group_size=view.group_size)
    if largest is not None:
        return Content(sentence=nothing_published(largest, view.release.threshold))
    risks = person_risks_from_unique_trips(
        trips,
        view.release,
        weeks=[week],
        group_size=view.group_size,
        n_people=MOST_PEOPLE,
        cells=str(view.option("cells") or "public"),
    )
    return _risks_content(risks)


def _risks_content(risks: PersonRisks | GaussianRisks, known: str = "") -> Content:
    return Content(
        sentence=f"{risks_finding(risks)}{spread_of_risks(risks)}{known}",
        figure=risk_histogram(risks, LIGHT),
        facts=risks,
    )


def _review(material: Material, view: View) -> ReleaseReview:
    prepared = material.trips()
    return simulated_review(prepared, view, week_of_view(prepared, view))


def _utility(material: Material, view: View) -> Content:
    review = _review(material, view)
    utility = review.utility
    rows = [
        {"figure": "true flows published", "value": f"{utility.cells_kept:,}"},
        {"figure": "true flows suppressed", "value": f"{utility.cells_lost:,}"},
        {"figure": "false flows", "value": f"{utility.cells_spurious:,}"},
        {"figure": "trips in published flows", "value": f"{utility.flow_kept:.2%}"},
        {
            "figure": f"trips in flows within {CLOSE:.0%} of the truth",
            "value": f"{utility.within_10_percent:.2%}",
        },
        {"figure": "common part of commuters", "value": f"{utility.cpc:.4f}"},
        {"figure": "mean relative error", "value": f"{utility.mre:.2%}"},
        {"figure": "root mean square error (counts)", "value": f"{utility.rmse:,.2f}"},
        {"figure": "Jensen–Shannon divergence (bits)", "value": f"{utility.jensen_shannon:.5f}"},
    ]
    sentence = findings.release_finding(utility, review.n_users, view.release)
    return Content(sentence=f"Simulation, not a release. {unmarked(sentence)}", rows=rows)


def _error(material: Material, view: View) -> Content:
    utility = _review(material, view).utility
    return Content(sentence=findings.error_in_words(utility), figure=error_figure(utility, LIGHT))


def _scatter(material: Material, view: View) -> Content:
    figure = scatter_figure(_review(material, view).flows, LIGHT, threshold=view.release.threshold)
    return Content(
        sentence="Published (simulated) against true counts of each flow; the closer to the diagonal, the "
        "smaller the error.",
        figure=figure,
    )


def _decay(material: Material, view: View) -> Content:
    decay = _review(material, view).decay
    if decay is None:
        return Content(sentence="No zone has a position, so no distance can be given.")
    return Content(
        sentence="Share of trips by distance, true and published.", figure=decay_figure(decay, LIGHT)
    )


def week_of_view(prepared: PreparedTrips, view: View) -> str:
    """Return the week that a part is about, by default the busiest. Raises DataError if the data has no such week."""
    weeks = prepared.trips.weeks
    if view.week in weeks:
        return view.week
    if view.week:
        raise DataError(f"The data has no week of {view.week}; its weeks are {', '.join(weeks[:8])}.")
    return weeks[prepared.trips.busiest_week]


def of_people(prepared: PreparedTrips) -> UniqueTrips:
    """Return the unique trips. Raises DataError for counts that name nobody."""
    if not isinstance(prepared.trips, UniqueTrips):
        raise DataError("The file does not say whose trips it counts: no figure per person can be computed.")
    return prepared.trips


def _practice(_: Material, view: View) -> Content:
    k = require_whole("k", view.option("k", 12), 0, MOST_TRIPS)
    noise = str(view.option("noise", view.release.noise))
    epsilon, accuracy = accuracies_by_epsilon(k, noise=noise)
    stated = [one for _, one in STATED_PRACTICE]
    reached = accuracies_by_epsilon(k, noise=noise, epsilons=stated)[1]
    marks = [(one, height) for (one, _), height in zip(STATED_PRACTICE, reached.tolist(), strict=True)]
    return Content(
        sentence=f"{practice_sentence(marks, k)} {ONLY_WHAT_IS_STATED}",
        figure=practice_figure(epsilon, accuracy, marks, k, LIGHT),
        rows=practice_rows(PUBLISHED_PRACTICE, narrow=True),
    )


EXHIBITS = (
    Exhibit(
        name="attack", title="The attack against the claim", page="attack", discloses=False, make=_attack
    ),
    Exhibit(
        name="certainty",
        title="How certain the attacker ends",
        page="attack",
        discloses=False,
        make=_certainty,
    ),
    Exhibit(
        name="adds_up", title="What the promise adds up to", page="attack", discloses=False, make=_adds_up
    ),
    Exhibit(
        name="practice",
        title="What others promised",
        page="attack",
        discloses=False,
        make=_practice,
        says_its_plan=True,
    ),
    Exhibit(name="people", title="Unique trips per user", page="attack", discloses=True, make=_people),
    Exhibit(name="utility", title="Utility of the release", page="release", discloses=True, make=_utility),
    Exhibit(name="error", title="Where the error comes from", page="release", discloses=True, make=_error),
    Exhibit(
        name="scatter", title="Published against true counts", page="release", discloses=True, make=_scatter
    ),
    Exhibit(name="decay", title="Trips by distance", page="release", discloses=True, make=_decay),
    Exhibit(
        name="guarantee",
        title="What the publisher may honestly say",
        page="guarantee",
        discloses=False,
        make=_guarantee,
    ),
    Exhibit(
        name="person_risks",
        title="The risk of each person",
        page="guarantee",
        discloses=True,
        make=_person_risks,
    ),
)
