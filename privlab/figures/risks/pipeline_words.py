"""The audit of the whole way, from file to file → sentences and rows of tables. Computes nothing."""

from privlab.dp.audit import CountedTest
from privlab.dp.promise import delta_words
from privlab.figures.wording import words
from privlab.od import PRODUCTS
from privlab.od.auditing import HONEST, SEED, CanaryFound, PipelineAudit, PipelineAuditParameters, WorkAhead
from privlab.stats import percent_at_least, percent_at_most

CANARIES = {
    "full": "as many trips as are counted",
    "many": "seven times as many trips, every day some",
    "edge": "in flows one person short of the threshold",
    "alone": "where nobody else moves",
    "choice": "in flows of people who have more trips than are counted",
    "district": "as many trips within one district as a week has room for",
}
_VISITORS = {
    "full": "as many visits as are counted",
    "many": "seven times as many visits, every day some",
    "edge": "in zones and hours one person short of the threshold",
    "alone": "where and when nobody else is",
    "choice": "where people are who have more visits than are counted",
}
BROKEN = {
    "half-the-noise": "half the noise",
    "noise-of-one-trip": "noise that protects one trip, not a person",
    "no-bound": "no limit for a person",
    "bound-a-day": "a limit for each day, not for the week",
    "busiest-flows-kept": "what others do decides what is counted of a person",
    "threshold-on-true-counts": "the threshold before the noise",
    "no-noise-on-empty-flows": "no noise where nobody is counted",
    "total-without-noise": "a total without noise",
    "sums-without-noise": "sums of districts without noise",
    "sums-not-paid-for": "sums of districts that no weight of a trip pays for",
}
_TESTS = {
    "fixed": "settled before any run",
    "pairs": "settled before any run",
    "accuracy": "chosen to be right most often",
    "rates": "chosen for few false alarms",
}


def ahead(work: WorkAhead, parameters: PipelineAuditParameters) -> str:
    """Return how long an audit is expected to take, and what for."""
    product = PRODUCTS[parameters.release.product]
    return (
        f"This takes {words.about_so_long(work.seconds)}: up to {work.n_releases:,} releases of {work.n_cells:,} "
        f"{product.cell}s each, and up to {work.n_readings} readings of the file."
    )


def finding(found: PipelineAudit) -> str:
    """Return whether the way keeps its promise as far as seen, by the test that comes nearest."""
    promise = f"ε = {found.epsilon:g}" + (f", δ = {delta_words(found.delta)}" if found.delta else "")
    moved = next((one for one in found.canaries if one.n_others_moved), None)
    if moved is not None:
        return (
            f"**Caught in reading.** With one person added to the file, {moved.n_others_moved:,} counts of others changed: "
            f"the promise ({promise}) holds for nobody."
        )
    if not any(one.tests for one in found.canaries):
        return (
            "Nothing was tested: no trip of the people added to the file came through reading and cleaning."
        )
    canary, test = found.worst
    seen = f"A test for someone added to the file ({who_in_words(found, canary)}) {_seen(test)}"
    broken = BROKEN.get(found.parameters.pipeline)
    if broken is not None:
        return (
            f"**Caught.** {seen}: this way, broken on purpose ({broken}), breaks its promise ({promise}), as it must. It says "
            "nothing against a release's own way."
            if found.convicted
            else f"{seen}. This way is broken on purpose ({broken}), and was not caught: more releases may catch it."
        )
    if found.convicted:
        return (
            f"**Caught.** {seen}: the way from this file to the published one breaks its promise ({promise})."
        )
    return f"{seen}. No fault found on the way from this file to the published one ({promise})."


def who_in_words(found: PipelineAudit, canary: CanaryFound) -> str:
    """Return what the person added does, in the words of what is released."""
    return (CANARIES if found.plan.product.n_ends == 2 else _VISITORS)[canary.name]


