"""Fingerprints + parameters → everything that is said of one level: k-gaps, what they are made of, what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_whole
from privlab.controls import controls_from_specs
from privlab.datasets.engines import SparkWorkspace
from privlab.defaults import DEFAULT_KS
from privlab.fingerprints.changed_fingerprints import fingerprints_under_controls
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_at_level, folded_fingerprints
from privlab.fingerprints.levels import DEFAULT_LEVELS, Level
from privlab.fingerprints.measures.dispersion import Dispersion, dispersion_from_neighbours
from privlab.fingerprints.measures.kgap import (
    KGaps,
    kgap_from_neighbours,
    ks_from_numbers,
    share_equal_length_pairs,
)
from privlab.fingerprints.search.index import SearchRoom, search_room
from privlab.fingerprints.search.neighbours import neighbours_from_fingerprints
from privlab.fingerprints.search.stretch import StretchParameters
from privlab.fingerprints.search.workers import workers_or_all
from privlab.limits import MAX_SEED, MAX_USERS_GENERATED
from privlab.progress import UNHEARD, Progress
from privlab.seeds import generator

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyParameters:
    """What a study of one level depends on besides the data.

    `n_query` users, drawn by `seed`, are judged against everybody; None judges all. `controls` change the data first, drawn
    by the same seed; then `fold_days` lays time onto one period.
    """

    level: Level = DEFAULT_LEVELS[0]
    stretch: StretchParameters = field(default_factory=StretchParameters)
    n_query: int | None = None
    fold_days: int | None = None
    controls: tuple[str, ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        """Check every field that has limits of its own."""
        if not isinstance(self.level, Level):
            raise ParameterError(f"level must be a Level, as Level(1, 30), got {self.level!r}.")
        if self.n_query is not None:
            require_whole("query_users", self.n_query, 1, MAX_USERS_GENERATED)
        require_whole("seed", self.seed, 0, MAX_SEED)
        if controls_from_specs(self.controls) != self.controls:
            raise ParameterError(f"controls must be written as they are applied, got {list(self.controls)}.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LevelStudy:
    """The k-gaps of the users judged at one level; `dispersion` is None where it was not asked for.

    `n_users` is everybody, `user_ids` theirs by position, `mean_samples` is of everybody at this level.
    `room` is what the search was estimated to take, `share_compared` the share of the pairs of users
    that it had to look at in full.
    """

    parameters: StudyParameters
    user_ids: npt.NDArray[Any]
    n_users: int
    mean_samples: float
    share_equal_length_pairs: float
    kgaps: KGaps
    dispersion: Dispersion | None
    room: SearchRoom
    share_compared: float

    @property
    def n_judged(self) -> int:
        """Number of users judged."""
        return int(self.kgaps.query.size)


def positions_of_query_users(n_users: int, n_query: int | None, seed: int) -> Int64s:
    """Return ascending positions of the users to be judged: all, or so many of them drawn by a seed.

    >>> positions_of_query_users(3, None, 1).tolist(), positions_of_query_users(1000, 3, 1).size
    ([0, 1, 2], 3)
    """
    if n_query is None or n_query >= n_users:
        return np.arange(n_users, dtype=np.int64)
    drawn = generator(seed, "query users").choice(n_users, n_query, replace=False)
    return np.sort(drawn).astype(np.int64)


def fingerprints_of_study(fingerprints: Fingerprints, parameters: StudyParameters) -> Fingerprints:
    """Return the fingerprints that a study judges: under its controls, folded, at its level."""
    fingerprints = fingerprints_under_controls(fingerprints, parameters.controls, seed=parameters.seed)
    if parameters.fold_days is not None:
        fingerprints = folded_fingerprints(fingerprints, fold_days=parameters.fold_days)
    return fingerprints_at_level(fingerprints, parameters.level)


def level_study_from_fingerprints(
    fingerprints: Fingerprints,
    parameters: StudyParameters,
    *,
    ks: Sequence[int] = DEFAULT_KS,
    dispersed: bool = True,
    n_workers: int | None = None,
    cluster: SparkWorkspace | None = None,
    progress: Progress = UNHEARD,
) -> LevelStudy:
    """Return the study of one level; `n_workers` threads search, by default one per processor, or a cluster does.

    What the k-gaps are made of is worked out here in either case.
    """
    ks, n_workers = ks_from_numbers(ks), workers_or_all(n_workers)
    coarse = fingerprints_of_study(fingerprints, parameters)
    query = positions_of_query_users(coarse.n_users, parameters.n_query, parameters.seed)
    searched = 0.75 if dispersed else 1.0
    neighbours = neighbours_from_fingerprints(
        coarse,
        k=max(ks),
        parameters=parameters.stretch,
        query=query,
        n_workers=n_workers,
        cluster=cluster,
        progress=progress.part(0.0, searched),
    )
    dispersion = None
    if dispersed:
        dispersion = dispersion_from_neighbours(
            coarse,
            neighbours,
            ks,
            n_workers=n_workers,
            progress=progress.part(searched, 1.0),
        )
    return LevelStudy(
        parameters=parameters,
        user_ids=coarse.user_ids,
        n_users=coarse.n_users,
        mean_samples=float(coarse.n_samples.mean()) if coarse.n_users else float("nan"),
        share_equal_length_pairs=share_equal_length_pairs(coarse),
        kgaps=kgap_from_neighbours(neighbours, ks),
        dispersion=dispersion,
        room=search_room(coarse, n_queries=query.size, k=max(ks), n_workers=n_workers),
        share_compared=neighbours.n_compared / max(1, neighbours.n_pairs),
    )


def level_studies_from_fingerprints(
    fingerprints: Fingerprints,
    parameters: StudyParameters,
    *,
    ks: Sequence[int] = DEFAULT_KS,
    progress: Progress = UNHEARD,
) -> tuple[LevelStudy, ...]:
    """Return the study of every default level, without dispersion; the level of `parameters` does not matter."""
    studies = []
    fingerprints = fingerprints_under_controls(fingerprints, parameters.controls, seed=parameters.seed)
    for number, level in enumerate(DEFAULT_LEVELS):
        one = StudyParameters(
            level=level,
            stretch=parameters.stretch,
            n_query=parameters.n_query,
            fold_days=parameters.fold_days,
            controls=parameters.controls,
            seed=parameters.seed,
        )
        part = progress.part(
            number / len(DEFAULT_LEVELS), (number + 1) / len(DEFAULT_LEVELS), suffix=f" at {level}"
        )
        studies.append(
            level_study_from_fingerprints(fingerprints, one, ks=ks, dispersed=False, progress=part)
        )
    return tuple(studies)
