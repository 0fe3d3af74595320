"""How the lab looks beyond its theme: legible filled controls, and large type for a projector."""

import streamlit as st

from privlab.figures.drawing import rules_without_parameters

_STYLE = """<style>
section[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"], [class*="st-key-tools_"],
.st-key-strip, .st-key-next_step {
    display: none;
}
[data-testid="stMainBlockContainer"] { padding: 4.5rem 3rem 3rem; max-width: none; }
[data-testid="stMain"] :is(p, li, label, td, th) { font-size: 1.35rem; line-height: 1.5; }
[data-testid="stMain"] [data-testid="stCaptionContainer"] p { font-size: 1.1rem; }
[data-testid="stMain"] :is([data-testid="stCode"] *, input, textarea, [data-testid="stSelectbox"] [data-baseweb="select"] *) { font-size: 1.25rem; }
[data-testid="stMain"] h2, [data-testid="stMain"] h2 * { font-size: 1.9rem; }
[data-testid="stMain"] [data-testid="stMetricValue"] * { font-size: 2.4rem; }
/* A table that scrolls is a picture of itself, and asks its frame how wide it may be before it is made larger. Not in Safari: it counts the
   places of what it has made larger in larger pixels, and a click would find another cell. The property is Safari's alone. */
@supports not (-webkit-nbsp-mode: space) {
    [data-testid="stElementContainer"]:has(> [data-testid="stFullScreenFrame"] > [data-testid="stDataFrame"]):not(
        :has([aria-label^="Close fullscreen"])
    ) {
        zoom: 1.5; width: calc(100% / 1.5) !important; overflow: visible;
    }
}
[data-testid="stMain"] .stMarkdownBadge { font-size: 1.1rem !important; }
.st-key-leave_presentation { position: fixed; top: 0.6rem; right: 3.5rem; z-index: 1000000; width: auto; }
</style>"""

_CHART = '[data-testid="stPlotlyChart"]'
# By children alone: a rule about all that lies within would be looked at again with each line that a figure draws.
_CHART_BOX = f'[data-testid="stElementContainer"]:has(> [data-testid="stFullScreenFrame"] > {_CHART})'
_FILLED = """<style>
[data-testid="stBaseButton-primary"]:not(:disabled), [data-testid="stBaseButton-primary"]:not(:disabled) *,
[data-testid="stMultiSelect"] span[title], [data-testid="stMultiSelect"] span[title] ~ * {
    color: light-dark(#ffffff, #0e1117);
}
.js-plotly-plot :is(g[class*="axislayer"], g[class^="g-x"], g[class^="g-y"], g.colorbar) text {
    fill: light-dark(#4a5560, #c5ccd3) !important;
}
[data-testid="stMain"] h2 { padding: 0.5rem 0 1rem; }
[data-testid="stMain"] h2, [data-testid="stMain"] h2 * { font-size: 1.5rem; letter-spacing: normal; }
[data-testid="stHorizontalBlock"]:has(> [data-testid="stElementContainer"]:only-child > [data-testid="stPageLink"]) { padding: 9px 5px; }
.stMarkdownBadge { white-space: normal !important; }
[data-testid="stMetricLabel"] :is(div, p) { white-space: normal; overflow: visible; }
[data-testid="stSlider"] [data-testid="stSliderThumbValue"] { top: auto; bottom: 100%; }
[data-testid="stSlider"] [data-rac] { touch-action: pan-y !important; }
[data-testid="stDialog"] > div { overflow: clip; }
[data-testid="stDialog"] [role="dialog"], [role="dialog"] > [aria-label="Close"] { background: inherit; }
[role="dialog"] > [aria-label="Close"] {
    position: sticky; top: 0; right: auto; z-index: 1; align-self: flex-end; justify-self: end; display: grid; place-items: center;
    width: 2rem; height: 2rem; padding: 0; margin: 1rem 1rem -3rem auto;
}
[data-testid="stMain"] div:has(> [data-testid="stMultiSelectTagsContainer"]) { height: auto; max-height: none; }
[data-testid="stMain"] [data-testid="stMultiSelectTagsContainer"] {
    flex-wrap: wrap; height: auto; max-height: 8rem; overflow: hidden auto; mask-image: none;
}
@media (max-width: 640px) {
    [class*="st-key-printed_"] :is(th, td) { padding-left: 0.3rem !important; padding-right: 0.2rem !important; }
    [class*="st-key-printed_"] :is(th, td, th *, td *) { font-size: 0.8125rem; }
    [class*="st-key-printed_turned_"] table {
        display: grid; grid-auto-flow: column; grid-template-rows: repeat(var(--columns), auto); grid-auto-columns: auto;
    }
    [class*="st-key-printed_turned_"] :is(thead, tbody, tr) { display: contents; }
    [class*="st-key-printed_turned_"] :is(th, td) { border-bottom: 1px solid rgba(128, 128, 128, 0.3) !important; }
    [class*="st-key-printed_turned_"] tr :is(th, td):nth-child(n) { min-width: 0; }
}
@media (forced-colors: active) {
    :is([data-testid="stSlider"], [data-testid="stCheckbox"], [data-testid="stRadio"], [data-testid="stButtonGroup"], [data-testid="stProgress"]),
    [data-drawn] { forced-color-adjust: none; }
}
@media (hover: none) {
    .js-plotly-plot .modebar-container, [data-testid="stElementToolbar"] { display: none !important; }
}
[data-testid="stMain"] [data-testid="stSliderThumbValue"] [data-testid="stMarkdownContainer"] p { line-height: 1.1; }
"""


