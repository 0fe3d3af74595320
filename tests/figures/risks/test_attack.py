"""What stands in the figure of the attack: every mark is named, no name touches a line, and orange is the claim alone."""

import itertools

import numpy as np
import plotly.graph_objects as go
import pytest

from privlab.figures.drawing.numbers_of_figure import table_from_figure
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.risks.attack import attack_figure, attack_settings, trips_histogram
from privlab.od.attack import (
    AttackParameters,
    attack_curve_from_parameters,
    bounded_attack_from_release_parameters,
)
from privlab.od.simulating import ReleaseParameters
from privlab.seeds import generator


def test_dots_are_named_where_games_are_simulated() -> None:
    for repetitions in (0, 100):
        curve = attack_curve_from_parameters(
            AttackParameters(epsilon=0.66, repetitions=repetitions), generator(1, "attack curve")
        )
        figure = attack_figure(curve, LIGHT, your_trips=12)
        named = [one.font.color for one in figure.layout.annotations if "simulated" in one.text]
        assert named == ([LIGHT.simulated] if repetitions else [])
        claimed = [one.name for one in figure.data if LIGHT.claim in (one.line.color, one.marker.color)]
        assert claimed == ["claimed bound"]


def test_every_line_of_a_curve_that_is_told_step_by_step_has_a_name() -> None:
    curve = attack_curve_from_parameters(AttackParameters(epsilon=0.66))
    bounded = bounded_attack_from_release_parameters(ReleaseParameters(max_trips_per_user=10), 70)
    assert bounded is not None
    figure = attack_figure(curve, LIGHT, your_trips=12, bounded=bounded, until=40)
    lines = [one for one in figure.data if one.mode == "lines"]
    assert len(lines) == len(figure.layout.annotations) == 4


def curves_at(at: int, *, limit: int | None) -> dict[str, float]:
    """Return what the file of the figure's numbers says of someone with so many trips, by curve."""
    curve = attack_curve_from_parameters(
        AttackParameters(epsilon=0.66, repetitions=100), generator(1, "attack curve")
    )
    bounded = bounded_attack_from_release_parameters(ReleaseParameters(max_trips_per_user=limit), 70)
    table = table_from_figure(attack_figure(curve, LIGHT, your_trips=at, bounded=bounded))
    rows = table[table.iloc[:, 1] == at]
    return dict(zip(rows["curve"], rows["attacker right (a coin: 50%, 1: 100%)"], strict=True))


def test_beside_a_limit_all_that_has_none_says_so_against_science() -> None:
    """docs/science.md, section 2.3: right in 95.5224% at k = 32 where each trip is promised ε = 0.66; with a limit at most e^ε/(1+e^ε)."""
    said = curves_at(32, limit=3)
    assert said["best attack, no limit"] == pytest.approx(0.955224, abs=1e-6)
    claim = said["claimed bound"]
    beyond = {name for name, share in said.items() if share > claim + 1e-12}
    assert beyond == {
        "best attack, no limit",
        "proven bound, no limit",
        "simulated attack, no limit, 95% interval",
        "the paper's author: 32 trips, no limit",
    }
    assert said["best attack, limit of 3 trips per user"] == said["k = 32"] < claim
    assert said["proven bound, limit of 3 trips per user"] == pytest.approx(claim)
    # Without a limit there is nothing to tell apart.
    assert not [name for name in curves_at(32, limit=None) if "limit" in name]


