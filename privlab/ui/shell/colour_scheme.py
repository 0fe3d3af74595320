"""Figures in the colours of the page: drawn anew when the browser, or whoever reads, changes from light to dark.

Streamlit recolours its own elements in the browser and asks for no new answer; what the lab draws would keep the colours of before.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

# The colour behind the page is what Streamlit itself tells light from dark by. It stands in the page's class, which changes with the theme.
# Streamlit calls the function anew for new data and does not end what the call before began: there is one watch, of the last call.
_SCRIPT = """
const PATIENCE = 5000;
let last = null, watch = null, waiting = null, asked = null, wait = PATIENCE, next = 0;
const shown = (app) => {
  const parts = getComputedStyle(app).backgroundColor.match(/[\\d.]+/g).map(Number);
  return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128 ? "dark" : "light";
};
const later = (after) => {
  clearTimeout(waiting);
  waiting = setTimeout(look, after);
};
const look = () => {
  if (!last) return;
  const now = shown(document.querySelector('[data-testid="stApp"]'));
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
  later(next - performance.now());
};
export default function ({ data, setTriggerValue }) {
  const app = document.querySelector('[data-testid="stApp"]');
  const own = { drawn: data.drawn, ask: setTriggerValue };
  last = own;
  app.dataset.drawnFor = data.drawn;
  watch?.disconnect();
  watch = new MutationObserver(() => later(200));
  watch.observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  later(200);
  return () => {
    if (last !== own) return;
    last = null;
    clearTimeout(waiting);
    watch.disconnect();
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
