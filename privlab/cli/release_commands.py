"""The command line of secure releases: make one, verify one, and the ledger of what all have cost.

Nothing here is a simulation; the command `od` simulates.
"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError
from privlab.cli.common_options import Data, Json, Positions, Zones, zone_file
from privlab.cli.output import say, show, show_what_is_done
from privlab.cli.reading_options import (
    Reading,
    cleaning_from_reading,
    form_from_reading,
    lookup_from_reading,
    with_reading,
)
from privlab.releases import LEDGER_VARIABLE, Account, Ledger, LedgerEntry

if TYPE_CHECKING:
    from privlab.lab import Accepted, ReleaseData
    from privlab.od.releases import ReleasePlan

app = typer.Typer()
ledger_app = typer.Typer(no_args_is_help=True, help="What secure releases have cost, and may cost.")
app.add_typer(ledger_app, name="ledger")

LedgerFile = Annotated[
    Path | None,
    typer.Option(
        "--ledger", help=f"The ledger's file; default {LEDGER_VARIABLE}, else the user's data folder."
    ),
]


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
    week: Annotated[list[str], typer.Option(help="Monday of a week (2026-03-02), repeatable.")],
    threshold: Annotated[int, typer.Option(help="Noisy counts below it are not published.")] = 100,
    cells: Annotated[str, typer.Option(help="public or discovered.")] = "public",
    noise: Annotated[
        str, typer.Option(help="integer (discrete Laplace) or gaussian (public cells only).")
    ] = "integer",
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
    levels: Annotated[
        str | None,
        typer.Option(
            help="With gaussian and l2: noisy sums of districts too, from small to large, and counts that agree with them: columns of the zone "
            "file, blocks:N or h3:RESOLUTION, such as district,region."
        ),
    ] = None,
    ids: Annotated[
        str | None, typer.Option(help="What the file's own zone ids are, number or text; must be named.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Between columns of text; default as the header line shows.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of text: utf-8, utf-16, cp1252 or latin-1.")] = "utf-8",
    zones: Zones = None,
    zone_positions: Positions = None,
    accept_delta: Annotated[
        str | None, typer.Option(help="Why a delta above 0.0001 is right; stands in the certificate.")
    ] = None,
    accept_made_up: Annotated[
        str | None,
        typer.Option(
            help="Why it is right that more than 10 % of the flows are false; stands in the certificate."
        ),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option(
            "--preview",
            help="Say what the release would hold, without making it: nothing is drawn or charged.",
        ),
    ] = False,
    ledger: LedgerFile = None,
    as_json: Json = False,
) -> None:
    """Publish counts for good: whole-number noise without a seed, a certificate, an entry in the ledger.

    Nothing is guessed from rows: columns go by the header, times in text are ISO 8601 unless --time-format
    says otherwise, a layout other than a table with a header is named by --format.
    """
    from privlab.figures import outlook_in_words
    from privlab.lab import (
        Accepted,
        ReleaseData,
        levels_from_zoning,
        publish_release,
        release_parameters_from_wishes,
        settled_zoning,
    )
    from privlab.od.releases import release_plan_from_parameters
    from privlab.releases import CERTIFICATE

    if out is None and not preview:
        raise ParameterError(
            "out must be given, a missing or empty folder for the release; or say --preview."
        )
    specs = [] if levels is None else [spec.strip() for spec in levels.split(",")]
    accepted = Accepted(delta=accept_delta, made_up=accept_made_up)
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
    form = form_from_reading(data, reading, zones, ids=ids, delimiter=delimiter, encoding=encoding)
    spec, geography = zone_file(form.mapping.place, zones, zone_positions)
    source = ReleaseData(
        path=Path(data),
        form=form,
        zones=spec,
        geography=geography,
        lookup=lookup_from_reading(Path(data), reading, is_settled=True),
        timezone=reading.timezone,
        cleaning=cleaning_from_reading(reading),
    )
    zoning = settled_zoning(source)
    plan = release_plan_from_parameters(
        parameters,
        weeks=week,
        zones_spec=zoning.spec,
        public_zones=zoning.public_zones(),
        levels=levels_from_zoning(specs, zoning),
    )
    book = _ledger(ledger)
    if out is None or preview:
        show(_previewed(source, plan, accepted, book), as_json)
        return
    made = publish_release(out, book, data=source, plan=plan, accepted=accepted)
    result: dict[str, Any] = {
        "certificate": str(out / CERTIFICATE),
        "statement": plan.guarantee.statement,
        "verdict": {"colour": made.verdict.colour, "reason": made.verdict.reason},
        "utility": made.certificate["utility"],
        "true_data_for_internal_eyes": outlook_in_words(made.outlook),
        "entry": made.entry.number,
    }
    show_what_is_done(lambda: show(result | _account_shown(book.account(made.digest)), as_json))


def _previewed(
    source: "ReleaseData", plan: "ReleasePlan", accepted: "Accepted", book: Ledger
) -> dict[str, Any]:
    """Return what a release would be, ready to be shown."""
    from privlab.figures import outlook_in_words
    from privlab.lab import preview_from_release_data
    from privlab.releases import cost_from_plan

    found = preview_from_release_data(source, plan, accepted=accepted)
    account = book.account(found.digest) if book.is_there else None
    over = None if account is None else account.reason_against(cost_from_plan(plan))
    return {
        "preview": "Nothing was released and nothing was charged.",
        "statement": plan.guarantee.statement,
        "verdict": {"colour": found.verdict.colour, "reason": found.verdict.reason},
        "cost": {"epsilon": plan.epsilon, "delta": plan.delta},
        "would_be_refused": [*(one.sentence for one in found.refusals), *([over] if over else [])],
        "true_data_for_internal_eyes": outlook_in_words(found.outlook),
        "outlook": asdict(found.outlook),
        "offers": [asdict(one) for one in found.offers],
        **({} if account is None else _account_shown(account)),
    }


@app.command()
def verify(
    certificate: Annotated[Path, typer.Argument(help="certificate.json beside its release.")],
    public_key: Annotated[
        str | None, typer.Option(help="The maker's key, or its file, as `ledger public-key` prints it.")
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="The maker's ledger: its key, and its entry of the release.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a certificate against its files; exit code 1 if anything does not hold."""
    from privlab.releases import public_key_from_text_or_file, verification_from_certificate

    found = verification_from_certificate(
        certificate,
        public_key=None if public_key is None else public_key_from_text_or_file(public_key),
        ledger=None if ledger is None else _ledger(ledger),
    )
    checks = {check.what: check.holds for check in found.checks}
    show({"holds": found.holds, "origin": found.origin, "checks": checks}, as_json)
    if not found.holds:
        raise typer.Exit(1)


