"""What releases have cost → a figure. Computes nothing."""

import plotly.graph_objects as go

from privlab.figures.palette import Palette
from privlab.releases import Account


def account_figure(
    account: Account, palette: Palette, *, next_epsilon: float | None, height: int = 190
) -> go.Figure:
    """Return the ε of every release so far as one bar, the next one's beside it, the budget as a line."""
    figure = go.Figure()
    for entry in account.entries:
        figure.add_bar(
            x=[entry.epsilon],
            y=["spent"],
            orientation="h",
            marker={"color": palette.attack, "line": {"color": palette.marker, "width": 0.5}},
            hovertemplate=f"release {entry.number}, {entry.made[:10]}: ε = {entry.epsilon:g}<extra></extra>",
        )
    if next_epsilon is not None:
        figure.add_bar(
            x=[next_epsilon],
            y=["spent"],
            orientation="h",
            marker={"color": palette.repaired, "pattern": {"shape": "/"}},
            hovertemplate=f"the next release: ε = {next_epsilon:g}<extra></extra>",
        )
    if account.budget_epsilon is not None:
        figure.add_vline(
            x=account.budget_epsilon,
            line={"color": palette.claim, "width": 2, "dash": "dash"},
            annotation={"text": f"budget {account.budget_epsilon:g}", "xanchor": "right"},
            annotation_position="top left",
        )
    most = max(account.epsilon + (next_epsilon or 0), account.budget_epsilon or 0, 1e-9)
    figure.update_layout(
        height=height,
        barmode="stack",
        margin={"l": 60, "r": 10, "t": 30, "b": 50},
        xaxis={"title": "ε spent by one user, all releases added up", "range": [0, most * 1.08]},
        yaxis={"title": ""},
        showlegend=False,
    )
    return figure
