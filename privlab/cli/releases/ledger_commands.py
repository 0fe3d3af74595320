"""The command line of the ledger: what all secure releases have cost, for stewards and for auditors."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypedDict

import typer

from privlab.checks import DataError
from privlab.cli.options.command_list import ListedCommands
from privlab.cli.options.common_options import Data, Json
from privlab.cli.printing.output import say, show
from privlab.releases.accounts import Account, Approval, LedgerEntry
from privlab.releases.folders import releases_not_on_record
from privlab.releases.ledger import LEDGER_VARIABLE, Ledger

ledger_app = typer.Typer(
    cls=ListedCommands,
    no_args_is_help=True,
    help="What secure releases have cost, and may cost.",
)

LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        help=f"The ledger's file, or its address postgresql://…; default {LEDGER_VARIABLE}, else the user's data folder.",
    ),
]


@ledger_app.command("show")
def ledger_show(ledger: LedgerPlace = None, as_json: Json = False) -> None:
    """Show what every account has spent, of which budget, and every release and budget that was set.

    An account is of one dataset, or of several of the same people; "data" is its keyed name, "account" what it is called.

    "together" says what all releases cost one user, and one week, day (of any number of trips) and trip of a user: the least
    epsilon that holds at its delta, rho (zCDP; none where discovered cells cost a delta), and both added up release by release,
    an upper bound.
    """
    book = opened_ledger(ledger)
    if not book.is_there:
        say(f"There is no ledger {book.name} yet.")
    accounts = book.accounts()
    together = _together(accounts)
    result = {
        "ledger": book.name,
        "datasets": [account_shown(account) for account in accounts],
        "together": together,
        "notes": _on_units() if together else [],
        "limit_epsilon": book.limit(),
        "approvals": [
            {"data": one.account, "state": one.state, **_asked_shown(one)}
            for account in accounts
            for one in account.approvals
        ],
        "entries": [_entry_shown(entry) for account in accounts for entry in account.entries],
        "budgets": [
            {"data": account.name, **asdict(change)}
            for account in accounts
            for change in account.budget_changes
        ],
    }
    show(result, as_json)


@ledger_app.command("accounts")
def ledger_accounts(ledger: LedgerPlace = None, as_json: Json = False) -> None:
    """List the accounts: what they are called, of how many datasets and people, what they have spent, and who is in two.

    "people" is an estimate, off by about 3% (one standard error), where "people_exact" is no; empty where nothing is known
    of them. A share is estimated from at most a thousand people of each dataset, with its 95% interval.
    """
    from privlab.lab.ledgers import people_of_accounts

    book = opened_ledger(ledger)
    found = people_of_accounts(book)
    result = {
        "ledger": book.name,
        "accounts": [
            {
                **account_shown(one.account),
                "people": None if one.people is None else one.people.n,
                "people_exact": None if one.people is None else one.people.is_exact,
            }
            for one in found
        ],
        "in_two": [
            {
                "data": one.account.name,
                "account": one.account.title,
                "in": share.account,
                "in_account": share.title,
                "share": share.people.of_data,
                "low": share.people.low,
                "high": share.people.high,
            }
            for one in found
            for share in one.shares
        ],
    }
    show(result, as_json)


_AccountArgument = Annotated[
    str,
    typer.Argument(help="An account: what it is called, or its keyed name as `ledger accounts` prints it."),
]


@ledger_app.command("rename")
def ledger_rename(
    account: _AccountArgument,
    title: Annotated[
        str, typer.Argument(help="What it is called from now on, such as 'transit cards 2026'.")
    ],
    ledger: LedgerPlace = None,
    as_json: Json = False,
) -> None:
    """Give an account a name, or another one. What it was called stays on record."""
    show(account_shown(opened_ledger(ledger).rename_account(account, title)), as_json)


@ledger_app.command("merge")
def ledger_merge(
    account: _AccountArgument,
    into: Annotated[str, typer.Argument(help="The account that takes all of it: datasets, costs, budget.")],
    ledger: LedgerPlace = None,
    as_json: Json = False,
) -> None:
    """Put two accounts of the same people into one, for good: costs add up, and the narrower budget holds."""
    show(account_shown(opened_ledger(ledger).merge_accounts(account, into)), as_json)


@ledger_app.command("check")
def ledger_check(
    head: Annotated[
        str | None, typer.Option(help="A head that an earlier check printed: it must still be in the chain.")
    ] = None,
    ledger: LedgerPlace = None,
    as_json: Json = False,
) -> None:
    """Say whether anything in the ledger was changed or removed since it was written; exit code 1 if so.

    Keep the head that it prints in another place: given back later, it shows whether what was written last is gone.
    """
    book = opened_ledger(ledger)
    found, lost = book.check(head), releases_not_on_record(book)
    result = {
        "ledger": book.name,
        "holds": found.holds,
        "faults": list(found.faults),
        "entries": found.n_entries,
        "links": found.n_links,
        "head": found.head,
        "chained_later": list(found.chained_later),
        "not_on_record": list(lost),
    }
    show(result, as_json)
    if found.chained_later:
        older = ", ".join(map(str, found.chained_later))
        say(f"Older than the chain: entries {older}. What became of them before it began, nobody knows.")
    if lost or not found.holds:
        raise typer.Exit(1)


@ledger_app.command("export")
def ledger_export(
    entry: Annotated[
        int | None,
        typer.Argument(help="The entry's number, as `ledger show` prints it; without it the whole ledger."),
    ] = None,
    *,
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the release, missing or empty; or a new .csv or .json file for the ledger."
        ),
    ],
    ledger: LedgerPlace = None,
    as_json: Json = False,
) -> None:
    """Write the whole ledger for auditors; or, with an entry, copy the files of that release again, at no cost.

    Exit code 1 if anything in the ledger was changed or removed since it was written: the file says what.

    JSON holds the chain too, which anyone can check with the public key, and what all releases together cost a user, a week, a day and a
    trip; CSV has a row for each entry.
    """
    from privlab.releases.copies import export_ledger
    from privlab.releases.folders import CERTIFICATE, export_release

    book = opened_ledger(ledger)
    if entry is None:
        made = export_ledger(book, out, _together_of_what_can_be_read(book))
        show({"file": str(out), "entries": len(made["entries"]), "holds": made["holds"]}, as_json)
        for fault in made["faults"]:
            say(fault)
        if not made["holds"]:
            raise typer.Exit(1)
    else:
        folder = export_release(book, entry, out)
        show({"entry": entry, "certificate": str(folder / CERTIFICATE)}, as_json)


@ledger_app.command("set-budget")
def ledger_set_budget(
    data: Annotated[
        str,
        typer.Argument(
            help="The data file, or an account: what it is called, or as `ledger show` prints it."
        ),
    ],
    epsilon: Annotated[float, typer.Option(help="What all releases together may cost one user.")],
    delta: Annotated[
        float | None,
        typer.Option(help="The δ they may cost together; without it that of the budget there is, or 0."),
    ] = None,
    adding: Annotated[
        str | None,
        typer.Option(
            help="How releases add up: sum (ε to ε), or concentrated (ρ to ρ, turned into ε at --delta): the same promise "
            "with less noise over many releases. Without it as in the budget there is, or sum."
        ),
    ] = None,
    ledger: LedgerPlace = None,
    as_json: Json = False,
) -> None:
    """Set what all secure releases of an account together may cost one user."""
    book = opened_ledger(ledger)
    keyed = len(data) == 32 and set(data) <= set("0123456789abcdef")
    if keyed or _is_account(book, data):
        now = book.account_named(data) if book.is_there else None
        book.set_budget_of_account(data, epsilon=epsilon, **_as_it_is(now, delta, adding))
        account = book.account_named(data)
    else:
        digest = _digest_of(data)
        book.set_budget(digest, epsilon=epsilon, **_as_it_is(book.account(digest), delta, adding))
        account = book.account(digest)
    show(account_shown(account), as_json)


class _RestOfBudget(TypedDict):
    delta: float
    adding: str


def _as_it_is(account: Account | None, delta: float | None, adding: str | None) -> _RestOfBudget:
    """Return δ and the rule of a new budget: what is not named stays as it is."""
    if account is None or account.budget_epsilon is None:
        return {"delta": delta or 0.0, "adding": adding or "sum"}
    return {
        "delta": (account.budget_delta or 0.0) if delta is None else delta,
        "adding": account.adding if adding is None else adding,
    }


@ledger_app.command("set-limit")
def ledger_set_limit(
    epsilon: Annotated[
        float | None,
        typer.Option(help="What one person may release alone, in all weeks; without it there is no limit."),
    ] = None,
    ledger: LedgerPlace = None,
    as_json: Json = False,
) -> None:
    """Set what a release of any data may cost before a second person must approve it, on the page Publish."""
    book = opened_ledger(ledger)
    book.set_limit(epsilon)
    show({"ledger": book.name, "limit_epsilon": epsilon}, as_json)


@ledger_app.command("public-key")
def ledger_public_key(ledger: LedgerPlace = None, as_json: Json = False) -> None:
    """Print the key that others check this ledger's certificates with."""
    from privlab.releases.ledger import public_key_path_of

    book = opened_ledger(ledger)
    key = book.keys().public_key
    if as_json:
        show({"public_key": key, "file": str(public_key_path_of(book.path))}, as_json)
    else:
        typer.echo(key)


