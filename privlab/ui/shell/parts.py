"""Small pieces that several pages show alike: labels, charts, fold-outs."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from privlab import __version__
from privlab.checks import ParameterError
from privlab.figures.drawing import (
    MEANINGS,
    TITLES,
    Palette,
    csv_from_figure,
    enlarge,
    holds_true_data,
    marked_csv,
    marked_name,
    palette_for,
    picture_options,
    set_title,
)
from privlab.figures.wording import options_in_words, plain
from privlab.od.simulating import ReleaseParameters
from privlab.reports import Option
from privlab.safe_text import cell_text, readable_csv
from privlab.ui.report.report_state import add_button
from privlab.ui.sessions.downloads import download
from privlab.ui.shell.page_list import door_of
from privlab.ui.state import Plan, choose_data, noise_words
from privlab.ui.work.kept_results import kept

Options = Mapping[str, Option]
About = Literal["release", "noise", "people", "data", "name", "nothing"]

_OF_THE_NOISE = ("law", "mechanism")  # options of a report's part that the words for the noise say
_SIMULATED = ("release_error", "release_scatter", "release_decay")  # figures of a release that is none
_HIGH_PX = 65  # of a row with room for three lines: in one of 64 or less streamlit writes one
_WHOLE = 20  # rows of a table that is shown whole; a longer one scrolls
_UNKNOWN = "–"  # where a table has no number; the browser's own word for it is "None"
_UNKNOWN_CELLS = ("", _UNKNOWN)
_FIGURE = re.compile(r"(\W|below|more than)? ?[+−-]?\d[\d.,]*%?( (–|of|/) [\d.,]+%?)*( \([^()]*\d[^()]*\))?")
_LARGE = 230  # characters of a finding that are large: three or four lines of a page, eight of a telephone
_STATEMENT = """<style>
[class*="st-key-statement_"] [data-testid="stCode"] pre { padding-right: 3.2rem; }
[class*="st-key-statement_"] [data-testid="stCode"] :is(pre, code, span) {
    font-family: "Source Sans", sans-serif !important; font-size: 1rem; line-height: 1.5;
}
</style>"""
_CHART_CONFIG = {
    "displaylogo": False,
    "showSendToCloud": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
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


def chart(
    figure: go.Figure | Callable[[], go.Figure],
    *,
    key: str,
    alt: str,
    exhibit: str | None = None,
    options: Options | None = None,
    about: About = "release",
    reading: str = "",
    on_pick: Callable[[], None] | None = None,
    brush: bool = False,
    made_of: tuple[Any, ...] | None = None,
    holds_more: bool = False,
    settings: str = "",
) -> None:
    """Show a chart with the same tools everywhere: its title, what it is and of what, its numbers, and into the report.

    Its parameters are said to whoever asks beside it, and stand in every picture made of it.

    `options` are the page's own parameters, as `exhibit` takes them; `about` says which of the plan's matter
    too; `reading` is said to whoever asks how to read it, after what is said of every figure of this kind. A figure that names
    no others stays as it is when they change, and is not drawn again. Where it holds true data, the figure, its picture and its
    numbers say so. `on_pick` is called when a point is clicked; the session then holds which under the figure's key; with
    `brush`, when a box is drawn around some too. A figure given as a function is made when something of `made_of`, all that it
    hangs on besides the colours, has changed. `holds_more` says that a figure of its kind without true data holds some here.
    `settings`, where it says any, are said in place of the plan's: of curves that are of other settings than the plan's alone.
    """
    true, colours = holds_true_data(key) or holds_more, palette()
    present = bool(st.session_state.get("present"))
    words = _parameters(options or {}, about, settings)
    if key in _SIMULATED:
        words = f"simulation, not a release; {words}"

    def made() -> go.Figure:
        drawn = figure if isinstance(figure, go.Figure) else figure()
        set_title(drawn, TITLES[key], words, true_data=true, palette=colours)
        drawn.update_layout(hoverlabel_font_color=colours.true)  # the theme's own is too pale to be read
        if present:
            enlarge(drawn)
        if brush:
            drawn.update_layout(
                dragmode="select", selectdirection="h" if drawn.data[0].type == "bar" else "any"
            )
        return drawn

    shown = made() if made_of is None else kept(f"figure {key}", (*made_of, words, colours, present), made)
    st.plotly_chart(
        shown,
        key=key,
        alt=alt,
        config=_chart_config(marked_name(f"privlab_{key}", true_data=true)),
        on_select=on_pick or "ignore",
        selection_mode=("points", "box") if brush else "points",
    )
    with st.container(horizontal=True, key=f"tools_{key}", vertical_alignment="center"):
        meaning = f"{MEANINGS[key]} {reading}".strip()
        st.markdown("About", width="content", help=_about(meaning, words))
        download(
            "Numbers (CSV)",
            data=lambda: readable_csv(
                marked_csv(csv_from_figure(shown), true_data=true, about=(TITLES[key], words, meaning))
            ),
            file_name=marked_name(f"privlab_{key}.csv", true_data=true),
            mime="text/csv",
            key=f"numbers_{key}",
            meaning="The numbers that this figure draws, as a table.",
            type="tertiary",
        )
        if exhibit is not None:
            add_button(exhibit, **(options or {}))


def _chart_config(picture: str) -> dict[str, Any]:
    """Return the tools of a chart; `picture` is the name of the file that the camera makes."""
    return {**_CHART_CONFIG, "toImageButtonOptions": picture_options(picture)}


def _about(meaning: str, words: str) -> str:
    """Return how a figure is read, and its data and parameters, which may hold names from files: as plain text."""
    return f"{meaning}\n\n**Data and parameters:** {plain(words)}"


def _parameters(options: Options, about: About, settings: str = "") -> str:
    """Return data and parameters in one line, for the figure itself; `settings` in place of the plan's."""
    plan: Plan | None = st.session_state.get("plan")
    own = ", ".join(
        options_in_words({name: value for name, value in options.items() if name not in _OF_THE_NOISE})
    )
    words = settings
    if not settings and about == "noise":
        release: ReleaseParameters = st.session_state["release"]
        words = f"ε = {release.epsilon:g}, {noise_words(release)}"
        if options.get("simulated_games"):
            words += f", seed {st.session_state['seed'] or 0}"
    elif not settings and plan is not None:
        name = plan.prepared.name
        words = {
            "release": f"{name}: {plan.parameters}",
            "people": f"{name}: {plan.who}",
            "data": f"{name}: seed {plan.seed}",
            "name": name,
            "nothing": "",
        }[about]
    return "; ".join(part for part in (words, own, f"privlab {__version__}") if part)


