"""Groups of one target → what is published of them, week by week, and what an adversary takes from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.counting import (
    Counts,
    aggregates_from_groups,
    total_from_window,
)
from privlab.aggregates.defences.defence import (
    Defence,
    aggregates_before_noise,
    relative_errors_from_aggregates,
)
from privlab.aggregates.game.features import (
    Flags,
    Floats,
    Knowledge,
    Reals,
    contradictions_from_aggregates,
    features_from_aggregates,
    likelihoods_from_aggregates,
)
from privlab.aggregates.game_rules.game_plan import Plan
from privlab.aggregates.game_rules.groups import Groups
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import Traces, Window, window_from_traces

_BLOCK_ENTRIES = 1_000_000  # entries of aggregates in memory at once, one group at least


class Weeks:
    """The weeks that a game looks at, cut to its period; holds what all targets share."""

    def __init__(self, traces: Traces, parameters: GameParameters, plan: Plan) -> None:
        period = period_from_spec(parameters.period)
        self._windows: dict[int, Window] = {
            week: window_from_traces(traces, week=week, period=period)
            for week in sorted({*plan.train_weeks, plan.test_week})
        }
        self._totals = {week: total_from_window(window) for week, window in self._windows.items()}
        self.released = self._windows[plan.test_week]

    def aggregates(self, member: Flags, week: int) -> Counts:
        """Return true counts of groups in a week, int32 (groups, zones, epochs)."""
        return aggregates_from_groups(member, self._windows[week], total=self._totals[week])

    def before_noise(
        self, defence: Defence, member: Flags, week: int, rng: np.random.Generator, *, true: Counts
    ) -> npt.NDArray[Any]:
        """Return what a defence counts of groups in a week; `true` are their true counts."""
        window, total = self._windows[week], self._totals[week]
        return aggregates_before_noise(defence, member, window, rng, total=total, true=true)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Training:
    """What an adversary learns from: features (samples, features) by name, labels, and shares of others.

    `share` (zones, epochs) is how much of the groups without the target was expected where and when.
    """

    features: dict[str, Reals]
    inside: Flags
    share: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Released:
    """What an adversary is asked about: features by name, labels, and per sample what needs no learning.

    `likelihoods` has one array per `Knowledge` asked for; `errors` are mean relative errors.
    """

    features: dict[str, Reals]
    inside: Flags
    contradicted: Flags
    likelihoods: tuple[Floats, ...]
    errors: Floats


def learned_features(parameters: GameParameters) -> tuple[str, ...]:
    """Return the names of the features that the arms learn from: statistics, cells."""
    arms = parameters.arms
    names = {"statistics": "statistics" in arms, "cells": "cells" in arms or "cells+rule" in arms}
    return tuple(name for name, wanted in names.items() if wanted)


def training_from_groups(
    groups: Groups,
    weeks: Weeks,
    plan: Plan,
    parameters: GameParameters,
    defence: Defence,
    rng: np.random.Generator,
) -> Training:
    """Return what the groups' publication in the weeks of the training teaches."""
    names = learned_features(parameters)
    found: dict[str, list[Reals]] = {name: [] for name in names}
    outside = np.zeros((weeks.released.n_zones, weeks.released.n_epochs))
    for week in plan.train_weeks:
        for part, _, published in blocks_from_groups(groups, weeks, week, defence, rng):
            for name in names:
                found[name].append(features_from_aggregates(name, published))
            outside += published[~groups.inside[part]].sum(axis=0)
    n_people = int((~groups.inside).sum()) * len(plan.train_weeks) * parameters.group_size
    return Training(
        features={name: np.concatenate(parts) for name, parts in found.items()},
        inside=np.tile(groups.inside, len(plan.train_weeks)),
        share=share_from_total(outside, n_people),
    )


def released_from_groups(
    groups: Groups,
    weeks: Weeks,
    plan: Plan,
    parameters: GameParameters,
    defence: Defence,
    rng: np.random.Generator,
    knowledge: Sequence[Knowledge],
) -> Released:
    """Return what is published of the groups in the week of the test, as an adversary takes it."""
    names = learned_features(parameters)
    found: dict[str, list[Any]] = {name: [] for name in (*names, "contradicted", "errors")}
    likelihoods: list[list[Floats]] = [[] for _ in knowledge]
    window = weeks.released
    hidden = window.null_zone and parameters.prior == "zero-knowledge"  # no published table has a null zone
    for _, true, published in blocks_from_groups(groups, weeks, plan.test_week, defence, rng):
        looked_at = published[:, : window.n_zones - hidden]
        for name in names:
            found[name].append(features_from_aggregates(name, looked_at))
        if "cells+rule" in parameters.arms:
            found["contradicted"].append(contradictions_from_aggregates(published, knowledge[0].presence))
        if "likelihood" in parameters.arms:
            for rows, known in zip(likelihoods, knowledge, strict=True):
                rows.append(likelihoods_from_aggregates(published, known))
        if published is not true:
            found["errors"].append(
                relative_errors_from_aggregates(
                    true, published, sanity=parameters.sanity, share=parameters.sanity_share
                )
            )
    joined: dict[str, Any] = {
        name: np.concatenate(parts) if parts else np.empty(0) for name, parts in found.items()
    }
    return Released(
        features={name: joined[name] for name in names},
        inside=groups.inside,
        contradicted=joined["contradicted"],
        likelihoods=tuple(np.concatenate(rows) for rows in likelihoods if rows),
        errors=joined["errors"],
    )


def share_among_known(known: Flags, target: int, weeks: Weeks, plan: Plan) -> Floats:
    """Return the share of known users but the target in each zone and epoch of the test week."""
    others = known.copy()
    others[target] = False
    return share_from_total(weeks.aggregates(others[None], plan.test_week)[0], int(others.sum()))


def share_from_total(total: npt.NDArray[Any], n_people: int) -> Floats:
    """Return which share of so many people is in each entry that counts them, within (0, 1)."""
    # Half a person more on either side, so that nothing is impossible; noise may go beyond both.
    return np.clip((np.asarray(total, dtype=np.float64) + 0.5) / (n_people + 1.0), 1e-9, 1 - 1e-9)


def blocks_from_groups(
    groups: Groups, weeks: Weeks, week: int, defence: Defence, rng: np.random.Generator
) -> Iterator[tuple[slice, npt.NDArray[Any], npt.NDArray[Any]]]:
    """Yield which groups, their true counts and what is published of them, a few groups at a time."""
    entries = weeks.released.n_zones * weeks.released.n_epochs
    step = max(1, _BLOCK_ENTRIES // entries)
    for start in range(0, groups.inside.size, step):
        part = slice(start, min(start + step, groups.inside.size))
        member = groups.member[part]
        true = weeks.aggregates(member, week)
        published = defence.defended(weeks.before_noise(defence, member, week, rng, true=true), rng)
        yield part, true, published
