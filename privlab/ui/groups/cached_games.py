"""What the views of a game ask for besides it, cached for each browser session by itself, as in privlab.ui.cached."""

from dataclasses import replace

import streamlit as st

from privlab.aggregates import Traces
from privlab.aggregates.defences import Defence, DefenceFacts
from privlab.aggregates.game import (
    Estimate,
    Example,
    defences_from_traces,
    example_from_traces,
    marginals_from_traces,
)
from privlab.aggregates.game_rules import GameParameters
from privlab.lab.attacking import games_that_fit, is_played, left_out_in_words
from privlab.lab.attacking import playable_game as game_to_play


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def defences(key: str, _traces: Traces, game: GameParameters) -> tuple[DefenceFacts, tuple[Defence, ...]]:
    """Return what defences need to know of the period that a game releases, and its defence with each ε."""
    return defences_from_traces(_traces, game)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def fitting_games(
    key: str, _traces: Traces, games: tuple[GameParameters, ...]
) -> tuple[tuple[GameParameters, ...], tuple[str, ...]]:
    """Return the games that the data holds, and what is said of the others; raises ParameterError if it holds none."""
    fitting, complaints = games_that_fit(_traces, games)
    return fitting, left_out_in_words(games, fitting, _traces) or complaints


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def playable_game(key: str, _traces: Traces, game: GameParameters) -> GameParameters | None:
    """Return the game nearest to one that was refused that this data can be played with, None if there is none."""
    return game_to_play(game, _traces)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def sizes_of(key: str, _traces: Traces, game: GameParameters, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return which of these group sizes a game can be played with on this data."""
    return tuple(size for size in sizes if is_played(replace(game, group_size=size), _traces))


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def example(key: str, _traces: Traces, game: GameParameters, turn: int, epsilon: float | None) -> Example:
    """Return one released group of the target of a turn, under the game's defence with one ε."""
    return example_from_traces(_traces, game, turn=turn, epsilon=epsilon)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def marginals(key: str, _traces: Traces, game: GameParameters) -> tuple[Estimate, Estimate]:
    """Return what an attacker of zero knowledge takes from the release of the first target, and the truth."""
    return marginals_from_traces(_traces, game, turn=0)
