"""Defences by name, and what their trade-off comes to -> words and rows of a table. Knows numbers; computes none."""

from collections.abc import Sequence

from privlab.aggregates.findings import TradeoffPoint
from privlab.dp.promise import delta_words
from privlab.figures.wording.words import four_digits

ENOUGH_TARGETS = 10  # below it the mean over targets says little
DEFENCES = {
    "lpa": "Laplace, all of a user (LPA Δ/ε)",
    "lpa-event": "Laplace, one report (LPA 1/ε)",
    "gaussian": "Gaussian, all of a user",
    "fpa": "Fourier, Laplace (FPA)",
    "efpag": "Fourier, Gaussian (EFPAG)",
    "release:20": "a release for good, 20 visits",
    "suppress:5": "leave out counts below 5",
    "sample:0.5": "half of the users",
    "generalise:hours=24": "one number a day",
}


def defence_name(defence: str) -> str:
    """Return a defence as the controls name it, its own numbers behind it.

    >>> defence_name("lpa"), defence_name("gaussian:1e-05"), defence_name("suppress:9")
    ('Laplace, all of a user (LPA Δ/ε)', 'Gaussian, all of a user (δ = 10⁻⁵)', 'suppress:9')
    """
    kind, *numbers = defence.split(":")
    if defence in DEFENCES or kind not in DEFENCES:
        return DEFENCES.get(defence, defence)
    if kind in ("gaussian", "efpag") and numbers[0] != "common":
        numbers[0] = f"δ = {delta_words(float(numbers[0]))}"
    return f"{DEFENCES[kind]} ({', '.join(numbers)})"


def few_targets(points: Sequence[TradeoffPoint]) -> str:
    """Return what so few targets leave open; nothing of many."""
    fewest = min((one.n_targets for one in points), default=ENOUGH_TARGETS)
    if fewest >= ENOUGH_TARGETS:
        return ""
    return (
        f"**{fewest} targets tell little**: intervals are wide, lines may cross by chance, and a measured AUC may lie above what is "
        "allowed on average. Play more targets before comparing defences."
    )


def gains_alike(point: TradeoffPoint) -> bool:
    """Return whether all targets gain the same: an interval that rests on how they differ then says nothing of others."""
    return point.pg_low == point.pg_high


def alike_words(points: Sequence[TradeoffPoint]) -> str:
    """Return why some gains have no interval; nothing where all have one."""
    if not any(gains_alike(one) for one in points):
        return ""
    return "No interval (–) where all targets gain the same: how far others would be from them is not known. "


def trade_off_row(point: TradeoffPoint) -> dict[str, str]:
    """Return one point of the trade-off as a row of a table."""
    return {
        "defence": defence_name(point.defence),
        "ε": "–" if point.setting.epsilon is None else f"{point.setting.epsilon:g}",
        "attacker": str(point.setting.adversary),
        "privacy gain": f"{point.pg_mean:.2f}",
        "its 95% interval": "–" if gains_alike(point) else f"{point.pg_low:.2f} – {point.pg_high:.2f}",
        "mean relative error": four_digits(point.mre),
        "AUC": f"{point.auc:.3f}",
        "AUC undefended": f"{point.auc_raw:.3f}",
        "as printed": f"{point.pg_literal:.2f}",
        "targets": f"{point.n_targets}",
    }
