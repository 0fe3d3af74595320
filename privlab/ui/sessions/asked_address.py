"""The address that somebody opened before logging in: a login leads back to the lab's first page, and from there to it.

It is kept by the browser, for one tab and until it is closed, and the server is not told.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_KEY = "privlab-asked-address"
_KEEP = f"""
export default function () {{
  if (location.search || location.pathname.length > 1) sessionStorage.setItem("{_KEY}", location.pathname + location.search);
}}
"""
_GO = f"""
export default function () {{
  const asked = sessionStorage.getItem("{_KEY}");
  sessionStorage.removeItem("{_KEY}");
  if (asked && !location.search && asked.startsWith(location.pathname) && asked !== location.pathname) location.replace(asked);
}}
"""


def keep() -> None:
    """Keep the address that is open, until somebody has logged in."""
    _component("keep", _KEEP)(key="keep_address", height=1)


def go_on() -> None:
    """Go on to the address that was open before the login, if there is one."""
    _component("go", _GO)(key="go_to_address", height=1)


@cache
def _component(name: str, script: str) -> Callable[..., Any]:
    return st.components.v2.component(f"privlab_asked_address_{name}", js=script)
