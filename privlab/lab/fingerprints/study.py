"""Fingerprints → how far each person is from the nearest others, at one level or at all of them, and who is linked again.

The page Anonymizability, the tour and the commands kgap and link come through here.
"""

from collections.abc import Sequence

import numpy as np

from privlab.datasets.engines import SparkWorkspace
from privlab.defaults import DEFAULT_KS
from privlab.fingerprints import Fingerprints, fingerprints_from_samples
from privlab.fingerprints.measures import (
    LevelStudy,
    StudyParameters,
    level_studies_from_fingerprints,
    level_study_from_fingerprints,
    what_if_from_fingerprints,
)
from privlab.fingerprints.singling_out import Linkage, LinkParameters, linkages_from_fingerprints
from privlab.progress import UNHEARD, Progress


def kgap_study_from_fingerprints(
    fingerprints: Fingerprints,
    parameters: StudyParameters,
    *,
    ks: Sequence[int] = DEFAULT_KS,
    n_workers: int | None = None,
    cluster: SparkWorkspace | None = None,
    progress: Progress = UNHEARD,
) -> LevelStudy:
    """Return the k-gap of everyone who is judged at one level, for every k, and what it is made of.

    `n_workers` threads search, by default one per processor; or the workers of a `cluster`, each of which is sent everybody's
    fingerprints, without their ids.
    """
    return level_study_from_fingerprints(
        fingerprints, parameters, ks=ks, n_workers=n_workers, cluster=cluster, progress=progress
    )


def kgap_studies_from_fingerprints(
    fingerprints: Fingerprints,
    parameters: StudyParameters,
    *,
    ks: Sequence[int] = DEFAULT_KS,
    progress: Progress = UNHEARD,
) -> tuple[LevelStudy, ...]:
    """Return the k-gaps at every default level, without what they are made of."""
    return level_studies_from_fingerprints(fingerprints, parameters, ks=ks, progress=progress)


def linked_halves_from_fingerprints(
    fingerprints: Fingerprints, parameters: LinkParameters, *, progress: Progress = UNHEARD
) -> tuple[Linkage, ...]:
    """Return how many people are found again in the other half of the time, for each level and number of days."""
    return linkages_from_fingerprints(fingerprints, parameters, progress=progress)


def compile_measures() -> None:
    """Measure four made-up people, so that what k-gaps and one person's take is compiled before anybody waits: seconds, once on a machine."""
    sample = np.arange(12)
    few = fingerprints_from_samples(sample // 3, sample % 5, sample % 7, 60 * sample)
    level_study_from_fingerprints(few, StudyParameters(), n_workers=1)
    what_if_from_fingerprints(few, 0, n_workers=1)
