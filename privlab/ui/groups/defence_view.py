"""The groups page's view of defences: what each costs in error and buys in privacy, and one aggregate before and after."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.aggregates import Traces
from privlab.aggregates.defences import PAPER_DEFENCES, sentence_from_defence, takes_epsilon
from privlab.aggregates.findings import (
    TradeoffPoint,
    published_shapes_from_points,
)
from privlab.aggregates.game_rules import ADVERSARIES, ARMS, HALF, GameParameters
from privlab.checks import DataError, ParameterError, number_from_text
from privlab.figures.groups import defence_words, verdict_words
from privlab.figures.groups import groups as figures
from privlab.figures.groups import groups_compared as compared
from privlab.figures.groups import groups_words as words
from privlab.figures.wording import plain
from privlab.lab.attacking import refusal_in_words
from privlab.limits import MAX_TARGETS
from privlab.reports import Option
from privlab.ui.groups import cached_games
from privlab.ui.groups.defence_work import Found, attack_defences
from privlab.ui.groups.game_play import runs_of
from privlab.ui.groups.groups_page import Choice, other_game
from privlab.ui.shell import parts
from privlab.ui.shell.changed_data import controls_option
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart_and_heard
from privlab.ui.work.waiting import held_job, is_running, outcome, start_work, unfinished_of


@dataclass(slots=True, kw_only=True)
class Attacked:
    """What came out of a run so far: written by the job, read by the page once it was stopped. `says` names how far it came."""

    points: Found = field(default_factory=list)
    says: str = ""

    def heard(self, points: Found, says: str) -> None:
        """Take what was finished when the run was stopped."""
        self.points, self.says = points, says


_USUAL = ("lpa", "lpa-event", "gaussian")
_EPSILONS = ("0.1", "1", "10")
_USUAL_SIZE = 10
_PAPER_SIZE = "500"  # of its smaller data
_PAPER_EPSILONS = ("0.01", "0.1", "1", "10")


def defences_view(plan: Plan, traces: Traces, choice: Choice, finding: DeltaGenerator) -> None:
    """Show the controls of the trade-off, run it when asked, and show what was found, the gist of it in `finding`."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Defences",
            list(defence_words.DEFENCES),
            default=_USUAL,
            format_func=lambda name: defence_words.DEFENCES.get(name, name),
            key="mechanisms",
            bind="query-params",
            accept_new_options=True,
            width=420,
            help="Or type one as on the command line: suppress:20, gaussian:1e-6, generalise:zones=10.",
        )
        epsilons = st.multiselect(
            "ε",
            _PAPER_EPSILONS,
            default=_EPSILONS,
            key="defence_epsilons",
            bind="query-params",
            accept_new_options=True,
            width=200,
            help="How much the defended counts may give away. Smaller defends more and distorts more.",
        )
        targets = st.number_input(
            "Targets attacked",
            3,
            max(3, min(MAX_TARGETS, traces.n_users)),
            3,
            3,
            key="defence_targets",
            bind="query-params",
            width=150,
            help="People attacked one after the other. More narrow the interval and take longer.",
        )
    try:
        games = _games(choice, chosen, epsilons, int(targets or 3))
        _promises(plan.prepared.key, traces, games)
    except (DataError, ParameterError) as error:
        st.warning(plain(refusal_in_words(error, choice.games[-1:], traces)))
        usual = replace(choice.games[-1], group_size=_USUAL_SIZE, controls=(), arms=ARMS[:1])
        if not cached_games.sizes_of(plan.prepared.key, traces, usual, (_USUAL_SIZE,)):
            other_game(plan, traces, usual)
            return
        parts.setting_button(
            f"Attack the usual defences in groups of {_USUAL_SIZE}",
            key="usual_defences",
            sizes=[f"{_USUAL_SIZE}"],
            arm=ARMS[0],
            groups_control=[],
            mechanisms=list(_USUAL),
            defence_epsilons=list(_EPSILONS),
        )
        return
    _paper_button(choice, traces.n_users)
    if games:
        _run(plan, traces, games, finding)
    _one_aggregate(plan.prepared.key, traces, games)


