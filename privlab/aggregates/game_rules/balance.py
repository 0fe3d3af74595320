"""Which share of the groups holds the target: of those that are learned from, and of those that are tested."""

from dataclasses import dataclass

from privlab.checks import ParameterError, number_from_text, require_between
from privlab.limits import MAX_BALANCE, MIN_BALANCE

HALF = "0.5"
_ROUNDED = 1e-9  # what a share times a number of groups may be off by in floating point


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """The share of the groups with the target, 0.01 to 0.99, in training and in the test."""

    train: float = 0.5
    test: float = 0.5

    @property
    def spec(self) -> str:
        """The same as the command line spells it, always in one way."""
        return f"{self.train:g}" if self.train == self.test else f"{self.train:g}/{self.test:g}"


def balance_from_spec(spec: str) -> Balance:
    """Return what `0.1` (training and test) or `0.1/0.5` (training/test) names. Raises ParameterError for anything else.

    >>> balance_from_spec("0.10").spec, balance_from_spec("0.1/0.5").spec
    ('0.1', '0.1/0.5')
    """
    parts = spec.split("/")
    try:
        shares = [number_from_text("balance", part) for part in parts]
    except ValueError:
        shares = []
    if not 1 <= len(shares) <= 2:
        raise ParameterError(
            "balance must be the share of groups with the target, as 0.1, or of training and test, as 0.1/0.5, got "
            f"{spec!r}."
        )
    train, test = (require_between("balance", share, MIN_BALANCE, MAX_BALANCE) for share in (shares * 2)[:2])
    return Balance(train=train, test=test)


def n_with_target(n_groups: int, share: float) -> int:
    """Return how many of some groups hold the target: the share of them, one at least, and not all.

    >>> n_with_target(301, 0.5), n_with_target(100, 0.29), n_with_target(10, 0.01)
    (150, 29, 1)
    """
    return min(max(1, int(n_groups * share + _ROUNDED)), n_groups - 1)
