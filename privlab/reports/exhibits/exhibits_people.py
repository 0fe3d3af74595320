"""Exhibits of the other two flows: membership in groups, and how hard people are to hide. All show true data."""

from collections.abc import Callable
from typing import Any

from privlab.aggregates.defences import takes_epsilon
from privlab.aggregates.findings import (
    GameResult,
    Summary,
    TradeoffPoint,
    published_shapes_from_points,
    seen_from_result,
    summaries_from_result,
    tradeoff_from_result,
    verdicts_from_outcomes,
)
from privlab.aggregates.game_rules import ADVERSARIES, ARMS, CLASSIFIERS, HALF, GameParameters
from privlab.checks import ParameterError, counts_from_text, numbers_from_text
from privlab.controls import control_sentence, controls_from_specs
from privlab.defaults import COMPARED_LEVELS, DEFAULT_DRAWS, DEFAULT_MAX_KM, DEFAULT_MAX_MIN, DEFAULT_POINTS
from privlab.figures.drawing import LIGHT, Figure
from privlab.figures.fingerprints import anonymizability as kgap_figures
from privlab.figures.fingerprints import anonymizability_words as kgap_words
from privlab.figures.fingerprints import unicity_words
from privlab.figures.groups import defence_words, groups_compared, verdict_words
from privlab.figures.groups import groups as group_figures
from privlab.figures.groups import groups_words as group_words
from privlab.fingerprints import Level, fold_days_from_text, levels_from_text
from privlab.fingerprints.measures import (
    LevelStudy,
    StudyParameters,
)
from privlab.fingerprints.search import StretchParameters
from privlab.fingerprints.singling_out import (
    LinkParameters,
    linkages_from_fingerprints,
    resolution_laws_from_unicity,
    unicity_by_level_from_fingerprints,
)
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material, unmarked
from privlab.reports.report_plan import View
from privlab.seeds import generator

MOST_GAMES = 8


def _controls(view: View) -> tuple[str, ...]:
    """Return the controls that change the data first, as the pages Groups and Anonymizability add them."""
    return controls_from_specs(str(view.option("control") or "").split("+"))


def under_controls(controls: tuple[str, ...], measure: str, sentence: str) -> str:
    """Return a sentence of a part, with the words before it that say how its data were changed, if they were."""
    return f"{control_sentence(controls, measure=measure)} {unmarked(sentence)}".strip()


def study_parameters_from_view(view: View) -> StudyParameters:
    """Return the parameters of a study of one level, as the page Anonymizability adds them."""
    judged = view.option("people_judged", 1000)
    return StudyParameters(
        level=Level.from_text(str(view.option("level") or "0.1-1")),  # none where all levels are shown
        stretch=StretchParameters(
            max_km=view.option("max_km", DEFAULT_MAX_KM),
            max_min=view.option("max_min", DEFAULT_MAX_MIN),
            space_weight=view.option("weight_of_space", 0.5),
            time_weight=view.option("weight_of_time", 0.5),
        ),
        n_query=judged,
        fold_days=fold_days_from_text(view.text("fold")),
        controls=_controls(view),
        seed=view.seed,
    )


def _study(material: Material, view: View) -> tuple[LevelStudy, int]:
    k = view.whole("k", 2)
    study = material.kgap_study(study_parameters_from_view(view))
    if k not in study.kgaps.ks:
        raise ParameterError(f"k must be one of {', '.join(map(str, study.kgaps.ks))}, got {k}.")
    return study, k


def _kgap(material: Material, view: View) -> Content:
    study, k = _study(material, view)
    return Content(
        sentence=under_controls(
            study.parameters.controls,
            "k-gap",
            f"{kgap_words.kgap_finding(study, k)} {kgap_words.account(study)}",
        ),
        figure=kgap_figures.kgap_figure(study, LIGHT, k=k),
        rows=[kgap_words.summary_row(study, one) for one in study.kgaps.ks],
    )


def _levels(draw: Callable[..., Figure]) -> Callable[[Material, View], Content]:
    def make(material: Material, view: View) -> Content:
        k = view.whole("k", 2)
        studies = material.kgap_studies(study_parameters_from_view(view))
        return Content(
            sentence=under_controls(
                studies[0].parameters.controls, "k-gap", kgap_words.levels_finding(studies, k)
            ),
            figure=draw(studies, LIGHT, k=k),
            rows=[
                {"level (km–min)": str(one.parameters.level)} | kgap_words.summary_row(one, k)
                for one in studies
            ],
        )

    return make


def _why(draw: Callable[..., Figure]) -> Callable[[Material, View], Content]:
    def make(material: Material, view: View) -> Content:
        study, k = _study(material, view)
        assert study.dispersion is not None
        return Content(
            sentence=under_controls(study.parameters.controls, "k-gap", kgap_words.why_finding(study, k)),
            figure=draw(study.dispersion, LIGHT, k=k),
            rows=kgap_words.dispersion_rows(study, k),
        )

    return make


