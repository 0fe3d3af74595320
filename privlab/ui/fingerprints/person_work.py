"""What one person's fingerprint says, as another process works it out for pages: no page is known here."""

from collections.abc import Callable

from privlab.fingerprints import Fingerprints, fingerprints_at_level, folded_fingerprints
from privlab.fingerprints.measures import (
    PooledParts,
    StudyParameters,
    WhatIf,
    pooled_parts_from_fingerprints,
    what_if_from_fingerprints,
)
from privlab.progress import Progress


def what_if(
    coarse: Fingerprints, user: int, k: int, parameters: StudyParameters, progress: Progress
) -> WhatIf:
    """Return what would hide a user among k."""
    return what_if_from_fingerprints(coarse, user, k=k, parameters=parameters.stretch, progress=progress)


def coarse_fingerprints(fingerprints: Fingerprints, parameters: StudyParameters) -> Fingerprints:
    """Return the fingerprints at the level that is studied."""
    if parameters.fold_days is not None:
        fingerprints = folded_fingerprints(fingerprints, fold_days=parameters.fold_days)
    return fingerprints_at_level(fingerprints, parameters.level)


def hidden_person(
    fingerprints: Fingerprints,
    parameters: StudyParameters,
    user: int,
    k: int,
    *,
    known: Callable[[Fingerprints, Progress], WhatIf] | None = None,
    progress: Progress,
) -> tuple[Fingerprints, WhatIf]:
    """Return the fingerprints at the level, and what would hide a user among k; `known` says that where it is at hand."""
    coarse = coarse_fingerprints(fingerprints, parameters)
    return coarse, known(coarse, progress) if known else what_if(coarse, user, k, parameters, progress)


def spread_distances(
    fingerprints: Fingerprints,
    parameters: StudyParameters,
    chosen: dict[str, int],
    k: int,
    *,
    progress: Progress,
) -> dict[str, PooledParts]:
    """Return how the distances of single samples are spread for some users, by what they are called."""
    coarse = coarse_fingerprints(fingerprints, parameters)
    found = pooled_parts_from_fingerprints(
        coarse, list(chosen.values()), k=k, parameters=parameters.stretch, progress=progress
    )
    return dict(zip(chosen, found, strict=True))
