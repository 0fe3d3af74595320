"""Title and parameters of a figure, inside it, so that a picture of it says what it is, and of what.

The parameters take a strip of fixed height below the title. A page or document that says them beside the figure hides the
strip by rules of style (`rules_without_parameters`). The camera of a figure draws it outside the page's own parts, where no such
rule holds: its picture has all.
"""

import textwrap

import plotly.graph_objects as go

from privlab.figures.drawing.palette import LIGHT, Palette
from privlab.figures.drawing.true_data_marks import MARK
from privlab.safe_text import figure_text, visible

PICTURE_WIDTH = 1000  # pixels of every picture, from whatever screen: a line of parameters fits in
_LINE = 145  # characters of the parameters in one line of a picture of that width
_MOST_LINES = 3
_TITLE_TYPE, _PANEL_TYPE = 15, 13  # pixels
_TITLE_ROOM, _MARK_ROOM = 30, 16  # pixels
_STRIP = 64  # pixels, for an empty line and so many lines as there may be
DRAWN_TYPE = "sans-serif"  # of what must be as wide in a picture as it was measured on the page
# Of numbers as words write them: 4,000 and 20,000, not 20k.
_IN_FULL = {"separatethousands": True, "exponentformat": "none"}
_ASCENT = 4  # pixels by which type of another make may reach above its line

TITLES = {
    "tour_attack": "The attack against the claim",
    "tour_price": "One flow in a hundred releases",
    "tour_auc": "Who is recognised in groups",
    "tour_kgap": "k-gaps at one level",
    "tour_trails": "One person and the nearest other",
    "tour_share": "When or where",
    "tour_anonymous": "2-anonymous people by level",
    "home_attack": "The attack against the claim",
    "attack_curve": "The attack against the claim",
    "attack_certainty": "How certain the attacker ends",
    "practice_chart": "The attack over ε, and what others promised",
    "attack_people": "Unique trips per user",
    "data_people": "Unique trips per user",
    "data_week": "The hours of the week",
    "data_days": "Over time",
    "release_error": "Where the error comes from",
    "release_scatter": "Published against true counts",
    "release_decay": "Trips by distance",
    "risk_histogram": "The risk of each person",
    "gaussian_histogram": "The risk of each person",
    "risk_moves": "How the risk moves",
    "plan_frontier": "Attack against utility",
    "plan_clipping": "What a limit on trips takes",
    "compare_chart": "The same promise, step by step",
    "ledger_bar": "ε spent by one user",
    "auc_chart": "Who is recognised in groups",
    "size_chart": "Recognised, by group size",
    "loss_chart": "Privacy loss of the game, by group size",
    "share_known_chart": "Recognised, by share known",
    "marginals_hours": "When people are seen, as estimated",
    "marginals_zones": "Where people are seen, as estimated",
    "roc_chart": "ROC of the attack on groups",
    "factor_volume": "AUC against reports",
    "factor_regularity": "AUC against regularity",
    "factor_particularity": "AUC against aloneness",
    "heat_chart": "One aggregate, and the target in it",
    "heat_before_chart": "One aggregate, and the target in it",
    "heat_after_chart": "The same aggregate, defended",
    "trade_off_chart": "Privacy gain against error",
    "gain_chart": "Privacy gain over ε",
    "visits_chart": "Visits hour by hour, before and after",
    "release_people_chart": "The risk of each person",
    "release_map_chart": "Before and after, on a map",
    "pipeline_chart": "From file to file: what gives an added person away",
    "recovery_chart": "What is put together rightly",
    "recoveries_chart": "Steps put in the right zone, compared",
    "recovered_trail": "One person, recovered and true, day by day",
    "kgap_chart": "k-gaps at one level",
    "levels_chart": "k-gaps by level",
    "anonymous_chart": "k-anonymous people by level",
    "share_chart": "When or where",
    "gini_chart": "How unevenly samples carry it",
    "tail_chart": "How long the tails are",
    "unicity_chart": "Unicity",
    "places_chart": "Alone in their most visited places",
    "link_chart": "Linked again",
    "person_trails": "One person and the nearest other, day by day",
    "space_time": "One person and the nearest others",
    "person_parts": "Space and time, sample by sample",
    "person_laws": "How far samples are, in all, in space and in time",
    "giveaway": "The samples that give most away",
    "glove_accuracy": "What is still known",
    "glove_maps": "Before and after",
}