def _unicity(material: Material, view: View) -> Content:
    levels = levels_from_text(str(view.option("levels", ",".join(COMPARED_LEVELS))))
    found = unicity_by_level_from_fingerprints(
        material.fingerprints(),
        levels,
        points=range(1, view.whole("points", DEFAULT_POINTS) + 1),
        draws=view.whole("draws", DEFAULT_DRAWS),
        rng=generator(view.seed, "unicity"),
    )
    curves = {
        kgap_words.level_name(level): one for level, one in zip(found.levels, found.curves, strict=True)
    }
    return Content(
        sentence=f"{unicity_words.unicity_finding(found)} {unicity_words.law_sentence(resolution_laws_from_unicity(found))}".strip(),
        figure=kgap_figures.unicity_figure(curves, LIGHT),
        rows=unicity_words.unicity_rows(found),
    )


def _link(material: Material, view: View) -> Content:
    query = view.option("people_sought", 1000)
    parameters = LinkParameters(
        levels=levels_from_text(str(view.option("levels", ",".join(COMPARED_LEVELS)))),
        days=tuple(counts_from_text(str(view.option("days") or ""))),
        n_query=None if query is None else view.whole("people_sought", 1000),
        controls=_controls(view),
        seed=view.seed,
    )
    found = linkages_from_fingerprints(material.fingerprints(), parameters)
    said = (
        kgap_words.link_finding(found, parameters.controls),
        kgap_words.days_left_out(found, parameters.days),
    )
    sentence = " ".join(filter(None, (*said, kgap_words.LINKED_IS_NOT_NAMED)))
    return Content(
        sentence=under_controls(parameters.controls, "share linked", sentence),
        figure=kgap_figures.link_figure(found, LIGHT),
        rows=kgap_words.link_rows(found),
    )


def games_from_view(view: View) -> tuple[GameParameters, ...]:
    """Return the games, one per group size, as the page Groups adds them."""
    given = str(view.option("group_sizes", "10,100"))
    sizes = [int(size) for size in numbers_from_text("group_sizes", given, whole=True)]
    known = str(view.option("known", "1")).split(",")
    balances = str(view.option("balance", HALF)).split(",")
    n_games = len(sizes) * len(known) * len(balances)
    if not 0 < n_games <= MOST_GAMES:
        raise ParameterError(f"group_sizes must be 1 to {MOST_GAMES} games, got {n_games}.")
    return tuple(
        GameParameters(
            prior=str(view.option("prior") or "subset"),
            group_size=size,
            targets=view.whole("targets", 30),
            arms=(view.option("arm", ARMS[0]),),
            classifiers=(view.option("classifier") or CLASSIFIERS[0],),
            period=str(view.option("period") or "week"),
            known=share,
            controls=_controls(view),
            balance=balance,
            seed=view.seed,
        )
        for balance in balances
        for size in sizes
        for share in known
    )


Said = Callable[[list[GameResult], list[Summary]], str]


def _finding(results: list[GameResult], summaries: list[Summary]) -> str:
    of_balance = len({one.parameters.balance for one in results}) > 1
    return (group_words.balance_finding if of_balance else group_words.finding)(results, summaries)


def _game(
    draw: Callable[[list[GameResult], list[Summary]], Figure], said: Said = _finding
) -> Callable[[Material, View], Content]:
    def make(material: Material, view: View) -> Content:
        results = [seen_from_result(material.play_game(game)) for game in games_from_view(view)]
        summaries = [summaries_from_result(result)[0] for result in results]
        return Content(
            sentence=f"{unmarked(said(results, summaries))} {_rests_on(results)}",
            figure=draw(results, summaries),
            rows=group_words.game_rows(results, summaries),
        )

    return make


def _factor(factor: str) -> Callable[[Material, View], Content]:
    def make(material: Material, view: View) -> Content:
        result = seen_from_result(material.play_game(games_from_view(view)[-1]))
        summary = summaries_from_result(result)[0]
        title = group_words.FACTORS[factor]
        return Content(
            sentence=f"{unmarked(group_words.at_risk(result, summary))} {_rests_on([result])}",
            figure=group_figures.factors_figure(result, 0, factor, title, LIGHT),
            rows=group_words.factor_rows(summary),
        )

    return make


def game_from_view(view: View, **more: Any) -> GameParameters:
    """Return the game of one group size, as the views of one aggregate and of defences add it."""
    return GameParameters(
        prior=str(view.option("prior") or "subset"),
        group_size=view.whole("group_size", 100),
        targets=view.whole("targets", 30),
        arms=(view.option("arm", ARMS[0]),),
        classifiers=(view.option("classifier") or CLASSIFIERS[0],),
        period=str(view.option("period") or "week"),
        known=str(view.option("known", "1")),
        controls=_controls(view),
        balance=str(view.option("balance", HALF)).split(",")[-1],
        seed=view.seed,
        **more,
    )


