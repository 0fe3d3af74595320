"""The command line of secure releases: make one, verify one.

Nothing here is a simulation; the command `od` simulates.
"""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError
from privlab.cli.options.common_options import (
    Data,
    Delimiter,
    Encoding,
    Engine,
    Json,
    Levels,
    Positions,
    Zones,
    cluster_from_spec,
    level_specs,
)
from privlab.cli.options.reading_options import (
    Reading,
    release_data_from_options,
    require_plain_reading,
    with_reading,
)
from privlab.cli.printing.output import show, show_what_is_done
from privlab.cli.printing.progress_lines import lines_of_steps
from privlab.cli.releases.backup_commands import backup_app
from privlab.cli.releases.ledger_commands import LedgerPlace, account_shown, ledger_app, opened_ledger
from privlab.defaults import USUAL_THRESHOLD
from privlab.limits import MAX_MADE_UP_SHARE

if TYPE_CHECKING:
    from privlab.datasets.engines import SparkWorkspace
    from privlab.lab.judging import Accepted
    from privlab.lab.publishing import ReleaseData
    from privlab.od.releases import ReleasePlan
    from privlab.releases.accounts import AccountWish
    from privlab.releases.ledger import Ledger

app = typer.Typer()
ledger_app.add_typer(backup_app)
app.add_typer(ledger_app, name="ledger")