@ledger_app.command("which")
def ledger_which(
    certificate: Annotated[Path, typer.Argument(help="certificate.json of a release.")],
    data: Data,
    ledger: LedgerPlace = None,
    as_json: Json = False,
) -> None:
    """Say whether a release came from this data; exit code 1 if it did not."""
    from privlab.releases.reading import came_from

    found = came_from(certificate, opened_ledger(ledger), _digest_of(data))
    show({"certificate": str(certificate), "data": data, "came_from_it": found}, as_json)
    if not found:
        raise typer.Exit(1)


def opened_ledger(named: str | None) -> Ledger:
    """Return the ledger; what killed releases left goes first."""
    from privlab.lab.ledgers import open_ledger
    from privlab.releases.ledger import ledger_place_from_text

    return open_ledger(None if named is None else ledger_place_from_text(named), told=say)


def _digest_of(data: str) -> str:
    from privlab.datasets import content_digest_from_path
    from privlab.datasets.engines import Workspace

    with Workspace() as workspace:
        return content_digest_from_path(data, workspace)


def _is_account(book: Ledger, said: str) -> bool:
    """Return whether a text is no file's name but what an account is called."""
    try:
        if Path(said).exists() or not book.is_there:
            return False
    except (OSError, ValueError):
        return False
    return any(
        (one.title or "").casefold() == said.strip().casefold() for one in book.accounts() if one.title
    )


