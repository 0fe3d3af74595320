"""Exhibits of trails: those put together from counts, one person's samples among others, and people hidden by merging. All show true data."""

from collections.abc import Callable

from privlab.aggregates.recovery import (
    OVER,
    Recovery,
    RecoveryParameters,
    followed_from_traces,
    point_from_recovery,
    recoveries_over,
    recovery_from_followed,
)
from privlab.checks import day_from_text, require_whole
from privlab.datasets import sample_decoration
from privlab.defaults import COMPARED_LEVELS
from privlab.figures.drawing import LIGHT, Figure
from privlab.figures.fingerprints import (
    Ground,
    accuracy_figure,
    before_and_after_figure,
    giveaway_figure,
    laws_figure,
    laws_finding,
    laws_rows,
    n_days_of,
    parts_figure,
    space_time_figure,
    trails_figure,
    unicity_words,
)
from privlab.figures.fingerprints import anonymizability as kgap_figures
from privlab.figures.fingerprints import anonymizability_words as kgap_words
from privlab.figures.groups import (
    compared_recoveries_figure,
    recovered_trail_figure,
    recovery_figure,
    recovery_words,
)
from privlab.fingerprints import Fingerprints, Level, fingerprints_at_level, levels_from_text
from privlab.fingerprints.glove import (
    Accuracy,
    GloveParameters,
    HiddenGroups,
    accuracy_from_hidden_groups,
    hidden_groups_from_fingerprints,
    verified_table_from_hidden_groups,
)
from privlab.fingerprints.measures import (
    WhatIf,
    fingerprints_of_study,
    places_beside,
    pooled_parts_from_fingerprints,
    what_if_from_fingerprints,
)
from privlab.fingerprints.singling_out import MOST_PLACES, places_unicity_from_fingerprints
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material, unmarked
from privlab.reports.exhibits.exhibits_people import study_parameters_from_view
from privlab.reports.report_plan import View


def _recovery_parameters(view: View) -> RecoveryParameters:
    """Return what is asked for, as the page Recovery adds it."""
    return RecoveryParameters(
        users=view.whole("people", 100),
        days=view.whole("days", 7),
        step_min=view.whole("step", 60),
        first_day=day_from_text("first day", view.text("first_day")),
        defence=str(view.option("defence", "none")),
        epsilon=view.number_or_none("epsilon"),
        improvements=tuple(one for one in str(view.option("improve", "")).split(",") if one),
        seed=view.seed,
    )


def _recovered(material: Material, view: View, parameters: RecoveryParameters | None = None) -> Recovery:
    """Return the trails put together, as the view asks for them or by other parameters."""
    parameters = parameters or _recovery_parameters(view)
    traces, places = material.placed_traces()
    return recovery_from_followed(
        followed_from_traces(traces, places.lat, places.lon, parameters), parameters
    )


def _recovery_over(material: Material, view: View) -> Content:
    """Return several recoveries side by side, over people, steps or defences."""
    parameters, over = _recovery_parameters(view), str(view.option("over", OVER[0]))
    traces, _ = material.placed_traces()
    points = [
        point_from_recovery(_recovered(material, view, one))
        for one in recoveries_over(parameters, over, n_users=traces.n_users)
    ]
    return Content(
        sentence=f"{recovery_words.compared_finding(points)} {recovery_words.NOT_WHO}",
        figure=compared_recoveries_figure(points, LIGHT),
        rows=recovery_words.compared_rows(points),
    )


def _recovery(material: Material, view: View) -> Content:
    found = _recovered(material, view)
    return Content(
        sentence=f"{unmarked(recovery_words.finding(found))} {recovery_words.account(found)}",
        figure=recovery_figure(found, LIGHT),
        rows=recovery_words.rows(found),
    )


def _recovered_trail(material: Material, view: View) -> Content:
    found = _recovered(material, view)
    place = require_whole("person", view.option("person", found.telling_place), 1, found.followed.n_people)
    n_days = found.followed.n_steps // found.followed.steps_a_day
    days = require_whole("days_shown", view.option("days_shown", n_days), 1, n_days)
    person = int(found.ranked[place - 1])
    return Content(
        sentence=f"{recovery_words.person_words(found, person)} {recovery_words.NOT_WHO}",
        figure=recovered_trail_figure(found, person, LIGHT, days=days),
    )


def _recovered_unique(material: Material, view: View) -> Content:
    found = _recovered(material, view)
    return Content(
        sentence=f"{recovery_words.uniqueness_finding(found)} {recovery_words.UNIQUE_MEANS}",
        rows=recovery_words.uniqueness_rows(found),
    )


