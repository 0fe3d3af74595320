"""What a steward may take out of a dataset on purpose. Off by default.

Knows what may be asked for; how each step is done is in cleaning_steps.
"""

from dataclasses import dataclass, fields
from datetime import date

from privlab.checks import ParameterError, number_from_text, require_between, require_day, require_whole
from privlab.limits import (
    MAX_EVERY_MIN,
    MAX_MIN_RECORDS,
    MAX_SEED,
    MAX_SPEED_KM_H,
    MAX_USERS_GENERATED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """What to take out; every field's default takes out nothing.

    `first_day` and `last_day` belong to the period. `box` is south, west, north, east in degrees. Of
    latitudes and longitudes (or x and y) the middle `percentile` per cent are kept, to 0.001° (100 m).
    A record is too fast if it is reached from the one before, and left for the one after, at more than
    `max_speed_km_h`; the first and the last of a trace stay. The first record of each user in every
    `every_min` minutes is kept. Users then need `min_records`; of those, `n_users` are drawn by `seed`.
    """

    drop_duplicates: bool = False
    first_day: date | None = None
    last_day: date | None = None
    box: tuple[float, float, float, float] | None = None
    percentile: float = 100.0
    max_speed_km_h: float | None = None
    every_min: int | None = None
    min_records: int = 1
    n_users: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        """Check every field. Raises ParameterError."""
        require_day("first_day", self.first_day)
        require_day("last_day", self.last_day)
        if self.first_day and self.last_day and self.first_day > self.last_day:
            raise ParameterError(f"last_day must be {self.first_day} or later, got {self.last_day}.")
        if self.box is not None:
            south, west, north, east = self.box
            sides = zip(("south", "west", "north", "east"), self.box, (90, 180, 90, 180), strict=True)
            for name, value, most in sides:
                require_between(f"box {name}", value, -most, most)
            if south >= north or west >= east:
                raise ParameterError(
                    f"box must be south,west,north,east with south < north and west < east, got {self.box}."
                )
        require_between("percentile", self.percentile, 50, 100)
        if self.max_speed_km_h is not None:
            require_between("max_speed_km_h", self.max_speed_km_h, 1, MAX_SPEED_KM_H)
        if self.every_min is not None:
            require_whole("every_min", self.every_min, 1, MAX_EVERY_MIN)
        require_whole("min_records", self.min_records, 1, MAX_MIN_RECORDS)
        if self.n_users is not None:
            require_whole("n_users", self.n_users, 1, MAX_USERS_GENERATED)
        require_whole("seed", self.seed, 0, MAX_SEED)

    @property
    def users_apart(self) -> bool:
        """Whether what is kept of one user depends on that user alone."""
        return self.percentile == 100 and self.n_users is None

    def as_texts(self) -> dict[str, str]:
        """Return what is taken out, by field, as texts: a day, a number, the edges of a box, "yes"; of the seed nothing.

        >>> Cleaning(first_day=date(2026, 3, 3), box=(48, 2, 49, 2.5), drop_duplicates=True).as_texts()
        {'drop_duplicates': 'yes', 'first_day': '2026-03-03', 'box': '48,2,49,2.5'}
        """
        nothing = Cleaning()
        names = [one.name for one in fields(self) if one.name != "seed"]
        return {
            name: _as_text(getattr(self, name))
            for name in names
            if getattr(self, name) != getattr(nothing, name)
        }


def box_from_text(text: str | None) -> tuple[float, float, float, float] | None:
    """Return south, west, north, east from a text. Raises ParameterError unless it is four numbers.

    >>> box_from_text("48, 2, 49, 2.5")
    (48.0, 2.0, 49.0, 2.5)
    """
    if text is None or not text.strip():
        return None
    try:
        south, west, north, east = (number_from_text("bounding_box", part) for part in text.split(","))
    except ValueError:
        raise ParameterError(
            f"bounding_box must be south,west,north,east in degrees, got {text!r}."
        ) from None
    return south, west, north, east


def _as_text(value: object) -> str:
    if value is True:
        return "yes"
    if isinstance(value, tuple):
        return ",".join(map(_as_text, value))
    return str(value) if isinstance(value, int | date) else f"{value:.6f}".rstrip("0").rstrip(".")