def _seen(test: CountedTest) -> str:
    if test.kind == "rates":
        return (
            f"finds the person at least {percent_at_least(test.found)} of the time at {percent_at_most(test.false_rate_high)} false alarms "
            f"at most, where {percent_at_most(test.most)} is the most that is promised"
        )
    if test.kind == "pairs":
        return (
            f"says of two releases, one with the person and one without, which is which, and is right at least {percent_at_least(test.found)} of "
            f"the time, where {percent_at_most(test.most)} is the most that is promised (a coin: 50%)"
        )
    return (
        f"is right at least {percent_at_least(test.found)} of the time, where {percent_at_most(test.most)} is the most that is promised "
        "(a coin: 50%)"
    )


def account(found: PipelineAudit) -> str:
    """Return what was run how often, what was drawn from where, and how sure the tests are together."""
    parameters, n_worlds = found.parameters, len(found.canaries) + 1
    but = "" if parameters.pipeline == HONEST else " but for the step that is broken on purpose"
    chance = (
        f"the choice and the noise come from the seed {parameters.seed}, by the same law as a release's own{but}"
        if parameters.chance == SEED
        else "the choice and the noise come from the system, as a release's do"
    )
    return (
        f"{parameters.trials:,} releases each of {n_worlds} files: the file with {found.n_added:,} made-up people, and the "
        "same with one more. Each file is read, cleaned, put into zones and counted once, where nothing is drawn; the limit "
        f"on {found.plan.product.counted}, the noise, the threshold and the published table are run each time, and {chance}. Nothing is "
        f"published or charged. {_sums(found)}{_fewer(found)}{sum(len(one.tests) for one in found.canaries)} tests, all counted, hold together with "
        f"{parameters.level:.1%} confidence: at most one honest release in {round(1 / (1 - parameters.level)):,} is wrongly "
        "caught. An audit that finds nothing proves nothing; the proof does."
    )


def _sums(found: PipelineAudit) -> str:
    if not found.plan.levels:
        return ""
    return f"The noisy sums of districts ({', '.join(level.name for level in found.plan.levels)}) are looked at, too. "


def _fewer(found: PipelineAudit) -> str:
    if found.n_trips_run == found.n_trips:
        return ""
    return (
        f"Of {found.n_trips:,} {found.plan.product.counted} in the week, {found.n_trips_run:,} in the {found.plan.product.cell}s looked "
        "at and in others at random are run each time, the same of every file. "
    )


def rows(found: PipelineAudit) -> list[dict[str, str]]:
    """Return every test as a row of a table."""
    return [_row(found, canary, test) for canary in found.canaries for test in canary.tests]


WIDTHS = {
    "person added": 365,
    "what is bounded": 190,
    "at least": 65,
    "most promised": 105,
    "verdict": 135,
    "test": 420,
}
"""Of the columns that are seen at once, in pixels: what is found, what is promised and the verdict among them."""
_BOUNDED = {
    "fixed": "right answers, test settled",
    "pairs": "right answers on pairs",
    "accuracy": "right answers, test chosen",
    "rates": "hits at so few false alarms",
}


def _row(found: PipelineAudit, canary: CanaryFound, test: CountedTest) -> dict[str, str]:
    return {
        "person added": who_in_words(found, canary),
        "what is bounded": _BOUNDED[test.kind],
        "at least": percent_at_least(test.found),
        "most promised": percent_at_most(test.most),
        "verdict": "breaks the promise" if test.convicted else "no fault found",
        f"{found.plan.product.counted} added": f"{canary.n_trips:,}",
        "test": f"{_TESTS[test.kind]}: {test.cut}",
        "said to be in, with": f"{test.n_true:,} of {test.n_counted:,}",
        "said to be in, without": f"{test.n_false:,} of {test.n_counted:,}",
    }


def lost_trips(found: PipelineAudit) -> str:
    """Return which added trips did not come through reading, empty if all did."""
    lost = [one for one in found.canaries if one.n_trips < one.n_asked]
    if not lost:
        return ""
    said = ", ".join(f"{one.n_trips} of {one.n_asked} ({who_in_words(found, one)})" for one in lost)
    return (
        f"Not every one of the {found.plan.product.counted} of the added people came through reading and cleaning, or fitted "
        f"into the week: {said}. The tests "
        "hold; they see less."
    )