def account_shown(account: Account) -> dict[str, Any]:
    """Return an account as commands print it."""
    return {
        "data": account.name,
        "account": account.title,
        "datasets": account.n_datasets,
        "releases": len(account.entries),
        "unconfirmed": sum(entry.state == "unconfirmed" for entry in account.entries),
        "failed": sum(entry.state == "failed" for entry in account.entries),
        "spent_epsilon": account.epsilon,
        "spent_delta": min(account.delta, 1.0),  # the most that is lost: added up it may be more
        "budget_epsilon": account.budget_epsilon,
        "budget_delta": account.budget_delta,
        # Where ρ adds up no ε is left that another release could be held against: what is spent of the budget is said.
        "left_epsilon": account.left_epsilon if account.adding == "sum" else None,
        "spent_of_budget": account.spent_of_budget
        if account.budget_epsilon is not None and math.isfinite(account.spent_of_budget)
        else None,
        "adding": account.adding,
    }


def _together(accounts: list[Account]) -> list[dict[str, Any]]:
    """Return what all releases of each account together cost a user, and a week, a day and a trip of a user."""
    spent = [account for account in accounts if account.entries]
    if not spent:
        return []
    from privlab.lab.ledgers import spending_from_account

    rows = []
    for account in spent:
        found = spending_from_account(account)
        for unit, one in found.by_unit().items():
            rows.append({"data": account.name, "unit": unit, **asdict(one)})
    return rows


def _together_of_what_can_be_read(book: Ledger) -> list[dict[str, Any]]:
    """Return what releases cost together; nothing of a ledger whose rows were changed to what none can be: the export names them."""
    try:
        return _together(book.accounts()) if book.is_there else []
    except DataError:
        return []


def _on_units() -> list[str]:
    from privlab.lab.ledgers import WHAT_UNITS_MEAN

    return [WHAT_UNITS_MEAN]


def _asked_shown(one: Approval) -> dict[str, Any]:
    return {
        name: getattr(one, name) for name in ("asked", "asked_by", "approved_by", "epsilon", "delta", "entry")
    }


def _entry_shown(entry: LedgerEntry) -> dict[str, Any]:
    return {
        "data": entry.account,
        "entry": entry.number,
        "made": entry.made,
        "epsilon": entry.epsilon,
        "delta": entry.delta,
        "state": entry.state,
        "failure": entry.failure,
        "who": entry.who,
    }
