"""The command line of secure releases: make one, verify one, and the ledger of what all have cost.

Nothing here is a simulation; the command `od` simulates.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from privlab.checks import DataError, ParameterError
from privlab.cli_options import Data, Json, Positions, Zones, engine_from_spec, zoned
from privlab.cli_output import show
from privlab.cli_reading import Reading, opened, with_reading
from privlab.datasets.cleaning import Cleaning
from privlab.od.secure_release import (
    NO_USERS,
    USERS_NOT_APART,
    SecureReleaseParameters,
    release_plan_from_parameters,
    release_seed,
    require_weeks,
    secure_release_from_unique_trips,
)
from privlab.od.tables import trip_tables_from_dataset, unique_trips_from_trip_tables
from privlab.reports.secure_files import CERTIFICATE, released_files
from privlab.reports.verification import checks_from_certificate
from privlab.store import LEDGER_VARIABLE, Account, Ledger, ledger_path_from_environment

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
    out: Annotated[Path, typer.Option(help="Folder for the release and its certificate; missing or empty.")],
    epsilon: Annotated[float, typer.Option(help="Promised to everything a user does in a week.")],
    max_trips_per_user: Annotated[int, typer.Option(help="Contribution bound L; noise is L/epsilon.")],
    week: Annotated[list[str], typer.Option(help="Monday of a week (2026-03-02), repeatable.")],
    threshold: Annotated[int, typer.Option(help="Noisy counts below it are not published.")] = 100,
    cells: Annotated[str, typer.Option(help="public or discovered.")] = "public",
    zones: Zones = None,
    zone_positions: Positions = None,
    ledger: LedgerFile = None,
    as_json: Json = False,
) -> None:
    """Publish counts for good: integer noise without a seed, a certificate, an entry in the ledger."""
    parameters = SecureReleaseParameters(
        epsilon=epsilon, max_trips_per_user=max_trips_per_user, threshold=threshold, cells=cells
    )
    _require_reading_per_user(reading)
    book = _ledger(ledger)
    with engine_from_spec("duckdb") as workspace:
        dataset, zoning = zoned(opened(data, reading, workspace, zones), zones, zone_positions)
        if dataset.kind == "counts":
            raise DataError(NO_USERS)
        plan = release_plan_from_parameters(
            parameters, weeks=week, zones_spec=zoning.spec, public_zones=zoning.public_zones()
        )
        tables = trip_tables_from_dataset(dataset, zoning)
        trips = unique_trips_from_trip_tables(tables, seed=release_seed())
    require_weeks(trips, plan)
    entry, certificate = released_files(
        out,
        book,
        digest=dataset.source_digest,
        plan=plan,
        release=lambda: secure_release_from_unique_trips(trips, plan),
    )
    account = book.account(dataset.source_digest)
    result: dict[str, Any] = {
        "certificate": str(out / CERTIFICATE),
        "statement": plan.guarantee.statement,
        "utility": certificate["utility"],
        "entry": entry.number,
        **_told(account),
    }
    show(result, as_json)


@app.command()
def verify(
    certificate: Annotated[Path, typer.Argument(help="certificate.json beside its release.")],
    as_json: Json = False,
) -> None:
    """Check a certificate against its files; exit code 1 if anything does not hold."""
    checks = checks_from_certificate(certificate)
    holds = all(check.holds for check in checks)
    show({"holds": holds, "checks": {check.what: check.holds for check in checks}}, as_json)
    if not holds:
        raise typer.Exit(1)


@ledger_app.command("show")
def ledger_show(ledger: LedgerFile = None, as_json: Json = False) -> None:
    """Show what every dataset has spent, of which budget."""
    book = _ledger(ledger)
    accounts = [_told(account) for account in book.accounts()] if book.path.exists() else []
    show({"ledger": str(book.path), "datasets": accounts}, as_json)


@ledger_app.command("set-budget")
def ledger_set_budget(
    data: Annotated[str, typer.Argument(help="The data file, or its digest as `ledger show` prints it.")],
    epsilon: Annotated[float, typer.Option(help="What all releases together may cost one user.")],
    delta: Annotated[float, typer.Option(help="The δ they may cost together.")] = 0.0,
    ledger: LedgerFile = None,
    as_json: Json = False,
) -> None:
    """Set what all secure releases of a dataset together may cost one user."""
    book = _ledger(ledger)
    digest = data if len(data) == 32 and set(data) <= set("0123456789abcdef") else _digest_of(data)
    book.set_budget(digest, epsilon=epsilon, delta=delta)
    show(_told(book.account(digest)), as_json)


def _ledger(path: Path | None) -> Ledger:
    return Ledger(path or ledger_path_from_environment())


def _digest_of(data: str) -> str:
    with engine_from_spec("duckdb") as workspace:
        return opened(data, Reading(), workspace, None).source_digest


def _require_reading_per_user(reading: Reading) -> None:
    """Refuse cleaning in which one user decides what is kept of another: it would break the guarantee."""
    if not Cleaning(percentile=reading.percentile, n_users=reading.sample_users).users_apart:
        raise ParameterError(USERS_NOT_APART)


def _told(account: Account) -> dict[str, Any]:
    return {
        "data": account.dataset,
        "releases": len(account.entries),
        "unconfirmed": sum(entry.certificate is None for entry in account.entries),
        "spent_epsilon": account.epsilon,
        "spent_delta": account.delta,
        "budget_epsilon": account.budget_epsilon,
        "budget_delta": account.budget_delta,
        "left_epsilon": account.left_epsilon,
    }
