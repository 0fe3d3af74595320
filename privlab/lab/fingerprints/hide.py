"""Fingerprints → what may be published of people hidden among each other (GLOVE), and the proof that it holds.

Nothing is handed out that was not verified.
"""

from dataclasses import dataclass

import pyarrow as pa

from privlab.fingerprints import Fingerprints, Level, fingerprints_at_level
from privlab.fingerprints.glove import (
    Accuracy,
    GloveParameters,
    HiddenGroups,
    Verification,
    accuracy_from_hidden_groups,
    hidden_groups_from_fingerprints,
    verified_table_from_hidden_groups,
)
from privlab.progress import UNHEARD, Progress


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HiddenPeople:
    """People hidden among each other: the groups, what may be published, what is left of it, and the proof."""

    groups: HiddenGroups
    table: pa.Table
    accuracy: Accuracy
    verification: Verification


def hidden_people_from_fingerprints(
    fingerprints: Fingerprints,
    parameters: GloveParameters,
    *,
    level: Level | None = None,
    n_workers: int | None = None,
    progress: Progress = UNHEARD,
) -> HiddenPeople:
    """Return what may be published when everybody shares a fingerprint with k − 1 others.

    It starts from fingerprints at a `level`, by default as fine as they are. `n_workers` threads search, by
    default one per processor. Raises BoundViolation if the table does not hold: then nothing is handed out.
    """
    start = fingerprints if level is None else fingerprints_at_level(fingerprints, level)
    groups = hidden_groups_from_fingerprints(
        start, parameters, n_workers=n_workers, progress=progress.part(0.0, 0.97)
    )
    progress.tell(0.98, "Checking what would be published")
    table, verification = verified_table_from_hidden_groups(groups)
    accuracy = accuracy_from_hidden_groups(groups)
    progress.tell(1.0, "Checked")
    return HiddenPeople(groups=groups, table=table, accuracy=accuracy, verification=verification)
