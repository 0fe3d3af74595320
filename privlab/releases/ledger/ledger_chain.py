"""The chain of a ledger: one link for whatever was written, each bound to the one before, and what they say against the rows.

A link's digest is the SHA-256 of the digest before it, a line break and what the link says; the first follows from the
ledger's mark. Each digest is signed with the ledger's key: whoever can write into the database, and has not the key,
can make no link. Links at the end can still be taken away as a whole: only who kept an earlier head sees that.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from privlab.releases.accounts.accounts import AccountDataset, AccountTitle, BudgetChange, LedgerEntry
from privlab.releases.accounts.approvals import Approval, LimitChange
from privlab.releases.ledger.ledger_keys import LedgerKeys, signature_holds

_NOTED_LATER = ("certificate", "failure")
_UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    RecursionError,
)  # what is raised of a link that no ledger writes


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One act on the ledger: `said` is JSON, `entry` the number of the entry that it is about, if it is about one."""

    number: int
    entry: int | None
    said: str
    digest: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRecord:
    """All that a ledger holds of releases and budgets: its rows, and the chain that must say the same.

    `budgets` are those that were set, by number, with their accounts; `limits` likewise, for all accounts. `datasets`
    say which data is in which account, `titles` what accounts are called.
    """

    mark: str
    public_key: str
    entries: tuple[LedgerEntry, ...]
    budgets: tuple[tuple[int, str, BudgetChange], ...]
    limits: tuple[tuple[int, LimitChange], ...]
    approvals: tuple[Approval, ...]
    datasets: tuple[AccountDataset, ...]
    titles: tuple[AccountTitle, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCheck:
    """What a look at a ledger's chain found; it `holds` where there is no fault.

    `head` is the last link's digest, empty without links: who keeps it can ask later whether it is still in the chain.
    `chained_later` are the entries that an earlier version had written: nothing is known of them from before.
    """

    n_links: int
    n_entries: int
    head: str
    chained_later: tuple[int, ...]
    faults: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing was found."""
        return not self.faults


def next_link(last: Link | None, keys: LedgerKeys, said: dict[str, Any], entry: int | None) -> Link:
    """Return the link that follows the last one, or begins the chain."""
    text = json.dumps(said, sort_keys=True, ensure_ascii=True, allow_nan=False)
    digest = digest_after(keys.mark() if last is None else last.digest, text)
    return Link(
        number=1 if last is None else last.number + 1,
        entry=entry,
        said=text,
        digest=digest,
        signature=keys.signature(content_signed(digest)),
    )


def digest_after(before: str, said: str) -> str:
    """Return the digest of a link."""
    return hashlib.sha256(f"{before}\n{said}".encode()).hexdigest()


def content_signed(digest: str) -> bytes:
    """Return what a link's signature is over; no certificate begins like this."""
    return f"privlab ledger link {digest}".encode()


def said_of_entry(entry: LedgerEntry) -> dict[str, Any]:
    """Return what a link says of a new entry; what is noted under it later has links of its own."""
    said = {name: value for name, value in asdict(entry).items() if name not in _NOTED_LATER}
    return {"act": "entry", **said}


def said_of_note(number: int, column: str, text: str) -> dict[str, Any]:
    """Return what a link says of a certificate or a failure under an entry."""
    return {"act": "note", "entry": number, "column": column, "text": text}


def said_of_budget(number: int, account: str, change: BudgetChange) -> dict[str, Any]:
    """Return what a link says of a budget that was set."""
    return {"act": "budget", "number": number, "account": account, **asdict(change)}


def said_of_limit(number: int, change: LimitChange) -> dict[str, Any]:
    """Return what a link says of a limit that was set."""
    return {"act": "limit", "number": number, **asdict(change)}


def said_of_approval(act: str, one: Approval) -> dict[str, Any]:
    """Return what a link says of an approval: that it was "asked" for, "approved", or "used"."""
    return {"act": act, **asdict(one)}


def said_of_dataset(one: AccountDataset) -> dict[str, Any]:
    """Return what a link says of a dataset in an account; of its people's digests, their own digest."""
    return {"act": "dataset", **_with_people_digested(one)}


def said_of_people(number: int, people: str) -> dict[str, Any]:
    """Return what a link says of the digests of people that were noted of a dataset later."""
    return {"act": "people", "number": number, "people": _text_digest(people)}


def said_of_title(one: AccountTitle) -> dict[str, Any]:
    """Return what a link says of an account's name."""
    return {"act": "title", **asdict(one)}


def said_of_move(earlier: str, name: str) -> dict[str, Any]:
    """Return what a link says of what stood under an earlier name of the same data, or in an account that was merged."""
    return {"act": "move", "earlier": earlier, "name": name}


def entry_from_said(text: str) -> int | None:
    """Return the number of the entry that a link says was made, None where it says something else."""
    try:
        said = _said_of(text)
    except _UNREADABLE:
        return None
    return said["number"] if said["act"] == "entry" else None


def own_names_of_entry(record: LedgerRecord, number: int) -> tuple[str, ...]:
    """Return the keyed names of an entry's dataset: the one that it was written under, and later ones of the same data.

    Those of accounts that a dataset was put into are none of them. Empty where no link tells of the entry.
    """
    names: list[str] = []
    datasets = set()
    for link in record.links:
        try:
            said = _said_of(link.said)
            if said["act"] == "dataset":
                datasets.add(said["dataset"])
            elif said["act"] == "entry" and said["number"] == number:
                names = [said["account"]]
            elif said["act"] == "move" and names[-1:] == [said["earlier"]] and names[-1] not in datasets:
                names.append(said["name"])
        except _UNREADABLE:  # a check names it
            continue
    return tuple(names)


def check_from_record(record: LedgerRecord, known_head: str | None = None) -> LedgerCheck:
    """Return whether the chain holds and the rows are what it says; `known_head` is one that was seen before."""
    faults = _broken_links(record)
    told = _Told()
    for link in record.links:
        try:
            said = _said_of(link.said)
            about = {"entry": _about(said)}
            told.hear(said)
        except _UNREADABLE:
            faults.append(f"Link {link.number} says nothing that can be read.")
        else:
            faults += _changed(f"Link {link.number}", about, {"entry": link.entry})
    entries = {entry.number: asdict(entry) for entry in record.entries}
    budgets = {number: {"account": account, **asdict(change)} for number, account, change in record.budgets}
    faults += _differences("Entry", told.entries, entries) + _differences("Budget", told.budgets, budgets)
    faults += _differences("Limit", told.limits, {number: asdict(change) for number, change in record.limits})
    faults += _differences("Approval", told.approvals, {one.number: asdict(one) for one in record.approvals})
    datasets = {one.number: _with_people_digested(one) for one in record.datasets}
    faults += _differences("Dataset", told.datasets, datasets)
    faults += _differences("Title", told.titles, {one.number: asdict(one) for one in record.titles})
    if known_head is not None and known_head not in {link.digest for link in record.links}:
        faults.append(
            f"The head {known_head} is not in the chain: what was written last was taken away, or the head is another "
            "ledger's."
        )
    return LedgerCheck(
        n_links=len(record.links),
        n_entries=len(record.entries),
        head=next((text for link in record.links[-1:] if (text := as_text(link.digest))), ""),
        chained_later=tuple(told.chained_later),
        faults=tuple(faults),
    )


@dataclass
class _Told:
    """What a chain says that a ledger holds, link by link."""

    entries: dict[int, dict[str, Any]] = field(default_factory=dict)
    budgets: dict[int, dict[str, Any]] = field(default_factory=dict)
    limits: dict[int, dict[str, Any]] = field(default_factory=dict)
    approvals: dict[int, dict[str, Any]] = field(default_factory=dict)
    datasets: dict[int, dict[str, Any]] = field(default_factory=dict)
    titles: dict[int, dict[str, Any]] = field(default_factory=dict)
    chained_later: list[int] = field(default_factory=list)

    def hear(self, said: dict[str, Any]) -> None:
        act, later = said.pop("act"), said.pop("chained_later", False)
        if act == "entry":
            self.entries[said["number"]] = dict.fromkeys(_NOTED_LATER) | said
            if later:
                self.chained_later.append(said["number"])
        elif act == "note":
            self.entries[said["entry"]][said["column"]] = said["text"]
        elif act == "budget":
            self.budgets[said.pop("number")] = said
        elif act == "limit":
            self.limits[said.pop("number")] = said
        elif act in ("asked", "approved", "used"):
            self.approvals[said["number"]] = said
        elif act == "dataset":
            self.datasets[said["number"]] = said
        elif act == "people":
            self.datasets[said["number"]]["people"] = said["people"]
        elif act == "title":
            self.titles[said["number"]] = said
        elif act == "move":
            tables = (self.entries, self.budgets, self.approvals, self.datasets)
            for row in (row for table in tables for row in table.values()):
                if row["account"] == said["earlier"]:
                    row["account"] = said["name"]
        else:
            raise ValueError(act)


def _said_of(text: str) -> dict[str, Any]:
    """Return what a link says, whose numbers are whole ones. Raises ValueError or TypeError for what no ledger writes."""
    said = json.loads(text)
    if not isinstance(said, dict):
        raise TypeError(text)
    row = "entry" if said["act"] == "note" else "number"  # a move names neither
    if type(said.get(row, 0)) is not int:
        raise TypeError(text)
    return said


def _about(said: dict[str, Any]) -> Any:
    """Return the number of the entry that a link is about, by what it says; None if it is about none."""
    return said["number"] if said["act"] == "entry" else said.get("entry")


def as_text(value: Any) -> str | None:
    """Return what is text; None for what other hands have put in its place, into a file that keeps any kind of value anywhere."""
    return value if isinstance(value, str) else None


def _with_people_digested(one: AccountDataset) -> dict[str, Any]:
    text = as_text(one.people)
    return asdict(one) | ({} if text is None else {"people": _text_digest(text)})


def _text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _broken_links(record: LedgerRecord) -> list[str]:
    """Return what is wrong with the chain itself."""
    faults, before, expected = [], record.mark, 1
    for link in record.links:
        if link.number != expected:
            faults.append(f"Links {expected} to {link.number - 1} are missing.")
        if digest_after(before, link.said) != link.digest:
            faults.append(f"Link {link.number} does not follow from the one before: one of them was changed.")
        signature = as_text(link.signature)
        if signature is None or not signature_holds(
            record.public_key, signature, content_signed(link.digest)
        ):
            faults.append(f"Link {link.number} is not signed with this ledger's key.")
        before, expected = link.digest, link.number + 1
    return faults


def _differences(what: str, told: dict[int, dict[str, Any]], found: dict[int, dict[str, Any]]) -> list[str]:
    """Return where rows are not what the chain says of them."""
    faults: list[str] = []
    for number in sorted(told.keys() | found.keys()):
        if number not in found:
            faults.append(f"{what} {number} was removed.")
        elif number not in told:
            faults.append(f"{what} {number} is not in the chain: it was put there by other hands.")
        else:
            faults += _changed(f"{what} {number}", told[number], found[number])
    return faults


def _changed(what: str, told: dict[str, Any], found: dict[str, Any]) -> list[str]:
    names: Sequence[str] = sorted(told.keys() | found.keys())
    return [
        f"{what} was changed: {name} is {found.get(name)!r}, and was written as {told.get(name)!r}."
        for name in names
        if told.get(name) != found.get(name)
    ]
