"""The attacker who has seen one release and nothing else: estimates from it, people invented from those, groups of them.

After Guan, Guépin, Cretu and de Montjoye (PoPETs 2024(4)). The null zone, which no published table has, is
not looked at.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from privlab.aggregates.counting import aggregates_from_groups, total_from_window
from privlab.aggregates.defences.defence import Defence, NoDefence, aggregates_before_noise
from privlab.aggregates.findings.outcomes import TargetEstimate
from privlab.aggregates.game.estimates import Estimate, apart, estimate_from_counts, estimate_from_release
from privlab.aggregates.game.features import Flags, Knowledge, Reals, features_from_aggregates
from privlab.aggregates.game.invented_people import neighbours_from_positions, window_from_estimate
from privlab.aggregates.game.released_groups import (
    Training,
    Weeks,
    blocks_from_groups,
    learned_features,
    share_from_total,
)
from privlab.aggregates.game_rules.game_plan import Plan
from privlab.aggregates.game_rules.groups import Groups, Target
from privlab.aggregates.game_rules.known_traces import known_from_spec, known_visits_from_presence
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.traces import Traces, Window, presence_from_window
from privlab.seeds import generator

_LEAST_PEOPLE = 2_000  # invented, for the groups of one training to be drawn from
_BLOCK_ENTRIES = 1_000_000  # entries of aggregates in memory at once, one pair of groups at least


class ZeroKnowledge:
    """What the attacker needs for any target of a game; holds what all targets share."""

    def __init__(self, traces: Traces, parameters: GameParameters, plan: Plan, weeks: Weeks) -> None:
        self._parameters, self._plan, self._weeks = parameters, plan, weeks
        self._window, self._n_zones = weeks.released, int(traces.zones.size)
        self._neighbours = neighbours_from_positions(traces.positions)
        self._known = known_from_spec(parameters.known)
        everybody = weeks.aggregates(np.ones((1, traces.n_users), dtype=bool), plan.test_week)[0]
        self.true = estimate_from_counts(everybody[: self._n_zones], traces.n_users)

    def known_visits(self, target: Target) -> Flags:
        """Return where and when the attacker knows the target to have been, bool (zones, epochs), null zone left out."""
        presence = presence_from_window(self._window, target.position)[: self._n_zones]
        rng = generator(self._parameters.seed, f"known visits of target {target.user}")
        return known_visits_from_presence(presence, self._known, rng)

    def knowledge(self, target: Target, training: Training, noise_variance: float) -> Knowledge:
        """Return what needs no learning; entries not known of the target are not weighed, unless all is known."""
        visits, window = self.known_visits(target), self._window
        presence, weighed = np.zeros((2, window.n_zones, window.n_epochs), dtype=bool)
        presence[: self._n_zones] = visits
        weighed[: self._n_zones] = True if self._known.is_all else visits
        return Knowledge(
            presence=presence,
            share=training.share,
            group_size=self._parameters.group_size,
            noise_variance=noise_variance,
            weighed=weighed,
        )

    def training(
        self, seen: Groups, target: Target, epsilon: float | None, defence: Defence, adversary: str | None
    ) -> tuple[Training, TargetEstimate]:
        """Return what the attacker learns from after one release of a group of `seen`, and how well it estimated.

        Whether the target is in that group is drawn. The passive adversary takes what is published for true
        counts; any other undoes the defence, and puts invented groups through it.
        """
        estimate = self.estimate(seen, target, epsilon, defence, adversary)
        undone = NoDefence() if adversary == "passive" else defence
        rng = self._stream("invented groups", target, epsilon)
        training = self._training(estimate, self.known_visits(target), undone, rng)
        return training, TargetEstimate(
            epsilon=epsilon,
            adversary=adversary,
            visits=estimate.visits,
            true_visits=self.true.visits,
            space_apart=apart(estimate.space, self.true.space),
            time_apart=apart(estimate.time, self.true.time),
        )

    def estimate(
        self, seen: Groups, target: Target, epsilon: float | None, defence: Defence, adversary: str | None
    ) -> Estimate:
        """Return what the attacker makes of the one release it has seen."""
        lots = generator(self._parameters.seed, f"group seen of target {target.user}")
        row = np.array([int(lots.integers(seen.inside.size))])
        one = Groups(member=seen.member[row], inside=seen.inside[row])
        rng = self._stream("release seen", target, epsilon)
        _, _, published = next(blocks_from_groups(one, self._weeks, self._plan.test_week, defence, rng))
        size = self._parameters.group_size
        undone = NoDefence() if adversary == "passive" else defence

        def entries_shown(estimate: Estimate) -> int:
            fresh = self._stream("fitting", target, epsilon)
            window = self._invented(estimate, size, fresh)
            counts = aggregates_from_groups(np.ones((1, size), dtype=bool), window)
            return int((undone.defended(counts, fresh)[0, : self._n_zones] > 0).sum())

        return estimate_from_release(published[0, : self._n_zones], size, undone, entries_shown)

    def _stream(self, part: str, target: Target, epsilon: float | None) -> np.random.Generator:
        name = f"{part} of target {target.user}, {self._parameters.defence} {epsilon}"
        return generator(self._parameters.seed, name)

    def _invented(
        self, estimate: Estimate, n_people: int, rng: np.random.Generator, beside: Flags | None = None
    ) -> Window:
        null_zone = self._window.null_zone
        return window_from_estimate(
            estimate, n_people, self._neighbours, rng, null_zone=null_zone, beside=beside
        )

    def _training(
        self, estimate: Estimate, visits: Flags, defence: Defence, rng: np.random.Generator
    ) -> Training:
        """Return features of pairs of groups: invented people with the target, and with one more of them instead."""
        size, names = self._parameters.group_size, learned_features(self._parameters)
        n_people, n_pairs = max(_LEAST_PEOPLE, 2 * size), self._plan.n_train // 2
        window = self._invented(estimate, n_people, rng, visits)
        inside, outside = np.zeros((2, n_pairs, n_people + 1), dtype=bool)
        for row in range(n_pairs):
            chosen = rng.choice(n_people, size, replace=False)
            inside[row, chosen[1:]] = outside[row, chosen] = True
        inside[:, -1] = True
        found: dict[str, list[list[Reals]]] = {name: [[], []] for name in names}
        for published in published_pairs(inside, outside, window, defence, rng):
            for name in names:
                for world, one in enumerate(published):
                    found[name][world].append(features_from_aggregates(name, one[:, : self._n_zones]))
        return Training(
            features={name: np.concatenate([*parts[0], *parts[1]]) for name, parts in found.items()},
            inside=np.arange(2 * n_pairs) < n_pairs,
            share=self._share(estimate),
        )

    def _share(self, estimate: Estimate) -> npt.NDArray[np.float64]:
        """Return the share of others expected in each entry, null zone included but unknown, (zones, epochs)."""
        size = self._parameters.group_size
        expected = size * estimate.visits * estimate.space[:, None] * estimate.time
        share = np.full((self._window.n_zones, self._window.n_epochs), 0.5)
        share[: self._n_zones] = share_from_total(expected, size)
        return share


def published_pairs(
    inside: Flags, outside: Flags, window: Window, defence: Defence, rng: np.random.Generator
) -> Iterator[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
    """Yield what is published of groups of both worlds, some pairs at a time; the noise of a pair is the same."""
    step = max(1, _BLOCK_ENTRIES // (window.n_zones * window.n_epochs))
    total = total_from_window(window)
    for start in range(0, inside.shape[0], step):
        lots, both = int(rng.integers(2**63)), []
        for member in (inside[start : start + step], outside[start : start + step]):
            same = np.random.default_rng(lots)
            counts = aggregates_before_noise(defence, member, window, same, total=total)
            both.append(defence.defended(counts, same))
        yield both[0], both[1]
