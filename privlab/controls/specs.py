"""Which controls there are, and how they are written: thin:0.5, shuffle-hours, permute-zones, users:500, days:7."""

from collections.abc import Iterable
from dataclasses import dataclass

from privlab.checks import ParameterError, number_from_text, require_between, require_whole
from privlab.limits import MAX_DAYS, MAX_USERS_GENERATED, MIN_SHARE_KEPT

# In the order in which they are applied, whatever the order they are named in.
CONTROLS = ("users", "days", "thin", "shuffle-hours", "permute-zones")
_WITH_AMOUNT = ("users", "days", "thin")
_HINT = "thin:0.5, shuffle-hours, permute-zones, users:500 or days:7"


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """One control: its name, and what goes with it (share of the visits kept, users, days); None where nothing does."""

    name: str
    amount: int | float | None = None

    @property
    def spec(self) -> str:
        """The control as it is written."""
        if self.amount is None:
            return self.name
        return f"{self.name}:{self.amount if isinstance(self.amount, int) else format(self.amount, 'g')}"


def control_from_spec(spec: str) -> Control:
    """Return the control that a text names.

    >>> control_from_spec("thin:0.50").spec, control_from_spec("shuffle-hours").amount
    ('thin:0.5', None)

    Raises ParameterError for anything else.
    """
    name, _, text = spec.strip().lower().partition(":")
    if name not in CONTROLS or bool(text) != (name in _WITH_AMOUNT):
        raise ParameterError(f"control must be {_HINT}, got {spec!r}.")
    if name == "thin":
        share = number_from_text("control thin", text)
        return Control(name=name, amount=require_between("control thin", share, MIN_SHARE_KEPT, 1))
    if name in _WITH_AMOUNT:
        low, high = (2, MAX_USERS_GENERATED) if name == "users" else (1, MAX_DAYS)
        whole = number_from_text(f"control {name}", text, whole=True)
        return Control(name=name, amount=require_whole(f"control {name}", whole, low, high))
    return Control(name=name)


def controls_from_specs(specs: Iterable[str]) -> tuple[str, ...]:
    """Return controls as they are written, in the order in which they are applied; none for "none" and empty texts.

    >>> controls_from_specs(["shuffle-hours", "thin:.5", "none"])
    ('thin:0.5', 'shuffle-hours')

    Raises ParameterError for what is no control, and for one named twice.
    """
    found = [control_from_spec(one) for one in specs if one.strip().lower() not in ("", "none")]
    names = [one.name for one in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(f"control must be named once each, got {twice[0]} twice.")
    return tuple(one.spec for one in sorted(found, key=lambda one: CONTROLS.index(one.name)))


def require_controls_fit(specs: Iterable[str], *, n_users: int, n_days: int) -> None:
    """Raise ParameterError for controls that leave more users or days than the data has."""
    for control in map(control_from_spec, specs):
        most = {"users": n_users, "days": n_days}.get(control.name)
        if most is not None and (control.amount or 0) > most:
            raise ParameterError(
                f"control {control.name} must be at most {most:,}, the {control.name} of the data, got {control.amount:,.0f}."
            )
