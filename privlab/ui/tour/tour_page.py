"""The guided walk: where one is in it, and how to go on, by button or by key."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.figures.drawing import room_for_title
from privlab.lab.reporting import handout
from privlab.reports.documents import installed_browser
from privlab.ui.sessions.downloads import download
from privlab.ui.shell.parts import palette
from privlab.ui.tour import tour_keys
from privlab.ui.tour.tour_work import Piece, begin_ahead

_KEYS = (
    "← and →, Page Up and Page Down or a clicker step back and on; F fills the screen. While a slider has the focus by "
    "the Tab key, the arrows move the slider; after mouse or finger they step again."
)


_HIDDEN = "position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;"
_STYLE = f"""<style>
.st-key-strip, [data-testid="stMain"] [class*="st-key-tools_tour"] {{ display: none; }}
[data-testid="stMain"] [data-testid="stMainBlockContainer"] {{ padding: 3.2rem 2.5rem 0.5rem; max-width: none; }}
[data-testid="stMain"] [data-testid="stVerticalBlock"] {{ gap: 0.4rem; }}
[data-testid="stMain"] [data-testid="stHeading"]:has(h1) {{ {_HIDDEN} }}
[data-testid="stMain"] h2, [data-testid="stMain"] h2 * {{ font-size: 1.6rem; }}
[data-testid="stMain"] h2 {{ padding: 0 0 0.6rem; }}
[data-testid="stMain"] :is(h3, h3 *) {{ font-size: 1.2rem; }}
[data-testid="stMain"] h3 {{ padding: 0 0 0.8rem; }}
[data-testid="stMain"] [data-testid="stMarkdownContainer"] p {{ font-size: 1rem; line-height: 1.4; }}
[data-testid="stMain"] [data-testid="stCaptionContainer"] p {{ font-size: 0.8rem; }}
[data-testid="stMain"] [data-testid="stMetricValue"] [data-testid="stMarkdownContainer"] p {{ font-size: 2rem; }}
.st-key-printed_by_hand :is(th, td) p {{ line-height: 1.2 !important; }}
.st-key-printed_by_hand th {{ white-space: nowrap !important; }}
[data-testid="stMain"] [data-testid="stMetricLabel"] * {{ white-space: normal; overflow: visible; }}
@media (min-width: 1600px) and (min-height: 940px) {{
    [data-testid="stMain"] h2, [data-testid="stMain"] h2 * {{ font-size: 2.2rem; }}
    [data-testid="stMain"] :is(h3, h3 *) {{ font-size: 1.7rem; }}
    [data-testid="stMain"] :is(p, label, [data-testid="stMarkdownContainer"] p) {{ font-size: 1.35rem; }}
    [data-testid="stMain"] [data-testid="stCaptionContainer"] p {{ font-size: 1.1rem; }}
    [data-testid="stMain"] [data-testid="stMetricValue"] [data-testid="stMarkdownContainer"] p {{ font-size: 3rem; }}
    [data-testid="stMain"] [data-testid="stVerticalBlock"] {{ gap: 0.9rem; }}
}}
.st-key-step [role="radiogroup"] {{ gap: 0.1rem; }}
.st-key-step [role="radiogroup"] > div {{ position: relative; flex: none; width: auto; min-width: 0; }}
.st-key-step [role="radiogroup"] label {{ padding: 0.3rem; margin: 0; }}
.st-key-step label > div > div:first-child {{ box-shadow: 0 0 0 1px #808080; }}
.st-key-next_step {{ margin-top: 0; padding-top: 0.3rem; }}
.st-key-step label [data-testid="stMarkdownContainer"] {{ {_HIDDEN} }}
.st-key-step [role="radiogroup"] > div > :not(label) {{ {_HIDDEN} }}
/* Where a finger cannot point, a tap goes to the step, and the name would lie on the title that says the same. */
@media (hover: hover) {{
    .st-key-step [role="radiogroup"] > div:is(:hover, :focus-within) > :not(label) {{
        width: auto; height: auto; clip-path: none; top: 1.8rem; left: 0; z-index: 10; padding: 0.2rem 0.6rem; margin: 0;
        border-radius: 0.3rem; background: #262730;
    }}
    .st-key-step [role="radiogroup"] > div:is(:hover, :focus-within) > :not(label) * {{ color: #ffffff; }}
}}
</style>"""
# In a presentation there is the room of the sidebar; below 780 pixels a step with large figures would not fit.
_LARGER = """<style>
@media (min-width: 1200px) and (min-height: 780px) and (not ((min-width: 1600px) and (min-height: 940px))) {
    [data-testid="stMain"] [data-testid="stMainBlockContainer"] { padding-top: 2.2rem; }
    [data-testid="stMain"] h2, [data-testid="stMain"] h2 * { font-size: 1.9rem; }
    [data-testid="stMain"] :is(h3, h3 *) { font-size: 1.4rem; }
    [data-testid="stMain"] :is(p, label, [data-testid="stMarkdownContainer"] p) { font-size: 1.15rem; }
    [data-testid="stMain"] [data-testid="stCaptionContainer"] p { font-size: 0.95rem; }
    [data-testid="stMain"] [data-testid="stMetricValue"] [data-testid="stMarkdownContainer"] p { font-size: 2.3rem; }
}
</style>"""
_UNTIL_THE_END = "<style>.st-key-next_step { display: none; }</style>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: what is argued, after whom, what to move and what to see, and what draws it.

    `show(beside)` shows one control, with its figures, beside one picture; a text that it returns is the headline in
    the argument's place. `of_sample(chosen)` says which sample its figures are of, where the sidebar shows `chosen`. `ahead()` is
    the heavy work that it opens with.
    """

    title: str
    argument: str
    see: str
    source: str
    of_sample: Callable[[str], str]
    show: Callable[[DeltaGenerator], str | None]
    page: str
    link: str
    ahead: Callable[[], Sequence[Piece]]


def picture_height() -> int:
    """Return how high a picture may be, in pixels, so that a step fills one screen; titles and large type come on top."""
    more = tour_keys.more_height()
    if st.session_state.get("present"):
        return 285 + round(0.75 * more)  # large type adds a quarter
    return 350 + more


def trails_height() -> int:
    """Return how high a picture drawn to scale may be: large type adds three fifths to it with its title, where it adds a quarter to others."""
    if not st.session_state.get("present"):
        return picture_height()
    title = room_for_title(true_data=True)
    return round((picture_height() + title) * 1.25 / 1.6) - title


def map_height() -> int:
    """Return how high a map may be beside a picture: as high as it, with its title, less the map's legend below."""
    return 370 + tour_keys.more_height()


def two_pictures() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return room for two pictures beside each other; one below the other on a telephone."""
    left, right = st.columns(2, gap="small")
    return left, right


def place(titles: Sequence[str]) -> int:
    """Show where in the walk one is, a dot for each step with its title; return the step, from 0."""
    st.html(_STYLE)
    if st.session_state.get("present"):
        st.html(_LARGER)
    tour_keys.listen_to_keys()
    step = st.radio(
        "Step",
        [str(number) for number in range(1, len(titles) + 1)],
        captions=list(titles),
        horizontal=True,
        key="step",
        bind="query-params",
        label_visibility="collapsed",
    )
    return int(step or 1) - 1


def shown(steps: Sequence[Step], number: int) -> None:
    """Show one of the steps on one screen: sentence, picture, one control, and the way back and on."""
    step, n_steps = steps[number], len(steps)
    st.markdown(f"## {number + 1}. {step.title}")
    headline = st.container()
    if number < n_steps - 1:
        st.html(_UNTIL_THE_END)
    beside, picture = st.columns([2, 4], gap="medium")
    with picture:
        told = step.show(beside)
    headline.markdown(f"### {told or step.argument}")
    with beside:
        st.markdown(f"**What to see:** {step.see}")
        st.caption(f"{step.of_sample(str(st.session_state.get('data', '')))} {step.source}".strip())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Back",
            key="tour_back",
            icon=":material/arrow_back:",
            on_click=_go,
            args=(number,),
            disabled=number == 0,
        )
        st.button(
            "Next",
            key="tour_next",
            icon=":material/arrow_forward:",
            type="primary" if number < n_steps - 1 else "secondary",
            on_click=_go,
            args=(number + 2,),
            disabled=number == n_steps - 1,
        )
        st.page_link(step.page, label=step.link, icon=":material/open_in_new:")
        _handout_button()
        st.markdown("Keys", width="content", help=_KEYS)
    if number < n_steps - 1:
        begin_ahead(steps[number + 1].ahead())


def hundred(share: float, *, told: str = "guesses that are right") -> None:
    """Show a hundred guesses as dots, in rows of twenty: filled and dark where the attacker is right, hollow where not."""
    right, colours = round(100 * share), palette()
    look = "aspect-ratio:1;border-radius:50%;box-sizing:border-box;"
    dots = "".join(
        f'<span style="{look}'
        + (f"background:{colours.attack}" if n < right else f"border:1.5px solid {colours.muted}")
        + '"></span>'
        for n in range(100)
    )
    st.html(
        f'<div role="img" aria-label="{right} of 100 dots filled: {told}" '
        f'style="display:grid;grid-template-columns:repeat(20,minmax(0,1fr));gap:3px;width:min(260px,100%);'
        f'line-height:0;margin-bottom:0.6rem;forced-color-adjust:none">{dots}</div>'
    )


def _handout_button() -> None:
    """Hand out the whole walk on two pages: as PDF where a browser is installed, else as HTML."""
    as_pdf = installed_browser() is not None
    download(
        "Handout (PDF)" if as_pdf else "Handout (HTML)",
        data=partial(handout, pdf=as_pdf),
        file_name=f"privlab_handout.{'pdf' if as_pdf else 'html'}",
        mime="application/pdf" if as_pdf else "text/html",
        key="tour_handout",
        meaning="The eleven steps on two pages, with the figures of the sample, for a class.",
        icon=":material/description:",
        type="tertiary",
    )


def _go(step: int) -> None:
    st.session_state["step"] = str(step)