def set_title(
    figure: go.Figure,
    title: str,
    parameters: str,
    *,
    true_data: bool,
    palette: Palette = LIGHT,
    width: int = PICTURE_WIDTH,
) -> None:
    """Put title and parameters above a figure, with a mark between them where it shows true data, and make it as much higher.

    Mark and parameters are written in the colour of `palette` that can be read on its page, and so is what is written in the
    figure without a colour of its own: a page's theme would take a paler one. Lines of parameters are for a picture of that `width`.
    """
    line = _LINE * width // PICTURE_WIDTH
    lines = textwrap.wrap(visible(parameters), line, max_lines=_MOST_LINES, placeholder=" …")
    room = room_for_title(true_data=true_data)
    layout = figure.layout
    layout.title = {
        "text": figure_text(title),
        "font": {"size": _TITLE_TYPE},
        "subtitle": {
            # The first line is what rules of style leave there, so it may be empty but is never missing.
            "text": "<br>".join([MARK if true_data else " ", *map(figure_text, lines)]),
            "font": {"size": 12, "color": palette.true},
        },
        "x": 0,
        "xanchor": "left",
        "xref": "container",
        "yref": "container",
        "y": 1,
        "pad": {"t": 5},
        "yanchor": "top",
    }
    # The camera knows no type that came with the page, and draws the next there is: a legend is measured by what it draws. Names in a
    # figure keep the page's type, and need room for half of what they are wider in another.
    layout.legend.font.family = DRAWN_TYPE
    for written in layout.annotations:
        # Asked of what is sent: each look at a font by its name makes one anew.
        font = written.to_plotly_json().get("font", {})
        if font.get("color") is None:
            written.font.color = palette.true
        # Plotly writes the name of a panel larger than a title.
        if font.get("size", _PANEL_TYPE) > _TITLE_TYPE:
            written.font.size = _PANEL_TYPE
    for trace in figure.data:
        if trace.type == "bar" and trace.text is not None and trace.textfont.color is None:
            trace.textfont.color = palette.true
    _write_axes(figure, palette.true)
    if layout.margin.l is not None and layout.margin.b is not None:
        _keep_margins(layout)
    layout.margin.t = (20 if layout.margin.t is None else layout.margin.t) + room
    layout.height = (450 if layout.height is None else layout.height) + room


def room_for_title(*, true_data: bool) -> int:
    """Return how much higher a title and parameters make a figure, in pixels."""
    return _TITLE_ROOM + (_MARK_ROOM if true_data else 0) + _STRIP


def rules_without_parameters(box: str, chart: str, *, titles: bool = True) -> str:
    """Return rules of style that hide the parameters of figures, and with `titles` off their titles, and the room for them.

    On a screen they also show the buttons of figures, which without them are not seen: a picture, and paper, have none.
    `chart` selects each figure, `box` what lies around it.
    """
    cut = _STRIP + (0 if titles else _TITLE_ROOM)
    # Below the title stands what is left of the lines, so a title keeps its room where it is not seen. Nothing is cut but the
    # strip: on paper a figure may be wider than its box.
    unseen = "" if titles else f"{chart} .g-gtitle .gtitle {{ visibility: hidden; }}"
    clipped = cut if titles else cut - _ASCENT  # above the mark there is only the title, unseen
    # What lies around the figure reaches over what stands above it, and must not take its clicks.
    return f"""{box} {{ margin-top: -{cut}px; pointer-events: none; }}
{chart} {{ clip-path: inset({clipped}px -{PICTURE_WIDTH}px -{PICTURE_WIDTH}px); pointer-events: auto; }}
{chart} .g-gtitle {{ transform: translateY({_STRIP}px); }}
{chart} .modebar-container {{ transform: translateY({cut}px); }}
{chart} .g-gtitle tspan.line ~ tspan.line {{ display: none; }}
@media screen {{
{chart} .updatemenu-button rect {{ fill: transparent !important; stroke: currentColor !important; stroke-opacity: 0.35 !important; }}
{chart} .updatemenu-button text {{ fill: currentColor !important; fill-opacity: 1 !important; }}
}}
{unseen}"""


def _write_axes(figure: go.Figure, colour: str) -> None:
    """Let axes and scales of colour write numbers as the words beside them do, in a colour that can be read in a picture too.

    On a page a rule of style makes the theme's pale letters darker; a picture knows no such rule.
    """
    layout, lettered = figure.layout, {"tickfont": {"color": colour}, "title": {"font": {"color": colour}}}
    for name in {"xaxis", "yaxis", *(one for one in layout if one.startswith(("xaxis", "yaxis")))}:
        layout[name].update(_IN_FULL | lettered)
    for trace in figure.data:
        if trace.type == "heatmap":
            trace.colorbar.update(_IN_FULL | lettered)


def _keep_margins(layout: go.Layout) -> None:
    """Say that margins are as wide as they are: measuring the axes for it is a third of the time of a drawing."""
    for name in layout:
        if name.startswith(("xaxis", "yaxis")):
            layout[name].automargin = False


def enlarge(figure: go.Figure) -> None:
    """Make the type of a titled figure one to be read from the back of a room, and the figure higher for it."""
    layout = figure.layout
    figure.update_layout(
        font={"size": 18},
        title={"font": {"size": 20}, "subtitle": {"font": {"size": 14}}},
        legend={"font": {"size": 17}},
        hoverlabel={"font": {"size": 18}},
        margin={"t": (layout.margin.t or 0) + 40},
    )
    if (
        layout.legend.y is not None and layout.legend.y < 0
    ):  # a share of the height, and the axis above it has grown
        layout.legend.y *= 1.6
    figure.update_xaxes(title_font_size=16, tickfont_size=17, automargin=True)
    figure.update_yaxes(title_font_size=16, tickfont_size=17, automargin=True)
    figure.update_annotations(font_size=17)
    if layout.height is not None:
        is_map = any(one.scaleanchor for one in (*figure.select_xaxes(), *figure.select_yaxes()))
        layout.height = (
            round(layout.height * (1.6 if is_map else 1.25)) + 40
        )  # what is drawn to scale grows by its height alone
