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

Seen = tuple[Fingerprints, WhatIf, dict[str, PooledParts]]
"""Fingerprints at the level, what would hide one person, and how distances are spread for that one and some others."""


def seen_person(
    fingerprints: Fingerprints,
    parameters: StudyParameters,
    k: int,
    chosen: dict[str, int],
    *,
    first: Callable[[Fingerprints, Progress], WhatIf] | None = None,
    progress: Progress,
) -> Seen:
    """Return the fingerprints at the level, what would hide the first of those chosen, and the laws of all of them."""
    coarse, user = coarse_fingerprints(fingerprints, parameters), next(iter(chosen.values()))
    one = first(coarse, progress) if first else what_if(coarse, user, k, parameters, progress)
    laws = pooled_parts_from_fingerprints(coarse, list(chosen.values()), k=k, parameters=parameters.stretch)
    return coarse, one, dict(zip(chosen, laws, strict=True))


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
    fingerprints: Fingerprints, parameters: StudyParameters, user: int, k: int, *, progress: Progress
) -> tuple[Fingerprints, WhatIf]:
    """Return the fingerprints at the level, and what would hide a user among k."""
    coarse = coarse_fingerprints(fingerprints, parameters)
    return coarse, what_if(coarse, user, k, parameters, progress)
