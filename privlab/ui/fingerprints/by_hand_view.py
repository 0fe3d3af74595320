"""Three people made coarser by hand until two rows agree: a control for each sample, and the cost so far."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.figures.wording import words
from privlab.fingerprints import HAND_LEVELS, HandTable, Level, table_by_hand
from privlab.ui.shell import parts

_SAMPLES = ("First sample", "Second sample", "Third sample")


def by_hand_view() -> None:
    """Show three people's samples, a level to choose for each of the three, and whether two rows agree."""
    st.markdown(
        "**Can you make two of these three people look alike?** Make a column coarser, step by step, and pay as little as "
        "you can. Two people are alike once all three of their samples agree."
    )
    levels = []
    for number, (column, name) in enumerate(zip(st.columns(3), _SAMPLES, strict=True), start=1):
        with column:
            level = st.select_slider(
                name,
                [str(one) for one in HAND_LEVELS],
                key=f"hand_level_{number}",
                bind="query-params",
                help="Cell (km) – time bin (min), for this sample of everybody.",
            )
            levels.append(Level.from_text(level))
    hand_table(table_by_hand(tuple(levels)))
    st.caption(
        "Three invented people, after the example in Gramaglia and Fiore (2015). Cells and bins are cut where the grid and the "
        "clock cut them, as in the data: two samples close together may lie on both sides of a line."
    )


def hand_table(table: HandTable, told: DeltaGenerator | None = None) -> None:
    """Show the rows, marked where they agree, with the cost so far; that in `told`, where it is given."""
    told = told or st.container()
    pairs = sorted({tuple(sorted((name, other))) for name, others in table.alike.items() for other in others})
    cost = f"A sample is now known to within {table.mean_km:.3g} km and {words.duration(table.mean_min)} on average."
    if pairs:
        said = "; ".join(f"{one} and {other}" for one, other in pairs)
        told.success(f"{said} agree in all three samples. {cost}", icon=":material/check_circle:")
    else:
        told.info(f"No two rows agree yet. {cost}", icon=":material/radio_button_unchecked:")
    rows = []
    for name, samples in table.cells.items():
        row = {"person": f"**{name}**"}
        for number, (title, level) in enumerate(zip(_SAMPLES, table.levels, strict=True)):
            like = [
                other
                for other in table.cells
                if other != name and table.cells[other][number] == samples[number]
            ]
            text = _in_words(samples[number], level)
            row[title.lower()] = (
                f":small[:green-background[{text}] = {', '.join(like)}]" if like else f":small[{text}]"
            )
        rows.append(row | {"looks like": ", ".join(table.alike[name]) or "nobody"})
    parts.printed_table(rows, key="by_hand")


def _in_words(cell: tuple[float, float, int], level: Level) -> str:
    """Return where and when, as a table shows it."""
    east, north, minute = cell
    if level == HAND_LEVELS[0]:
        return f"{east:.1f} km E, {north:.1f} km N, {_clock(minute)}"
    size = level.cell_km
    return (
        f"{east:g}–{east + size:g} km E, {north:g}–{north + size:g} km N, "
        f"{_clock(minute)}–{_clock(minute + level.bin_min)}"
    )


def _clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02d}"
