"""Steps of the walk about groups and about fingerprints."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.aggregates.defences import sentence_from_defence
from privlab.aggregates.findings import GameResult, summaries_from_result
from privlab.aggregates.game_rules import GameParameters
from privlab.figures.fingerprints import anonymizability as kgap_figures
from privlab.figures.fingerprints import anonymizability_words as kgap_words
from privlab.figures.fingerprints import n_days_of, trails_figure
from privlab.figures.groups import defence_words
from privlab.figures.groups import groups as group_figures
from privlab.figures.groups import groups_words as group_words
from privlab.fingerprints import DEFAULT_LEVELS, Fingerprints, table_by_hand
from privlab.fingerprints.measures import LevelStudy, StudyParameters
from privlab.lab.attacking import PlayedGame, play_game, runs_of_data
from privlab.lab.fingerprints import kgap_studies_from_fingerprints, kgap_study_from_fingerprints
from privlab.lab.loading import fingerprints_from_rows, traces_from_rows
from privlab.ui.derived import once_of_sample, ready_of_sample
from privlab.ui.fingerprints.by_hand_view import hand_table
from privlab.ui.fingerprints.person_work import hidden_person
from privlab.ui.groups import cached_games
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.tour.tour_page import hundred, picture_height, trails_height, two_pictures
from privlab.ui.tour.tour_work import Piece, Work, result_of
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited

_TARGETS = 6
_TABLE_HEIGHT = 156  # that the table of three people takes from the picture below it, in pixels
_CABS_IN_GROUP, _COMMUTERS_IN_GROUP = 10, 50
_DEFENCE = "lpa-event"
_JUDGED = 500
_SHUFFLED = ("shuffle-hours",)
_MEAN_AUC = "mean AUC (0.5: a blind guess)"
_AUC = "How well groups with the target are told from groups without; 1 is always right."
_PAIRS = "pairs of groups told apart rightly"


def _game(sample: str, game: GameParameters) -> Piece:
    runs = runs_of_data()
    return Piece(
        slot=f"tour {sample}{' changed' if game.controls else ''}",
        key=game,
        once=game,
        sample=sample,
        made_from="traces",
        making=traces_from_rows,
        work_on=lambda traces: apart(play_game, traces, game, runs=runs),
        seconds=2.0,
    )


def _played(sample: str, game: GameParameters) -> GameResult | None:
    played: PlayedGame | None = result_of(_game(sample, game))
    return None if played is None else played.result


def _game_of_cabs(size: int) -> GameParameters:
    return GameParameters(group_size=size, targets=_TARGETS, classifiers=("lr",))


def _games_of_commuters(size: int) -> tuple[GameParameters, GameParameters]:
    """Commuters as they are, and with their hours shuffled."""
    game = GameParameters(prior="different-groups", group_size=size, targets=_TARGETS, classifiers=("lr",))
    return game, replace(game, controls=_SHUFFLED)


def _game_under_noise(defence: str) -> GameParameters:
    return GameParameters(group_size=10, targets=3, classifiers=("lr",), defence=defence, epsilons=(1.0,))


def _study(slot: str, once: str, parameters: StudyParameters) -> Piece:
    return _of_subscribers(
        slot, parameters, once, lambda prints: apart(kgap_study_from_fingerprints, prints, parameters)
    )


def _studies(parameters: StudyParameters) -> Piece:
    return _of_subscribers(
        "tour levels",
        parameters,
        "tour levels",
        lambda prints: apart(kgap_studies_from_fingerprints, prints, parameters, ks=(2, 5)),
    )


def _of_subscribers(
    slot: str, parameters: StudyParameters, once: str, work_on: Callable[[Fingerprints], Work]
) -> Piece:
    return Piece(
        slot=slot,
        key=parameters,
        once=(once, parameters),
        sample="subscribers",
        made_from="fingerprints",
        making=fingerprints_from_rows,
        work_on=work_on,
    )


def ahead_of_groups() -> tuple[Piece, ...]:
    """Return what the step of groups works out as it opens."""
    return (_game("cabs", _game_of_cabs(_CABS_IN_GROUP)),)


def ahead_of_regular() -> tuple[Piece, ...]:
    """Return what the step of regular people works out as it opens."""
    return tuple(_game("commuters", game) for game in _games_of_commuters(_COMMUTERS_IN_GROUP))


def ahead_of_noise() -> tuple[Piece, ...]:
    """Return what the step of noise works out as it opens."""
    return (_game("cabs", _game_under_noise(_DEFENCE)),)


def ahead_of_nobody() -> tuple[Piece, ...]:
    """Return what the step of k-gaps works out as it opens, but for the trails below them."""
    return (_study("tour kgap", "tour kgap", StudyParameters(n_query=_JUDGED)),)


def ahead_of_coarser() -> tuple[Piece, ...]:
    """Return what the step of coarser data works out as it opens."""
    return (_studies(StudyParameters(n_query=_JUDGED)),)


def ahead_of_when() -> tuple[Piece, ...]:
    """Return what the last step works out as it opens: the study of the step of k-gaps."""
    return (_study("tour why", "tour kgap", StudyParameters(level=DEFAULT_LEVELS[0], n_query=_JUDGED)),)


def groups(beside: DeltaGenerator) -> None:
    """Show who is recognised in groups of cabs."""
    size = int(
        beside.select_slider(
            "People in a group (m)",
            ["5", "10", "20", "50", "100"],
            value=str(_CABS_IN_GROUP),
            key="tour_m",
            bind="query-params",
            help="How many people each published aggregate counts.",
        )
    )
    result = _played("cabs", _game_of_cabs(size))
    if result is not None:
        _auc(beside, {f"groups of {size}": result}, samples=("cabs",), size=size)


def regular(beside: DeltaGenerator) -> None:
    """Show commuters, and the same with their hours shuffled, to an attacker who has seen earlier weeks."""
    size = int(
        beside.select_slider(
            "People in a group (m)",
            ["10", "50", "100"],
            value=str(_COMMUTERS_IN_GROUP),
            key="tour_m2",
            bind="query-params",
            help="How many people each published aggregate counts.",
        )
    )
    as_they_are, shuffled = [_played("commuters", game) for game in _games_of_commuters(size)]
    if as_they_are is None or shuffled is None:
        return
    beside.markdown(
        group_words.regularity_finding(
            *(summaries_from_result(one)[0].auc for one in (as_they_are, shuffled)), group_size=size
        )
    )
    _auc(beside, {"commuters": as_they_are, "hours shuffled": shuffled}, samples=("commuters",), size=size)


def _auc(
    beside: DeltaGenerator, results: dict[str, GameResult], *, samples: tuple[str, ...], size: int
) -> None:
    curves = {name: summaries_from_result(result)[0].auc for name, result in results.items()}
    means = ", ".join(f"{name} {auc.mean():.2f}" for name, auc in curves.items())
    if len(curves) == 1:  # a sentence says it of two
        ((name, auc),) = curves.items()
        beside.metric(f"mean AUC, {name} (0.5: a blind guess)", f"{auc.mean():.2f}", help=_AUC)
        with beside:
            st.markdown(
                "The attack is right about so many of 100 pairs of groups, one with the target and one without:"
            )
            hundred(float(auc.mean()), told=_PAIRS)
    parts.chart(
        group_figures.auc_figure(curves, palette()).update_layout(height=picture_height()),
        key="tour_auc",
        alt=f"Mean AUC: {means}.",
        options={"samples": " and ".join(samples), "group_size": size},
        about="nothing",
    )


def noise(beside: DeltaGenerator) -> None:
    """Show what noise does against either attacker."""
    name = beside.segmented_control(
        "Noise that hides",
        ["lpa-event", "lpa"],
        default=_DEFENCE,
        key="tour_defence",
        bind="query-params",
        required=True,
        format_func={
            "lpa-event": "one report (1/ε)",
            "lpa": "a person (Δ/ε)",
        }.__getitem__,
        help="What is done to the counts before they are published.",
    )
    game = _game_under_noise(name or _DEFENCE)
    result = _played("cabs", game)
    if result is None:
        return
    rows = [
        {
            "the attacker": {None: "sees true counts", "passive": "knows nothing of the noise"}.get(
                one.setting.adversary, "learns on counts with the same noise"
            ),
            _MEAN_AUC: f"{one.overall.auc_mean:.2f}",
            "error of the counts (mean, relative)": "none" if one.mre is None else f"{one.mre:,.0%}",
        }
        for one in summaries_from_result(result)
    ]
    parts.printed_table(rows, key="published_mean")
    st.markdown("Of 100 pairs of groups, one with the target and one without, each is right about so many:")
    for column, row in zip(st.columns(len(rows)), rows, strict=True):
        with column:
            st.markdown(f"**{row['the attacker']}**")
            hundred(float(row[_MEAN_AUC]), told=_PAIRS)
    traces = ready_of_sample("cabs", "traces", traces_from_rows)
    assert traces is not None
    defended = cached_games.defences("cabs", traces, game)[1][0]
    beside.caption(sentence_from_defence(defended, defence_words.defence_name(defended.name)))


def _fingerprints() -> Fingerprints | None:
    return ready_of_sample("subscribers", "fingerprints", fingerprints_from_rows)


def nobody(beside: DeltaGenerator) -> None:
    """Show that nobody has a twin."""
    k = int(
        beside.select_slider(
            "k: people who are to look alike",
            ["2", "5", "10", "25", "50", "100"],
            value="2",
            key="tour_k_gap",
            bind="query-params",
            help="2: each person shall look like at least one other.",
        )
    )
    fingerprints = _fingerprints()
    if fingerprints is None:
        return
    study = result_of(*ahead_of_nobody())
    if study is not None:
        beside.markdown(kgap_words.kgap_finding(study, k))
        curves, trails = two_pictures()
        with curves:
            parts.chart(
                kgap_figures.kgap_figure(study, palette(), k=k, low=True).update_layout(
                    height=picture_height()
                ),
                key="tour_kgap",
                alt=kgap_words.kgap_finding(study, k),
                options={"sample": "subscribers"},
                about="nothing",
            )
        with trails:
            _nearest_other(fingerprints, study)


def _nearest_other(fingerprints: Fingerprints, study: LevelStudy) -> None:
    """Show the middle one of the people judged, and the nearest other, in kilometres from home."""
    user = int(study.kgaps.ranked(2)[(study.n_judged + 1) // 2 - 1])
    parameters = study.parameters
    work = apart(hidden_person, fingerprints, parameters, user, 2)
    person = awaited(
        "tour person", parameters, once_of_sample("subscribers", ("tour person", parameters), work)
    )
    if person is not None:
        parts.chart(
            trails_figure(
                *person, palette(), days=n_days_of(*person), height=trails_height(), playing=False, low=True
            ),
            key="tour_trails",
            alt=kgap_words.PERSON_DRAWN["person_trails"],
            options={"sample": "subscribers"},
            about="nothing",
        )


def coarser(beside: DeltaGenerator) -> None:
    """Show what coarser data does."""
    if _fingerprints() is None:
        return
    level = beside.select_slider(
        "Level (km–min)",
        [str(one) for one in DEFAULT_LEVELS],
        value=str(DEFAULT_LEVELS[-1]),
        key="tour_level",
        bind="query-params",
        help="How coarse places and times are made first: cell in km, then time bin in minutes.",
    )
    studies = result_of(*ahead_of_coarser())
    if studies is not None:
        shown = next(one for one in studies if str(one.parameters.level) == level)
        said = kgap_words.kgap_finding(shown, 2)
        beside.markdown(said)
        hand_table(table_by_hand((shown.parameters.level,) * 3), beside)
        beside.caption(kgap_words.PAPER_IN_SHORT, help=kgap_words.PAPER_ON_LEVELS)
        parts.chart(
            kgap_figures.anonymous_figure(studies, palette(), k=2, chosen=level, sideways=True).update_layout(
                height=picture_height() - _TABLE_HEIGHT, margin_t=4
            ),
            key="tour_anonymous",
            alt=said,
            options={"sample": "subscribers"},
            about="nothing",
        )


def when(beside: DeltaGenerator) -> None:
    """Show how much of the distance is time."""
    level = beside.select_slider(
        "Level (km–min)",
        [str(one) for one in DEFAULT_LEVELS[:5]],
        value=str(DEFAULT_LEVELS[0]),
        key="tour_level2",
        bind="query-params",
        help="How coarse places and times are made first: cell in km, then time bin in minutes.",
    )
    chosen = next(one for one in DEFAULT_LEVELS if str(one) == level)
    study = result_of(_study("tour why", "tour kgap", StudyParameters(level=chosen, n_query=_JUDGED)))
    if study is not None and study.dispersion is not None:
        sentence = kgap_words.why_finding(study, 2, expert=False)
        beside.markdown(sentence)
        parts.chart(
            kgap_figures.temporal_share_figure(study.dispersion, palette(), k=2).update_layout(
                height=picture_height()
            ),
            key="tour_share",
            alt=sentence,
            options={"sample": "subscribers"},
            about="nothing",
        )
