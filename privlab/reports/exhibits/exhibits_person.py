"""Exhibits of one person's samples among the nearest others, as the page Anonymizability draws them. All show true data."""

from collections.abc import Callable

from privlab.checks import require_whole
from privlab.figures.drawing import LIGHT, Figure
from privlab.figures.fingerprints import anonymizability_words as words
from privlab.figures.fingerprints import (
    giveaway_figure,
    n_days_of,
    parts_figure,
    space_time_figure,
    trails_figure,
)
from privlab.fingerprints import Fingerprints
from privlab.fingerprints.measures import (
    WhatIf,
    fingerprints_of_study,
    level_study_from_fingerprints,
    what_if_from_fingerprints,
)
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material
from privlab.reports.exhibits.exhibits_people import study_parameters_from_view
from privlab.reports.report_plan import View


def _one_person(
    draw: Callable[[Fingerprints, WhatIf, View], Figure],
) -> Callable[[Material, View], Content]:
    """Return an exhibit of one person, given by place among those judged, from the easiest to hide."""

    def make(material: Material, view: View) -> Content:
        k, parameters = int(view.option("k", 2)), study_parameters_from_view(view)
        fingerprints = material.fingerprints()
        kgaps = level_study_from_fingerprints(fingerprints, parameters, dispersed=False).kgaps
        n = int(kgaps.query.size)
        place = require_whole("person", view.option("person", (n + 1) // 2), 1, n)
        coarse = fingerprints_of_study(fingerprints, parameters)
        user = int(kgaps.ranked(k)[place - 1])
        found = what_if_from_fingerprints(coarse, user, k=k, parameters=parameters.stretch)
        name = words.place_words(place, n)
        return Content(
            sentence=f"{name[0].upper()}{name[1:]}, from the easiest to hide. {words.person_words(found, k)}",
            figure=draw(coarse, found, view),
        )

    return make


def _trails(coarse: Fingerprints, found: WhatIf, view: View) -> Figure:
    n_days = n_days_of(coarse, found)
    days = require_whole("days_shown", view.option("days_shown", n_days), 1, n_days)
    return trails_figure(coarse, found, LIGHT, days=days, playing=False)


def _space_time(coarse: Fingerprints, found: WhatIf, view: View) -> Figure:
    return space_time_figure(coarse, found, LIGHT)


def _parts(coarse: Fingerprints, found: WhatIf, view: View) -> Figure:
    return parts_figure(found, LIGHT)


def _giveaway(coarse: Fingerprints, found: WhatIf, view: View) -> Figure:
    return giveaway_figure(found, LIGHT)


EXHIBITS = tuple(
    Exhibit(name=name, title=title, page="anonymizability", discloses=True, make=_one_person(draw))
    for name, title, draw in (
        ("person_trails", "One person and the nearest other, day by day", _trails),
        ("person_places", "One person and the nearest others: where and when", _space_time),
        ("person_parts", "One person: space and time, sample by sample", _parts),
        ("person_giveaway", "One person: the samples that give most away", _giveaway),
    )
)
