"""The steps of the walk: the three papers' arguments on the samples, each with one thing to move; their words are in figures."""

from privlab.figures.wording import STEPS_IN_WORDS
from privlab.ui.tour import tour_counts, tour_people
from privlab.ui.tour.tour_page import Step

_ATTACK, _GUARANTEE = "../../pages/attack.py", "../../pages/guarantee.py"
_GROUPS, _GAPS = "../../pages/groups.py", "../../pages/anonymizability.py"


_SHOWN = (
    (tour_counts.claim, _ATTACK, "The page Attack"),
    (tour_counts.three, _ATTACK, "The page Attack"),
    (tour_counts.author, _ATTACK, "The page Attack"),
    (tour_counts.threshold, _ATTACK, "The page Attack"),
    (tour_counts.bounding, _GUARANTEE, "The page Guarantee"),
    (tour_people.groups, _GROUPS, "The page Groups"),
    (tour_people.regular, _GROUPS, "The page Groups"),
    (tour_people.noise, _GROUPS, "The page Groups"),
    (tour_people.nobody, _GAPS, "The page Anonymizability"),
    (tour_people.coarser, _GAPS, "The page Anonymizability"),
    (tour_people.when, _GAPS, "The page Anonymizability"),
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
    )
    for words, (show, page, link) in zip(STEPS_IN_WORDS, _SHOWN, strict=True)
)
