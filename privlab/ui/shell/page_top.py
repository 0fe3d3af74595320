"""What the browser does beside a page: it shows a new one from its top, and asks before it leaves what ends with the session.

A browser would stay where the page before was scrolled to, which is the foot after *Next*. And a tab that is loaded anew or closed by
mistake would take a file that was brought, and a report that was collected, with it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_SCRIPT = """
let shown, held = false;
const ask = (event) => event.preventDefault();
export default function ({ data }) {
  if (data.page !== undefined) {
    if (shown !== undefined && shown !== data.page && !location.hash) {
      document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
    }
    shown = data.page;
  }
  if (held !== data.held) {
    held = data.held;
    (held ? addEventListener : removeEventListener)("beforeunload", ask);
  }
}
"""


def watch_page(page: str) -> None:
    """Have the page shown from its top once it is another than before, and the browser ask before it leaves work behind."""
    _component()(key="page_top", data={"page": page, "held": _ends_with_the_session()}, height=1)


def watch_what_is_held(part: str) -> None:
    """Have the browser ask so, too, after a `part` of a page that has just taken a file, or that is run by itself and may collect."""
    _component()(key=f"held_{part}", data={"held": _ends_with_the_session()}, height=1)


def _ends_with_the_session() -> bool:
    """Return whether the session holds a file that was brought, data that was loaded, or parts of a report."""
    state = st.session_state
    report = state.get("report_plan")
    return "own_file_data" in state or "own_prepared" in state or bool(report is not None and report.items)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("privlab_page_top", js=_SCRIPT)
