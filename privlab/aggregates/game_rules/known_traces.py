"""How much of the target's trace an attacker knows who has seen nothing but a release: a share of it, or the top places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privlab.checks import ParameterError, number_from_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Flags = npt.NDArray[np.bool_]

ALL_KNOWN = "1"
_HINT = "a share above 0 and at most 1, or top:N with N places of 1 at least"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A share of the visits, drawn at random, or with `places` all visits to as many of the most visited zones."""

    share: float = 1.0
    places: int | None = None

    @property
    def spec(self) -> str:
        """The same as the command line spells it, always in one way."""
        return f"{self.share:g}" if self.places is None else f"top:{self.places}"

    @property
    def is_all(self) -> bool:
        """Whether nothing of the trace is left open."""
        return self.places is None and self.share == 1


def known_from_spec(spec: str) -> Known:
    """Return what `1.0`, `0.1` or `top:3` names. Raises ParameterError for anything else.

    >>> known_from_spec("0.50").spec, known_from_spec("top:3").spec
    ('0.5', 'top:3')
    """
    text = spec.strip().lower()
    kind, _, number = text.partition(":")
    if kind == "top" and number.isdecimal() and 1 <= int(number) <= 1_000_000:
        return Known(places=int(number))
    try:
        share = number_from_text("known", text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise ParameterError(f"known must be {_HINT}, got {spec!r}.")
    return Known(share=share)


def known_visits_from_presence(presence: Flags, known: Known, rng: np.random.Generator) -> Flags:
    """Return which visits of a target are known, bool (zones, epochs), of all there are, `presence`.

    Of a share at least one visit is known; the visits of a smaller share are among those of a larger one,
    drawn from the same generator. Of two zones visited alike often the first comes first.
    """
    import numpy as np

    if known.places is not None:
        often = np.argsort(-presence.sum(axis=1), kind="stable")[: known.places]
        found = np.zeros_like(presence)
        found[often] = presence[often]
        return found
    visits = rng.permutation(np.flatnonzero(presence))
    n_known = max(1, round(known.share * visits.size))
    found = np.zeros(presence.size, dtype=bool)
    found[visits[:n_known]] = True
    return found.reshape(presence.shape)
