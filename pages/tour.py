"""Tour: the three papers' arguments on the samples, in eleven steps, each with one thing to move."""

from privlab.ui.tour_parts import place, shown
from privlab.ui.tour_steps import STEPS

number = place(len(STEPS))
shown(STEPS[number], number, len(STEPS))
