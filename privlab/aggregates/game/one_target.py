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
from privlab.aggregates.findings.outcomes import (
    UNLEARNED,
    Setting,
    TargetEstimate,
    TargetOutcome,
    TargetScore,
)
from privlab.aggregates.game.classifiers import scores_from_features
from privlab.aggregates.game.features import Floats, Knowledge, scores_with_rule
from privlab.aggregates.game.released_groups import (
    Released,
    Training,
    Weeks,
    released_from_groups,
    share_among_known,
    training_from_groups,
)
from privlab.aggregates.game.zero_knowledge import ZeroKnowledge
from privlab.aggregates.game_rules.changed_traces import traces_of_game
from privlab.aggregates.game_rules.game_plan import plan_from_parameters
from privlab.aggregates.game_rules.groups import Split, Target, split_from_traces
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.traces import Traces, Window, presence_from_window
from privlab.seeds import generator
from privlab.stats import midranks_from_scores

GAME_VERSION = 1  # an outcome stored by another version is not one of this code


_Lesson = tuple[Training, TargetEstimate | None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _View:
    """One adversary: what it learned from, what it is asked about, what it knows of the target."""

    epsilon: float | None
    adversary: str | None
    training: Training
    released: Released
    likelihoods: Floats | None
    estimate: TargetEstimate | None


class Game:
    """One game on given traces, ready for any target; holds what all targets share."""

    def __init__(self, traces: Traces, parameters: GameParameters) -> None:
        traces = traces_of_game(traces, parameters)
        self.traces, self.parameters = traces, parameters
        self.plan = plan_from_parameters(parameters, traces)
        self._weeks = Weeks(traces, parameters, self.plan)
        self._factors = FactorSource(traces, self._weeks.released)
        self.defences = self._defences()
        self.zero_knowledge: ZeroKnowledge | None = None
        if parameters.prior == "zero-knowledge":
            self.zero_knowledge = ZeroKnowledge(traces, parameters, self.plan, self._weeks)

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
            estimates: list[TargetEstimate] = []
            for view in self._views(split, target):
                scores += self._scores(view, target)
                estimates += [] if view.estimate is None else [view.estimate]
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
            estimates=tuple(estimates),
        )

    def _views(self, split: Split, target: Target) -> Iterator[_View]:
        """Yield the adversary of true counts, then those of each defended release."""
        everything = (self._weeks, self.plan, self.parameters)
        plain = self._taught(split, target, None, NoDefence(), None)
        knows = [self._knowledge(split, target, plain[0], 0.0)]
        rng = self._noise(target, "none", None)
        true = released_from_groups(split.test, *everything, NoDefence(), rng, knows)
        yield _view(None, None, plain, true, 0)
        for epsilon, defence in self.defences.items():
            lessons, knows = {}, []
            for adversary in self.parameters.adversaries:
                strategic = adversary == "strategic"
                lessons[adversary] = plain
                if strategic or self.zero_knowledge is not None:
                    lessons[adversary] = self._taught(split, target, epsilon, defence, adversary)
                variance = defence.noise_variance if strategic else 0.0
                knows.append(self._knowledge(split, target, lessons[adversary][0], variance))
            rng = self._noise(target, "test", epsilon)
            noisy = released_from_groups(split.test, *everything, defence, rng, knows)
            for at, (adversary, lesson) in enumerate(lessons.items()):
                yield _view(epsilon, adversary, lesson, noisy, at)

    def _taught(
        self, split: Split, target: Target, epsilon: float | None, defence: Defence, adversary: str | None
    ) -> _Lesson:
        """Return what an adversary learns from, and what it estimated on the way, where it had to."""
        if self.zero_knowledge is not None:
            return self.zero_knowledge.training(split.train, target, epsilon, defence, adversary)
        rng = self._noise(target, "none" if adversary is None else "training", epsilon)
        training = training_from_groups(split.train, self._weeks, self.plan, self.parameters, defence, rng)
        return training, None

    def _noise(self, target: Target, part: str, epsilon: float | None) -> np.random.Generator:
        name = f"noise of {self.parameters.defence} {epsilon} in {part} of target {target.user}"
        return generator(self.parameters.seed, name)

    def _knowledge(
        self, split: Split, target: Target, training: Training, noise_variance: float
    ) -> Knowledge:
        if self.zero_knowledge is not None:
            return self.zero_knowledge.knowledge(target, training, noise_variance)
        share = training.share
        if split.known.any():
            share = share_among_known(split.known, target.position, self._weeks, self.plan)
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
                        in_span=self.zero_knowledge is not None,
                    )
                scores = learned[name, classifier]
                if arm == "cells+rule":
                    scores = scores_with_rule(scores, view.released.contradicted)
                yield _score(view, arm, classifier, scores)


def _view(
    epsilon: float | None, adversary: str | None, lesson: _Lesson, released: Released, at: int
) -> _View:
    training, estimate = lesson
    return _View(
        epsilon=epsilon,
        adversary=adversary,
        training=training,
        released=released,
        likelihoods=released.likelihoods[at] if released.likelihoods else None,
        estimate=estimate,
    )


def _score(view: _View, arm: str, classifier: str, scores: Floats) -> TargetScore:
    ranks = midranks_from_scores(scores[view.released.inside], scores[~view.released.inside])
    return TargetScore(
        setting=Setting(arm=arm, classifier=classifier, epsilon=view.epsilon, adversary=view.adversary),
        inside=tuple(ranks[0].tolist()),
        outside=tuple(ranks[1].tolist()),
    )