def _points(material: Material, view: View) -> tuple[tuple[str, ...], list[TradeoffPoint]]:
    """Return the controls of the games with defences that a view adds, and what they found."""
    names = [name for name in str(view.option("defences", "lpa;lpa-event;gaussian")).split(";") if name]
    if not 0 < len(names) <= MOST_GAMES:
        raise ParameterError(
            f"defences must be 1 to {MOST_GAMES} names with semicolons between, got {len(names)}."
        )
    text = str(view.option("epsilons", "0.1,1,10"))
    epsilons = tuple(numbers_from_text("epsilons", text)) if text else ()
    games = [
        game_from_view(
            view, defence=name, epsilons=epsilons if takes_epsilon(name) else (), adversaries=ADVERSARIES
        )
        for name in names
    ]
    return games[0].controls, [
        one for game in games for one in tradeoff_from_result(seen_from_result(material.play_game(game)))
    ]


def _defences(material: Material, view: View) -> Content:
    controls, points = _points(material, view)
    drawn = [
        (one.defence, str(one.setting.adversary), one.setting.epsilon or 0.0, one.pg_mean, one.mre)
        for one in points
    ]
    return Content(
        sentence=under_controls(controls, "AUC", verdict_words.trade_off_finding(points)),
        figure=group_figures.trade_off_figure(drawn, LIGHT),
        rows=[defence_words.trade_off_row(one) for one in points],
    )


def _gain(material: Material, view: View) -> Content:
    controls, points = _points(material, view)
    return Content(
        sentence=under_controls(controls, "AUC", verdict_words.trade_off_finding(points)),
        figure=groups_compared.gain_figure(points, LIGHT),
        rows=verdict_words.published_rows(published_shapes_from_points(points)),
    )


def _names(results: list[GameResult]) -> list[str]:
    return [group_words.game_name(result.parameters) for result in results]


def _auc(results: list[GameResult], summaries: list[Summary]) -> Figure:
    curves = {name: one.auc for name, one in zip(_names(results), summaries, strict=True)}
    return group_figures.auc_figure(curves, LIGHT)


def _loss(results: list[GameResult], summaries: list[Summary]) -> Figure:
    return group_figures.loss_figure([(result, 0) for result in results], summaries[0].pl_baseline, LIGHT)


def _known(results: list[GameResult], summaries: list[Summary]) -> Figure:
    names = {one.parameters.known: group_words.known_words(one.parameters.known) for one in results}
    return group_figures.share_figure(results, summaries, names, LIGHT)


def _sizes(results: list[GameResult], summaries: list[Summary]) -> Figure:
    return groups_compared.size_figure(results, summaries, LIGHT)


def _roc(material: Material, view: View) -> Content:
    results = [seen_from_result(material.play_game(game)) for game in games_from_view(view)]
    names, summaries = _names(results), [summaries_from_result(result)[0] for result in results]
    share = view.number("false_alarms", 0.1)
    judged = [verdicts_from_outcomes(result.outcomes, 0, most_false=share) for result in results]
    return Content(
        sentence=f"{verdict_words.verdict_finding(results, judged)} {_rests_on(results)}",
        figure=group_figures.roc_figure(
            dict(zip(names, summaries, strict=True)), LIGHT, verdicts=dict(zip(names, judged, strict=True))
        ),
        rows=[verdict_words.verdict_row(result, one) for result, one in zip(results, judged, strict=True)],
    )


def _exhibit(name: str, title: str, page: str, make: Callable[[Material, View], Content]) -> Exhibit:
    return Exhibit(name=name, title=title, page=page, discloses=True, make=make)


EXHIBITS = (
    _exhibit("groups_auc", "Who is recognised in groups", "groups", _game(_auc)),
    _exhibit(
        "groups_known",
        "Who is recognised by how much is known",
        "groups",
        _game(_known, group_words.share_finding),
    ),
    _exhibit("groups_loss", "Privacy loss of the game, by group size", "groups", _game(_loss)),
    _exhibit("groups_sizes", "Recognised, by group size", "groups", _game(_sizes)),
    _exhibit("groups_roc", "ROC of the attack on groups", "groups", _roc),
    *(
        _exhibit(f"groups_{factor}", f"Who is at risk: {title}", "groups", _factor(factor))
        for factor, title in group_words.FACTORS.items()
    ),
    _exhibit("groups_defences", "Privacy gain against error", "groups", _defences),
    _exhibit("groups_gain", "Privacy gain over ε", "groups", _gain),
    _exhibit("kgap", "k-gaps at one level", "anonymizability", _kgap),
    _exhibit("levels", "k-gaps by level", "anonymizability", _levels(kgap_figures.levels_figure)),
    _exhibit(
        "anonymous", "k-anonymous people by level", "anonymizability", _levels(kgap_figures.anonymous_figure)
    ),
    _exhibit("temporal_share", "When or where", "anonymizability", _why(kgap_figures.temporal_share_figure)),
    _exhibit("gini", "A few samples carry most", "anonymizability", _why(kgap_figures.gini_figure)),
    _exhibit("tail_weight", "Long tails", "anonymizability", _why(kgap_figures.tail_weight_figure)),
    _exhibit("unicity", "Unicity", "anonymizability", _unicity),
    _exhibit("link", "Linked again", "anonymizability", _link),
)


def _rests_on(results: list[GameResult]) -> str:
    """Return what figures of games rest on, the settings of the classifiers included."""
    return f"{group_words.account(results)} {group_words.settings_words(results[0].parameters)}"
