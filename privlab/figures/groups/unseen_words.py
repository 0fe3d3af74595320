"""Targets whom the released period does not see → words: they cannot be found, and are in no mean unless it is said."""

from collections.abc import Sequence

from privlab.aggregates.findings import GameResult


def n_unseen(result: GameResult) -> int:
    """Return how many of the targets played are not seen in the released period, those left out of the result among them."""
    return result.n_unseen + sum(not one.is_seen for one in result.outcomes)


def n_played(result: GameResult) -> int:
    """Return how many targets were played, those left out of the result among them."""
    return len(result.outcomes) + result.n_unseen


def mean_of_whom(result: GameResult, auc_mean: float) -> str:
    """Return a mean AUC and whom it is of: all targets played, or those seen in the released period and how many are not."""
    n = len(result.outcomes)
    if not result.n_unseen:
        return f"mean AUC {auc_mean:.2f} of {n} targets (a coin: 0.5)"
    whom = "the one target who is" if n == 1 else f"the {n} targets who are"
    mean = (
        f"{'' if n == 1 else 'mean '}AUC {auc_mean:.2f} of {whom} seen in the released period (a coin: 0.5)"
    )
    others = "target is" if result.n_unseen == 1 else f"{result.n_unseen} targets are"
    return f"{mean}. The other {others} not seen in it, and cannot be found"


def none_seen(result: GameResult) -> str:
    """Return that none of the targets is seen in the released period; empty where any is."""
    n_targets = n_played(result)
    return "" if n_unseen(result) < n_targets else nobody_seen(n_targets)


def nobody_seen(n_targets: int) -> str:
    """Return the same of so many targets.

    >>> nobody_seen(3)
    'none of the 3 targets is seen in the released period: nobody is there to be found'
    """
    who = "the only target is not" if n_targets == 1 else f"none of the {n_targets} targets is"
    return f"{who} seen in the released period: nobody is there to be found"


def who_are_seen(results: Sequence[GameResult]) -> str:
    """Return, behind a number of targets, that they are those seen, where others were played; empty otherwise."""
    return seen_of(max(result.n_unseen for result in results))


def seen_of(n_others: int) -> str:
    """Return the same for so many others who are not seen.

    >>> seen_of(22)
    ' who are seen in the released period, 22 more are not'
    """
    if not n_others:
        return ""
    return f" who are seen in the released period, {n_others} more {'is' if n_others == 1 else 'are'} not"


def targets_of_row(result: GameResult) -> str:
    """Return how many targets are played of how many, and of how many the figures beside it are where not of all."""
    played = f"{n_played(result)} of {result.parameters.targets}"
    return f"{played}, {len(result.outcomes)} seen" if result.n_unseen else played


def not_seen(results: Sequence[GameResult]) -> str:
    """Return for how many targets the released period says anything at all; empty if for all of them."""
    unseen, n_targets = max(map(n_unseen, results)), max(map(n_played, results))
    if not unseen:
        return ""
    left_out = " All figures are of the others." if any(result.n_unseen for result in results) else ""
    return (
        f"{unseen} of {n_targets} targets are not seen in the released period: their presence in a group changes no "
        f"count, and they are not at risk from it.{left_out}"
    )
