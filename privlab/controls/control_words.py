"""Controls → plain words: what was changed, and what that can tell."""

from collections.abc import Sequence

from privlab.controls.specs import Control, control_from_spec

_NOT_DUE_TO = {
    "users": "how many people there are",
    "days": "how many days are seen",
    "thin": "how many visits each person makes",
    "shuffle-hours": "when people are where, and how regularly",
    "permute-zones": "which places these are, and who else goes there",
}


def changes_in_words(specs: Sequence[str]) -> str:
    """Return what controls change, with semicolons between.

    >>> changes_in_words(["thin:0.5", "shuffle-hours"])
    "each person keeps 50% of their visits, drawn at random; the hours of each person's weeks are in random order"
    """
    return "; ".join(_changed(control_from_spec(spec)) for spec in specs)


def _changed(control: Control) -> str:
    amount = control.amount or 0.0
    return {
        "users": f"{amount:,.0f} people are left, drawn at random",
        "days": f"the first {amount:,.0f} days are left",
        "thin": f"each person keeps {100 * amount:g}% of their visits, drawn at random",
        "shuffle-hours": "the hours of each person's weeks are in random order",
        "permute-zones": "each person's places are exchanged for others of the data, one for one",
    }[control.name]


def control_sentence(specs: Sequence[str], *, measure: str) -> str:
    """Return that the data were changed and how, and what a change of the measure would mean; empty without controls."""
    if not specs:
        return ""
    due = ", nor to ".join(_NOT_DUE_TO[control_from_spec(spec).name] for spec in specs)
    return (
        f"These are not the data as they are. As a control they were changed first: {changes_in_words(specs)}. What stays of "
        f"the {measure}, beside that of the unchanged data, is not due to {due}; what changes beyond its interval is."
    )
