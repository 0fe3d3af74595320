"""People, releases or counts -> what attackers make of them, held against what is promised.

Uses loading, publishing, and the three flows.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.attacking.own_week import (
        OwnWeeks,
        own_weeks_from_timeline,
    )
    from privlab.lab.attacking.play import (
        PlayedGame,
        games_that_fit,
        play_game,
        play_games_in_turns,
        runs_of_data,
        seen_of_played,
    )
    from privlab.lab.attacking.playable_games import (
        is_played,
        left_out_in_words,
        nothing_playable_in_words,
        playable_game,
        refusal_in_words,
    )
    from privlab.lab.attacking.recover import (
        placed_traces_from_rows,
        recovery_from_traces,
        recovery_points_from_traces,
    )
    from privlab.lab.attacking.rehearse import (
        pipeline_audit_from_release_data,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "OwnWeeks",
    "PlayedGame",
    "games_that_fit",
    "is_played",
    "left_out_in_words",
    "nothing_playable_in_words",
    "own_weeks_from_timeline",
    "pipeline_audit_from_release_data",
    "placed_traces_from_rows",
    "play_game",
    "play_games_in_turns",
    "playable_game",
    "recovery_from_traces",
    "recovery_points_from_traces",
    "refusal_in_words",
    "runs_of_data",
    "seen_of_played",
]
