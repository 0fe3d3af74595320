"""Exhibits of one aggregate of a group, and of what an attacker takes from it. All show true data."""

from collections.abc import Callable

from privlab.aggregates.defences import takes_epsilon
from privlab.aggregates.game import Example, example_from_traces, marginals_from_traces
from privlab.aggregates.game_rules import ADVERSARIES, GameParameters
from privlab.checks import require_whole
from privlab.figures.drawing import LIGHT
from privlab.figures.groups import groups as figures
from privlab.figures.groups import groups_words as words
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material
from privlab.reports.exhibits.exhibits_people import (
    game_from_view,
    games_from_view,
    under_controls,
)
from privlab.reports.report_plan import View


def _example(material: Material, view: View, game: GameParameters, epsilon: float | None) -> Example:
    turn = require_whole("target", view.option("target", 1), 1, game.targets) - 1
    return example_from_traces(material.traces(), game, turn=turn, epsilon=epsilon)


def _aggregate(material: Material, view: View) -> Content:
    game = game_from_view(view)
    example = _example(material, view, game, None)
    return Content(
        sentence=under_controls(game.controls, "AUC", words.aggregate_finding(example, game.group_size)),
        figure=figures.heat_figure(example.counts, example.visited, LIGHT),
    )


def _defended(material: Material, view: View) -> Content:
    name = str(view.option("defence", "lpa"))
    epsilon = view.number_or_none("epsilon") if takes_epsilon(name) else None
    epsilons = () if epsilon is None else (epsilon,)
    game = game_from_view(view, defence=name, epsilons=epsilons, adversaries=ADVERSARIES)
    example = _example(material, view, game, epsilon)
    sentence = words.defended_words(example, game, epsilon, after=True)
    return Content(
        sentence=under_controls(game.controls, "AUC", sentence),
        figure=figures.heat_figure(example.published, example.visited, LIGHT, ordered_by=example.counts),
    )


def _marginals(over: str) -> Callable[[Material, View], Content]:
    def make(material: Material, view: View) -> Content:
        game = games_from_view(view)[-1]
        estimated, true = marginals_from_traces(material.traces(), game, turn=0)
        return Content(
            sentence=under_controls(game.controls, "AUC", words.marginals_words(game)),
            figure=figures.marginals_figure(estimated, true, over, LIGHT),
        )

    return make


EXHIBITS = tuple(
    Exhibit(name=name, title=title, page="groups", discloses=True, make=make)
    for name, title, make in (
        ("groups_aggregate", "One aggregate, and the target in it", _aggregate),
        ("groups_defended", "The same aggregate, defended", _defended),
        ("groups_hours", "When people are seen, taken from one release", _marginals("hours")),
        ("groups_zones", "Where people are seen, taken from one release", _marginals("zones")),
    )
)
