"""The groups page's views: the same outcomes, seen from several sides."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.aggregates import Traces
from privlab.aggregates.game import GameResult, Summary, summaries_from_result
from privlab.checks import ParameterError
from privlab.figures import groups as figures
from privlab.figures import groups_words as words
from privlab.figures import plain
from privlab.kept import Run
from privlab.reports import Option
from privlab.ui import cached
from privlab.ui.groups.game_play import runs_of
from privlab.ui.groups.groups_page import CLASSIFIER_NAMES, Choice, other_game
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan

Floats = npt.NDArray[np.float64]


def show_results(view: str, results: Sequence[GameResult], plan: Plan) -> None:
    """Show the finding and one view of what has been played so far."""
    summaries = [summaries_from_result(result)[0] for result in results]
    parts.finding(words.finding(results, summaries))
    if view == "by group size":
        _by_size(results, summaries)
    elif view == "ROC":
        _roc(results, summaries)
    elif view == "who is at risk":
        _at_risk(results, summaries)
    else:
        _recognised(results, summaries, plan)
    st.caption(words.account(results))


def options_of(results: Sequence[GameResult]) -> dict[str, Option]:
    """Return the page's own parameters as a report keeps them."""
    parameters = results[0].parameters
    return {
        "prior": parameters.prior,
        "group_sizes": ",".join(str(result.parameters.group_size) for result in results),
        "targets": parameters.targets,
        "arm": parameters.arms[0],
        "classifier": parameters.classifiers[0],
        "period": parameters.period,
    }


def _names(results: Sequence[GameResult]) -> list[str]:
    return [f"groups of {result.parameters.group_size:,}" for result in results]


def _recognised(results: Sequence[GameResult], summaries: Sequence[Summary], plan: Plan) -> None:
    curves = {name: one.auc for name, one in zip(_names(results), summaries, strict=True)}
    parts.chart(
        figures.auc_figure(curves, palette(), faint=_stored_curves(plan, results)),
        key="auc_chart",
        alt=words.finding(results, summaries),
        exhibit="groups_auc",
        options=options_of(results),
        about="data",
    )
    parts.table(
        [words.row(result, one) for result, one in zip(results, summaries, strict=True)], key="auc_table"
    )


def _stored_curves(plan: Plan, results: Sequence[GameResult]) -> dict[str, Floats]:
    """Show which runs that were kept to lay under these; return their AUCs."""
    store = runs_of(plan)
    if not store.path.exists():
        return {}
    playing = {result.parameters for result in results}
    kept = {
        _run_name(run): run
        for run in store.all()
        if run.name == plan.prepared.name and run.n_outcomes and run.parameters not in playing
    }
    if not kept:
        return {}
    chosen = st.multiselect(
        "Compare with runs that were kept",
        list(kept),
        key="compare_runs",
        persist_state="session",
        help="Draws the curves of games that were played before, below this one.",
    )
    curves = {}
    for name in chosen:
        _, result = store.reopened(kept[name].key)
        curves[name] = np.array([outcome.scores[0].auc for outcome in result.outcomes])
    return curves


def _run_name(run: Run) -> str:
    parameters = run.parameters
    defended = "" if parameters.defence == "none" else f", {parameters.defence} {parameters.epsilons}"
    return (
        f"m = {parameters.group_size:,}, {parameters.prior}, {'+'.join(parameters.arms)}, "
        f"{'+'.join(CLASSIFIER_NAMES[one] for one in parameters.classifiers)}, {parameters.period}{defended}, "
        f"seed {parameters.seed}: {run.n_outcomes} targets, {run.made[:16]}"
    )


def _by_size(results: Sequence[GameResult], summaries: Sequence[Summary]) -> None:
    parts.chart(
        figures.loss_figure([(result, 0) for result in results], summaries[0].pl_baseline, palette()),
        key="loss_chart",
        alt=words.finding(results, summaries),
        exhibit="groups_loss",
        options=options_of(results),
        about="data",
    )
    rows = [
        {"people in a group": f"{result.parameters.group_size:,}", "mobility": name}
        | {
            "targets": f"{spread.n_targets}",
            "mean AUC": f"{spread.auc_mean:.3f}",
            "95 % interval": f"{spread.auc_low:.3f} – {spread.auc_high:.3f}",
            "mean PL": f"{spread.pl_mean:.3f}",
        }
        for result, one in zip(results, summaries, strict=True)
        for name, spread in one.mobility.items()
    ]
    parts.table(rows, key="loss_table")


def _roc(results: Sequence[GameResult], summaries: Sequence[Summary]) -> None:
    curves = dict(zip(_names(results), summaries, strict=True))
    parts.chart(
        figures.roc_figure(curves, palette()),
        key="roc_chart",
        alt=words.finding(results, summaries),
        exhibit="groups_roc",
        options=options_of(results),
        about="data",
    )
    parts.table(
        [words.row(result, one) for result, one in zip(results, summaries, strict=True)], key="roc_table"
    )


def _at_risk(results: Sequence[GameResult], summaries: Sequence[Summary]) -> None:
    result, summary = results[-1], summaries[-1]
    sentence = words.at_risk(result, summary)
    st.markdown(sentence)
    columns = st.columns(3, gap="medium")
    for column, (factor, title) in zip(columns, words.FACTORS.items(), strict=True):
        with column:
            parts.chart(
                figures.factors_figure(result, 0, factor, title, palette()),
                key=f"factor_{factor}",
                alt=sentence,
                exhibit=f"groups_{factor}",
                options=options_of(results),
                about="data",
            )
    parts.table(words.factor_rows(summary), key="factor_table")


def example_view(plan: Plan, traces: Traces, choice: Choice) -> None:
    """Show one aggregate as it would be released, with the target's own visits in it."""
    game = choice.games[-1]
    turn = st.number_input(
        "Which target (in the order of the game)",
        1,
        game.targets,
        1,
        key="turn",
        bind="query-params",
        width=260,
        help="1 is the first person attacked. Each has a group of its own.",
    )
    try:
        example = cached.example(plan.prepared.key, traces, game, int(turn or 1) - 1, None)
    except ParameterError as error:
        st.warning(plain(str(error)))
        other_game()
        return
    sentence = words.aggregate_finding(example, game.group_size)
    parts.finding(sentence)
    parts.chart(
        figures.heat_figure(example.counts, example.visited, palette()),
        key="heat_chart",
        alt=sentence,
        exhibit="groups_aggregate",
        options=_options_of_example(choice, example.turn + 1),
        about="data",
    )


def _options_of_example(choice: Choice, target: int) -> dict[str, Option]:
    game = choice.games[-1]
    return {
        "prior": game.prior,
        "group_size": game.group_size,
        "targets": game.targets,
        "period": game.period,
        "target": target,
    }
