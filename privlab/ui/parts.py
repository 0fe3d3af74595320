"""Small pieces that several pages show alike: labels, charts, fold-outs."""

from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pydeck
import streamlit as st

from privlab.figures.labels import visible
from privlab.figures.palette import Palette, palette_for

_CHART_CONFIG = {
    "displaylogo": False,
    "showSendToCloud": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "png", "filename": "privlab", "scale": 2},
}


def palette() -> Palette:
    """Return the colours of the page's theme."""
    return palette_for(st.context.theme.type == "dark")


def true_data() -> None:
    """Say that what follows shows true counts."""
    st.badge(
        "True data: for internal eyes, not for publication", icon=":material/visibility_lock:", color="orange"
    )


def simulation() -> None:
    """Say that what follows is simulated."""
    st.badge("Simulation: seeded noise, not a release", icon=":material/casino:", color="blue")


def chart(figure: go.Figure, *, key: str, alt: str) -> None:
    """Show a chart with the same tools everywhere."""
    st.plotly_chart(figure, key=key, alt=alt, config=_CHART_CONFIG)


def deck(map_: pydeck.Deck, *, key: str, alt: str, height: int = 420) -> None:
    """Show a map."""
    st.pydeck_chart(map_, key=key, alt=alt, height=height)


def finding(sentence: str) -> None:
    """Show the page's finding, the first thing to read."""
    st.markdown(f"#### {sentence}")


def table(rows: list[dict[str, Any]], *, key: str) -> None:
    """Show numbers and texts as a table; control characters in texts are made visible."""
    shown = [
        {visible(name): visible(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    ]
    st.dataframe(shown, key=key, hide_index=True)


def columns_table(columns: dict[str, Any], *, key: str, config: dict[str, Any], file_name: str) -> None:
    """Show columns of numbers as a table, with a download of the same numbers as CSV."""
    frame = pd.DataFrame(columns)
    st.dataframe(frame, key=key, hide_index=True, column_config=config, height=260)
    st.download_button(
        "Download as CSV",
        data=lambda: frame.to_csv(index=False).encode(),
        file_name=file_name,
        mime="text/csv",
        on_click="ignore",
        key=f"{key}_download",
        icon=":material/download:",
    )
