"""The game against one target: groups → aggregates → features → scores → outcome.

True data: an outcome says how surely a given person is recognised. It depends on traces, parameters and
target alone: not on the machine's cores, nor on which targets were played before.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from privlab.aggregates.defences.defence import Defence, NoDefence, defence_facts_from_window
from privlab.aggregates.defences.named_defences import defence_from_spec
from privlab.aggregates.factors import FactorSource
from privlab.aggregates.game.classifiers import scores_from_features
from privlab.aggregates.game.features import Floats, Knowledge, scores_with_rule
from privlab.aggregates.game.outcomes import UNLEARNED, Setting, TargetOutcome, TargetScore
from privlab.aggregates.game.parameters import GameParameters
from privlab.aggregates.game.released_groups import (
    Released,
    Training,
    Weeks,
    released_from_groups,
    share_among_known,
    training_from_groups,
)
from privlab.aggregates.game.schedule import plan_from_parameters
from privlab.aggregates.groups import Split, Target, split_from_traces
from privlab.aggregates.traces import Traces, Window, presence_from_window
from privlab.seeds import generator
from privlab.stats import midranks_from_scores

GAME_VERSION = 1  # an outcome stored by another version is not one of this code


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _View:
    """One adversary: what it learned from, what it is asked about, what it knows of the target."""

    epsilon: float | None
    adversary: str | None
    training: Training
    released: Released
    likelihoods: Floats | None


class Game:
    """One game on given traces, ready for any target; holds what all targets share."""

    def __init__(self, traces: Traces, parameters: GameParameters) -> None:
        self.traces, self.parameters = traces, parameters
        self.plan = plan_from_parameters(parameters, traces)
        self._weeks = Weeks(traces, parameters, self.plan)
        self._factors = FactorSource(traces, self._weeks.released)
        self.defences = self._defences()

    @property
    def released(self) -> Window:
        """The week and hours whose counts are released."""
        return self._weeks.released

    def _defences(self) -> dict[float | None, Defence]:
        """Return the mechanisms of the releases that are defended, by ε (None: it has none)."""
        name, epsilons = self.parameters.defence, self.parameters.epsilons
        if not self.parameters.is_defended:
            return {}
        facts = defence_facts_from_window(self._weeks.released)
        return {
            epsilon: defence_from_spec(name, epsilon=epsilon, facts=facts) for epsilon in epsilons or (None,)
        }

    def outcome(self, target: Target) -> TargetOutcome:
        """Return the outcome against one target, worked out on one core."""
        began = time.perf_counter()
        with threadpool_limits(1):  # sums of floats depend on how many threads add them up
            split = split_from_traces(self.traces, self.parameters, self.plan, target)
            scores: list[TargetScore] = []
            errors: list[tuple[float | None, float]] = []
            for view in self._views(split, target):
                scores += self._scores(view, target)
                if view.adversary is not None and view.epsilon not in dict(errors):
                    errors.append((view.epsilon, float(view.released.errors.mean())))
            factors = self._factors.factors(target.position)
        return TargetOutcome(
            turn=target.turn,
            user=target.user,
            mobility=target.mobility,
            factors=factors,
            scores=tuple(scores),
            errors=tuple(errors),
            seconds=time.perf_counter() - began,
        )

    def _views(self, split: Split, target: Target) -> Iterator[_View]:
        """Yield the adversary of true counts, then those of each defended release."""
        parameters, everything = self.parameters, (self._weeks, self.plan, self.parameters)
        shared = None
        if split.known.any():
            shared = share_among_known(split.known, target.position, self._weeks, self.plan)
        plain = training_from_groups(split.train, *everything, NoDefence(), self._noise(target, "none", None))
        knowledge = self._knowledge(target, plain.share if shared is None else shared, 0.0)
        true = released_from_groups(
            split.test, *everything, NoDefence(), self._noise(target, "none", None), [knowledge]
        )
        yield _View(epsilon=None, adversary=None, training=plain, released=true, likelihoods=_first(true, 0))
        for epsilon, defence in self.defences.items():
            trainings = {"passive": plain}
            if "strategic" in parameters.adversaries:
                rng = self._noise(target, "training", epsilon)
                trainings["strategic"] = training_from_groups(split.train, *everything, defence, rng)
            knows = [
                self._knowledge(
                    target,
                    trainings[adversary].share if shared is None else shared,
                    defence.noise_variance if adversary == "strategic" else 0.0,
                )
                for adversary in parameters.adversaries
            ]
            rng = self._noise(target, "test", epsilon)
            noisy = released_from_groups(split.test, *everything, defence, rng, knows)
            for at, adversary in enumerate(parameters.adversaries):
                yield _View(
                    epsilon=epsilon,
                    adversary=adversary,
                    training=trainings[adversary],
                    released=noisy,
                    likelihoods=_first(noisy, at),
                )

    def _noise(self, target: Target, part: str, epsilon: float | None) -> np.random.Generator:
        name = f"noise of {self.parameters.defence} {epsilon} in {part} of target {target.user}"
        return generator(self.parameters.seed, name)

    def _knowledge(self, target: Target, share: Floats, noise_variance: float) -> Knowledge:
        return Knowledge(
            presence=presence_from_window(self._weeks.released, target.position),
            share=share,
            group_size=self.parameters.group_size,
            noise_variance=noise_variance,
        )

    def _scores(self, view: _View, target: Target) -> Iterator[TargetScore]:
        """Yield the score of every arm and classifier; raw cells are learned once for two arms."""
        parameters, learned = self.parameters, dict[tuple[str, str], Floats]()
        for arm in parameters.arms:
            if arm == "likelihood":
                assert view.likelihoods is not None
                yield _score(view, arm, UNLEARNED, view.likelihoods)
                continue
            name = arm.removesuffix("+rule")
            for classifier in parameters.classifiers:
                if (name, classifier) not in learned:
                    stream = f"{name} {classifier} {view.epsilon} {view.adversary} of target {target.user}"
                    learned[name, classifier] = scores_from_features(
                        classifier,
                        parameters.settings,
                        view.training.features[name],
                        view.training.inside,
                        view.released.features[name],
                        generator(parameters.seed, f"training: {stream}"),
                        feature_elimination=parameters.feature_elimination,
                    )
                scores = learned[name, classifier]
                if arm == "cells+rule":
                    scores = scores_with_rule(scores, view.released.contradicted)
                yield _score(view, arm, classifier, scores)


def _first(released: Released, at: int) -> Floats | None:
    return released.likelihoods[at] if released.likelihoods else None


def _score(view: _View, arm: str, classifier: str, scores: Floats) -> TargetScore:
    ranks = midranks_from_scores(scores[view.released.inside], scores[~view.released.inside])
    return TargetScore(
        setting=Setting(arm=arm, classifier=classifier, epsilon=view.epsilon, adversary=view.adversary),
        inside=tuple(ranks[0].tolist()),
        outside=tuple(ranks[1].tolist()),
    )
