"""The eleven steps of the walk in words: what is argued, what there is to see, after whom. Knows words alone."""

from dataclasses import dataclass

from privlab.defaults import PUBLISHED_THRESHOLD, TRIPS_OF_THE_AUTHOR


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWords:
    """One step in words: its title, its argument, what to see in its figure, and whose argument it is.

    `sample` is the one that its figures are of, where they are of people; `people` says who they are.
    """

    title: str
    argument: str
    see: str
    source: str
    sample: str = ""
    people: str = ""

    def of_sample(self, chosen: str) -> str:
        """Return whose figures these are, and that they are not of the data that is chosen elsewhere; nothing of the other steps."""
        if not self.sample:
            return ""
        other = f", not of the data that is chosen, {chosen}" if chosen != self.sample else ""
        return f"Figures of the sample {self.sample}, {self.people}{other}."


_HOUSSIAU = (
    "Houssiau, Rocher and de Montjoye, Nature Communications 2022, on the release of Bassolas et al., Nature "
    "Communications 2019."
)
_PYRGELIS = "Pyrgelis, Troncoso and De Cristofaro, Knock Knock, Who's There?, NDSS 2018."
_GRAMAGLIA = "Gramaglia and Fiore, On the anonymizability of mobile traffic datasets, 2015."

STEPS_IN_WORDS: tuple[StepWords, ...] = (
    StepWords(
        title="The claim",
        argument="The publisher (Bassolas et al. 2019): “An attacker gains at most 16%”. With ε = 0.66 an attacker is right at most 66 times in 100.",
        see="for one trip the best attack stays below the dashed line, whatever ε is: there the claim is true.",
        source=_HOUSSIAU,
    ),
    StepWords(
        title="Three trips",
        argument="The promise is for one trip. A person makes more.",
        see="from three unique trips on, the attack is above the claim.",
        source=_HOUSSIAU,
    ),
    StepWords(
        title="The author",
        argument=f"One of the paper's authors made {TRIPS_OF_THE_AUTHOR} unique trips in a week.",
        see=f"at {TRIPS_OF_THE_AUTHOR} the attacker is right 95.5 times in 100; the proven loss adds up trip by trip.",
        source=_HOUSSIAU,
    ),
    StepWords(
        title="The threshold does not save you",
        argument=f"Counts below {PUBLISHED_THRESHOLD} were not published. Does such a threshold protect?",
        see="a threshold hides only trips that hardly anybody else makes; the busy ones give the target away as without one.",
        source=f"{_HOUSSIAU} The exact figures with suppression are this lab's own.",
    ),
    StepWords(
        title="Bounding does, at this price",
        argument="Count at most L unique trips of each person, with noise to match: then ε covers the person.",
        see="the green curve stays below the claim for everybody; the price is the trips left out, and more noise.",
        source="The repair is this lab's own.",
    ),
    StepWords(
        title="Groups of ten",
        argument="No noise, only counts of a group per place and hour: is someone in the group?",
        see="in small groups the attack is nearly always right; it fades as groups grow.",
        source=_PYRGELIS,
        sample="cabs",
        people="invented taxis",
    ),
    StepWords(
        title="Regular people",
        argument="Commuters go to the same places at the same hours. Does that give them away?",
        see="two attacks that learn in some weeks and are tested in a later one: on commuters as they are, and with the hours "
        "of each week shuffled. Both read what each zone counted over the week, as in the paper; an attack on single hours "
        "may find more. Of whole trails, the last step says otherwise.",
        source=_PYRGELIS,
        sample="commuters",
        people="invented transit cards",
    ),
    StepWords(
        title="Noise, and an attacker who learns it",
        argument="Noise helps against an attacker who does not expect it.",
        see="noise for one report fools the one who expects true counts more than the one who learns on noisy ones; noise for "
        "a whole person stops both, and makes the counts useless.",
        source=_PYRGELIS,
        sample="cabs",
        people="invented taxis",
    ),
    StepWords(
        title="Nobody is 2-anonymous",
        argument="Take names off a list of who was where and when. Is anybody like anybody else?",
        see="no curve begins at zero: nobody has a twin. Yet hiding among 100 is not much harder than among 2.",
        source=_GRAMAGLIA,
        sample="subscribers",
        people="invented phone users",
    ),
    StepWords(
        title="Coarser is not enough",
        argument="Make places 20 km wide and times 8 hours long.",
        see="even the coarsest level leaves nearly everybody unlike everybody else.",
        source=_GRAMAGLIA,
        sample="subscribers",
        people="invented phone users",
    ),
    StepWords(
        title="In whole trails it is when, not where",
        argument="What keeps the whole trails of two people apart?",
        see="for most people most of the distance is time: a few moments at which nobody else was about. "
        "In counts of groups, at step 7, it was the places.",
        source=_GRAMAGLIA,
        sample="subscribers",
        people="invented phone users",
    ),
)  # fmt: skip
