"""What a recovery is asked for: how many people, how long, by which step, and what is done to the counts."""

from dataclasses import dataclass
from datetime import date

from privlab.checks import require_choice, require_day, require_whole
from privlab.limits import MAX_RECOVERED_DAYS, MAX_RECOVERED_PEOPLE, MAX_SEED

STEPS_MIN = (60, 120, 180, 240, 360)
IMPROVEMENTS = ("midnight", "habits", "lookback")
"""What D'Silva and others (2024) add to the attack; docs/recovery.md says what each does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryParameters:
    """Which people are counted, and how.

    `users` people drawn by the seed are followed for `days` days from 00:00 of `first_day`, by default the
    data's first Monday, in steps of `step_min` minutes. `defence` is done to the counts before they are published,
    with `epsilon` where it adds noise. `improvements` are those of IMPROVEMENTS that the attack has, in that order.
    """

    users: int = 100
    days: int = 7
    step_min: int = 60
    first_day: date | None = None
    defence: str = "none"
    epsilon: float | None = None
    improvements: tuple[str, ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        """Check every field but the defence, which the counts are needed for."""
        require_whole("users", self.users, 2, MAX_RECOVERED_PEOPLE)
        require_whole("days", self.days, 1, MAX_RECOVERED_DAYS)
        require_day("first_day", self.first_day)
        require_choice("step", str(self.step_min), [str(one) for one in STEPS_MIN])
        for one in self.improvements:
            require_choice("improve", one, IMPROVEMENTS)
        known = tuple(one for one in IMPROVEMENTS if one in self.improvements)
        object.__setattr__(self, "improvements", known)
        require_whole("seed", self.seed, 0, MAX_SEED)

    @property
    def steps_a_day(self) -> int:
        """Steps of one day."""
        return 24 * 60 // self.step_min

    @property
    def n_steps(self) -> int:
        """Steps of all days."""
        return self.days * self.steps_a_day
