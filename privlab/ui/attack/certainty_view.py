"""How certain an attacker becomes: the part of the page Attack that shows it."""

import streamlit as st

from privlab.dp.certainty import Certainty, CertaintyParameters, GaussianQuestion, first_trips_above_claim
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import chance_beyond_promise
from privlab.figures.risks import certainty_words, claim_readings, posterior_figure
from privlab.figures.wording import words
from privlab.od.attack import AttackCurve
from privlab.od.simulating import ReleaseParameters
from privlab.ui import cached
from privlab.ui.settings_of_release import GAUSSIAN_PLANNED
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import gaussian_words

CERTAIN = 0.95  # as every promise says it


def readings(curve: AttackCurve, release: ReleaseParameters, promise: GaussianParameters | None) -> None:
    """Say whose the claim is, and from how many trips on it fails in each of its two readings; `promise`: with Gaussian noise.

    Its loss has no largest value, so that one trip can be enough for more certainty than the claim's: it is said how often.
    """
    if promise is not None:
        beyond = chance_beyond_promise(promise)
        st.markdown(claim_readings(None, None, promise.epsilon, promise.max_trips_per_user, beyond=beyond))
        return
    bound = release.max_trips_per_user
    accurate_from = None if bound is not None else curve.first_trips_above_claim
    certain_from = first_trips_above_claim(release.epsilon, release.noise, bound=bound)
    st.markdown(claim_readings(certain_from, accurate_from, release.epsilon, bound))


def certainty(release: ReleaseParameters, your_trips: int, promise: GaussianParameters | None) -> None:
    """Show the law of the attacker's certainty for someone with so many trips, and its figures."""
    prior = st.slider(
        "How likely the attacker held it that the person is in, beforehand (%)",
        1,
        99,
        50,
        key="attack_prior",
        bind="query-params",
        help="50: both answers alike. Whoever knows that few people are in starts lower.",
    )
    law = (
        cached.posterior_law(
            CertaintyParameters(
                epsilon=release.epsilon,
                trips=your_trips,
                noise=release.noise,
                max_trips_per_user=release.max_trips_per_user,
                prior=prior / 100,
            )
        )
        if promise is None
        else cached.gaussian_posterior_law(
            GaussianQuestion(release=promise, trips=your_trips, prior=prior / 100)
        )
    )
    sentence = certainty_words(law.certainty)
    st.markdown(sentence)
    left, right = st.columns([3, 1], gap="large")
    with left:
        parts.chart(
            posterior_figure(law, palette()),
            key="attack_certainty",
            alt=sentence,
            exhibit="certainty",
            options={"k": your_trips, "prior": prior} | ({} if promise is None else GAUSSIAN_PLANNED),
            about="noise",
            settings="" if promise is None else gaussian_words(promise),
            reading="Exact, over the noise, for flows that are all published.",
        )
    with right:
        _figures(law.certainty)
    st.caption(
        "Mean accuracy says how often the best guess is right; the figure says how sure the attacker is after each "
        "release. Neither tells the other."
    )


def after_weeks(found: Certainty, your_trips: int, n_weeks: int) -> None:
    """Show how often someone with so many trips in each week is guessed right after all of them, and how often for certain."""
    weeks = f"{n_weeks:,} week{'s' if n_weeks > 1 else ''}"
    st.metric(
        f"guessed right after {weeks}, k = {your_trips} (a coin: 50%)",
        words.chance(found.accuracy, sure=False),
        help=f"Mean accuracy of the best attack on someone with k = {your_trips} in each week, over both answers and the noise.",
    )
    st.metric(
        f"more than {CERTAIN:.0%} certain after {weeks}, someone who is in",
        words.chance(found.in_above, sure=False),
        help="How often the attacker ends more certain than this of someone who is in the data, with that k in each week. "
        "Without the data it is 50% certain, and never more than that.",
    )


def _certain(asked: float) -> str:
    """Return a certainty below 1 as one.

    >>> _certain(0.659), _certain(0.9999546)
    ('65.9%', '99.995%')
    """
    written = (f"{asked:.{digits}%}" for digits in range(1, 13))
    return next((one for one in written if not one.startswith("100")), "almost 100%")


def _figures(found: Certainty) -> None:
    asked, prior = found.parameters.asked, found.parameters.prior
    st.metric(
        f"mean accuracy (without the data: {max(prior, 1 - prior):.0%})",
        words.chance(found.accuracy, sure=False),
        help="How often the best guess is right, over both answers and the noise.",
    )
    st.metric(
        f"more than {_certain(asked)} certain, someone who is in",
        words.share_of(found.in_above, 2),
        help="How often the attacker ends more certain than this of someone who is in the data.",
    )
    st.metric(
        f"more than {_certain(asked)} certain, someone who is not",
        words.share_of(found.out_above, 2),
        help="How often the attacker ends as certain, and wrong, of someone who is not in the data.",
    )
    largest = words.chance(found.largest, sure=False)
    st.metric(
        "the most certain there is",
        largest,
        help="However the noise falls, the attacker is never more certain than this.",
    )
    for rate, share in found.tpr_at.items():
        st.metric(
            f"found with {rate:.1%} false alarms (a coin: {rate:.1%})",
            words.share_of(share, 2),
            help="Share of those who are in that the best test finds which accuses at most such a share of those who "
            "are not.",
        )