def legible() -> None:
    """Write dark on filled controls in the dark theme, whose light blue streamlit would write white on.

    Figures have their title alone: pictures of them need their parameters, and a page says those beside each.
    And axes in a grey that can be read, and the names of numbers in full: streamlit cuts them off at the end of a line.
    And marks of true data in as many lines as they take: streamlit cuts them off in a narrow column.
    And a page's finding, its second heading, of the size of words that are read, where streamlit has that of a title.
    And a link that is framed as a button as high as one: a frame has room inside for more than a line.
    And what was chosen of many in as many lines as it takes, up to four: streamlit cuts off what one line has no room for.
    And small tables closer on a telephone, so that none of their columns is out of sight, with rows beside one another where they are few
    and the columns many: cells fill a grid from above to below, row by row.
    And what tells by a filled shape alone, as where a slider stands and which choice is taken, in its own colours where a reader has chosen
    some for all pages, such as Windows' high contrast: the browser takes away what fills a shape.
    And what a slider is at above its thumb however large the type: streamlit leaves room for small type alone.
    And sliders that leave a finger drawn up or down to the page (assistive.py does the rest), and a long dialog's cross where it is seen however
    far one reads: on a telephone there is no Escape, and hardly a place beside the dialog.
    And without the tools of figures and tables where a finger can point at nothing: they would lie on titles and text for good. What is
    downloaded has a button of its own.
    The browser decides by the page's colours, so that it holds when the theme changes while a page is open.
    """
    st.html(_FILLED + rules_without_parameters(_CHART_BOX, _CHART) + "</style>")


def switch() -> None:
    """Show the switch; it keeps its place from page to page. In the sidebar, which it hides.

    An address with `present=1` opens with it on.
    """
    if "present" not in st.session_state and st.query_params.get("present") == "1":
        st.session_state["present"] = True
    st.toggle(
        "Presentation",
        key="present",
        persist_state="session",
        help="For a projector: hides these controls and enlarges the type.",
    )


def way_back() -> None:
    """Enlarge the type and show a way back, if the switch is on, and say so in the address. At the top of the page."""
    if not st.session_state.get("present"):
        if "present" in st.query_params:
            del st.query_params["present"]
    else:
        st.query_params["present"] = "1"
        st.html(_STYLE)
        st.button(
            "Leave presentation",
            key="leave_presentation",
            icon=":material/close_fullscreen:",
            on_click=_leave,
            help="Brings back menu and settings.",
        )


def _leave() -> None:
    st.session_state["present"] = False