def one_of(views: Sequence[str], *, key: str) -> str:
    """Show which of a page's views to see, the first unless chosen; return its name."""
    chosen = st.segmented_control(
        "Show",
        views,
        default=views[0],
        key=key,
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return chosen or views[0]


def way_on(page: str, label: str) -> None:
    """Show a link to another page, framed as a button, that leads on from where this one cannot.

    A link, for st.switch_page would clear the address, which it may not where controls are bound to it.
    """
    door = door_of(page)
    with st.container(border=True, horizontal=True, width="content", gap=None):
        st.page_link(door.file, label=label, icon=f":material/{door.icon}:")


NEARER = "Find a release with more trips near the truth"


def setting_button(label: str, *, key: str, **settings: object) -> None:
    """Show a button that sets controls, by their keys: the way on from settings that lead nowhere."""
    st.button(
        label, key=key, icon=":material/input:", on_click=_set, args=(settings,),
        help="Sets what is named here; all else stays as it is.",
    )  # fmt: skip


def _set(settings: dict[str, object]) -> None:
    for name, value in settings.items():
        st.session_state[name] = value


def other_data(label: str, *, sample: str | None = None) -> None:
    """Lead on from data that a page can do nothing with: to the page Data, or to a sample at once."""
    with st.container(horizontal=True, vertical_alignment="center"):
        way_on("data", label)
        if sample is not None:
            st.button(
                f"Look at the sample {sample} instead",
                key=f"instead_{sample}",
                on_click=choose_data,
                args=(sample,),
                help="Shows this page on a sample that can be judged. Your data stays loaded.",
            )


def without_trips(plan: Plan) -> None:
    """Say on a page about trips that nobody in the data made one, and lead on: to what can be judged all the same."""
    st.warning(
        plain(
            f"This page is about trips, and in {plan.prepared.name} there is none. {plan.prepared.no_trips}"
        )
    )
    way_on("anonymizability", "See how hard its people are to hide")
    other_data("Choose other zones, or bring more records", sample="city")


def finding(words: str) -> None:
    """Show the page's finding, the first thing to read: large as far as it is short, the rest in the size of the page.

    It is the heading below the page's title; those of its parts stand below it.
    """
    large, rest = _parted(words)
    st.markdown(f"## {large}\n\n{rest}".rstrip())


def named_as_shown(error: ParameterError, labels: Mapping[str, str]) -> str:
    """Return why a setting is refused, with the label of its control where the error begins with the name of a parameter.

    `labels` are by these names; what is not among them stays as it is.

    >>> named_as_shown(ParameterError("known must be a share, got 2."), {"known": "Known of the target"})
    '“Known of the target” must be a share, got 2.'
    """
    name, must, rest = str(error).partition(" must ")
    return f"“{labels[name]}”{must}{rest}" if must and name in labels else str(error)


def _parted(words: str) -> tuple[str, str]:
    """Return whole sentences that together are short enough to be large, at least one, and those after them."""
    sentences = re.split(r"(?<=[.!?]) (?=\S)", words)
    n = 1
    while n < len(sentences) and len(" ".join(sentences[: n + 1])) <= _LARGE:
        n += 1
    return " ".join(sentences[:n]), " ".join(sentences[n:])


def statement(sentence: str, *, name: str) -> None:
    """Show a sentence that is made to be copied, whole, in the type of the page."""
    st.html(_STATEMENT)
    with st.container(key=f"statement_{name}"):
        st.code(sentence, language=None, wrap_lines=True)


def holds_figures(cells: Sequence[object]) -> bool:
    """Return whether a column holds figures alone: numbers, shares, intervals; a dash is neither figure nor word.

    >>> holds_figures(["91.08%", "≥ 1,200", "0.87 – 0.97", "–", 3, "more than 9%"]), holds_figures(["3 trips"]), holds_figures(["–"])
    (True, False, False)
    """
    told = [one for one in cells if one is not None and one not in _UNKNOWN_CELLS]
    return bool(told) and all(
        isinstance(one, int | float) or (isinstance(one, str) and _FIGURE.fullmatch(one)) for one in told
    )


def table(
    rows: list[dict[str, Any]],
    *,
    key: str,
    widths: Mapping[str, int] | None = None,
    meanings: Mapping[str, str] | None = None,
    high: bool = False,
) -> None:
    """Show numbers and texts as a table whose cells may be copied and saved: none of them is a formula then.

    `widths` are those of columns, in pixels, where not all fit on a page; `meanings` what columns mean, for whoever points at their
    names. In `high` rows a text goes on in up to three lines. A column of which nothing is known is left out; elsewhere a dash stands for
    what is not known. Figures stand on the right, whether they are numbers or written out.
    """
    unknown = [{name for name, value in row.items() if value is None} for row in rows]
    empty = set.intersection(*unknown) if unknown else set()
    shown = [
        {
            cell_text(name): cell_text(value) if isinstance(value, str) else value
            for name, value in row.items()
            if name not in empty
        }
        for row in rows
    ]
    columns = {
        cell_text(name): st.column_config.Column(
            width=(widths or {}).get(name),
            help=(meanings or {}).get(name),
            alignment="right" if holds_figures([row.get(name) for row in rows]) else None,
        )
        for name in dict.fromkeys(name for row in rows for name in row)
    }
    whole: Literal["content", "auto"] = "content" if len(shown) <= _WHOLE else "auto"
    row = _HIGH_PX if high else None
    st.dataframe(
        shown, key=key, hide_index=True, column_config=columns, height=whole, row_height=row, placeholder=_UNKNOWN
    )  # fmt: skip


def printed_table(
    cells: list[dict[str, str]] | dict[str, list[str]], *, key: str, turned: bool = False
) -> None:
    """Show a small table of the lab's own words and figures, as rows or columns, to be read and not worked with.

    Figures stand on the right, as in other tables, and what a row is has room on a telephone too, where all is written closer; `key` tells
    it from others of the page. One of few rows and many columns is `turned` there: its rows stand beside one another.
    """
    columns: Mapping[str, Sequence[object]] = cells if isinstance(cells, dict) else {}
    if isinstance(cells, list):
        names = dict.fromkeys(name for row in cells for name in row)
        columns = {name: [row.get(name) for row in cells] for name in names}
    figures = [place for place, column in enumerate(columns.values(), 1) if holds_figures(column)]
    part = f"printed_turned_{key}" if turned else f"printed_{key}"
    cell = f".st-key-{part} :is(th, td):nth-child"
    first = [str(one) for name, column in [*columns.items()][:1] for one in (name, *column)]
    with st.container(key=part):
        st.html(
            f"<style>.st-key-{part} {{ --columns: {len(columns)}; }}"
            f"{cell}(1) {{ min-width: min({min(8, max(map(len, first), default=0) / 2):g}rem, 22vw); }}"
            + "".join(f"{cell}({place}) {{ text-align: right !important; }}" for place in figures)
            + "</style>"
        )
        # A cell is Markdown, where what begins with > is a quotation: the sign would not be seen.
        shown = {
            name: [str("–" if one is None else one).replace("> ", r"\> ") for one in column]
            for name, column in columns.items()
        }
        st.table(shown, border="horizontal", hide_index=True)


def columns_table(
    columns: dict[str, Any], *, key: str, config: dict[str, Any], file_name: str, about: Sequence[str] = ()
) -> None:
    """Show columns of numbers as a table, with a download of the same numbers as CSV, marked where they are true.

    `about` are lines above them in the file: what they are, and of which settings.
    """
    frame, true = pd.DataFrame(columns), holds_true_data(key)
    height = min(260, 38 + 35 * len(frame))
    st.dataframe(frame, key=key, hide_index=True, column_config=config, height=height, placeholder=_UNKNOWN)
    download(
        "Download as CSV",
        data=lambda: readable_csv(
            marked_csv(frame.to_csv(index=False).encode(), true_data=true, about=about)
        ),
        file_name=marked_name(file_name, true_data=true),
        mime="text/csv",
        key=f"{key}_download",
        meaning="All rows of this table.",
    )
