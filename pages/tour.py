"""Tour: the three papers' arguments on the samples, in eleven steps, each with one thing to move."""

from privlab.ui.tour import STEPS, place, shown

number = place([step.title for step in STEPS])
shown(STEPS, number)