@ledger_app.command("show")
def ledger_show(ledger: LedgerFile = None, as_json: Json = False) -> None:
    """Show what every dataset has spent, of which budget, and every release and budget that was set.

    "together" says what all releases cost one user, and one user's week: the least epsilon that holds at its delta,
    rho (zCDP; none where discovered cells cost a delta), and both added up release by release, an upper bound.
    """
    book = _ledger(ledger)
    if not book.is_there:
        say(f"There is no ledger {book.path} yet.")
    accounts = book.accounts()
    result = {
        "ledger": str(book.path),
        "datasets": [_account_shown(account) for account in accounts],
        "together": _together(accounts),
        "entries": [_entry_shown(entry) for account in accounts for entry in account.entries],
        "budgets": [
            {"data": account.name, **asdict(change)}
            for account in accounts
            for change in account.budget_changes
        ],
    }
    show(result, as_json)


@ledger_app.command("export")
def ledger_export(
    entry: Annotated[int, typer.Argument(help="The entry's number, as `ledger show` prints it.")],
    *,
    out: Annotated[Path, typer.Option(help="Folder for the release; missing or empty.")],
    ledger: LedgerFile = None,
    as_json: Json = False,
) -> None:
    """Copy the files of a release that was made, kept beside the ledger; it costs nothing again."""
    from privlab.releases import CERTIFICATE, export_release

    folder = export_release(_ledger(ledger), entry, out)
    show({"entry": entry, "certificate": str(folder / CERTIFICATE)}, as_json)


