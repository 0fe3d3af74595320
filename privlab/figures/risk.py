"""Risks of single people → figures. Computes nothing but the bars."""

import numpy as np
import plotly.graph_objects as go

from privlab.figures.palette import Palette
from privlab.od.risk import PersonRisks

_BARS = np.linspace(0.5, 1.0, 51)


def risk_histogram(risks: PersonRisks, palette: Palette, *, height: int = 360) -> go.Figure:
    """Return how many people are recognised how often, with the claimed bound as a line."""
    counts, edges = np.histogram(np.clip(risks.accuracy, 0.5, 1.0), bins=_BARS)
    middles = (edges[:-1] + edges[1:]) / 2
    above = edges[:-1] >= risks.claimed_bound - 1e-9
    figure = go.Figure(
        go.Bar(
            x=middles,
            y=counts,
            width=edges[1] - edges[0],
            marker={"color": [palette.attack if over else palette.muted for over in above]},
            customdata=np.stack([edges[:-1], edges[1:]], axis=1),
            hovertemplate="recognised in %{customdata[0]:.0%} to %{customdata[1]:.0%}: %{y:,} people<extra></extra>",
        )
    )
    figure.add_vline(
        x=risks.claimed_bound,
        line={"color": palette.claim, "width": 2, "dash": "dash"},
        annotation={"text": f"claimed bound {risks.claimed_bound:.1%}", "xanchor": "left"},
        annotation_position="top right",
    )
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 10, "t": 30, "b": 50},
        xaxis={
            "title": "accuracy of the best attack on the person",
            "range": [0.49, 1.01],
            "tickformat": ".0%",
        },
        yaxis={"title": "people"},
        bargap=0.05,
        showlegend=False,
    )
    return figure
