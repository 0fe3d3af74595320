"""What publishers do to aggregates without noise: leave out small counts, sample users, coarsen.

None of them promises a user anything, however others are known; `SampleDefence` bounds what it gives away.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defences.defence import DefenceFacts, EveryReport, Flags, Floats, Settings
from privlab.checks import ParameterError, require_between, require_whole
from privlab.limits import MAX_THRESHOLD


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plain(EveryReport):
    """A defence without noise: no promise, and every member is counted."""

    @property
    def epsilon_user(self) -> None:
        """No promise."""
        return

    @property
    def delta_user(self) -> float:
        """No promise to fail."""
        return 0.0

    @property
    def noise_variance(self) -> float:
        """No noise."""
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressDefence(_Plain):
    """Counts below a threshold are published as 0."""

    threshold: int

    def __post_init__(self) -> None:
        """Check every field."""
        require_whole("threshold", self.threshold, 1, MAX_THRESHOLD)

    @property
    def name(self) -> str:
        """The defence as the command line spells it."""
        return f"suppress:{self.threshold}"

    @property
    def settings(self) -> Settings:
        """What sets the defence, for printing."""
        return {"threshold": self.threshold}

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[Any]:
        """Return the counts with small ones as 0."""
        return np.where(aggregates < self.threshold, 0, aggregates)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleDefence(_Plain):
    """Each user of a group is counted with chance `share`, for the whole period; counts are scaled back up."""

    share: float

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("share", self.share, 1e-3, 1)

    @property
    def name(self) -> str:
        """The defence as the command line spells it."""
        return f"sample:{self.share:g}"

    @property
    def settings(self) -> Settings:
        """What sets the defence, for printing."""
        return {"share": self.share}

    def counted(self, member: Flags, rng: np.random.Generator) -> Flags:
        """Return who of the members is in the sample, drawn for each group anew."""
        return member & (rng.random(member.shape) < self.share)

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
        """Return the sample's counts over the share, which estimate those of all without bias."""
        return aggregates / self.share


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneraliseDefence(_Plain):
    """Zones and hours are put together in blocks; each entry is published as the mean of its block.

    That says no more and no less than the block's sum, in the same shape. Blocks are `hours` epochs long
    from the period's first, and `zone_rows` × `zone_columns` zones large in a grid of `grid_columns`
    columns whose zones are numbered row by row; without a grid, `zone_columns` zones with ids that follow
    on one another. Last blocks may be smaller. The null zone stays by itself.
    """

    facts: DefenceFacts
    hours: int = 1
    zone_rows: int = 1
    zone_columns: int = 1
    grid_columns: int | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        n_zones = self.facts.n_zones - self.facts.null_zone
        require_whole("hours", self.hours, 1, self.facts.n_epochs)
        require_whole("zone_rows", self.zone_rows, 1, n_zones)
        require_whole("zone_columns", self.zone_columns, 1, n_zones)
        if self.grid_columns is not None:
            require_whole("grid_columns", self.grid_columns, 1, n_zones)
            if n_zones % self.grid_columns:
                raise ParameterError(
                    f"grid_columns must divide the {n_zones:,} zones, got {self.grid_columns:,}."
                )

    @property
    def name(self) -> str:
        """The defence as the command line spells it."""
        parts = [f"hours={self.hours}"] if self.hours > 1 else []
        if self.grid_columns is not None:
            parts.append(f"zones={self.zone_rows}x{self.zone_columns}of{self.grid_columns}")
        elif self.zone_columns > 1:
            parts.append(f"zones={self.zone_columns}")
        return "generalise:" + ("+".join(parts) or "hours=1")

    @property
    def settings(self) -> Settings:
        """What sets the defence, for printing."""
        return {
            "hours": self.hours,
            "zone_rows": self.zone_rows,
            "zone_columns": self.zone_columns,
            "grid_columns": self.grid_columns or 0,
        }

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
        """Return the mean of each entry's block."""
        block = self._zone_blocks()
        order = np.argsort(block, kind="stable")
        sizes = np.bincount(block)
        starts = np.arange(0, self.facts.n_epochs, self.hours)
        lengths = np.diff(np.append(starts, self.facts.n_epochs))
        by_hours = np.add.reduceat(aggregates, starts, axis=2)
        sums = np.add.reduceat(by_hours[:, order], np.cumsum(sizes) - sizes, axis=1)
        return np.repeat((sums / (sizes[:, None] * lengths))[:, block], lengths, axis=2)

    def _zone_blocks(self) -> npt.NDArray[np.int64]:
        """Return the block of each zone, shape (zones,), 0 upwards; the null zone's is the last."""
        zone = np.arange(self.facts.n_zones - self.facts.null_zone)
        width = self.grid_columns or zone.size
        row, column = zone // width // self.zone_rows, zone % width // self.zone_columns
        block = row * -(-width // self.zone_columns) + column
        return np.append(block, block.max() + 1) if self.facts.null_zone else block