def _one_person(
    name: str,
    draw: Callable[[Material, Fingerprints, WhatIf, View], Figure],
) -> Callable[[Material, View], Content]:
    """Return an exhibit of one person, given by place among those judged, from the easiest to hide."""

    def make(material: Material, view: View) -> Content:
        k, parameters = view.whole("k", 2), study_parameters_from_view(view)
        fingerprints = material.fingerprints()
        kgaps = material.kgap_study(parameters).kgaps
        n = int(kgaps.query.size)
        place = require_whole("person", view.option("person", (n + 1) // 2), 1, n)
        coarse = fingerprints_of_study(fingerprints, parameters)
        user = int(kgaps.ranked(k)[place - 1])
        found = what_if_from_fingerprints(coarse, user, k=k, parameters=parameters.stretch)
        headline = unmarked(kgap_words.person_finding(coarse, found))
        who = f"This is {kgap_words.place_words(place, n)}, from the easiest to hide."
        return Content(
            sentence=f"{headline} {who} {kgap_words.person_words(found, k)}",
            figure=draw(material, coarse, found, view),
            drawn=kgap_words.PERSON_DRAWN[name],
        )

    return make


def _trails(material: Material, coarse: Fingerprints, found: WhatIf, view: View) -> Figure:
    n_days = n_days_of(coarse, found)
    days = require_whole("days_shown", view.option("days_shown", n_days), 1, n_days)
    ground = None
    if coarse.centre is not None:
        data = material.reference()
        ground = Ground(
            zones=material.trips().zone_map, decoration=sample_decoration(data.name) if data.sample else None
        )
    return trails_figure(coarse, found, LIGHT, days=days, playing=False, ground=ground)


def _space_time(material: Material, coarse: Fingerprints, found: WhatIf, view: View) -> Figure:
    return space_time_figure(coarse, found, LIGHT)


def _parts(material: Material, coarse: Fingerprints, found: WhatIf, view: View) -> Figure:
    return parts_figure(found, LIGHT)


def _giveaway(material: Material, coarse: Fingerprints, found: WhatIf, view: View) -> Figure:
    return giveaway_figure(found, LIGHT)


def _person(material: Material, view: View) -> Content:
    """Return how far one person's samples are from the nearest others, the person given by place among those judged."""
    k, parameters = view.whole("k", 2), study_parameters_from_view(view)
    fingerprints = material.fingerprints()
    study = material.kgap_study(parameters)
    n = study.n_judged
    place = require_whole("person", view.option("person", (n + 1) // 2), 1, n)
    ranked = study.kgaps.ranked(k)
    people = {kgap_words.place_words(at, n): int(ranked[at - 1]) for at in places_beside(place, n)}
    laws = pooled_parts_from_fingerprints(
        fingerprints_of_study(fingerprints, parameters),
        list(people.values()),
        k=k,
        parameters=parameters.stretch,
    )
    named = dict(zip(people, laws, strict=True))
    return Content(
        sentence=laws_finding(named, k),
        figure=laws_figure(named, LIGHT),
        rows=laws_rows(named),
    )


def _places(material: Material, view: View) -> Content:
    """Return who is alone in their most visited places, whatever the hour."""
    fingerprints = material.fingerprints()
    found = [
        places_unicity_from_fingerprints(fingerprints, level, places=range(1, MOST_PLACES + 1))
        for level in levels_from_text(str(view.option("levels", ",".join(COMPARED_LEVELS))))
    ]
    return Content(
        sentence=f"{unicity_words.places_finding(found)} {unicity_words.PAPER_ON_PLACES}",
        figure=kgap_figures.places_figure(found, LIGHT),
        rows=unicity_words.places_rows(found),
    )


def _hidden_groups(material: Material, view: View) -> HiddenGroups:
    minutes = view.option("leave_out_min")
    parameters = GloveParameters(
        k=view.whole("k", 2),
        suppress_km=view.option("leave_out_km"),
        suppress_min=None if minutes is None else int(minutes),
    )
    start = fingerprints_at_level(
        material.fingerprints(), Level.from_text(str(view.option("level", "0.1-1")))
    )
    return hidden_groups_from_fingerprints(start, parameters)


def _hidden(draw: Callable[[HiddenGroups, Accuracy], Figure]) -> Callable[[Material, View], Content]:
    """Return what is left where everyone shares a fingerprint with k − 1 others; nothing that was not verified."""

    def make(material: Material, view: View) -> Content:
        groups = _hidden_groups(material, view)
        _, verification = verified_table_from_hidden_groups(groups)
        accuracy = accuracy_from_hidden_groups(groups)
        if not accuracy.n_samples:
            return Content(sentence=kgap_words.hidden_finding(groups, accuracy, verification))
        return Content(
            sentence=f"{kgap_words.hidden_finding(groups, accuracy, verification)} {kgap_words.HIDDEN_IS_NO_NOISE}",
            figure=draw(groups, accuracy),
            rows=[kgap_words.hidden_row(groups, accuracy)],
        )

    return make


EXHIBITS = tuple(
    Exhibit(name=name, title=title, page=page, discloses=True, make=make)
    for name, title, page, make in (
        ("recovery", "Trails put together from counts", "recovery", _recovery),
        ("recovery_over", "Recoveries compared", "recovery", _recovery_over),
        ("recovered_trail", "One person, recovered and true", "recovery", _recovered_trail),
        ("recovered_unique", "Alone in their most visited zones", "recovery", _recovered_unique),
        ("person", "One person's samples among the nearest others", "anonymizability", _person),
        *(
            (name, title, "anonymizability", _one_person(name, draw))
            for name, title, draw in (
                ("person_trails", "One person and the nearest other, day by day", _trails),
                ("person_places", "One person and the nearest others: where and when", _space_time),
                ("person_parts", "One person: space and time, sample by sample", _parts),
                ("person_giveaway", "One person: the samples that give most away", _giveaway),
            )
        ),
        ("places", "Alone in their most visited places", "anonymizability", _places),
        (
            "hidden",
            "What is left where everyone is hidden",
            "anonymizability",
            _hidden(lambda _, found: accuracy_figure(found, LIGHT)),
        ),
        (
            "hidden_maps",
            "Before and after everyone is hidden",
            "anonymizability",
            _hidden(lambda groups, _: before_and_after_figure(groups, LIGHT)),
        ),
    )
)