def _paper_button(choice: Choice, n_users: int) -> None:
    """Offer the paper's own comparison: its five mechanisms, its ε and groups, and an attacker who knows the very groups."""
    if choice.games[0].prior != "perfect":
        as_published = {"sizes": [_PAPER_SIZE]} if n_users > int(_PAPER_SIZE) else {}
        parts.setting_button(
            "Compare as the paper does: five mechanisms, an attacker who knows the very groups",
            key="paper_defences",
            prior="perfect",
            arm=ARMS[0],
            mechanisms=list(PAPER_DEFENCES),
            defence_epsilons=list(_PAPER_EPSILONS),
            **as_published,
        )


def _games(
    choice: Choice, chosen: Sequence[str], epsilons: Sequence[str], targets: int
) -> tuple[GameParameters, ...]:
    """Return one game per defence, as the chosen one otherwise, in the largest of the groups."""
    base = choice.games[-1]
    if choice.arm == "cells+rule":
        raise ParameterError(
            "Under a defence a zero contradicts nothing: choose another of “What is learned from”."
        )
    values = tuple(sorted({number_from_text("epsilon", text) for text in epsilons}))
    return tuple(
        GameParameters(
            prior=base.prior,
            group_size=base.group_size,
            targets=targets,
            arms=base.arms,
            classifiers=base.classifiers,
            period=base.period,
            known=base.known,
            controls=base.controls,
            balance=base.balance,
            defence=name,
            epsilons=values if takes_epsilon(name) else (),
            adversaries=ADVERSARIES,
            seed=base.seed,
        )
        for name in chosen
        if values or not takes_epsilon(name)
    )


def _promises(key: str, traces: Traces, games: Sequence[GameParameters]) -> None:
    """Show what each defence promises one user at its smallest ε; raises ParameterError for an unknown one."""
    if not games:
        return
    found = [cached_games.defences(key, traces, game) for game in games]
    facts = found[0][0]  # of one period, whatever the defence
    with st.expander("What each promises one user"):
        defended = [one for _, defences in found for one in defences]
        st.markdown(
            "\n".join(
                f"- {plain(sentence_from_defence(one, defence_words.defence_name(one.name)))}"
                for one in defended
            )
        )
        st.caption(
            f"Δ = {facts.max_reports:,} reports of one user at most, in {facts.max_zones:,} zones at most: read off this data, "
            "so the promises hold for its users only."
        )


def _run(plan: Plan, traces: Traces, games: tuple[GameParameters, ...], finding: DeltaGenerator) -> None:
    stopped = unfinished_of("defences")
    if st.button(
        "Attack the defended counts",
        type="primary",
        key="run_defences",
        icon=":material/swords:",
        disabled=is_running("defences"),
        help="Plays the games. It shows its progress, can be stopped, and keeps what was played.",
    ):
        stopped.clear()
        so_far = stopped[games] = Attacked()
        work = apart_and_heard(attack_defences, so_far.heard, traces, games, runs=runs_of(plan))
        start_work("defences", (plan.prepared.key, games), work)
        st.rerun()
    own = is_running("defences") or held_job("defences", (plan.prepared.key, games)) is not None
    found: Found | None = outcome("defences") if own else None
    left: Attacked | None = stopped.get(games) if own and not is_running("defences") else None
    if found is None and left is not None and left.points:
        st.caption(
            f"Finished before the stop, and shown here: {left.says}. What is left is played by the button above."
        )
        found = left.points
    if found is None:
        st.caption(
            "Each defence is played against an attacker trained on true counts (passive) and one trained on counts "
            "defended alike (strategic). Minutes for many; what was played is kept."
        )
        return
    _trade_off(found, games, finding)


