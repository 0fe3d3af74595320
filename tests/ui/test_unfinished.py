"""Work that is stopped leaves what it had finished: the same as if no more had been asked for."""

from dataclasses import replace
from pathlib import Path

import pytest

from privlab.aggregates.findings.tradeoff import tradeoff_from_result
from privlab.aggregates.game_rules import GameParameters
from privlab.kept.runs import Runs
from privlab.lab.attacking import play_game
from privlab.progress import Cancelled, Progress
from privlab.ui.groups.defence_view import Attacked
from privlab.ui.groups.defence_work import attack_defences
from tests.aggregates.worlds import habitual_traces

GAMES = tuple(
    GameParameters(
        group_size=3, targets=6, train_groups=20, test_groups=10, prior_share=0.5, arms=("statistics",),
        classifiers=("lr",), defence=defence, epsilons=(1.0,) if defence == "lpa" else (),
    )
    for defence in ("suppress:2", "lpa")
)  # fmt: skip


@pytest.mark.parametrize(
    ("stops_at", "n_targets", "says"),
    [
        (
            0.8,
            {"suppress:2": 6, "lpa": 5},
            "1 of 2 defences, and 5 of 6 targets under: Laplace, all of a user (LPA Δ/ε)",
        ),
        (0.5, {"suppress:2": 6}, "1 of 2 defences"),
    ],
)
def test_a_stopped_run_of_defences_leaves_those_that_were_played(
    tmp_path: Path, stops_at: float, n_targets: dict[str, int], says: str
) -> None:
    traces, so_far = habitual_traces(60), Attacked()

    def heard(share: float, _: str) -> None:
        if share > stops_at - 1e-9:  # noticed at the next report
            progress.cancel()

    progress = Progress(heard)
    with pytest.raises(Cancelled):
        attack_defences(
            traces, GAMES, runs=Runs(tmp_path / "runs.sqlite"), progress=progress, heard=so_far.heard
        )
    assert so_far.says == says
    found = [point for point, _ in so_far.points]
    assert {one.defence: one.n_targets for one in found} == n_targets
    alone = [
        point
        for game in GAMES
        if game.defence in n_targets
        for point in tradeoff_from_result(
            play_game(traces, replace(game, targets=n_targets[game.defence])).result
        )
    ]
    assert found == alone