@ledger_app.command("set-budget")
def ledger_set_budget(
    data: Annotated[str, typer.Argument(help="The data file, or its account as `ledger show` prints it.")],
    epsilon: Annotated[float, typer.Option(help="What all releases together may cost one user.")],
    delta: Annotated[float, typer.Option(help="The δ they may cost together.")] = 0.0,
    adding: Annotated[
        str,
        typer.Option(
            help="How releases add up: sum (ε to ε), or concentrated (ρ to ρ, turned into ε at --delta): the same promise "
            "with less noise over many releases."
        ),
    ] = "sum",
    ledger: LedgerFile = None,
    as_json: Json = False,
) -> None:
    """Set what all secure releases of a dataset together may cost one user."""
    book = _ledger(ledger)
    if len(data) == 32 and set(data) <= set("0123456789abcdef"):
        book.set_budget_of_account(data, epsilon=epsilon, delta=delta, adding=adding)
        account = next(account for account in book.accounts() if account.name == data)
    else:
        digest = _digest_of(data)
        book.set_budget(digest, epsilon=epsilon, delta=delta, adding=adding)
        account = book.account(digest)
    show(_account_shown(account), as_json)


@ledger_app.command("public-key")
def ledger_public_key(ledger: LedgerFile = None, as_json: Json = False) -> None:
    """Print the key that others check this ledger's certificates with."""
    from privlab.releases import public_key_path_of

    book = _ledger(ledger)
    key = book.keys().public_key
    if as_json:
        show({"public_key": key, "file": str(public_key_path_of(book.path))}, as_json)
    else:
        typer.echo(key)


@ledger_app.command("which")
def ledger_which(
    certificate: Annotated[Path, typer.Argument(help="certificate.json of a release.")],
    data: Data,
    ledger: LedgerFile = None,
    as_json: Json = False,
) -> None:
    """Say whether a release came from this data; exit code 1 if it did not."""
    from privlab.releases import came_from

    found = came_from(certificate, _ledger(ledger), _digest_of(data))
    show({"certificate": str(certificate), "data": data, "came_from_it": found}, as_json)
    if not found:
        raise typer.Exit(1)


def _ledger(path: Path | None) -> Ledger:
    """Return the ledger; what killed releases left goes first."""
    from privlab.lab import open_ledger

    return open_ledger(path, told=say)


def _digest_of(data: str) -> str:
    from privlab.datasets import content_digest_from_path
    from privlab.datasets.engines import Workspace

    with Workspace() as workspace:
        return content_digest_from_path(data, workspace)


def _account_shown(account: Account) -> dict[str, Any]:
    return {
        "data": account.name,
        "releases": len(account.entries),
        "unconfirmed": sum(entry.state == "unconfirmed" for entry in account.entries),
        "failed": sum(entry.state == "failed" for entry in account.entries),
        "spent_epsilon": account.epsilon,
        "spent_delta": account.delta,
        "budget_epsilon": account.budget_epsilon,
        "budget_delta": account.budget_delta,
        "left_epsilon": account.left_epsilon,
        "adding": account.adding,
    }


def _together(accounts: list[Account]) -> list[dict[str, Any]]:
    """Return what all releases of each account together cost a user and a user's week."""
    spent = [account for account in accounts if account.entries]
    if not spent:
        return []
    from privlab.lab import spending_from_account

    rows = []
    for account in spent:
        found = spending_from_account(account)
        for unit, one in (("user", found.user), ("user-week", found.user_week)):
            rows.append({"data": account.name, "unit": unit, **asdict(one)})
    return rows


def _entry_shown(entry: LedgerEntry) -> dict[str, Any]:
    return {
        "data": entry.account,
        "entry": entry.number,
        "made": entry.made,
        "epsilon": entry.epsilon,
        "delta": entry.delta,
        "state": entry.state,
        "failure": entry.failure,
    }