def _trade_off(bounded: Found, games: Sequence[GameParameters], finding: DeltaGenerator) -> None:
    found = [point for point, _ in bounded]
    drawn = [
        (one.defence, str(one.setting.adversary), one.setting.epsilon or 0.0, one.pg_mean, one.mre)
        for one in found
    ]
    sentence = verdict_words.trade_off_finding(found)
    with finding.container():
        parts.finding(plain(sentence))
    if few := defence_words.few_targets(found):
        st.markdown(f":orange[:material/warning:] {few}")
    parts.chart(
        figures.trade_off_figure(drawn, palette()),
        key="trade_off_chart",
        alt=sentence,
        exhibit="groups_defences",
        options=_options_of(games),
        about="data",
    )
    _over_epsilon(found, games, sentence)
    parts.table(
        [_with_bound(defence_words.trade_off_row(one), bound) for one, bound in bounded],
        key="trade_off_table",
        widths={"defence": 205, "ε": 48, "attacker": 76},
    )
    st.caption(
        "Privacy gain with AUC below ½ taken for ½; “as printed” counts it as no gain, as the paper's formula does. "
        "Error: γ is 0.1% of a group's sum. "
        "“AUC at most”: what the defence allows any attack, on average over the targets. "
        + defence_words.alike_words(found)
    )


def _over_epsilon(found: Sequence[TradeoffPoint], games: Sequence[GameParameters], sentence: str) -> None:
    """Show the gain over ε, and the paper's statements beside it where the five mechanisms were played."""
    if any(one.setting.epsilon is not None for one in found):
        parts.chart(
            compared.gain_figure(found, palette()),
            key="gain_chart",
            alt=sentence,
            exhibit="groups_gain",
            options=_options_of(games),
            about="data",
        )
        st.markdown("What the paper says of its defences, and what was measured here:")
        parts.printed_table(
            verdict_words.published_rows(published_shapes_from_points(found)), key="published_shapes"
        )


def _with_bound(row: dict[str, str], bound: str) -> dict[str, str]:
    """Return the row with what the defence allows any attack behind what this one reached."""
    cells = list(row.items())
    behind = 1 + [name for name, _ in cells].index("AUC")
    return dict([*cells[:behind], ("AUC at most", bound), *cells[behind:]])


def _options_of(games: Sequence[GameParameters]) -> dict[str, Option]:
    """Return the page's own parameters as a report keeps them."""
    base = games[0]
    epsilons = sorted({one for game in games for one in game.epsilons})
    return {
        "prior": base.prior,
        **({"known": base.known} if base.prior == "zero-knowledge" else {}),
        "group_size": base.group_size,
        "targets": base.targets,
        "arm": base.arms[0],
        "classifier": None if base.arms[0] == "likelihood" else base.classifiers[0],
        "period": base.period,
        "control": controls_option(base.controls),
        **({} if base.balance == HALF else {"balance": base.balance}),
        "defences": ";".join(game.defence for game in games),
        "epsilons": ",".join(f"{one:g}" for one in epsilons),
    }


def _one_aggregate(key: str, traces: Traces, games: Sequence[GameParameters]) -> None:
    """Show the last defence's effect on one aggregate, once opened."""
    fold = st.expander(
        "One aggregate before and after", key="defended_fold", bind="query-params", on_change="rerun"
    )
    if not fold.open or not games:
        return
    with fold:
        game = games[-1]
        epsilon = game.epsilons[len(game.epsilons) // 2] if game.epsilons else None
        example = cached_games.example(key, traces, game, 0, epsilon)
        of_game = {
            name: value
            for name, value in _options_of(games).items()
            if name not in ("arm", "classifier", "defences", "epsilons")
        }
        for after, key, counts, exhibit, options in (
            (False, "heat_before_chart", example.counts, "groups_aggregate", {"target": example.turn + 1}),
            (
                True,
                "heat_after_chart",
                example.published,
                "groups_defended",
                {"defence": game.defence, "epsilon": epsilon, "target": example.turn + 1},
            ),
        ):
            sentence = words.defended_words(example, game, epsilon, after=after)
            st.markdown(plain(sentence))
            parts.chart(
                figures.heat_figure(counts, example.visited, palette(), ordered_by=example.counts),
                key=key,
                alt=sentence,
                exhibit=exhibit,
                options=of_game | options,
                about="data",
            )
