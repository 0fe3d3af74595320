"""The tour's keys, served by the lab: ← →, Page Up, Page Down and a clicker step, F fills the screen.

The arrows of a slider that has the focus move the slider; once it is moved by mouse or finger, the focus goes
back to the page, so that the arrows step again. Page Up and Page Down, which clickers send, always step.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_SCRIPT = """
export default function () {
  const WRITTEN = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true]";
  const STEERED = "input[type=range], input[type=radio], [role=slider], [role=radio], [role=radiogroup] *";
  const go = (name) => {
    const button = document.querySelector(`.st-key-${name} button`);
    if (button && !button.disabled) button.click();
  };
  const full = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(() => {});
  };
  const pressed = (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
    if (target.matches(WRITTEN) || document.querySelector("[role=dialog]")) return;
    const arrow = event.key === "ArrowRight" || event.key === "ArrowLeft";
    if (arrow && target.matches(STEERED)) return;
    if (event.key === "PageDown" || event.key === "ArrowRight") go("tour_next");
    else if (event.key === "PageUp" || event.key === "ArrowLeft") go("tour_back");
    else if (event.key === "f") full();
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
  return () => {
    window.removeEventListener("keydown", pressed, true);
    window.removeEventListener("pointerup", released, true);
  };
}
"""


def listen_to_keys() -> None:
    """Listen to the keys while the page of the tour is shown."""
    _component()(key="tour_keys", height=1)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component("privlab_tour_keys", js=_SCRIPT)
