"""The groups of pages in the sidebar, told to a screen reader as the lists that they are.

Streamlit puts a plain box around the pages of each group, between the list and its entries, so that neither is heard.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_SCRIPT = """
export default function () {
  const mark = () => {
    const groups = document.querySelector('[data-testid="stSidebarNavItems"]');
    if (!groups || groups.getAttribute("role")) return;
    groups.setAttribute("role", "presentation");
    for (const group of groups.children) group.setAttribute("role", "list");
  };
  mark();
  const watch = new MutationObserver(mark);
  watch.observe(document.body, { childList: true, subtree: true });
  return () => watch.disconnect();
}
"""


def mark_groups() -> None:
    """Mark the list of pages and its groups, now and whenever they are drawn anew."""
    _component()(key="navigation_groups", height=1)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("privlab_navigation_groups", js=_SCRIPT)
