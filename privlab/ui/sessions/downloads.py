"""Files that a page hands out: the one way to a download, each at an address of its own that ends with its session.

Streamlit names a file above 1 MiB by its length, three pieces of 64 KiB, its type and its name: two reports of equal
length would get one address, whoever made them. So every type carries a word that is drawn anew.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal

import streamlit as st

from privlab.ui.sessions.sessions import download_mark


def download(
    label: str,
    *,
    data: bytes | Callable[[], bytes],
    file_name: str,
    mime: str,
    key: str,
    icon: str | None = ":material/download:",
    type: Literal["primary", "secondary", "tertiary"] = "secondary",
    meaning: str,
) -> None:
    """Show a button that hands out a file; nothing is kept for it, or made where `data` makes it, before a click.

    The file itself and its name stay as they are, so the same file made twice is the same file. `meaning` says what
    is in it.
    """
    st.download_button(
        label,
        data=data if callable(data) else partial(bytes, data),
        file_name=file_name,
        mime=f"{mime}; {download_mark()}",
        on_click="ignore",
        key=key,
        icon=icon,
        type=type,
        help=meaning,
    )