def test_each_curve_has_its_own_settings_by_hand() -> None:
    curve = attack_curve_from_parameters(
        AttackParameters(epsilon=0.66, noise="integer", repetitions=100), generator(1, "attack curve")
    )
    bounded = bounded_attack_from_release_parameters(ReleaseParameters(max_trips_per_user=3), 70)
    assert attack_settings(curve, bounded, noise="gaussian", delta=1e-6, seed=1) == (
        "ε = 0.66; no limit: integer noise, seed 1; limit: at most 3 trips per user, Gaussian noise with δ = 10⁻⁶"
    )
    bounded = bounded_attack_from_release_parameters(ReleaseParameters(max_trips_per_user=1), 70)
    assert attack_settings(curve, bounded, noise="integer").endswith(
        "integer noise; limit: at most 1 trip per user, integer noise"
    )
    alone = "ε = 0.66, no bound on trips per user, integer noise, seed 4"
    assert attack_settings(curve, None, noise="integer", seed=4) == alone


def test_the_bound_that_a_limit_proves_is_named_where_there_is_room() -> None:
    curve = attack_curve_from_parameters(AttackParameters(epsilon=0.66))
    for limit, named in ((10, True), (60, False)):
        bounded = bounded_attack_from_release_parameters(ReleaseParameters(max_trips_per_user=limit), 70)
        figure = attack_figure(curve, LIGHT, your_trips=12, bounded=bounded)
        assert ("its proven bound" in [one.text for one in figure.layout.annotations]) == named


@pytest.mark.parametrize("limit", [2, 10, 60])
def test_the_line_of_one_s_own_plan_is_named_before_any_without_a_limit(limit: int) -> None:
    """At ε = 0.1 there is little room by it, and "no limit" alone was read as the plan. No sign in a name looks like one more dot."""
    for repetitions in (0, 1000):
        curve = attack_curve_from_parameters(
            AttackParameters(epsilon=0.1, repetitions=repetitions), generator(1, "attack curve")
        )
        bounded = bounded_attack_from_release_parameters(
            ReleaseParameters(epsilon=0.1, max_trips_per_user=limit), 70
        )
        for own in (2, 12):
            texts = [
                one.text
                for one in attack_figure(curve, LIGHT, your_trips=own, bounded=bounded).layout.annotations
            ]
            assert any(one.startswith(f"best attack, limit of {limit}") for one in texts), texts
            assert any(one.startswith(f"k = {own}: ") for one in texts), texts
            assert bool(repetitions) == any(one.startswith("dots: simulated") for one in texts), texts
            assert not any("●" in one for one in texts)


def test_what_the_limit_proves_is_seen_below_the_claim_that_lies_on_it() -> None:
    """docs/science.md, section 2.3: from the limit on both are e^ε/(1+e^ε); of two thin lines one hides the other."""
    curve = attack_curve_from_parameters(AttackParameters(epsilon=0.66))
    bounded = bounded_attack_from_release_parameters(ReleaseParameters(max_trips_per_user=3), 70)
    figure = attack_figure(curve, LIGHT, your_trips=12, bounded=bounded)
    lines = {one.name: number for number, one in enumerate(figure.data)}
    proven = figure.data[lines["proven bound, limit of 3 trips per user"]]
    claim = figure.data[lines["claimed bound"]]
    assert proven.y[-1] == pytest.approx(claim.y[-1])
    assert lines[proven.name] < lines[claim.name]  # drawn below it
    assert proven.line.width >= 3 * claim.line.width


def boxes(figure: go.Figure, width: int, height: int) -> dict[str, tuple[float, float, float, float]]:
    """Return where each name is written: left, right, bottom, top in pixels of the drawing area."""
    found = {}
    for one in figure.layout.annotations:
        wide, high = 6 * len(one.text), 13
        left = one.x * width + one.xshift - {"left": 0, "center": 0.5, "right": 1}[one.xanchor] * wide
        bottom = one.y * height - {"bottom": 0, "middle": 0.5, "top": 1}[one.yanchor] * high
        found[one.text] = (left, left + wide, bottom, bottom + high)
    return found


