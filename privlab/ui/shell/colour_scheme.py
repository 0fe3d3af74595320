"""Figures in the colours of the page: drawn anew when the browser, or whoever reads, changes from light to dark.

Streamlit recolours its own elements in the browser and asks for no new answer; what the lab draws would keep the colours of before.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

# The colour behind the page is what Streamlit itself tells light from dark by. It is looked at again and again, since no event tells
# when it is another: the page's class changes before its colour does, on a busy machine long before.
# Streamlit calls the function anew for new data and does not end what the call before began: there is one watch, of the last call.
_SCRIPT = """
const EVERY = 500, PATIENCE = 5000;
let last = null, watch = null, asked = null, wait = PATIENCE, next = 0;
const shown = () => {
  const colour = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;
  const parts = colour.match(/[\\d.]+/g).map(Number);
  return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128 ? "dark" : "light";
};
const look = () => {
  const now = shown();
  if (now === last.drawn) {
    asked = null;
    return;
  }
  if (now !== asked) {
    asked = now;
    wait = PATIENCE;
    next = 0;
  }
  if (performance.now() >= next) {
    next = performance.now() + wait;
    wait *= 2;
    last.ask("changed", now);
  }
};
export default function ({ data, setTriggerValue }) {
  const own = { drawn: data.drawn, ask: setTriggerValue };
  last = own;
  document.querySelector('[data-testid="stApp"]').dataset.drawnFor = data.drawn;
  clearInterval(watch);
  watch = setInterval(look, EVERY);
  return () => {
    if (last === own) clearInterval(watch);
  };
}
"""


def watch_scheme() -> None:
    """Draw the page anew once it is shown in other colours than it was drawn for; asked for again, ever more rarely, while it is not."""
    _component()(
        key="colour_scheme", data={"drawn": st.context.theme.type}, height=1, on_changed_change=_heard
    )


def _heard() -> None:
    """Nothing is to be done: that there was a change is all."""


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("privlab_colour_scheme", js=_SCRIPT)
