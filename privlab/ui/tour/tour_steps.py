"""The steps of the walk: the three papers' arguments on the samples, each with one thing to move; their words are in figures."""

from privlab.figures.wording import STEPS_IN_WORDS
from privlab.ui.tour import tour_counts, tour_people
from privlab.ui.tour.tour_page import Step
from privlab.ui.tour.tour_work import Piece

_ATTACK, _GUARANTEE = "../../pages/attack.py", "../../pages/guarantee.py"
_GROUPS, _GAPS = "../../pages/groups.py", "../../pages/anonymizability.py"


def _no_work() -> tuple[Piece, ...]:
    return ()


_SHOWN = (
    (tour_counts.claim, _no_work, _ATTACK, "The page Attack"),
    (tour_counts.three, _no_work, _ATTACK, "The page Attack"),
    (tour_counts.author, _no_work, _ATTACK, "The page Attack"),
    (tour_counts.threshold, _no_work, _ATTACK, "The page Attack"),
    (tour_counts.bounding, _no_work, _GUARANTEE, "The page Guarantee"),
    (tour_people.groups, tour_people.ahead_of_groups, _GROUPS, "The page Groups"),
    (tour_people.regular, tour_people.ahead_of_regular, _GROUPS, "The page Groups"),
    (tour_people.noise, tour_people.ahead_of_noise, _GROUPS, "The page Groups"),
    (tour_people.nobody, tour_people.ahead_of_nobody, _GAPS, "The page Anonymizability"),
    (tour_people.coarser, tour_people.ahead_of_coarser, _GAPS, "The page Anonymizability"),
    (tour_people.when, tour_people.ahead_of_when, _GAPS, "The page Anonymizability"),
)

STEPS: tuple[Step, ...] = tuple(
    Step(
        title=words.title,
        argument=words.argument,
        see=words.see,
        source=words.source,
        of_sample=words.of_sample,
        show=show,
        page=page,
        link=link,
        ahead=ahead,
    )
    for words, (show, ahead, page, link) in zip(STEPS_IN_WORDS, _SHOWN, strict=True)
)
