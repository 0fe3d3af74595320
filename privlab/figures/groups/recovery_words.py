"""Trails put together from counts → sentences and rows of tables. Computes nothing but shares of one person."""

from collections.abc import Sequence

from privlab.aggregates.recovery import Recovery, RecoveryParameters, RecoveryPoint, over_of_points
from privlab.figures.groups.defence_words import DEFENCES

BASELINES = {
    "drawn": "places dealt out at random",
    "crowd": "all where most people are",
    "still": "all stay where first counted",
}
_SAYS = {
    "drawn": "deals the places of each step out at random",
    "crowd": "puts everyone where most people are",
    "still": "lets everyone stay where the first count has them",
}
IMPROVEMENTS = (
    "midnight: people are expected to stay in the first step of a day only, not until its first quarter has passed. habits: or to go where "
    "most went on from the same zone. lookback: a day is linked with any of the last seven, not the one before alone."
)
UNIQUE_MEANS = (
    "Whoever knows these zones of a person finds the trail, and all else in it. Where as many recovered trails as true ones are "
    "alone, counts give that away as traces would, as far as the trails are right: those that hardly ever are give nobody "
    "away, however many are alone."
)
NOT_WHO = "A recovered trail says where someone was, not who it was: recovered is not identified."


_HARDLY = 0.05  # of the steps: where people are seen in fewer, there is little to put together


def hardly_seen(found: Recovery) -> bool:
    """Return whether people are seen in so few steps that there is next to nothing to put together."""
    return found.seen_share < _HARDLY


def finding(found: Recovery) -> str:
    """Return how many steps are right beside the best baseline, and what that means; before it, where there is hardly anything to find."""
    best = found.baselines[found.best_baseline]
    own, other = 100 * found.score.accuracy, 100 * best.accuracy
    low, _ = found.score.accuracy_interval
    if low > best.accuracy and round(own) > round(other):
        judged = f"the changes of the counts give {round(own) - round(other)} more away"
    elif found.score.accuracy > best.accuracy:
        judged = "the changes of the counts hardly add to that"
    else:
        judged = "the changes of the counts add nothing to that"
    return (
        f"{_hardly_anything(found)}Of 100 steps of a person, on average over {found.followed.n_people:,} people, this attacker puts "
        f"**{own:.0f}** in the right zone "
        f"from {_counts_words(found.parameters, alone=True)}; whoever {_SAYS[found.best_baseline]} gets {other:.0f}: {judged}."
    )


def _seen_share(found: Recovery) -> str:
    """Return in which share of the steps people were seen, never as 0% where they were."""
    if 0 < found.seen_share < 0.001:
        return "fewer than 0.1%"
    return f"{found.seen_share:.1%}" if found.seen_share < 0.1 else f"{found.seen_share:.0%}"


def _hardly_anything(found: Recovery) -> str:
    """Return that hardly anything is there to be found, where that is so; empty elsewhere."""
    if not hardly_seen(found):
        return ""
    followed = found.followed
    days = followed.n_steps // followed.steps_a_day
    when = f"on {followed.first_day}" if days == 1 else f"in the {days} days from {followed.first_day} on"
    return (
        f"**There is hardly anything to find**: {when}, {followed.n_people:,} people were seen in {_seen_share(found)} of the steps. "
        "In all others they are taken to stay where last seen, which is what the attacker guesses too. "
    )


def account(found: Recovery) -> str:
    """Return what the figures rest on."""
    followed, parameters = found.followed, found.parameters
    return (
        f"{followed.n_people:,} people, {followed.n_steps:,} steps of {parameters.step_min} minutes from "
        f"{followed.first_day}, {_counts_words(parameters)}. "
        f"People were seen in {_seen_share(found)} of the steps; in all others they are taken to stay where last seen. Each "
        "trail is matched to the person it fits best, which no attacker can do: that is how it is scored. "
        f"{NOT_WHO} After Xu and others (WWW 2017){_improved(found)}."
    )


def _improved(found: Recovery) -> str:
    names = found.parameters.improvements
    return f", improved as D'Silva and others do (2024): {', '.join(names)}" if names else ""


