"""The whole ledger as one file for auditors: JSON with its chain, or CSV with a row for each entry.

Accounts have their keyed names there and the names that stewards gave them. Nothing else in the file tells whose
data an entry is about. The digests of people are left out.
"""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from privlab.checks import DataError, ParameterError
from privlab.kept import private_folder_made, put_in_place
from privlab.releases.accounts.accounts import LedgerEntry
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_chain import LedgerRecord, check_from_record, entry_from_said
from privlab.safe_text import csv_text

COLUMNS = (
    *("entry", "data", "account", "made", "who", "epsilon", "delta", "state", "failure"),
    *("certificate", "keyed_digest", "what", "chained", "link", "digest"),
)
_ENDINGS = (".csv", ".json")


def export_ledger(ledger: Ledger, out: Path, together: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Write the ledger into a new file, for its owner only; return what the JSON form holds.

    `together` is what all releases of each account cost in all, by unit: worked out from the entries, and beside them in JSON.

    Raises
    ------
    ParameterError
        If the name ends in neither .csv nor .json.
    DataError
        If there is no ledger, the file is there already, or it cannot be written.
    """
    if out.suffix not in _ENDINGS:
        raise ParameterError(
            f"out must end in .csv or .json, got {out.name!r}. For the files of one release name its entry too."
        )
    made = audit_from_record(ledger.record(), _name(ledger)) | {"together": [dict(one) for one in together]}
    text = (
        _csv(made["entries"])
        if out.suffix == ".csv"
        else json.dumps(made, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    )
    try:
        private_folder_made(out.absolute().parent)
        is_new = not out.is_symlink() and put_in_place(out, text.encode())
    except OSError as error:
        raise DataError(f"Could not write {out}: {error.strerror or error}.") from None
    if not is_new:
        raise DataError(f"{out} is there already. Choose another name: no export is overwritten.")
    return made


def _name(ledger: Ledger) -> str:
    """Return what the ledger is called outside: a file without its folders."""
    return ledger.place.name if isinstance(ledger.place, Path) else ledger.name


def audit_from_record(record: LedgerRecord, name: str) -> dict[str, Any]:
    """Return all that a ledger holds, with what its chain says: COLUMNS for each entry, with the link that says it was made."""
    found = check_from_record(record)
    later = set(found.chained_later)
    titles = {one.account: one.title for one in record.titles}  # the last one holds
    made = {entry_from_said(link.said): link for link in reversed(record.links)}
    said = {
        "what": "privlab ledger",
        "format": 1,
        "ledger": name,
        "mark": record.mark,
        "public_key": record.public_key,
        "holds": found.holds,
        "faults": list(found.faults),
        "head": found.head,
        "entries": [
            _entry(entry, made.get(entry.number), entry.number in later, titles.get(entry.account))
            for entry in record.entries
        ],
        "budgets": [
            {"number": number, "data": account, **asdict(change)}
            for number, account, change in record.budgets
        ],
        "limits": [{"number": number, **asdict(change)} for number, change in record.limits],
        "approvals": [asdict(one) for one in record.approvals],
        "datasets": [
            {
                "number": one.number,
                "dataset": one.dataset,
                "data": one.account,
                "made": one.made,
                "who": one.who,
            }
            for one in record.datasets
        ],
        "titles": [asdict(one) for one in record.titles],
        "links": [asdict(link) for link in record.links],
    }
    exported: dict[str, Any] = _as_json_knows_it(said)
    return exported


def _as_json_knows_it(value: Any) -> Any:
    """Return a value with bytes, NaN and infinite numbers as text: no ledger writes them, but one that was tampered with may hold them."""
    if isinstance(value, dict):
        return {name: _as_json_knows_it(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_as_json_knows_it(inner) for inner in value]
    if isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value)):
        return repr(value)
    return value


def _entry(entry: LedgerEntry, link: Any, chained_later: bool, title: str | None) -> dict[str, Any]:
    said = asdict(entry) | {
        "entry": entry.number,
        "data": entry.account,
        "account": title,
        "state": entry.state,
    }
    chained = "no" if link is None else "later" if chained_later else "when made"
    said |= {
        "chained": chained,
        "link": None if link is None else link.number,
        "digest": None if link is None else link.digest,
    }
    return {name: said[name] for name in COLUMNS}


def _csv(entries: list[dict[str, Any]]) -> str:
    """Return entries as CSV; what a spreadsheet would run gets a ' before it."""
    held = io.StringIO()
    writer = csv.DictWriter(held, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        writer.writerow(
            {name: csv_text(said) if isinstance(said, str) else said for name, said in entry.items()}
        )
    return held.getvalue()
