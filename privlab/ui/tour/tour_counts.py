"""Steps of the walk about origin–destination counts: the claim, the attack, the threshold, the bound."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.defaults import CLOSE, PUBLISHED_EPSILON, PUBLISHED_THRESHOLD
from privlab.dp.certainty import claimed_bound
from privlab.dp.noise import Mechanism, even_noise, half_width
from privlab.dp.promise import delta_words
from privlab.figures.flows import price_figure, price_in_words
from privlab.figures.risks import attack_figure
from privlab.figures.wording import words
from privlab.od.attack import AttackParameters
from privlab.od.comparing import StepRequest
from privlab.od.simulating import ReleaseParameters
from privlab.od.trips import PreparedTrips
from privlab.od.weighing import TOTAL
from privlab.stats import percent_at_least
from privlab.ui import cached
from privlab.ui.attack import attack_page
from privlab.ui.attack.own_week_view import OwnTarget, own_week
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import PAPERS
from privlab.ui.tour.tour_maps import person_map, release_map, sample
from privlab.ui.tour.tour_page import hundred, picture_height, two_pictures

EPSILON = PUBLISHED_EPSILON
_LIMIT_OF_BEST = 3  # trips of a person, that Plan finds best for the sample's release with a total
_NORMAL = NormalDist()
_TRIPS = "How many different trips the attacked person makes in the week."


def _attack(beside: DeltaGenerator, k: int, *, bound: int | None = None, epsilon: float = EPSILON) -> None:
    curve = cached.attack_curve(AttackParameters(epsilon=epsilon, noise="laplace"), 1)
    bounded = cached.bounded_attack(ReleaseParameters(epsilon=epsilon, max_trips_per_user=bound))
    applies = curve.optimal if bounded is None else bounded.optimal
    beside.metric(
        f"an attacker guesses right about someone with {k} unique trip{'s' if k != 1 else ''} (a\u00a0coin:\u00a050)",
        f"{words.in_hundred(float(applies[k]))} times in 100",
        help="By the best possible attack, computed exactly. A coin: 50.",
    )
    with beside:
        hundred(float(applies[k]))
    parts.chart(
        attack_figure(curve, palette(), your_trips=k, bounded=bounded, height=picture_height(), until=k),
        key="tour_attack",
        alt=attack_page.curve_in_words(curve, bounded),
        options={"epsilon": epsilon, "k": k} | ({} if bound is None else {"L": bound}),
        about="nothing",
    )


def claim(beside: DeltaGenerator) -> str:
    """Show the claim at any ε, for one trip; return it as a headline for that ε."""
    epsilon = float(
        beside.select_slider(
            "Privacy loss ε",
            ["0.2", f"{EPSILON:g}", "1", "2"],
            value=f"{EPSILON:g}",
            key="tour_epsilon",
            bind="query-params",
            help=f"Smaller is safer and noisier. The publisher took {EPSILON:g}.",
        )
    )
    curve, flows = two_pictures()
    with curve:
        _attack(beside, 1, epsilon=epsilon)
    with flows:
        release_map(replace(PAPERS, epsilon=epsilon), view="both", key="tour_map_claim", told=beside)
    limit = words.in_hundred_at_most(claimed_bound(epsilon))
    gain = words.in_hundred_at_most(claimed_bound(epsilon) - 0.5)
    if epsilon == EPSILON:
        return f"“An attacker gains at most {gain}%”: with ε = {epsilon:g} (as published) an attacker is right at most {limit} times in 100."
    return f"The same claim read anew at ε = {epsilon:g}: an attacker gains at most {gain}%, and is right at most {limit} times in 100."


def three(beside: DeltaGenerator) -> None:
    """Show the attack on someone with a few trips, and such a person's trips."""
    k = beside.slider(
        "Unique trips of the target in the week (k)", 1, 10, 3, key="tour_k", bind="query-params", help=_TRIPS
    )
    curve, trips = two_pictures()
    with curve:
        _attack(beside, k)
    with trips:
        person_map(k, key="tour_map_three")