def rows(found: Recovery) -> list[dict[str, str]]:
    """Return the attack and each baseline as rows of a table."""
    low, high = found.score.accuracy_interval
    scored = {
        "put together from counts": found.score,
        **{BASELINES[name]: one for name, one in found.baselines.items()},
    }
    return [
        {
            "how": name,
            "steps right": f"{one.accuracy:.1%}",
            "95% interval": f"{low:.1%} – {high:.1%}" if one is found.score else "–",
            "right where really seen": f"{one.right_seen:.1%}",
            "mean error (km)": f"{one.mean_error_km:.2f}",
        }
        for name, one in scored.items()
    ]


def uniqueness_rows(found: Recovery) -> list[dict[str, str]]:
    """Return the share of unique sets of most visited zones, recovered and true."""
    return [
        {
            "most visited zones": str(k),
            "recovered trails alone in theirs": f"{found.uniqueness['recovered'][k]:.0%}",
            "true trails": f"{share:.0%}",
        }
        for k, share in found.uniqueness["true"].items()
    ]


def uniqueness_finding(found: Recovery) -> str:
    """Return how many trails their two most visited zones single out, recovered and true."""
    k = min(2, max(found.uniqueness["true"]))
    zones = "two most visited zones" if k > 1 else "most visited zone"
    return (
        f"Of {found.followed.n_people:,} people {found.uniqueness['true'][k]:.0%} are the only ones with their {zones}; of the trails "
        f"put together from counts {found.uniqueness['recovered'][k]:.0%} are."
    )


def person_words(found: Recovery, person: int) -> str:
    """Return how near the trail comes that fits one person best."""
    return (
        f"The trail that fits this person best is right in {found.score.right[person]:.0%} of the steps and "
        f"{found.score.error_km[person]:.1f} km off on average; whoever {_SAYS[found.best_baseline]} is right in "
        f"{found.baselines[found.best_baseline].right[person]:.0%} for this person."
    )


def point_name(point: RecoveryPoint, over: str) -> str:
    """Return what tells a recovery from the others that it is compared with."""
    parameters = point.parameters
    if over == "people":
        return f"{parameters.users:,} people"
    if over == "steps":
        return f"steps of {parameters.step_min} min"
    if parameters.defence == "none":
        return "true counts"
    return _defence_words(parameters)


def _defence_words(parameters: RecoveryParameters) -> str:
    at = "" if parameters.epsilon is None else f", ε = {parameters.epsilon:g}"
    return f"{DEFENCES.get(parameters.defence, parameters.defence)}{at}"


def _counts_words(parameters: RecoveryParameters, *, alone: bool = False) -> str:
    """Return which counts an attack goes by."""
    if parameters.defence == "none":
        return "counts alone" if alone else "counts as they are"
    return f"counts{' alone' if alone else ''} under a defence ({_defence_words(parameters)})"


def compared_finding(points: Sequence[RecoveryPoint]) -> str:
    """Return where the attack gains most over what takes no attack, or that it does nowhere."""
    over = over_of_points(points)
    most = max(points, key=lambda one: one.accuracy - one.baselines[one.best_baseline])
    own, other = 100 * most.accuracy, 100 * most.baselines[most.best_baseline]
    gains = sum(one.low > one.baselines[one.best_baseline] for one in points)
    said = (
        f"in {gains} of {len(points)} it gets more steps right than the best of what takes no attack, beyond its interval"
        if gains
        else "nowhere does it get more steps right than the best of what takes no attack, beyond its interval"
    )
    return f"Compared over {over}: {said}. It comes off best with {point_name(most, over)}: {own:.0f} of 100 steps right, {other:.0f} without it."


def compared_rows(points: Sequence[RecoveryPoint]) -> list[dict[str, str]]:
    """Return compared recoveries as rows of a table."""
    over = over_of_points(points)
    return [
        {
            "recovery": point_name(one, over),
            "steps right": f"{one.accuracy:.1%}",
            "95% interval": f"{one.low:.1%} – {one.high:.1%}",
            **{BASELINES[name]: f"{one.baselines[name]:.1%}" for name in ("still", "crowd", "drawn")},
            "mean error (km)": f"{one.error_km:.2f}",
        }
        for one in points
    ]
