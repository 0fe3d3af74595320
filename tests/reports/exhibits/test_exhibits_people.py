"""Parts about people are of the data that their page showed: as they are, or changed by a control."""

import pytest

from privlab.checks import ParameterError
from privlab.od.simulating import ReleaseParameters
from privlab.reports.exhibits.exhibits_people import games_from_view, study_parameters_from_view
from privlab.reports.report_plan import View


@pytest.mark.parametrize(
    ("option", "controls"),
    [(None, ()), ("thin:0.5+shuffle-hours", ("thin:0.5", "shuffle-hours")), ("users:9", ("users:9",))],
)
def test_controls_of_a_part_are_those_of_its_page(option: str | None, controls: tuple[str, ...]) -> None:
    view = View(release=ReleaseParameters(epsilon=1), options=(("control", option), ("group_sizes", "5,10")))
    assert [one.controls for one in games_from_view(view)] == [controls] * 2
    assert study_parameters_from_view(view).controls == controls


def test_a_control_that_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="control must be thin"):
        games_from_view(View(release=ReleaseParameters(epsilon=1), options=(("control", "upside-down"),)))
