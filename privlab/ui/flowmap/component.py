"""The map's module in the browser, served by the lab from the folder beside this file. Knows nothing of flows."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

_PACKAGE, _NAME, _FOLDER = "privlab", "flowmap", "assets"
# Streamlit asks for a module that it knows by its file anew with each answer, and waits for it behind all that the page
# has to draw. These lines it keeps; they load the file once, from where the server has put its style sheet.
_MODULE = """
let flowmap;
export default async (given) => {
  const sheet = given.parentElement.querySelector("link[rel=stylesheet]");
  flowmap ??= (await import(new URL("flowmap.js", sheet.href))).default;
  return flowmap(given);
};
"""


def show_flow_map(sent: dict[str, Any], *, key: str, on_picked: Callable[[], None] | None = None) -> None:
    """Show the map; `on_picked` is called when a zone is picked in it, or the choice taken back. Without it no zone can be picked."""
    _declare()
    given = {**sent, "selectable": on_picked is not None}
    _component()(data=given, key=key, on_picked_change=on_picked or _nothing, height="content")


def _nothing() -> None:
    """No zone is picked where none can be."""


def picked_zone(key: str) -> int | None:
    """Return the position of the zone that has just been picked in the map, None where the choice was taken back."""
    picked = st.session_state[key].picked
    zone = picked.get("zone") if hasattr(picked, "get") else None
    return zone if isinstance(zone, int) else None


def _declare() -> None:
    """Tell this server where the map's files lie: the lab is run from its folder and installed nowhere."""
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(f"{_PACKAGE}.{_NAME}") is None:
        components = [ComponentConfig(name=_NAME, asset_dir=_FOLDER)]
        manifest = ComponentManifest(name=_PACKAGE, version="1", components=components)
        manager.register_from_manifest(manifest, Path(__file__).parent)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component(f"{_PACKAGE}.{_NAME}", css="flowmap.css", js=_MODULE)
