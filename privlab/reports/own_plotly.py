"""The script that draws figures, in documents and in the browser: Plotly with the kinds of figures that there are, built by `make frontend`."""

from pathlib import Path

_SCRIPT = Path(__file__).parent / "assets" / "plotly.js"


def plotly_script() -> str:
    """Return it as text: it makes a global `Plotly`, and can stand inside a document."""
    return _SCRIPT.read_text(encoding="utf-8")
