"""How long work says how far it is: by a function of a share and of words, which may end it by raising."""

from collections.abc import Callable

Report = Callable[[float, str], None]


def silent(share: float, words: str) -> None:
    """Report progress to nobody."""
