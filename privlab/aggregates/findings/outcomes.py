"""The outcome of the game for one target: ranks of the scores, and everything that follows from them."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privlab.aggregates.factors import Factors
from privlab.stats import (
    auc_from_midranks,
    auc_interval,
    privacy_loss_from_auc,
    roc_from_midranks,
    true_positive_rate,
)

UNLEARNED = "none"  # the classifier of an arm that learns nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What one row of results is of: arm, classifier, ε and adversary (both None: true counts)."""

    arm: str
    classifier: str
    epsilon: float | None = None
    adversary: str | None = None


@dataclass(frozen=True, kw_only=True)
class TargetScore:
    """How well one adversary tells IN from OUT for one target.

    `inside` and `outside` are twice the midranks of the scores of the test groups with and without the
    target: they hold the whole ROC.
    """

    setting: Setting
    inside: tuple[int, ...]
    outside: tuple[int, ...]

    @cached_property
    def auc(self) -> float:
        """Area under the ROC, ties counting half."""
        return auc_from_midranks(self.inside, self.outside)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Confidence interval of the AUC, 95%, over the groups drawn for this target."""
        return auc_interval(self.auc, len(self.inside), len(self.outside))

    @property
    def privacy_loss(self) -> float:
        """PL: (AUC − ½)/½, and 0 below ½."""
        return float(privacy_loss_from_auc(self.auc))

    @property
    def roc(self) -> tuple[np.ndarray, np.ndarray]:
        """False and true positive rates."""
        return roc_from_midranks(self.inside, self.outside)

    def true_positives(self, most_false: float) -> float:
        """Return the largest true positive rate with at most this false positive rate."""
        return true_positive_rate(self.inside, self.outside, most_false=most_false)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetEstimate:
    """What an attacker of zero knowledge took from its one release, beside the truth of all users.

    `visits` per user, null zone left out; `space_apart` and `time_apart` are how far the estimated law of visits
    over zones and over epochs lies from the true one, 0 (equal) to 1.
    """

    epsilon: float | None
    adversary: str | None
    visits: float
    true_visits: float
    space_apart: float
    time_apart: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetOutcome:
    """The game for one target: whose turn it was, a score per setting, and what a defence did to the counts.

    `errors` has (ε or None, mean relative error of the test groups) per defended release; `estimates` one
    per adversary of zero knowledge, none under other priors.
    """

    turn: int
    user: int | str
    mobility: str
    factors: Factors
    scores: tuple[TargetScore, ...]
    errors: tuple[tuple[float | None, float], ...]
    seconds: float
    estimates: tuple[TargetEstimate, ...] = ()

    @property
    def is_seen(self) -> bool:
        """Whether the target is seen in any zone of the released period."""
        return not math.isnan(self.factors.particularity)

    def estimate(self, setting: Setting) -> TargetEstimate | None:
        """Return what the adversary of a setting estimated; None where the prior leaves nothing to estimate."""
        own = (setting.epsilon, setting.adversary)
        return next((one for one in self.estimates if (one.epsilon, one.adversary) == own), None)

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON knows it."""
        estimates = {"estimates": [asdict(one) for one in self.estimates]} if self.estimates else {}
        return estimates | {
            "turn": self.turn,
            "user": self.user,
            "mobility": self.mobility,
            "factors": {
                name: None if value != value else value for name, value in asdict(self.factors).items()
            },
            "scores": [
                asdict(one.setting) | {"inside": list(one.inside), "outside": list(one.outside)}
                for one in self.scores
            ],
            "errors": [list(pair) for pair in self.errors],
            "seconds": self.seconds,
        }


def target_outcome_from_dict(values: Mapping[str, Any]) -> TargetOutcome:
    """Return the outcome that `as_dict` wrote."""
    factors: dict[str, Any] = {
        name: float("nan") if value is None else value for name, value in values["factors"].items()
    }
    scores = []
    for one in values["scores"]:
        rest = dict(one)
        inside, outside = tuple(rest.pop("inside")), tuple(rest.pop("outside"))
        scores.append(TargetScore(setting=Setting(**rest), inside=inside, outside=outside))
    return TargetOutcome(
        turn=values["turn"],
        user=values["user"],
        mobility=values["mobility"],
        factors=Factors(**factors),
        scores=tuple(scores),
        errors=tuple((pair[0], pair[1]) for pair in values["errors"]),
        seconds=values["seconds"],
        estimates=tuple(TargetEstimate(**one) for one in values.get("estimates", ())),
    )
