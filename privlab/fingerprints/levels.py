"""How coarse samples are: the size of a cell and of a time bin, and periods that time is folded onto."""

from dataclasses import dataclass
from fractions import Fraction

from privlab.checks import ParameterError, require_between, require_whole
from privlab.limits import MAX_BIN_MIN, MAX_FOLD_DAYS, MAX_LEVEL_KM

_STEP_M = 100  # the grid that samples are placed on


@dataclass(frozen=True, slots=True, order=True)
class Level:
    """A granularity: cells of `cell_km` kilometres, a whole number of 100 m, and bins of `bin_min` minutes.

    >>> str(Level(2.5, 60)), Level.from_text("0.1-1").cell_m
    ('2.5-60', 100)
    """

    cell_km: float
    bin_min: int

    def __post_init__(self) -> None:
        """Check both sizes."""
        size = require_between("level's cell (km)", self.cell_km, _STEP_M / 1000, MAX_LEVEL_KM)
        if Fraction(str(size)) * 1000 % _STEP_M:
            raise ParameterError(f"level's cell (km) must be a multiple of 0.1, got {self.cell_km:g}.")
        require_whole("level's bin (min)", self.bin_min, 1, MAX_BIN_MIN)

    @classmethod
    def from_text(cls, text: str) -> "Level":
        """Return the level written as KM-MIN. Raises ParameterError otherwise."""
        cell, _, minutes = text.strip().partition("-")
        try:
            if "_" not in minutes + cell:  # Python's own spelling of ten is 1_0
                return cls(float(cell), int(minutes))
        except ValueError as error:
            if isinstance(error, ParameterError):
                raise
        raise ParameterError(f"level must be KM-MIN, such as 0.1-1 or 2.5-60, got {text!r}.")

    @property
    def cell_m(self) -> int:
        """Side of a cell in metres."""
        return int(Fraction(str(self.cell_km)) * 1000)

    def __str__(self) -> str:
        """Return KM-MIN."""
        return f"{self.cell_km:g}-{self.bin_min}"


# The ends are the paper's (Gramaglia and Fiore 2015); those between are ours.
DEFAULT_LEVELS = tuple(
    Level(cell_km, bin_min)
    for cell_km, bin_min in ((0.1, 1), (1, 30), (2.5, 60), (5, 120), (10, 240), (20, 480))
)


def levels_from_text(text: str) -> tuple[Level, ...]:
    """Return the levels written with commas between them, each once."""
    return tuple(dict.fromkeys(Level.from_text(part) for part in text.split(",")))


def fold_days_from_text(text: str | None) -> int | None:
    """Return the days of a period written as 14d or 2w, None for none. Raises ParameterError otherwise."""
    if text is None:
        return None
    number, unit = text.strip()[:-1], text.strip()[-1:].lower()
    if unit not in ("d", "w") or not number.isdecimal():
        raise ParameterError(f"fold must be whole days or weeks, such as 14d or 2w, got {text!r}.")
    return require_whole("fold (days)", int(number) * (7 if unit == "w" else 1), 1, MAX_FOLD_DAYS)
