"""Steps of the walk about origin–destination counts: the claim, the attack, the threshold, the bound."""

import streamlit as st

from privlab.dp.promise import claimed_bound
from privlab.figures import attack_figure, clipping_figure, in_hundred
from privlab.od.releases import ReleaseParameters
from privlab.od.risks import AttackParameters
from privlab.ui import cached
from privlab.ui.data.derived import ready
from privlab.ui.flows import attack_page
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import sample_job

EPSILON = 0.66


def _attack(k: int, *, bound: int | None = None, epsilon: float = EPSILON) -> None:
    curve = cached.attack_curve(AttackParameters(epsilon=epsilon, noise="laplace"), 1)
    bounded = cached.bounded_attack(ReleaseParameters(epsilon=epsilon, max_trips_per_user=bound))
    applies = curve.optimal if bounded is None else bounded.optimal
    st.metric(
        f"an attacker guesses right about someone with {k} unique trip{'s' if k != 1 else ''} (a coin: 50)",
        f"{in_hundred(float(applies[k]))} times in 100",
        help="By the best possible attack, computed exactly. A coin: 50.",
    )
    parts.chart(
        attack_figure(curve, palette(), your_trips=k, bounded=bounded, height=440),
        key="tour_attack",
        alt=attack_page.curve_in_words(curve),
        options={"epsilon": epsilon, "k": k},
        about="nothing",
    )


def claim() -> str:
    """Show the claim at any ε, for one trip; return it as a headline for that ε."""
    epsilon = float(
        st.select_slider(
            "Privacy loss ε", ["0.2", "0.66", "1", "2"], value="0.66", key="tour_epsilon", bind="query-params"
        )
    )
    _attack(1, epsilon=epsilon)
    limit = in_hundred(claimed_bound(epsilon))
    gain = 100 * (claimed_bound(epsilon) - 0.5)
    published = " (as published)" if epsilon == EPSILON else ""
    return (
        f"“An attacker gains at most {gain:.0f} %”: with ε = {epsilon:g}{published} an attacker is right at most "
        f"{limit} times in 100."
    )


def three() -> None:
    """Show the attack on someone with a few trips."""
    _attack(
        int(
            st.slider(
                "Unique trips of the target in the week (k)", 1, 10, 3, key="tour_k", bind="query-params"
            )
        )
    )


def author() -> None:
    """Show the attack on someone with many trips."""
    _attack(
        int(
            st.slider(
                "Unique trips of the target in the week (k)",
                1,
                70,
                32,
                key="tour_author",
                bind="query-params",
            )
        )
    )


def threshold() -> None:
    """Show what suppression hides, and what not."""
    threshold = int(
        st.select_slider(
            "Suppress noisy counts below",
            ["0", "20", "50", "100", "200"],
            value="100",
            key="tour_threshold",
            bind="query-params",
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


def bounding() -> None:
    """Show the attack under a bound, and what the bound leaves out."""
    bound = int(
        st.select_slider(
            "Unique trips per user, at most (L)",
            ["2", "5", "10", "20", "50"],
            value="10",
            key="tour_bound",
            bind="query-params",
        )
    )
    prepared = ready(sample_job("city"))
    if prepared is None:
        return
    clipping = cached.clipping(prepared.key, prepared, prepared.trips.weeks[0], None)
    assert clipping is not None  # the sample names its users
    lost = clipping.at(bound)[0] / clipping.n_trips
    st.metric("trips of the sample city left uncounted", f"{lost:.1%}")
    left, right = st.columns(2, gap="large")
    with left:
        _attack(32, bound=bound)
    with right:
        parts.chart(
            clipping_figure(clipping, palette(), marked={"chosen": bound}),
            key="tour_clipping",
            alt=f"A bound of {bound} leaves {lost:.1%} of trips uncounted.",
            options={"sample": "city", "bound": bound},
            about="nothing",
        )
