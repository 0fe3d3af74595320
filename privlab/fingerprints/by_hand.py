"""Three invented people with three samples each, made coarser by hand until two of them look alike.

After the example with which Gramaglia and Fiore (2015) begin; these people are the lab's own.
"""

from dataclasses import dataclass

from privlab.fingerprints.levels import Level

HAND_LEVELS = (Level(0.1, 1), Level(5, 120), Level(20, 480))
# Samples in the morning, at noon and in the evening: km east, km north, minute of the day.
_PEOPLE = {
    "A": ((2.1, 3.4, 8 * 60 + 12), (11.3, 7.2, 14 * 60 + 5), (4.4, 4.7, 19 * 60 + 40)),
    "B": ((3.8, 1.2, 8 * 60 + 50), (13.0, 9.1, 14 * 60 + 40), (8.2, 3.3, 19 * 60 + 5)),
    "C": ((17.5, 2.2, 6 * 60 + 30), (11.9, 8.0, 12 * 60 + 20), (22.5, 12.0, 21 * 60 + 30)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HandTable:
    """What would be published of three people, each of the three samples at a level of its own.

    `cells` holds for each person the samples as (km east, km north, minute), the lower ends; `alike` who shares all
    three with whom; `mean_km` and `mean_min` how coarse a sample is on average.
    """

    levels: tuple[Level, ...]
    cells: dict[str, tuple[tuple[float, float, int], ...]]
    alike: dict[str, tuple[str, ...]]
    mean_km: float
    mean_min: float


def table_by_hand(levels: tuple[Level, ...]) -> HandTable:
    """Return the table with the first, second and third sample of everybody at these levels.

    >>> table_by_hand((Level(5, 120), Level(5, 120), Level(20, 480))).alike["A"]
    ('B',)
    """
    cells = {
        name: tuple(_coarse(sample, level) for sample, level in zip(samples, levels, strict=True))
        for name, samples in _PEOPLE.items()
    }
    return HandTable(
        levels=levels,
        cells=cells,
        alike={
            name: tuple(other for other in cells if other != name and cells[other] == own)
            for name, own in cells.items()
        },
        mean_km=sum(level.cell_km for level in levels) / len(levels),
        mean_min=sum(level.bin_min for level in levels) / len(levels),
    )


def _coarse(sample: tuple[float, float, int], level: Level) -> tuple[float, float, int]:
    """Return the lower ends of cell and bin, counted in whole tenths of a kilometre."""
    size = round(level.cell_km * 10)
    east, north = (round(km * 10) // size * size / 10 for km in sample[:2])
    return east, north, sample[2] // level.bin_min * level.bin_min
