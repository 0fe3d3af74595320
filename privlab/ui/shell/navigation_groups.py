"""What Streamlit leaves out for screen readers and the keyboard: the groups of pages as lists, and tables that can be scrolled.

Streamlit puts a plain box around the pages of each group, between the list and its entries, so that neither is heard. And a table that is
wider than the page is scrolled by a mouse alone, until it can have the focus.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_SCRIPT = """
export default function () {
  const markGroups = () => {
    const groups = document.querySelector('[data-testid="stSidebarNavItems"]');
    if (!groups || groups.getAttribute("role")) return;
    groups.setAttribute("role", "presentation");
    for (const group of groups.children) group.setAttribute("role", "list");
  };
  const reach = (entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) {
        target.dataset.reached = "";
        target.tabIndex = 0;
        target.setAttribute("role", "region");
        target.setAttribute("aria-label", "Table, wider than the page");
      } else if ("reached" in target.dataset) {
        for (const name of ["data-reached", "tabindex", "role", "aria-label"]) target.removeAttribute(name);
      }
    }
  };
  const sizes = new ResizeObserver(reach);
  const known = new WeakSet();
  const mark = () => {
    markGroups();
    for (const table of document.querySelectorAll('[data-testid="stTable"] table')) {
      if (known.has(table)) continue;
      known.add(table);
      sizes.observe(table.parentElement);
    }
  };
  mark();
  const watch = new MutationObserver(mark);
  watch.observe(document.body, { childList: true, subtree: true });
  return () => { watch.disconnect(); sizes.disconnect(); };
}
"""


def mark_groups() -> None:
    """Mark the list of pages and its groups, and tables, now and whenever they are drawn anew."""
    _component()(key="navigation_groups", height=1)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("privlab_navigation_groups", js=_SCRIPT)
