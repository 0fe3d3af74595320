"""Games in turns: the same results as one after the other, and nothing worked out or opened twice."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from privlab.aggregates.findings.summaries import GameResult
from privlab.aggregates.game import play
from privlab.aggregates.game.one_target import Game
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.kept import runs as kept_runs
from privlab.kept.runs import Runs
from privlab.lab.attacking.play import play_game, play_games_in_turns
from privlab.progress import UNHEARD, Progress
from tests.aggregates.worlds import habitual_traces

GAMES = tuple(
    GameParameters(
        group_size=size, targets=7, train_groups=20, test_groups=10, prior_share=0.5, arms=("statistics",),
        classifiers=("lr",), defence="lpa", epsilons=(1.0,),
    )
    for size in (3, 5)
)  # fmt: skip


def plain(result: GameResult) -> str:
    return json.dumps([replace(outcome, seconds=0.0).as_dict() for outcome in result.outcomes])


def test_games_in_turns_are_built_once_on_one_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces, runs = habitual_traces(60), Runs(tmp_path / "runs.sqlite")
    alone = [play_game(traces, game).result for game in GAMES]
    built, opened, drawn = [], [], []

    class Counted(Game):
        def __init__(self, *given) -> None:
            built.append(given)
            super().__init__(*given)

    def opening(*given, of=kept_runs.opened_database):
        opened.append(given)
        return of(*given)

    def targets(*given, of=play.targets_from_traces, **named):
        drawn.append(given)
        return of(*given, **named)

    monkeypatch.setattr("privlab.aggregates.game.play.Game", Counted)
    monkeypatch.setattr("privlab.aggregates.game.bound_checks.Game", Counted)
    monkeypatch.setattr("privlab.kept.runs.opened_database", opening)
    monkeypatch.setattr("privlab.aggregates.game.play.targets_from_traces", targets)
    heard: list[tuple[int, int]] = []
    found = play_games_in_turns(
        traces, GAMES, runs=runs,
        heard=lambda number, result: heard.append((number, len(result.outcomes))),
        progress=UNHEARD,
    )  # fmt: skip
    assert [plain(one) for one in found] == [plain(one) for one in alone]
    assert heard == [(0, 3), (1, 3), (0, 6), (1, 6), (0, 7), (1, 7)]
    assert (len(built), len(drawn), len(opened)) == (2, 2, 1)
    monkeypatch.undo()
    assert [run.n_outcomes for run in runs.all()] == [7, 7]


def test_progress_counts_all_targets_that_were_asked_for(tmp_path: Path) -> None:
    """The first step plays three of seven: “3 of 3” would look like the end."""
    told: list[str] = []
    play_games_in_turns(
        habitual_traces(60), GAMES, runs=Runs(tmp_path / "runs.sqlite"), heard=lambda number, result: None,
        progress=Progress(lambda share, words: told.append(words)),
    )  # fmt: skip
    counted = [words for words in told if "targets" in words]
    assert counted
    assert all(" of 7 targets" in words for words in counted)
