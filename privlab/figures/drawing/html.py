"""A figure → HTML that works offline, and the script that all figures of a document share."""

from typing import TypeAlias

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from privlab.figures.drawing.titles import set_title
from privlab.figures.drawing.true_data_marks import MARK, marked_name

Figure: TypeAlias = go.Figure

_CONFIG = {"showSendToCloud": False, "displaylogo": False, "plotlyServerURL": "", "responsive": True}


def plotly_script() -> str:
    """Return the script that draws the figures, to be put into a document once."""
    script: str = get_plotlyjs()
    return script


def html_from_figure(figure: Figure, *, name: str, true_data: bool) -> str:
    """Return a figure on white, whatever theme it was made under, as a div with the id `name`.

    One that shows true data carries the mark, and so does a picture of it.
    """
    printed = go.Figure(figure).update_layout(template="plotly_white", paper_bgcolor="white")
    if true_data:
        set_title(printed, MARK, "", true_data=False)
    picture = marked_name(f"privlab_{name}", true_data=true_data)
    config = {**_CONFIG, "toImageButtonOptions": {"format": "png", "filename": picture, "scale": 2}}
    html: str = printed.to_html(full_html=False, include_plotlyjs=False, div_id=name, config=config)
    return html
