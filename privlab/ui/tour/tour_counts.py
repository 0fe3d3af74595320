"""Steps of the walk about origin–destination counts: the claim, the attack, the threshold, the bound."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.dp import half_width
from privlab.dp.promise import claimed_bound
from privlab.figures import attack_figure, in_hundred
from privlab.od.releases import ReleaseParameters
from privlab.od.risks import AttackParameters
from privlab.ui import cached
from privlab.ui.data.derived import ready
from privlab.ui.flows import attack_page
from privlab.ui.flows.own_week_view import OwnTarget, own_week
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import sample_job
from privlab.ui.tour.tour_page import picture_height

EPSILON = 0.66


def _attack(beside: DeltaGenerator, k: int, *, bound: int | None = None, epsilon: float = EPSILON) -> None:
    curve = cached.attack_curve(AttackParameters(epsilon=epsilon, noise="laplace"), 1)
    bounded = cached.bounded_attack(ReleaseParameters(epsilon=epsilon, max_trips_per_user=bound))
    applies = curve.optimal if bounded is None else bounded.optimal
    beside.metric(
        f"an attacker guesses right about someone with {k} unique trip{'s' if k != 1 else ''} (a coin: 50)",
        f"{in_hundred(float(applies[k]))} times in 100",
        help="By the best possible attack, computed exactly. A coin: 50.",
    )
    with beside:
        _hundred(float(applies[k]))
    parts.chart(
        attack_figure(curve, palette(), your_trips=k, bounded=bounded, height=picture_height(), until=k),
        key="tour_attack",
        alt=attack_page.curve_in_words(curve),
        options={"epsilon": epsilon, "k": k},
        about="nothing",
    )


def _hundred(share: float) -> None:
    """Show a hundred guesses as dots: filled and dark where the attacker is right, hollow where not."""
    right, colours = round(100 * share), palette()
    look = "display:inline-block;width:9px;height:9px;border-radius:50%;margin:2px;box-sizing:border-box;"
    dots = "".join(
        f'<span style="{look}'
        + (f"background:{colours.attack}" if n < right else f"border:1.5px solid {colours.muted}")
        + '"></span>'
        for n in range(100)
    )
    st.html(
        f'<div role="img" aria-label="{right} of 100 dots filled: guesses that are right" '
        f'style="width:270px;line-height:0;margin-bottom:0.6rem">{dots}</div>'
    )


def claim(beside: DeltaGenerator) -> str:
    """Show the claim at any ε, for one trip; return it as a headline for that ε."""
    epsilon = float(
        beside.select_slider(
            "Privacy loss ε",
            ["0.2", "0.66", "1", "2"],
            value="0.66",
            key="tour_epsilon",
            bind="query-params",
            help="Smaller is safer and noisier. The publisher took 0.66.",
        )
    )
    _attack(beside, 1, epsilon=epsilon)
    limit = in_hundred(claimed_bound(epsilon))
    gain = 100 * (claimed_bound(epsilon) - 0.5)
    published = " (as published)" if epsilon == EPSILON else ""
    return (
        f"“An attacker gains at most {gain:.0f} %”: with ε = {epsilon:g}{published} an attacker is right at most "
        f"{limit} times in 100."
    )


def three(beside: DeltaGenerator) -> None:
    """Show the attack on someone with a few trips."""
    _attack(
        beside,
        int(
            beside.slider(
                "Unique trips of the target in the week (k)",
                1,
                10,
                3,
                key="tour_k",
                bind="query-params",
                help="How many different trips the attacked person makes in the week.",
            )
        ),
    )


def author(beside: DeltaGenerator) -> None:
    """Show the attack on someone with many trips."""
    _attack(
        beside,
        int(
            beside.slider(
                "Unique trips of the target in the week (k)",
                1,
                70,
                32,
                key="tour_author",
                bind="query-params",
                help="How many different trips the attacked person makes in the week.",
            )
        ),
    )
    own_week(beside, OwnTarget(epsilon=EPSILON, noise="laplace", slider="tour_author", most=70))


def threshold(beside: DeltaGenerator) -> None:
    """Show what suppression hides, and what not."""
    threshold = int(
        beside.select_slider(
            "Suppress noisy counts below",
            ["0", "20", "50", "100", "200"],
            value="100",
            key="tour_threshold",
            bind="query-params",
            help="Noisy counts below this number are not published.",
        )
    )
    cells = {"flows of 1,000 others": (1000,) * 10, "ten flows nobody else makes": (0,) * 10}
    cells["half of each"] = (1000,) * 5 + (0,) * 5
    rows = [
        {
            "the target's ten trips": name,
            "guessed right, in 100 (a coin: 50)": in_hundred(
                cached.cell_accuracy("laplace", EPSILON, threshold, counts)
            ),
        }
        for name, counts in cells.items()
    ]
    parts.table(rows, key="tour_cells")


def bounding(beside: DeltaGenerator) -> None:
    """Show the attack under a bound, and what the bound leaves out."""
    bound = int(
        beside.select_slider(
            "Unique trips per user, at most (L)",
            ["2", "5", "10", "20", "50"],
            value="10",
            key="tour_bound",
            bind="query-params",
            help="Trips of a user beyond this number are not counted; the noise grows with it.",
        )
    )
    prepared = ready(sample_job("city"))
    if prepared is None:
        return
    clipping = cached.clipping(prepared.key, prepared, prepared.trips.weeks[0], None)
    assert clipping is not None  # the sample names its users
    lost = clipping.at(bound)[0] / clipping.n_trips
    price = beside.container(horizontal=True)
    price.metric(
        "trips left uncounted",
        f"{lost:.1%}",
        help="Share of all trips that the bound leaves out: the price of the promise, with the noise.",
    )
    once, wide = (half_width(scale / EPSILON) for scale in (1, bound))
    price.metric(
        "noise, 95 in 100 within",
        f"±{wide:,} trips",
        help=f"Without the limit, and without its promise: ±{once:,}.",
    )
    _attack(beside, 32, bound=bound)
