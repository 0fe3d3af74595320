"""The tour's keys and its room, served by the lab: ← →, Page Up, Page Down and a clicker step, F fills the screen.

In a window higher than 720 pixels there is more room for a picture, once larger type has taken its part. The browser
says how much, in steps, once and again when it has changed, so that a step fills the screen.

The arrows of a slider that has the focus move the slider; once it is moved by mouse or finger, the focus goes
back to the page, so that the arrows step again. Page Up and Page Down, which clickers send, always step.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

# Streamlit calls the function anew for new data and does not end what the call before began.
_SCRIPT = """
let end = null;
export default function ({ data, setStateValue }) {
  end?.();
  const told = () => {
    const wide = window.innerWidth >= 1100;
    const more = wide ? Math.max(0, Math.min(600, 40 * Math.floor((0.6 * (window.innerHeight - 720)) / 40))) : 0;
    if (more !== data.more) setStateValue("more", more);
  };
  let waiting = null;
  const resized = () => {
    clearTimeout(waiting);
    waiting = setTimeout(told, 400);
  };
  told();
  window.addEventListener("resize", resized);
  const WRITTEN = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true]";
  const STEERED = "input[type=range], input[type=radio], [role=slider], [role=radio], [role=radiogroup] *";
  const go = (name) => {
    const button = document.querySelector(`.st-key-${name} button`);
    if (button && !button.disabled) button.click();
  };
  const full = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {}); // a telephone may offer none
  };
  const pressed = (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
    if (target.matches(WRITTEN) || document.querySelector("[role=dialog]")) return;
    const arrow = event.key === "ArrowRight" || event.key === "ArrowLeft";
    if (arrow && target.matches(STEERED)) return;
    if (event.key === "PageDown" || event.key === "ArrowRight") go("tour_next");
    else if (event.key === "PageUp" || event.key === "ArrowLeft") go("tour_back");
    else if (event.key.toLowerCase() === "f") full();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const released = () => setTimeout(() => {
    const now = document.activeElement;
    if (now && now.matches(STEERED) && now.closest("[data-testid=stMain]")) now.blur();
  }, 50);
  window.addEventListener("keydown", pressed, true);
  window.addEventListener("pointerup", released, true);
  end = () => {
    clearTimeout(waiting);
    window.removeEventListener("resize", resized);
    window.removeEventListener("keydown", pressed, true);
    window.removeEventListener("pointerup", released, true);
  };
  return end;
}
"""


def listen_to_keys() -> None:
    """Listen to the keys, and to how high the window is, while the page of the tour is shown."""
    _component()(key="tour_keys", height=1, data={"more": more_height()}, on_more_change=_heard)


def more_height() -> int:
    """Return by how many pixels pictures may be higher than in a window of 720; 0 until the browser has said."""
    return int(st.session_state.get("tour_more", 0))


def _heard() -> None:
    more = st.session_state["tour_keys"].more
    st.session_state["tour_more"] = more if isinstance(more, int) else 0


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("privlab_tour_keys", js=_SCRIPT)
