"""The groups page's views: the same outcomes, seen from several sides."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.aggregates import Traces
from privlab.aggregates.findings import (
    GameResult,
    Summary,
    seen_from_result,
    summaries_from_result,
    verdicts_from_outcomes,
)
from privlab.aggregates.game_rules import HALF
from privlab.checks import DataError, ParameterError
from privlab.figures.groups import groups as figures
from privlab.figures.groups import groups_compared as compared
from privlab.figures.groups import groups_words as words
from privlab.figures.groups import verdict_words
from privlab.figures.wording import CLASSIFIER_NAMES, plain
from privlab.kept import Run
from privlab.reports import Option
from privlab.ui.groups import cached_games
from privlab.ui.groups.game_play import runs_of
from privlab.ui.groups.groups_page import (
    SIX_SIZES,
    Choice,
    refused,
    six_sizes_button,
)
from privlab.ui.shell import parts
from privlab.ui.shell.changed_data import controls_option, say_changed
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan

Floats = npt.NDArray[np.float64]


def show_results(
    view: str, results: Sequence[GameResult], plan: Plan, traces: Traces, finding: DeltaGenerator
) -> None:
    """Show one view of what has been played so far, and say what is found in `finding`, a place for one element.

    All of it is of the targets whom the released period sees; how many it does not see is said.
    """
    results = [seen_from_result(result) for result in results]
    summaries = [summaries_from_result(result)[0] for result in results]
    of_share = view == "by share known" and summaries[0].estimate is not None
    of_balance = len({one.parameters.balance for one in results}) > 1
    said = words.balance_finding if of_balance else words.share_finding if of_share else words.finding
    with finding.container():
        parts.finding(said(results, summaries))
    if view == "by group size":
        _by_size(results, summaries)
    elif view == "by share known":
        _by_share(results, summaries, plan, traces)
    elif view == "ROC":
        _roc(results, summaries)
    elif view == "who is at risk":
        _at_risk(results, summaries)
    else:
        _recognised(results, summaries, plan)
    st.caption(words.account(results))
    with st.expander("For experts: settings of the classifiers"):
        st.caption(words.settings_words(results[0].parameters))


def options_of(results: Sequence[GameResult]) -> dict[str, Option]:
    """Return the page's own parameters as a report keeps them."""
    parameters = results[0].parameters
    return {
        "prior": parameters.prior,
        **_known(results),
        "group_sizes": ",".join(
            str(size) for size in dict.fromkeys(one.parameters.group_size for one in results)
        ),
        "targets": parameters.targets,
        "arm": parameters.arms[0],
        "classifier": None if parameters.arms[0] == "likelihood" else parameters.classifiers[0],
        "period": parameters.period,
        "control": controls_option(parameters.controls),
        **_balance(results),
    }


def say_what_was_changed(choice: Choice) -> None:
    """Say which sizes are left out, that the game is played on changed data, and what that can tell."""
    if choice.left_out:
        st.caption(" ".join(plain(one) for one in choice.left_out))
    say_changed(choice.games[0].controls, measure="AUC", more=words.prior_and_hours(choice.games[0]))


def _known(results: Sequence[GameResult]) -> dict[str, Option]:
    shares = dict.fromkeys(one.parameters.known for one in results)
    return {"known": ",".join(shares)} if results[0].parameters.prior == "zero-knowledge" else {}


def _balance(results: Sequence[GameResult]) -> dict[str, Option]:
    shares = list(dict.fromkeys(one.parameters.balance for one in results))
    return {} if shares == [HALF] else {"balance": ",".join(shares)}


def _names(results: Sequence[GameResult]) -> list[str]:
    return [words.game_name(result.parameters) for result in results]


def _recognised(results: Sequence[GameResult], summaries: Sequence[Summary], plan: Plan) -> None:
    curves = {name: one.auc for name, one in zip(_names(results), summaries, strict=True)}
    picture = st.container()
    faint = _stored_curves(plan, results)
    with picture:
        parts.chart(
            figures.auc_figure(curves, palette(), faint=faint),
            key="auc_chart",
            alt=words.finding(results, summaries),
            exhibit="groups_auc",
            options=options_of(results),
            about="data",
        )
    parts.table(words.game_rows(results, summaries), key="auc_table", meanings=words.PL_MEANS)


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
        seen = seen_from_result(result).outcomes
        if seen:  # none where all that was kept is damaged
            curves[name] = np.array([outcome.scores[0].auc for outcome in seen])
    return curves


def _run_name(run: Run) -> str:
    parameters = run.parameters
    changed = f", {'+'.join(parameters.controls)}" if parameters.controls else ""
    changed += "" if parameters.balance == HALF else f", {words.balance_words(parameters.balance)}"
    defended = "" if parameters.defence == "none" else f", {parameters.defence} {parameters.epsilons}"
    known = f" {parameters.known}" if parameters.prior == "zero-knowledge" else ""
    return (
        f"m = {parameters.group_size:,}, {parameters.prior}{known}, {'+'.join(parameters.arms)}, "
        f"{'+'.join(CLASSIFIER_NAMES[one] for one in parameters.classifiers)}, {parameters.period}{defended}{changed}, "
        f"seed {parameters.seed}: {run.n_outcomes} targets, {run.made[:16]}"
    )


