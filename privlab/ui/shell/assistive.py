"""What Streamlit leaves out for screen readers, the keyboard and fingers: lists, tables that can be scrolled, names and the focus of buttons.

Streamlit puts a plain box around the pages of each group, between the list and its entries, so that neither is heard. And a table that is
wider than the page is scrolled by a mouse alone, until it can have the focus. Buttons that stand once for each part of a list are all heard
alike, and the focus stays at their place in the list where the part that one has moved has gone to another. And a slider takes every
finger that begins on it, as one that scrolls the page past it does.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import streamlit as st

_SCRIPT = """
let put = null;
export default function () {
  // A finger that is drawn up or down from a slider scrolls the page, as it does from beside it (presentation.py lets it); drawn along the
  // slider it moves that, from where it was put down, and a tap sets it: of one the browser makes a click, with all that belongs to it.
  const ofSlider = (event) => event.target.closest?.('[data-testid="stSlider"] [role="group"]');
  // A help mark that stands in a box's own label is no part of the box: pressed, it ticked the box, or turned on the street map.
  const ofBox = (event) => event.target.closest?.('[data-testid="stCheckbox"] [data-testid="stTooltipIcon"]');
  const hold = (event) => {
    if (ofBox(event)) event.stopPropagation();
    if (event.pointerType !== "touch" || !event.isTrusted) return;
    put = ofSlider(event) ? event : null;
    if (put) event.stopPropagation();
  };
  const move = (event) => {
    if (put?.pointerId !== event.pointerId) return;
    const along = Math.abs(event.clientX - put.clientX);
    if (along < 4 || along < Math.abs(event.clientY - put.clientY)) return;
    const begin = put;
    put = null;
    begin.target.dispatchEvent(new PointerEvent("pointerdown", begin));
  };
  // A finger on such a mark is shown its words as the keyboard is: by the focus.
  const say = (event) => {
    const mark = event.pointerType === "touch" && ofBox(event)?.querySelector("button");
    if (!mark) return;
    mark.blur();
    mark.dispatchEvent(new KeyboardEvent("keydown", { key: "F24", bubbles: true }));
    mark.focus();
  };
  const leave = () => { put = null; };
  const keep = (event) => { if (ofSlider(event)) event.stopPropagation(); };
  const fingers = { pointerdown: hold, pointermove: move, pointerup: leave, pointercancel: leave, touchstart: keep, click: say };
  for (const [name, does] of Object.entries(fingers)) document.addEventListener(name, does, { capture: true, passive: true });
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
  return () => {
    watch.disconnect();
    sizes.disconnect();
    for (const [name, does] of Object.entries(fingers)) document.removeEventListener(name, does, { capture: true });
  };
}
"""

_OF_PARTS = """
let end = null, turn = null;
export default function ({ data }) {
  end?.();
  const button = (key) => document.querySelector(`.st-key-${key} button`);
  const name = () => {
    for (const [key, words] of Object.entries(data.names)) {
      const found = button(key);
      if (found && found.getAttribute("aria-label") !== words) found.setAttribute("aria-label", words);
    }
  };
  name();
  const watch = new MutationObserver(name);
  watch.observe(document.body, { childList: true, subtree: true });
  let waiting = null;
  const give = (left) => {
    const found = button(data.focus);
    if (found && !found.disabled) found.focus();
    else if (left > 0) waiting = setTimeout(give, 50, left - 1);
  };
  if (data.turn && data.turn !== turn) {
    turn = data.turn;
    give(40);
  }
  end = () => { watch.disconnect(); clearTimeout(waiting); };
  return end;
}
"""


def name_and_focus(key: str, names: Mapping[str, str], focus: tuple[str, int] | None) -> None:
    """Name buttons by their keys, each beginning with the words it shows, and give one the focus: its key, and the how manieth turn it is."""
    focused, turn = focus or ("", 0)
    _of_parts()(key=key, height=1, data={"names": dict(names), "focus": focused, "turn": turn})


def mark_groups() -> None:
    """Mark the list of pages and its groups, and tables, now and whenever they are drawn anew; and leave fingers to the page on sliders."""
    _component()(key="assistive", height=1)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("privlab_assistive", js=_SCRIPT)


@cache
def _of_parts() -> Callable[..., Any]:
    return st.components.v2.component("privlab_assistive_of_parts", js=_OF_PARTS)
