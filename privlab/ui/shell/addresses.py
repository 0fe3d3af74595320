"""What an address may hold that no control can take."""

import math
from collections.abc import Mapping, Sequence

import streamlit as st

_MOST_SAID = 60  # characters of what an address names and is not known
_WORDS = "words_in_addresses"  # by the keys of controls
_ASKED = "asked_by_address"


def drop_endless_numbers() -> None:
    """Take values that are no finite number out of the address: a number's control cannot hold them.

    The page begins anew then, since controls take their first values from the address as it came.
    """
    endless = [
        name for name in st.query_params if any(_is_endless(value) for value in st.query_params.get_all(name))
    ]
    for name in endless:
        del st.query_params[name]
    if endless:
        st.rerun()


def take_up_old_name(old: str, key: str, options: Sequence[str]) -> None:
    """Take the value of a control from the name that it had in addresses before, if it is one of its options.

    The page that reads the old name calls this before the control. The address then shows the new name.
    """
    value = st.query_params.get(old)
    if value in options and key not in st.session_state:
        st.session_state[key] = value
        del st.query_params[old]


def take_up_old_value(key: str, values: Mapping[str, str]) -> None:
    """Give a control the value that an address of before has under another word, once, before it is drawn."""
    value = st.query_params.get(key)
    if value is not None and value in values and key not in st.session_state:
        st.session_state[key] = values[value]
        del st.query_params[key]


def words_in_address(key: str, words: Mapping[str, str]) -> None:
    """Say by which words an address names a control's values; called before the control. It takes the values themselves, too, as the
    command line names them; whatever else an address names is said by `not_taken_in_words`.
    """
    st.session_state.setdefault(_WORDS, {})[key] = dict(words)
    named = st.query_params.get_all(key)
    in_words = [words.get(value, value) for value in named]
    if in_words != named and key not in st.session_state:
        st.query_params[key] = in_words
        st.rerun()  # controls take their first values from the address as it came; whoever copies it then has all of it


Asked = dict[str, str]
"""What the address names for controls that this session has not shown yet, by their keys."""


def asked_by_address(page: str) -> Asked:
    """Return what the address names for controls not shown yet; called before them, since they clear what they cannot take.

    It is kept while one stays on the page: a run that waits for work ends before anything can be said of its last controls.
    """
    state = st.session_state
    of_page, asked = state.get(_ASKED, (page, {}))
    new = {key: value for key, value in st.query_params.items() if value and key not in state}
    state[_ASKED] = (page, {**(asked if of_page == page else {}), **new})
    found: Asked = state[_ASKED][1]
    return found


def note_what_is_not_taken(asked: Asked) -> None:
    """Remember what the address named and a control did not take, with what it shows instead, till that is changed; done with it then.

    Of controls whose address has other words than their values it is known where they say so, by `words_in_address`.
    """
    state, noted = st.session_state, st.session_state.get("not_taken", {})
    for key, named in [*asked.items()]:
        shown = state.get(key)
        if shown is None:
            continue
        del asked[key]
        if not _is_taken(key, named, shown):
            noted = {**noted, key: (named[:_MOST_SAID], shown)}
    # A control that is not there, as where a run was begun anew before it, was not changed.
    state["not_taken"] = {key: one for key, one in noted.items() if state.get(key) in (None, one[1])}


def not_taken_in_words() -> str:
    """Say what the address names that cannot be, and what is shown instead; nothing where all of it was taken."""
    found: dict[str, tuple[str, object]] = st.session_state.get("not_taken", {})
    words = [
        f"{key} = “{named}”, which cannot be: shown is “{_shown_in_words(key, shown)}”"
        for key, (named, shown) in found.items()
        if key in st.session_state
    ]
    return f"The address that was opened names {'; '.join(words)}." if words else ""


# Texts that the address has as they are; others it may have in the words of the control.
_AS_THEY_ARE = ("data", "epsilon", "threshold", "bound", "group", "noise", "week")


def _words_of(key: str) -> dict[str, str]:
    """Return the words of a control's values in addresses, as far as it has said them."""
    found: dict[str, str] = st.session_state.get(_WORDS, {}).get(key, {})
    return found


def _shown_in_words(key: str, shown: object) -> str:
    """Return what a control is at: in its own words where it has said them."""
    words = _words_of(key)
    values = shown if isinstance(shown, list | tuple) else [shown]
    return ", ".join(words.get(str(value), str(value)) for value in values)


def _is_taken(key: str, named: str, shown: object) -> bool:
    if words := _words_of(key):
        return named in words or named in words.values()
    if isinstance(shown, bool | list | tuple) or (isinstance(shown, str) and key not in _AS_THEY_ARE):
        return True
    if isinstance(shown, str) and named == shown:
        return True
    try:
        return float(named) == float(str(shown))
    except ValueError:
        return key == "data" and bool(st.session_state.get("own_is_elsewhere"))  # which is said beside it


def _is_endless(text: str) -> bool:
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False
