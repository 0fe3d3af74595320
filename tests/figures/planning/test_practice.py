"""What a δ beside ε gains for all of a week, in words: against composition and the sum of the losses."""

import numpy as np
import plotly.graph_objects as go
import pytest

from privlab.dp.promise import PUBLISHED_PRACTICE
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.planning.practice import delta_sentence, practice_figure
from privlab.od.attack.attack_by_epsilon import week_with_delta


def test_a_delta_is_called_of_no_help_only_where_it_is_of_little() -> None:
    """Seventy trips of 0.66 are 46.2 by composition, and 33 at a δ of 10⁻⁶ (docs/science.md, 2.3); of 0.01 they are 0.7, and less than half."""
    said = delta_sentence(week_with_delta(70, 0.66))
    assert said.startswith(
        "A δ beside ε does not help. Noise of ε = 0.66 for each trip protects all that someone with 70 unique trips"
    )
    assert "with ε = 7 at δ = 0.82" in said  # 0.8126, and no δ is said smaller than it is
    assert "or with ε = 46.2 at δ = 0." in said
    said = delta_sentence(week_with_delta(70, 0.01))
    assert said.startswith("Noise of ε = 0.01 for each trip")
    assert "with ε = 0.7 at δ = 0." in said
    assert float(said.rpartition("that ε is ")[2].rstrip(".")) < 0.35


def test_under_a_limit_the_counted_trips_are_meant_by_hand() -> None:
    """ε = 1 for the week and L = 20: each trip has 0.05, and all twenty 1, however many more someone makes."""
    said = delta_sentence(week_with_delta(20, 0.05), of=30)
    assert (
        "all that someone with 30 unique trips, of which 20 count, does in a week with ε = 1 at δ = 0."
        in said
    )
    assert float(said.rpartition("that ε is ")[2].rstrip(".")) <= 1
    assert "someone with 1 unique trip does" in delta_sentence(week_with_delta(1, 0.66), of=1)


def test_names_beside_marks_are_in_a_type_that_a_picture_has() -> None:
    """A picture is drawn without the types that came with the page: a name in one of them becomes wider there, and lay on its mark."""
    marks = [(one, 0.8) for one in PUBLISHED_PRACTICE if one.epsilon is not None]
    epsilon = np.array([0.01, 1.0, 20.0])
    figure = practice_figure(epsilon, np.array([0.5, 0.8, 1.0]), marks, 12, LIGHT)
    names = {one.name for one, _ in marks}
    beside = [one for one in figure.layout.annotations if one.text in names]
    assert len(beside) == len(marks)
    assert {one.font.family for one in beside} == {"sans-serif"}


def test_names_are_written_into_the_figure_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written one by one, plotly makes all that are there anew at each: n (n + 1) / 2 for n names, most of the time of a move on Attack."""
    made = []
    begin = go.layout.Annotation.__init__

    def counted(self: go.layout.Annotation, *what: object, **named: object) -> None:
        made.append(self)
        begin(self, *what, **named)

    monkeypatch.setattr(go.layout.Annotation, "__init__", counted)
    marks = [(one, 0.8) for one in PUBLISHED_PRACTICE if one.epsilon is not None]
    figure = practice_figure(np.array([0.01, 1.0, 20.0]), np.array([0.5, 0.8, 1.0]), marks, 12, LIGHT)
    n_names = len(figure.layout.annotations)
    assert n_names > len(marks)
    assert len(made) <= 4 * n_names
