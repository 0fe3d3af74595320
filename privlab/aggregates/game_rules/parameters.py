"""What one game is: prior, groups, arms, classifiers, period and defence; reads and writes it as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from privlab.aggregates.game_rules.balance import HALF, Balance, balance_from_spec
from privlab.aggregates.game_rules.known_traces import ALL_KNOWN, known_from_spec
from privlab.aggregates.periods import period_from_spec
from privlab.checks import ParameterError, require_between, require_choice, require_whole
from privlab.controls import controls_from_specs
from privlab.limits import (
    MAX_EPSILON,
    MAX_GROUP_SIZE,
    MAX_GROUPS,
    MAX_SEED,
    MAX_TARGETS,
    MAX_WEEKS,
    MIN_EPSILON,
)

CLASSIFIERS = ("lr", "knn", "rf", "mlp")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierSettings:
    """Settings of the four classifiers; the defaults are recalled from the paper, not quoted.

    `inverse_penalty` is logistic regression's C (liblinear). A selector of features, where asked for,
    takes away `eliminated_share` of them in each step.
    """

    inverse_penalty: float = 1.0
    neighbours: int = 5
    trees: int = 30
    hidden_units: int = 200
    max_iterations: int = 200
    eliminated_share: float = 0.2

    def __post_init__(self) -> None:
        """Check every setting."""
        require_between("inverse_penalty", self.inverse_penalty, 1e-6, 1e6)
        require_whole("neighbours", self.neighbours, 1, 1_000)
        require_whole("trees", self.trees, 1, 10_000)
        require_whole("hidden_units", self.hidden_units, 1, 10_000)
        require_whole("max_iterations", self.max_iterations, 1, 100_000)
        require_between("eliminated_share", self.eliminated_share, 0.001, 0.9)


PRIORS = ("subset", "same-groups", "different-groups", "perfect", "zero-knowledge")
ARMS = ("statistics", "cells", "cells+rule", "likelihood")
ADVERSARIES = ("passive", "strategic")
SANITY = ("group", "zone", "one")


@dataclass(frozen=True, slots=True, kw_only=True)
class GameParameters:
    """One game. What is None follows from prior and data, as in Pyrgelis et al. (2018): see game_plan.py.

    `prior` "perfect" trains on the very groups that are released, "zero-knowledge" on invented people, after
    one release; only it takes `known`, the share of the target's trace known: see known_traces.py. `train_groups` and `test_groups` are
    half with the target, half without, unless `balance` says otherwise: see balance.py; `prior_share` is the share of users
    whose traces a subset prior knows; `observation_weeks` are those before the last week that a group prior has seen. `defence`
    is applied with each of `epsilons` (empty: it has none), against each of `adversaries`; without one all three say nothing.
    `controls` change the data first, in the order of CONTROLS: see privlab/controls. `sanity` and `sanity_share` are γ of the
    mean relative error: a share of a group's or zone's sum, or 1. `random_labels` makes labels say nothing: a control.
    Recalled, not sourced: elimination of features, γ, and the classifiers' settings.
    """

    prior: str = "subset"
    group_size: int = 10
    targets: int = 150
    arms: tuple[str, ...] = ("statistics",)
    classifiers: tuple[str, ...] = CLASSIFIERS
    period: str = "week"
    train_groups: int | None = None
    test_groups: int | None = None
    prior_share: float | None = None
    known: str = ALL_KNOWN
    observation_weeks: int | None = None
    feature_elimination: bool = False
    defence: str = "none"
    epsilons: tuple[float, ...] = ()
    adversaries: tuple[str, ...] = ADVERSARIES
    sanity: str = "group"
    sanity_share: float = 0.001
    random_labels: bool = False
    balance: str = HALF
    controls: tuple[str, ...] = ()
    settings: ClassifierSettings = field(default_factory=ClassifierSettings)
    seed: int = 1

    def __post_init__(self) -> None:
        """Check every field that can be checked without the data."""
        require_choice("prior", self.prior, PRIORS)
        require_choice("sanity", self.sanity, SANITY)
        require_whole("group_size", self.group_size, 1, MAX_GROUP_SIZE)
        require_whole("targets", self.targets, 1, MAX_TARGETS)
        require_whole("seed", self.seed, 0, MAX_SEED)
        require_between("sanity_share", self.sanity_share, 1e-9, 1)
        for name, known in (("arms", ARMS), ("classifiers", CLASSIFIERS), ("adversaries", ADVERSARIES)):
            _require_choices(name, getattr(self, name), known)
        period_from_spec(self.period)
        if controls_from_specs(self.controls) != self.controls:
            raise ParameterError(f"controls must be written as they are applied, got {list(self.controls)}.")
        for name in ("train_groups", "test_groups"):
            if getattr(self, name) is not None:
                require_whole(name, getattr(self, name), 10 if name == "train_groups" else 2, MAX_GROUPS)
        if self.test_groups is not None and self.prior in ("same-groups", "perfect"):
            raise ParameterError(
                f"test_groups must be left out under the prior {self.prior}, which tests the groups of its "
                f"training, got {self.test_groups}."
            )
        if self.prior_share is not None:
            require_between("prior_share", self.prior_share, 1e-6, 1)
        if known_from_spec(self.known).spec != ALL_KNOWN and self.prior != "zero-knowledge":
            raise ParameterError(
                f"known must be left out under the prior {self.prior}: it is for zero-knowledge, got {self.known!r}."
            )
        self._check_balance()
        if self.observation_weeks is not None:
            require_whole("observation_weeks", self.observation_weeks, 1, MAX_WEEKS)
        for epsilon in self.epsilons:
            require_between("epsilon", epsilon, MIN_EPSILON, MAX_EPSILON)
        if self.defence != "none" and "cells+rule" in self.arms:
            raise ParameterError(
                "arms must be statistics, cells or likelihood under a defence (a zero then contradicts "
                "nothing), got 'cells+rule'."
            )

    def _check_balance(self) -> None:
        shares = self.shares_with_target
        if shares.spec != self.balance:
            raise ParameterError(f"balance must be written {shares.spec}, got {self.balance!r}.")
        if shares.train != shares.test and self.prior in ("same-groups", "perfect"):
            raise ParameterError(
                f"balance must be one share where the groups learned from are those under attack (prior {self.prior}), got "
                f"{self.balance!r}."
            )
        if shares.train != 0.5 and self.prior == "zero-knowledge":
            raise ParameterError(
                "balance must be 0.5 in training under the prior zero-knowledge, which invents groups in pairs, with the target "
                f"and without, got {self.balance!r}. Of the test alone: 0.5/0.1."
            )

    @property
    def shares_with_target(self) -> Balance:
        """Which share of the groups holds the target."""
        return balance_from_spec(self.balance)

    @property
    def is_defended(self) -> bool:
        """Whether releases are defended at all."""
        return self.defence != "none" or bool(self.epsilons)

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters as JSON knows them; `known`, `controls` and `balance` only where they say anything."""
        plain = {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()
        }
        if self.prior != "zero-knowledge":
            del plain["known"]  # the keys of runs kept before there was one stay as they are
        if not self.controls:
            del plain["controls"]  # likewise
        if self.balance == HALF:
            del plain["balance"]  # likewise
        return plain


def game_parameters_from_dict(values: Mapping[str, Any]) -> GameParameters:
    """Return the parameters that `as_dict` wrote. Raises ParameterError for a name it does not know."""
    known = {one.name for one in fields(GameParameters)}
    if unknown := sorted(set(values) - known):
        raise ParameterError(f"parameters must be of a game, got {', '.join(unknown)}.")
    plain: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    if "settings" in plain:
        plain["settings"] = ClassifierSettings(**plain["settings"])
    return GameParameters(**plain)


def _require_choices(name: str, values: tuple[str, ...], known: tuple[str, ...]) -> None:
    if not values or len(set(values)) != len(values):
        raise ParameterError(f"{name} must be named, each once, got {list(values)}.")
    for value in values:
        require_choice(name, value, known)
