"""A new page is shown from its top. A browser would stay where the page before was scrolled to, which is the foot after *Next*."""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_SCRIPT = """
let shown;
export default function ({ data }) {
  if (shown !== undefined && shown !== data.page && !location.hash) {
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  }
  shown = data.page;
}
"""


def show_top(page: str) -> None:
    """Scroll to the top once the page is another than before."""
    _component()(key="page_top", data={"page": page}, height=1)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("privlab_page_top", js=_SCRIPT)
