"""Plan and outlook of a release → what must not happen by one click, and what the steward has said to it.

Two of the refusals look at true data (the number of users, and what is expected to be made up). They answer the
steward alone; what the steward writes goes into the certificate.
"""

from dataclasses import dataclass, replace

from privlab.checks import ParameterError
from privlab.defaults import USUAL_DELTA
from privlab.dp.gaussian import GaussianParameters, least_threshold
from privlab.dp.promise import chance_beyond_promise, delta_words, least_threshold_for_delta
from privlab.figures.wording import outlook_in_words
from privlab.limits import MAX_MADE_UP_SHARE, MAX_REASON
from privlab.od.expecting import ReleaseOutlook
from privlab.od.releases import ReleasePlan

MAX_DELTA = 1e-4
WANTED_DELTA = USUAL_DELTA
DELTA, MADE_UP = "delta", "made_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What a steward has accepted in words, for the certificate: a large δ, flows that are made up."""

    delta: str | None = None
    made_up: str | None = None

    def __post_init__(self) -> None:
        """Refuse a reason that says nothing, or too much. Raises ParameterError."""
        for name, reason in (("accept_delta", self.delta), ("accept_made_up", self.made_up)):
            if reason is not None and not (
                reason.strip() and len(reason) <= MAX_REASON and reason.isprintable()
            ):
                raise ParameterError(
                    f"{name} must be a reason in words of 1 to {MAX_REASON} characters on one line, got {reason!r}."
                )

    def as_record(self) -> dict[str, str]:
        """Return the reasons by name, for a certificate."""
        both = {DELTA: self.delta, MADE_UP: self.made_up}
        return {name: reason.strip() for name, reason in both.items() if reason is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a release is refused unless the steward says otherwise in words.

    `kind` is "delta" or "made_up". `threshold` is the least that makes the refusal go away, where one does.
    """

    kind: str
    sentence: str
    threshold: int | None = None


class ReleaseRefused(ParameterError):
    """A release that must not happen by one click; `refusals` say why."""

    def __init__(self, refusals: tuple[Refusal, ...]) -> None:
        options = " ".join(f'--accept-{one.kind.replace("_", "-")} "REASON"' for one in refusals)
        super().__init__(
            f"{refused_in_words(refusals)} To release all the same, say why, for the certificate: {options}.",
            whole=True,
        )
        self.refusals = refusals


def refused_in_words(refusals: tuple[Refusal, ...]) -> str:
    """Return why a release is refused; the same words on the page and on the command line."""
    return " ".join(one.sentence for one in refusals)


def refusals_of_release(
    plan: ReleasePlan, outlook: ReleaseOutlook, *, n_users: int, accepted: Accepted
) -> tuple[Refusal, ...]:
    """Return why a release is refused; nothing if it is not, or each reason is accepted.

    `n_users` is the number of users in the file, `outlook` what the release is expected to hold: true data both.
    """
    found = []
    if accepted.delta is None and (refusal := _delta_refusal(plan, n_users)):
        found.append(refusal)
    if accepted.made_up is None and (outlook.is_noise or outlook.nothing_is_published):
        found.append(Refusal(kind=MADE_UP, sentence=_made_up_sentence(plan, outlook)))
    return tuple(found)


def require_no_refusal(
    plan: ReleasePlan, outlook: ReleaseOutlook, *, n_users: int, accepted: Accepted
) -> None:
    """Raise ReleaseRefused if anything speaks against the release that the steward has not answered in words."""
    found = refusals_of_release(plan, outlook, n_users=n_users, accepted=accepted)
    if found:
        raise ReleaseRefused(found)


def _delta_refusal(plan: ReleasePlan, n_users: int) -> Refusal | None:
    share = 1 / max(n_users, 1)
    if plan.delta <= min(MAX_DELTA, share):
        return None
    most = (
        delta_words(MAX_DELTA)
        if share >= MAX_DELTA
        else f"{share:.2g}, one in the {n_users:,} users of the file"
    )
    wanted = WANTED_DELTA
    while wanted > share:
        wanted /= 10
    parameters = plan.guarantee.parameters
    passed = ""
    if isinstance(parameters, GaussianParameters):  # whose δ is not the chance itself
        chance = delta_words(chance_beyond_promise(parameters))
        passed = f"with a chance of up to {chance} someone who is in loses more than ε"
    if isinstance(parameters, GaussianParameters) and parameters.cells == "discovered":
        least = least_threshold(replace(parameters, weeks=1))
        lowest = (
            "No threshold keeps it low enough: take a smaller bound, or a larger ε."
            if least is None
            else f"The lowest threshold that makes it no more than the noise's own {delta_words(parameters.delta)} a week is {least:,}."
        )
        return Refusal(
            kind=DELTA,
            sentence=(f"delta must be at most {most}, got {delta_words(plan.delta)}: {passed}. {lowest}"),
            threshold=least,
        )
    if isinstance(parameters, GaussianParameters):
        weeks = f", {delta_words(plan.parameters.delta)} in each of {len(plan.weeks):,} weeks" * (
            len(plan.weeks) > 1
        )
        return Refusal(
            kind=DELTA,
            sentence=(
                f"delta must be at most {most}, got {delta_words(plan.delta)}{weeks}: {passed}. Take a smaller delta: "
                f"{_rounded_down(min(wanted, MAX_DELTA) / len(plan.weeks))} keeps it low enough."
            ),
        )
    n_cells = plan.parameters.max_trips_per_user * len(plan.weeks)
    threshold = least_threshold_for_delta(parameters, n_cells, wanted)
    lowest = (
        "No threshold keeps it low enough: take a smaller bound, a larger ε, or all possible flows."
        if threshold is None
        else f"The lowest threshold that keeps it at {delta_words(wanted)} is {threshold:,}."
    )
    return Refusal(
        kind=DELTA,
        sentence=(
            f"delta must be at most {most}, got {delta_words(plan.delta)}: so likely is it that whatever is promised does not "
            f"hold. {lowest}"
        ),
        threshold=threshold,
    )


def _rounded_down(share: float) -> str:
    """Return a number of one digit that is not above `share`.

    >>> _rounded_down(1e-6 / 6), _rounded_down(1e-7)
    ('1e-07', '1e-07')
    """
    found = f"{share:.0e}"
    if float(found) > share:
        digit, power = found.split("e")
        found = f"{int(digit) - 1}e{power}" if digit != "1" else f"9e{int(power) - 1:03d}"
    return found


def _made_up_sentence(plan: ReleasePlan, outlook: ReleaseOutlook) -> str:
    words = outlook_in_words(outlook)
    if outlook.weeks_without_trips:
        weeks = ", ".join(outlook.weeks_without_trips[:4])
        what = "noise alone" if plan.n_cells is not None else "nothing"
        return f"There is no {plan.product.counted[:-1]} in the week of {weeks}, so that {what} would be published of it. {words}"
    if outlook.nothing_is_published:
        return f"The release would be empty, and its cost, ε = {plan.epsilon:g}, be charged all the same. {words}"
    if outlook.complete:
        return f"No {plan.product.cell} stands out from the noise: take a larger ε, larger zones or more people. {words}"
    return (
        f"At most {MAX_MADE_UP_SHARE:.0%} of the published {plan.product.cell}s may be false, here it would be {outlook.made_up_share:.1%}: take a "
        f"higher threshold, a larger ε or larger zones. {words}"
    )
