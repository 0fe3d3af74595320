"""What a steward accepts, and one release that could be made: what a plan is made of. Computes nothing."""

from dataclasses import dataclass

from privlab.checks import ParameterError, require_between, require_choice, require_whole
from privlab.defaults import CLOSE
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.noise import CELLS
from privlab.limits import MAX_WEEKS
from privlab.od.planning.mechanism_names import INTEGER, MECHANISM_NAMES
from privlab.stats import percent_at_least, percent_at_most, rounded_down_per_cent, rounded_up_per_cent

ANY_NOISE = "any"
PLANNED_NOISES = (ANY_NOISE, "integer", "gaussian")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What the steward accepts.

    No user is guessed right with more than `max_accuracy`, over `weeks` weekly releases; at least
    `min_utility` of all trips lie in flows published within `tolerance` of the truth; at most
    `max_made_up` of the published cells are expected to have no true flow. With `max_certainty` and `max_cases`
    an attacker becomes more certain than that of someone who is in, in at most that share of cases. `cells` are
    "public", or "discovered": then the threshold also keeps δ at MAX_PLANNED_DELTA or less, that of a week with Gaussian noise.
    `noise` is one of PLANNED_NOISES; "any" looks at both kinds where Gaussian noise can be had.
    """

    max_accuracy: float
    min_utility: float
    tolerance: float = CLOSE
    max_made_up: float = 0.01
    weeks: int = 1
    max_certainty: float | None = None
    max_cases: float | None = None
    cells: str = "public"
    noise: str = ANY_NOISE

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("max_accuracy", self.max_accuracy, 0.5, 1)
        require_between("min_utility", self.min_utility, 0, 1)
        require_between("tolerance", self.tolerance, 0, 1)
        require_between("max_made_up", self.max_made_up, 1e-6, 1)
        require_whole("weeks", self.weeks, 1, MAX_WEEKS)
        require_choice("cells", self.cells, CELLS)
        require_choice("noise", self.noise, PLANNED_NOISES)
        if (self.max_certainty is None) != (self.max_cases is None):
            given = "max_certainty" if self.max_cases is None else "max_cases"
            raise ParameterError(f"max_certainty and max_cases must be given together, got {given} alone.")
        if self.max_certainty is not None and self.max_cases is not None:
            require_between("max_certainty", self.max_certainty, 0.5, 1)
            require_between("max_cases", self.max_cases, 0, 1)


USUAL_WISHES = PlanRequest(max_accuracy=0.6, min_utility=0.8, max_certainty=0.95, max_cases=0.05)
"""What a plan is asked for before anyone has said anything else: the beginning of the page Plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPoint:
    """One release that could be made: its parameters, the best attack on anyone, and its expected utility.

    `utility` is the expected share of true trips in flows published within the tolerance; `clipped` the
    share of trips that the bound leaves out, or takes from their weights; `made_up` the expected number of published
    cells without a flow. `mechanism` is one of MECHANISM_NAMES, as `noise`, `clip` and the share `total_share` of the squared
    norm for a total make it; with a total, utility is that of what it gives back. `delta` stands beside ε: what discovered
    cells cost a user over all weeks, that of each week with Gaussian noise, else 0. `sigma` is that of Gaussian noise, in
    units of 1/1024 of a trip, 0 with integer noise. `cells` are those of the request.
    """

    epsilon: float
    max_trips_per_user: int
    threshold: int
    accuracy: float
    utility: float
    clipped: float
    made_up: float
    delta: float = 0.0
    mechanism: str = INTEGER
    noise: str = "integer"
    clip: str = "keep"
    total_share: float = 0.0
    sigma: float = 0.0
    cells: str = "public"

    @property
    def in_words(self) -> str:
        """The mechanism with Gaussian noise, ε, bound and threshold."""
        return f"{self.noise_words}ε = {self.epsilon:g}, {self.limit_words}, threshold {self.threshold:,}"

    @property
    def risk_per_cent(self) -> float:
        """The accuracy in tenths of a per cent, never rounded down: what is said."""
        return rounded_up_per_cent(self.accuracy)

    @property
    def use_per_cent(self) -> float:
        """The utility in tenths of a per cent, never rounded up: what is said."""
        return rounded_down_per_cent(self.utility)

    @property
    def risk_words(self) -> str:
        """The same of the accuracy in words."""
        return risk_words(self.accuracy)

    @property
    def use_words(self) -> str:
        """The same of the utility in words."""
        return use_words(self.utility)

    @property
    def limit_words(self) -> str:
        """The bound on trips: so many count, or, where all trips are weighted, a limit that leaves nobody's trips out."""
        n = self.max_trips_per_user
        trips = "1 trip" if n == 1 else f"{n:,} trips"
        return f"at most {trips}" if self.clip == "keep" else f"a limit of {trips}"

    @property
    def noise_words(self) -> str:
        """What stands before ε: nothing for integer noise, which the controls of all pages name."""
        if self.noise == "integer":
            return ""
        return f"{MECHANISM_NAMES[self.mechanism]}, "


def risk_words(share: float) -> str:
    """Say a risk in per cent, never rounded down.

    >>> risk_words(0.6001), risk_words(0.6)
    ('60.1%', '60.0%')
    """
    return percent_at_most(share)


def use_words(share: float) -> str:
    """Say a utility in per cent, never rounded up.

    >>> use_words(0.8159)
    '81.5%'
    """
    return percent_at_least(share)


def gaussian_parameters_of_point(point: PlanPoint, weeks: int) -> GaussianParameters:
    """Return what a release with Gaussian noise promises over so many weeks."""
    return GaussianParameters(
        epsilon=point.epsilon,
        delta=point.delta,
        max_trips_per_user=point.max_trips_per_user,
        clip=point.clip,
        weeks=weeks,
        threshold=point.threshold,
        total_share=point.total_share,
        cells=point.cells,
    )