@app.command()
@with_reading
def release(
    data: Data,
    *,
    reading: Reading,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the release and its certificate; missing or empty.")
    ] = None,
    epsilon: Annotated[float, typer.Option(help="Promised to everything a user does in a week.")],
    max_trips_per_user: Annotated[
        int, typer.Option(help="Contribution bound L: noise is L/epsilon, or with gaussian √L.")
    ],
    week: Annotated[
        list[str], typer.Option(metavar="DATE", help="Monday of a week (2026-03-02), repeatable.")
    ],
    threshold: Annotated[
        int, typer.Option(help="Noisy counts below it are not published.")
    ] = USUAL_THRESHOLD,
    cells: Annotated[str, typer.Option(help="public or discovered.")] = "public",
    noise: Annotated[str, typer.Option(help="integer (discrete Laplace) or gaussian.")] = "integer",
    clip: Annotated[
        str | None,
        typer.Option(help="keep (L trips at random) or l2 (all trips, weighted; gaussian's default)."),
    ] = None,
    delta: Annotated[float | None, typer.Option(help="With gaussian: δ of a week, default 1e-6.")] = None,
    unbiased: Annotated[
        bool,
        typer.Option(
            "--unbiased",
            help="With gaussian and l2: a noisy total of each week too, so that the estimates give back what the limit takes away.",
        ),
    ] = False,
    product: Annotated[
        str,
        typer.Option(
            help="What is counted: flows, flows-by-slot (workday and weekend, four slots each) or visits (people by zone and "
            "hour); the bound is on a person's trips or visits in the week."
        ),
    ] = "flows",
    levels: Levels = None,
    ids: Annotated[
        str | None, typer.Option(help="What the file's own zone ids are, number or text; must be named.")
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    zones: Zones = None,
    zone_positions: Positions = None,
    accept_delta: Annotated[
        str | None, typer.Option(help="Why a delta above 0.0001 is right; stands in the certificate.")
    ] = None,
    accept_made_up: Annotated[
        str | None,
        typer.Option(
            help=f"Why it is right that more than {MAX_MADE_UP_SHARE:.0%} of the flows are false, or that "
            "nothing is published; stands in the certificate."
        ),
    ] = None,
    publisher: Annotated[
        str | None,
        typer.Option(help="Who publishes it, and where to ask; stands in the certificate and README.txt."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            help="What was counted of (whose cards or phones, which share of all people); stands there too."
        ),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option(
            "--preview",
            help="Say what the release would hold, without making it: nothing is drawn or charged.",
        ),
    ] = False,
    account: Annotated[
        str | None,
        typer.Option(
            help="Account of the ledger that it is charged to, such as 'transit cards 2026': a new name, or one that "
            "`ledger accounts` prints. Default: the account that the data or most of its people are in, else one of its own."
        ),
    ] = None,
    new_account: Annotated[
        bool,
        typer.Option(
            "--new-account",
            help="Open an account of its own though most of these people seem to be in another: they are other people.",
        ),
    ] = False,
    ledger: LedgerPlace = None,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Publish counts for good: whole-number noise without a seed, a certificate, an entry in the ledger.

    Nothing is guessed from rows: columns go by the header, times in text are ISO 8601 unless --time-format
    says otherwise, a layout other than a table with a header is named by --format. With --engine spark the
    data is read, bounded and counted on the cluster; noise, certificate and ledger are made here.
    """
    from privlab.datasets.columns import of_whom_in_words
    from privlab.figures.wording import outlook_in_words
    from privlab.lab.judging import Accepted
    from privlab.lab.publishing import (
        PublisherWords,
        publish_release,
        release_parameters_from_wishes,
        release_plan_from_release_data,
        require_for_cluster,
    )
    from privlab.releases.accounts import AccountWish
    from privlab.releases.folders import CERTIFICATE

    if out is None and not preview:
        raise ParameterError(
            "out must be given, a missing or empty folder for the release; or say --preview."
        )
    specs = level_specs(levels)
    accepted = Accepted(delta=accept_delta, made_up=accept_made_up)
    said = PublisherWords(publisher=publisher, source=source)
    parameters = release_parameters_from_wishes(
        epsilon=epsilon,
        max_trips_per_user=max_trips_per_user,
        threshold=threshold,
        cells=cells,
        noise=noise,
        clip=clip,
        delta=delta,
        unbiased=unbiased,
        product=product,
        levels=len(specs),
    )
    with cluster_from_spec(engine) as cluster:
        if cluster is not None:  # before Spark starts
            require_for_cluster(parameters)
            require_plain_reading(reading)
        release_data = release_data_from_options(
            data,
            reading,
            zones,
            zone_positions,
            ids=ids,
            delimiter=delimiter,
            encoding=encoding,
            cluster=cluster,
        )
        plan = release_plan_from_release_data(parameters, release_data, weeks=week, levels=specs)
        book, wish = opened_ledger(ledger), AccountWish(title=account, is_new=new_account)
        of_whom = [one for one in (of_whom_in_words(release_data.form.mapping.user_id or ""),) if one]
        if out is None or preview:
            show(_previewed(release_data, plan, accepted, book, wish, of_whom, cluster), as_json)
            return
        with lines_of_steps() as progress:
            made = publish_release(
                out,
                book,
                data=release_data,
                plan=plan,
                accepted=accepted,
                said=said,
                wish=wish,
                cluster=cluster,
                progress=progress,
            )
    result: dict[str, Any] = {
        "certificate": str(out / CERTIFICATE),
        "statement": plan.guarantee.statement,
        "verdict": {"colour": made.verdict.colour, "reason": made.verdict.reason},
        "utility": made.certificate["utility"],
        "true_data_for_internal_eyes": outlook_in_words(made.outlook),
        "entry": made.entry.number,
        **({"notes": notes} if (notes := _noted(of_whom, made.question)) else {}),
    }
    show_what_is_done(lambda: show(result | account_shown(book.account(made.digest)), as_json))


def _previewed(
    source: "ReleaseData",
    plan: "ReleasePlan",
    accepted: "Accepted",
    book: "Ledger",
    wish: "AccountWish",
    of_whom: list[str],
    cluster: "SparkWorkspace | None",
) -> dict[str, Any]:
    """Return what a release would be, ready to be shown."""
    from privlab.figures.wording import outlook_in_words
    from privlab.lab.previewing import preview_from_release_data
    from privlab.releases.writing import cost_from_plan, what_from_plan

    key = book.keys().people_key() if book.is_there else None
    with lines_of_steps() as progress:
        found = preview_from_release_data(
            source, plan, accepted=accepted, people_key=key, cluster=cluster, progress=progress
        )
    chosen, account = None, None
    if key is not None:
        chosen, account = book.chosen_account(
            found.digest, earlier_digest=found.earlier_digest, people=found.people, wish=wish
        )
    over = None if account is None else account.reason_against(cost_from_plan(plan))
    alone = (
        None
        if account is None
        else account.reason_without_approval(plan.epsilon, plan.delta, what_from_plan(plan))
    )
    return {
        "preview": "Nothing was released and nothing was charged.",
        "statement": plan.guarantee.statement,
        "verdict": {"colour": found.verdict.colour, "reason": found.verdict.reason},
        "cost": {"epsilon": plan.epsilon, "delta": plan.delta},
        "would_be_refused": [
            *(one.sentence for one in found.refusals),
            *(one for one in (chosen and chosen.refusal, over, alone) if one),
        ],
        "true_data_for_internal_eyes": outlook_in_words(found.outlook),
        "outlook": asdict(found.outlook),
        "offers": [asdict(one) for one in found.offers],
        "notes": [*_noted(of_whom, found.question), *(() if chosen is None else chosen.words)],
        **({} if account is None else account_shown(account)),
    }


def _noted(of_whom: list[str], question: str | None) -> list[str]:
    """Return what a steward must know of the data's ids."""
    return of_whom if question is None else [*of_whom, question]


@app.command()
def verify(
    certificate: Annotated[
        Path, typer.Argument(help="certificate.json beside its release, or the folder of both.")
    ],
    public_key: Annotated[
        str | None, typer.Option(help="The maker's key, or its file, as `ledger public-key` prints it.")
    ] = None,
    ledger: Annotated[
        str | None, typer.Option(help="The maker's ledger: its key, and its entry of the release.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a certificate against its files; exit code 1 if anything does not hold."""
    from privlab.releases.folders import CERTIFICATE
    from privlab.releases.ledger import public_key_from_text_or_file
    from privlab.releases.reading import verification_from_certificate

    found = verification_from_certificate(
        certificate / CERTIFICATE if os.path.isdir(certificate) else certificate,
        public_key=None if public_key is None else public_key_from_text_or_file(public_key),
        ledger=None if ledger is None else opened_ledger(ledger),
    )
    checks = {check.what: check.holds for check in found.checks}
    shown = {
        "holds": found.holds,
        "origin": found.origin,
        "checks": checks,
        "differs_from_certificate": found.differs,
        "not_looked_at": found.aside,
    }
    show(shown, as_json)
    if not found.holds:
        raise typer.Exit(1)