@pytest.mark.parametrize("width", [285, 420, 1000])
@pytest.mark.parametrize("limit", [None, 1, 3, 10, 20, 50, 90])
@pytest.mark.parametrize(("your_trips", "own_week"), [(12, None), (32, None), (70, 3)])
def test_no_name_touches_a_line_a_mark_or_another_name(
    width: int, limit: int | None, your_trips: int, own_week: int | None
) -> None:
    curve = attack_curve_from_parameters(
        AttackParameters(epsilon=0.66, repetitions=1000), generator(1, "attack curve")
    )
    bounded = None
    if limit is not None:
        bounded = bounded_attack_from_release_parameters(ReleaseParameters(max_trips_per_user=limit), 70)
    figure = attack_figure(curve, LIGHT, your_trips=your_trips, own_week=own_week, bounded=bounded)
    (x0, x1), (y0, y1), height = (
        figure.layout.xaxis.range,
        figure.layout.yaxis.range,
        figure.layout.height - 60,
    )
    found = boxes(figure, width, height)
    named = " ".join(found)
    assert "claimed bound" in named
    assert ("best attack, exact" if limit is None else "best attack, no limit") in named
    assert f"k = {your_trips}: " in named
    assert limit is None or "limit of" in named
    for box in found.values():
        assert min(box[0], width - box[1], box[2], height - box[3]) >= -1
        for one in figure.data:
            dense = np.linspace(x0, x1, 4000) if one.mode == "lines" else np.asarray(one.x, dtype=float)
            y = np.interp(dense, one.x, one.y)
            px, py = (dense - x0) / (x1 - x0) * width, (y - y0) / (y1 - y0) * height
            px, py = px[dense <= max(one.x)], py[dense <= max(one.x)]
            inside = (px > box[0]) & (px < box[1]) & (py > box[2]) & (py < box[3])
            assert not inside.any(), (one.name, found)
    for one, other in itertools.combinations(found.values(), 2):
        assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]


def test_with_a_limit_the_histogram_speaks_of_the_limit_and_not_of_the_claim() -> None:
    trips = np.array([0, 1, 2, 3, 4, 4, 9])
    figure = trips_histogram(trips, LIGHT, first_above=3, limit=3)
    assert [one.text for one in figure.layout.annotations] == ["3 of 7 above the limit of 3"]
    assert list(figure.data[0].marker.color[:6]) == [LIGHT.muted] * 4 + [LIGHT.repaired] * 2
    assert figure.layout.shapes[0].x0 == 3.5
    figure = trips_histogram(trips, LIGHT, first_above=3, limit=90)
    assert [one.text for one in figure.layout.annotations] == ["nobody above the limit of 90"]
    assert figure.layout.shapes[0].line.width == 0
    figure = trips_histogram(trips, LIGHT, first_above=3)
    assert [one.text for one in figure.layout.annotations] == ["from 3 trips on, the claim fails"]


@pytest.mark.parametrize(("n_users", "room"), [(9_999, 64), (20_000, 72), (200_000, 80)])
def test_numbers_of_users_have_room_to_be_written_in_full_by_hand(n_users: int, room: int) -> None:
    """8 pixels for each sign beyond the five of 9,999; all users have one trip."""
    figure = trips_histogram(np.ones(n_users, dtype=np.int64), LIGHT, first_above=None)
    assert figure.layout.margin.l == room


def test_pointing_at_a_curve_never_says_certain_of_what_noise_leaves_in_doubt_against_theory() -> None:
    """With ε = 2 the best attack on one trip is right with 1 − e^(−1)/2, on 30 trips it errs in 8.5 of a million cases."""
    curve = attack_curve_from_parameters(AttackParameters(epsilon=2.0))
    figure = attack_figure(curve, LIGHT, your_trips=30)
    (best,) = (one.hovertext for one in figure.data if one.mode == "lines" and "best" in one.name)
    assert (best[1], best[30]) == ("81.61%", "99.9992%")
    (mark,) = (one.hovertemplate for one in figure.data if one.name == "k = 30")
    assert mark == "k = 30: 99.9992%<extra></extra>"