def _by_size(results: Sequence[GameResult], summaries: Sequence[Summary]) -> None:
    sizes = {result.parameters.group_size for result in results}
    if len(sizes) < len(SIX_SIZES) - 1:
        six_sizes_button()
    parts.chart(
        compared.size_figure(results, summaries, palette()),
        key="size_chart",
        alt=words.finding(results, summaries),
        exhibit="groups_sizes",
        options=options_of(results),
        about="data",
    )
    parts.table(words.game_rows(results, summaries, words.size_row), key="size_table")
    parts.chart(
        figures.loss_figure([(result, 0) for result in results], summaries[0].pl_baseline, palette()),
        key="loss_chart",
        alt=words.finding(results, summaries),
        exhibit="groups_loss",
        options=options_of(results),
        about="data",
    )
    rows = [
        {"people in a group": f"{result.parameters.group_size:,}"}
        | ({} if one.estimate is None else {"known": words.known_words(result.parameters.known)})
        | {"reports": figures.REPORTS[name]}
        | {
            "targets": f"{spread.n_targets}",
            "mean AUC": f"{spread.auc_mean:.3f}",
            "95% interval": f"{spread.auc_low:.3f} – {spread.auc_high:.3f}",
            f"mean {words.GAME_LOSS}": f"{spread.pl_mean:.3f}",
        }
        for result, one in zip(results, summaries, strict=True)
        for name, spread in one.mobility.items()
    ]
    parts.table(rows, key="loss_table", meanings=words.PL_MEANS)


def _by_share(
    results: Sequence[GameResult], summaries: Sequence[Summary], plan: Plan, traces: Traces
) -> None:
    """Show what one release is enough for, and what was taken from it beside the truth."""
    if summaries[0].estimate is None:
        st.info("This attacker knows more than one release. How little is enough?")
        parts.setting_button(
            "Attack with nothing but the release", key="zero_game", prior="zero-knowledge", arm="cells"
        )
        return
    sentence = words.share_finding(results, summaries)
    names = {one.parameters.known: words.known_words(one.parameters.known) for one in results}
    parts.chart(
        figures.share_figure(results, summaries, names, palette()),
        key="share_known_chart",
        alt=sentence,
        exhibit="groups_known",
        options=options_of(results),
        about="data",
    )
    first_of_size = {
        one.parameters.group_size: (one, summary) for one, summary in zip(results, summaries, strict=True)
    }
    st.markdown("What it took from one release, beside the truth:")
    parts.table([words.estimate_row(*one) for one in first_of_size.values()], key="estimate_table")
    game = results[-1].parameters
    estimated, true = cached_games.marginals(plan.prepared.key, traces, game)
    told = words.marginals_words(game)
    for column, over in zip(st.columns(2, gap="medium"), ("hours", "zones"), strict=True):
        with column:
            parts.chart(
                figures.marginals_figure(estimated, true, over, palette()),
                key=f"marginals_{over}",
                alt=f"{told} Shares of visits by {over}.",
                exhibit=f"groups_{over}",
                options=options_of(results[-1:]),
                about="data",
            )
    st.caption(told)


def _roc(results: Sequence[GameResult], summaries: Sequence[Summary]) -> None:
    percent = st.slider(
        "False alarms accepted (%)",
        0,
        100,
        10,
        1,
        key="false_alarms",
        bind="query-params",
        width=420,
        help="Moves the threshold: the attacker says “in” as long as at most so many of a target's groups without the target "
        "are accused. The marks on the curves and the table of groups judged right and wrong move with it.",
    )
    names = _names(results)
    judged = [
        verdicts_from_outcomes(result.outcomes, 0, most_false=(10 if percent is None else percent) / 100)
        for result in results
    ]
    sentence = verdict_words.verdict_finding(results, judged)
    st.markdown(plain(sentence))
    parts.chart(
        figures.roc_figure(
            dict(zip(names, summaries, strict=True)),
            palette(),
            verdicts=dict(zip(names, judged, strict=True)),
        ),
        key="roc_chart",
        alt=sentence,
        exhibit="groups_roc",
        options={**options_of(results), "false_alarms": judged[0].most_false},
        about="data",
    )
    parts.table(
        [verdict_words.verdict_row(result, one) for result, one in zip(results, judged, strict=True)],
        key="verdict_table",
    )
    st.caption(
        "Test groups of all targets together. Each target has a threshold of its own, chosen on these very groups, as a ROC does: "
        "an attacker who must choose it on others does no better on average."
    )
    parts.table(words.game_rows(results, summaries), key="roc_table", meanings=words.PL_MEANS)


def _at_risk(results: Sequence[GameResult], summaries: Sequence[Summary]) -> None:
    result, summary = results[-1], summaries[-1]
    sentence = words.at_risk(result, summary)
    st.markdown(sentence)
    marks = zip((":blue", ":orange", ":green"), figures.SIGNS.items(), strict=True)
    st.caption(
        "Each mark is a target: " + ", ".join(f"{colour}[{sign}] {name}" for colour, (name, sign) in marks)
    )
    columns = st.columns(3, gap="medium")
    for column, (factor, title) in zip(columns, words.FACTORS.items(), strict=True):
        with column:
            parts.chart(
                figures.factors_figure(result, 0, factor, title, palette(), legend=False),
                key=f"factor_{factor}",
                alt=sentence,
                exhibit=f"groups_{factor}",
                options=options_of(results),
                about="data",
            )
    parts.table(words.factor_rows(summary), key="factor_table")


def example_view(plan: Plan, traces: Traces, choice: Choice, finding: DeltaGenerator) -> None:
    """Show one aggregate as it would be released, with the target's own visits in it. `finding` is where it is said."""
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
        example = cached_games.example(plan.prepared.key, traces, game, int(turn or 1) - 1, None)
    except (DataError, ParameterError) as error:
        refused(plan, traces, [game], error)
        return
    sentence = words.aggregate_finding(example, game.group_size)
    with finding.container():
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
        **({"known": game.known} if game.prior == "zero-knowledge" else {}),
        "group_size": game.group_size,
        "targets": game.targets,
        "period": game.period,
        "control": controls_option(game.controls),
        **({} if game.balance == HALF else {"balance": game.balance}),
        "target": target,
    }
