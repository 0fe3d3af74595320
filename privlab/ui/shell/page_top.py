"""A new page is shown from its top, and is one step of the browser's history.

A browser would stay where the page before was scrolled to, which is the foot after *Next*. And each setting that a page writes into
its address would be a step of its own, so that Back would lead from a page to itself.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_SCRIPT = """
const step = history.pushState;
history.pushState = (state, unused, url) => {
  const samePage = url != null && new URL(url, location.href).pathname === location.pathname;
  (samePage ? history.replaceState : step).call(history, state, unused, url);
};
let shown;
export default function ({ data }) {
  if (shown !== undefined && shown !== data.page && !location.hash) {
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  }
  shown = data.page;
}
"""


def show_top(page: str) -> None:
    """Scroll to the top once the page is another than before, which alone is a step that Back takes back."""
    _component()(key="page_top", data={"page": page}, height=1)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("privlab_page_top", js=_SCRIPT)
