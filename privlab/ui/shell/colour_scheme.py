"""Figures in the colours of the page: drawn anew when the browser, or whoever reads, changes from light to dark.

Streamlit recolours its own elements in the browser and asks for no new answer; what the lab draws would keep the colours of before.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

# The colour behind the page is what Streamlit itself tells light from dark by. It stands in the page's class, which changes with the theme.
_SCRIPT = """
const PATIENCE = 5000, LOOK = 1000;
let asked = null, wait = PATIENCE, next = 0;
export default function ({ data, setTriggerValue }) {
  const shown = (app) => {
    const parts = getComputedStyle(app).backgroundColor.match(/[\\d.]+/g).map(Number);
    return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128 ? "dark" : "light";
  };
  const look = () => {
    const app = document.querySelector('[data-testid="stApp"]');  // looked for anew: streamlit may have put another in its place
    if (!app) return;
    app.dataset.drawnFor = data.drawn;
    const now = shown(app);
    if (now === data.drawn) {
      asked = null;
      return;
    }
    if (now !== asked) {
      asked = now;
      wait = PATIENCE;
      next = 0;
    }
    if (performance.now() < next) return;
    next = performance.now() + wait;
    wait *= 2;
    setTriggerValue("changed", now);
  };
  let waiting = null;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 200);
  };
  const watch = new MutationObserver(soon);
  watch.observe(document.querySelector('[data-testid="stApp"]'), { attributes: true, attributeFilter: ["class", "style"] });
  const again = setInterval(look, LOOK);
  document.querySelector('[data-testid="stApp"]').dataset.drawnFor = data.drawn;
  soon();
  return () => { clearTimeout(waiting); clearInterval(again); watch.disconnect(); };
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
