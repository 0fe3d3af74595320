"""What stands in the figure of the attack: every mark is named, and orange is the claim alone."""

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.risks.attack import attack_figure
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


def test_the_bound_that_a_limit_proves_is_named_where_there_is_room() -> None:
    curve = attack_curve_from_parameters(AttackParameters(epsilon=0.66))
    for limit, named in ((10, True), (60, False)):
        bounded = bounded_attack_from_release_parameters(ReleaseParameters(max_trips_per_user=limit), 70)
        figure = attack_figure(curve, LIGHT, your_trips=12, bounded=bounded)
        assert ("its proven bound" in [one.text for one in figure.layout.annotations]) == named
