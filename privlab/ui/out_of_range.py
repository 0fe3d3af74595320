"""Numbers that a field does not take: Streamlit marks them red and asks for no answer, so that what stands below is of the number before.

The browser says so in words, by a rule of style: the server never hears of them.
"""

from collections.abc import Mapping

import streamlit as st

_INVALID = '[aria-invalid="true"]'
_LOOK = "color: light-dark(#a3160f, #ffb4ab); font-size: 0.875rem;"


def say_what_is_used(said: Mapping[str, str], *, around: str | None = None) -> None:
    """Say below fields, by their keys, what is used instead while they hold a number that they do not take.

    Below each of its own, or for all of them together at the end of the container `around` that they stand in.
    """
    if around is None:
        rules = [
            f'.st-key-{key}:has({_INVALID})::after {{ content: "{words}"; display: block; {_LOOK} }}'
            for key, words in said.items()
        ]
    else:
        rules = [
            f'.st-key-{around}:has(.st-key-{key} {_INVALID}) {{ --used-{key}: "{words} "; }}'
            for key, words in said.items()
        ]
        words = " ".join(f'var(--used-{key}, "")' for key in said)
        rules.append(
            f".st-key-{around}:has({_INVALID})::after {{ content: {words}; flex-basis: 100%; {_LOOK} }}"
        )
    st.html(f"<style>{' '.join(rules)}</style>")
