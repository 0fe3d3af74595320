"""The command audit: a mechanism attacked as it runs, or the whole way from a file to the published one.

Registered on the same application as main.py; options mean the same there and here.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError
from privlab.cli.options.common_options import Clip, Delimiter, Delta, Encoding, Json, Positions, Seed, Zones
from privlab.cli.options.reading_options import Reading, release_data_from_options, with_reading
from privlab.cli.printing.output import show
from privlab.cli.printing.progress_lines import progress_lines
from privlab.defaults import USUAL_THRESHOLD

if TYPE_CHECKING:
    from privlab.od.auditing import PipelineAudit

app = typer.Typer()

_TRIALS, _PIPELINE_TRIALS = 10_000, 2_000


@app.command()
@with_reading
def audit(
    mechanism: Annotated[
        str | None,
        typer.Option(
            help="opendp-integer (secure releases), or broken: half-scale, noise-on-non-zero-only, shared-noise; gaussian (secure "
            "releases with Gaussian noise), or broken: gaussian-half-sigma, gaussian-norm-not-rooted. With --pipeline: how it is "
            "broken (half-the-noise, noise-of-one-trip, no-bound, bound-a-day, busiest-flows-kept, threshold-on-true-counts, "
            "no-noise-on-empty-flows, total-without-noise, sums-without-noise, sums-not-paid-for), default honest."
        ),
    ] = None,
    *,
    reading: Reading,
    pipeline: Annotated[
        str | None,
        typer.Option(
            help="A file, a folder or an archive: people are added to it, and the whole way to the published file is attacked. Read as by release."
        ),
    ] = None,
    epsilon: Annotated[float, typer.Option(help="Promised to a user's week.")] = 1.0,
    max_trips_per_user: Annotated[int, typer.Option(help="Contribution bound L.")] = 1,
    trials: Annotated[
        int | None,
        typer.Option(help="Runs with the user, and as many without; default 10000, of a pipeline 2000."),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence of the lower bound.")] = 0.999,
    week: Annotated[
        str | None, typer.Option(help="With --pipeline: Monday of the week (2026-03-02).")
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(help="With --pipeline: noisy counts below it are not published; default 100."),
    ] = None,
    cells: Annotated[
        str | None, typer.Option(help="With --pipeline: public (default) or discovered.")
    ] = None,
    noise: Annotated[str | None, typer.Option(help="With --pipeline: integer (default) or gaussian.")] = None,
    clip: Clip = None,
    delta: Delta = None,
    product: Annotated[
        str | None,
        typer.Option(
            help="With --pipeline: flows (default), flows-by-slot or visits (people by zone and hour)."
        ),
    ] = None,
    levels: Annotated[
        str | None,
        typer.Option(
            help="With --pipeline and gaussian: audit noisy sums of districts, too; named as for release, such as blocks:3."
        ),
    ] = None,
    unbiased: Annotated[
        bool, typer.Option("--unbiased", help="With --pipeline: audit the noisy total of the week, too.")
    ] = False,
    chance: Annotated[
        str | None,
        typer.Option(
            help="With --pipeline: seed (the same law, drawn faster; the default) or system (as releases draw)."
        ),
    ] = None,
    ids: Annotated[
        str | None, typer.Option(help="With --pipeline: what the file's own zone ids are, number or text.")
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    zones: Zones = None,
    zone_positions: Positions = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Attack a mechanism as it runs, or with --pipeline the whole way from a file; exit code 1 if it breaks its promise.

    With --pipeline people are added to a copy of the file, and releases are made with one more of them and without. Nothing
    is published or charged.
    """
    if pipeline is None:
        _require_pipeline_for(
            week=week,
            threshold=threshold,
            cells=cells,
            noise=noise,
            clip=clip,
            product=product,
            levels=levels,
            unbiased=unbiased or None,
            chance=chance,
            ids=ids,
            zones=zones,
            zone_positions=zone_positions,
        )
        if mechanism is None:
            raise ParameterError("mechanism must be given, or a file with --pipeline.")
        _audit_of_mechanism(
            mechanism,
            epsilon,
            max_trips_per_user,
            _TRIALS if trials is None else trials,
            level,
            delta,
            as_json,
        )
        return
    if week is None:
        raise ParameterError("week must be given with --pipeline, the Monday of a week such as 2026-03-02.")
    from privlab.lab.attacking import pipeline_audit_from_release_data
    from privlab.lab.publishing import release_parameters_from_wishes
    from privlab.od.auditing import HONEST, SEED, PipelineAuditParameters

    specs = [] if levels is None else [spec.strip() for spec in levels.split(",")]
    parameters = PipelineAuditParameters(
        release=release_parameters_from_wishes(
            epsilon=epsilon,
            max_trips_per_user=max_trips_per_user,
            threshold=USUAL_THRESHOLD if threshold is None else threshold,
            cells=cells or "public",
            noise=noise or "integer",
            clip=clip,
            delta=delta,
            product=product or "flows",
            unbiased=unbiased,
            levels=len(specs),
        ),
        trials=_PIPELINE_TRIALS if trials is None else trials,
        level=level,
        seed=seed,
        chance=chance or SEED,
        pipeline=mechanism or HONEST,
    )
    source = release_data_from_options(
        pipeline, reading, zones, zone_positions, ids=ids, delimiter=delimiter, encoding=encoding
    )
    found = pipeline_audit_from_release_data(
        source, parameters, week=week, levels=specs, progress=progress_lines()
    )
    show(
        {"pipeline": pipeline, "zones": found.plan.zones_spec, "week": week}
        | _result(found)
        | {"seed": seed},
        as_json,
    )
    if found.convicted:
        raise typer.Exit(1)