def author(beside: DeltaGenerator) -> None:
    """Show the attack on someone with many trips, and such a person's trips."""
    k = beside.slider(
        "Unique trips of the target in the week (k)",
        1,
        70,
        32,
        key="tour_author",
        bind="query-params",
        help=_TRIPS,
    )
    curve, trips = two_pictures()
    with curve:
        _attack(beside, k)
    with trips:
        person_map(k, key="tour_map_author")
    own_week(beside, OwnTarget(release=ReleaseParameters(epsilon=EPSILON), slider="tour_author", most=70))


def threshold(beside: DeltaGenerator) -> None:
    """Show what suppression hides, and what not."""
    threshold = int(
        beside.select_slider(
            "Suppress noisy counts below",
            ["0", "20", "50", str(PUBLISHED_THRESHOLD), "200"],
            value=str(PUBLISHED_THRESHOLD),
            key="tour_threshold",
            bind="query-params",
            help="Noisy counts below this number are not published.",
        )
    )
    cells = {"flows of 1,000 others": (1000,) * 10, "ten flows nobody else makes": (0,) * 10}
    cells["half of each"] = (1000,) * 5 + (0,) * 5
    dots, flows = two_pictures()
    with dots:
        st.markdown("**An attacker guesses right about ten trips (a coin: 50):**")
        for name, counts in cells.items():
            right = cached.cell_accuracy("laplace", EPSILON, threshold, counts)
            st.markdown(f"{name}: **{words.in_hundred(right)} times in 100**")
            hundred(right)
    with flows:
        release_map(
            replace(PAPERS, threshold=threshold), view="comparison", key="tour_map_threshold", told=beside
        )


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
    prepared = sample()
    if prepared is None:
        return
    clipping = cached.clipping(prepared.key, prepared, prepared.trips.weeks[0], None)
    assert clipping is not None  # the sample names its users
    lost = clipping.at(bound)[0] / clipping.n_trips
    beside.metric(
        "trips left uncounted",
        f"{lost:.1%}",
        help="Share of all trips that the bound leaves out: the price of the promise, with the noise.",
    )
    release = ReleaseParameters(epsilon=EPSILON, max_trips_per_user=bound)
    once = half_width(1 / EPSILON)
    bias = cached.flow_bias(prepared.key, prepared, prepared.trips.weeks[0], None, bound)
    assert bias is not None  # the sample names its users
    true, counted = float(bias.true[bias.middle]), float((bias.true - bias.lost)[bias.middle])
    moved = bias.deviation_of_choice(bias.middle)
    wide = math.hypot(half_width(release.mechanism.scale), _NORMAL.inv_cdf(0.975) * moved)
    curve, price = two_pictures()
    with curve:
        _attack(beside, 32, bound=bound)
    with price:
        said = price_in_words(true, counted, wide)
        parts.chart(
            price_figure(
                true,
                counted,
                _as_released(release.mechanism, moved, 100),
                palette(),
                half_width=wide,
                height=picture_height() - 75,  # for the words below it
            ),
            key="tour_price",
            alt=said,
            options={"epsilon": EPSILON, "L": bound},
            about="nothing",
        )
        st.caption(f"{said} Without the limit: ±{once:,}. {_cheaper(prepared)}")


def _as_released(mechanism: Mechanism, moved: float, n: int) -> npt.NDArray[np.float64]:
    """Return by how much n releases of one count differ from its mean, shape (n,): noise and, `moved` in deviations, which trips count.

    Each of the two takes n values that stand for equal parts of its law, in orders that have nothing to do with one another.
    """
    order = np.argsort(np.arange(n) * math.sqrt(2) % 1)
    choices = np.array([_NORMAL.inv_cdf((place + 0.5) / n) for place in order.tolist()])
    return even_noise(mechanism, n) + moved * choices


def _cheaper(prepared: PreparedTrips) -> str:
    """Return what the best way that the lab knows leaves for the same promise."""
    best = StepRequest(name=TOTAL, epsilon=EPSILON, max_trips_per_user=_LIMIT_OF_BEST, threshold=1)
    step = cached.simulated_step(prepared.key, prepared, prepared.trips.weeks[0], None, best, 1)
    return (
        f"For the same ε and δ = {delta_words(best.delta)}, Gaussian noise and a published total keep {percent_at_least(step.expected.within)} of "
        f"all trips within {CLOSE:.0%}: see Plan."
    )
