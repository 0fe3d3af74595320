"""What is taken out of the rows before anything is counted → plain words, for whoever loads them or receives a release."""

from collections.abc import Mapping

# By the fields of a Cleaning, in the order in which they are applied.
CLEANING_WORDS = {
    "drop_duplicates": "rows that repeat another",
    "first_day": "rows before {}",
    "last_day": "rows after {}",
    "box": "rows outside the box {} (south, west, north, east)",
    "max_speed_km_h": "records both reached and left faster than {} km/h",
    "every_min": "all but the first record of a person in every {} minutes",
    "min_records": "people with fewer than {} records",
    "percentile": "places outside the middle {}% of their coordinates",
    "n_users": "all but {} people, drawn at random",
}
# In the last two one person decides what is kept of another: no release may have them.
OF_RELEASES = tuple(CLEANING_WORDS)[:-2]


def cleaning_in_words(cleaning: Mapping[str, str]) -> str:
    """Return what was left out, empty if nothing was.

    >>> cleaning_in_words({"min_records": "4", "first_day": "2026-03-03"})
    'rows before 2026-03-03; people with fewer than 4 records'
    """
    return "; ".join(
        words.format(cleaning[name]) for name, words in CLEANING_WORDS.items() if name in cleaning
    )