def _audit_of_mechanism(
    mechanism: str,
    epsilon: float,
    max_trips_per_user: int,
    trials: int,
    level: float,
    delta: float | None,
    as_json: bool,
) -> None:
    from privlab.dp.audit import AuditParameters, audit_from_parameters

    parameters = AuditParameters(
        epsilon=epsilon, max_trips_per_user=max_trips_per_user, trials=trials, level=level, delta=delta
    )
    found = audit_from_parameters(parameters, mechanism)
    result = {
        "mechanism": mechanism,
        "parameters": parameters,
        "proven_epsilon": found.proven_epsilon,
        "proven_delta": found.delta,
        "epsilon_lower": found.epsilon_lower,
        "proven_accuracy": found.proven_accuracy,
        "accuracy_lower": found.accuracy_lower,
        "event": found.event,
        "seen_with": found.n_with,
        "seen_without": found.n_without,
        "counted": found.n_counted,
        "convicted": found.convicted,
    }
    show(result, as_json)
    if found.convicted:
        raise typer.Exit(1)


def _require_pipeline_for(**given: object) -> None:
    """Raise ParameterError for an option that only the audit of a file takes."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"{name} goes with a file: add --pipeline FILE, or leave it out.")


def _result(found: "PipelineAudit") -> dict[str, Any]:
    from privlab.figures.risks import pipeline_words

    lost = pipeline_words.lost_trips(found)
    return {
        "says": pipeline_words.finding(found).replace("**", ""),
        "mechanism": found.parameters.pipeline,
        "parameters": found.parameters,
        "convicted": found.convicted,
        "promised_epsilon": found.epsilon,
        "promised_delta": found.delta,
        "promised_accuracy": found.curve.most_accuracy,
        "epsilon_lower": found.epsilon_lower,
        "people_added": found.n_added,
        "product": found.plan.product.name,
        "levels": [level.name for level in found.plan.levels],
        "canaries": [
            {
                "canary": one.name,
                "trips_written": one.n_asked,
                "trips_read": one.n_trips,
                "others_in_its_flows": one.others,
                "others_moved": one.n_others_moved,
                "convicted": one.convicted,
            }
            for one in found.canaries
        ],
        "tests": [
            {
                "canary": canary.name,
                "test": test.kind,
                "cut": test.cut,
                "true_positives": test.n_true,
                "false_positives": test.n_false,
                "counted": test.n_counted,
                "may_fail": test.may_fail,
                "lower": test.found,
                "most_promised": test.most,
                "false_positive_rate_upper": test.false_rate_high,
                "convicted": test.convicted,
            }
            for canary in found.canaries
            for test in canary.tests
        ],
        "notes": [pipeline_words.account(found), *([lost] if lost else [])],
    }
