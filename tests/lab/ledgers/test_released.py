"""What an entry is of: as it says itself, else as the certificate kept of it says; else it is not known."""

import json
from dataclasses import replace
from pathlib import Path

from privlab.lab.ledgers import released_from_entry
from privlab.releases.folders import kept_release
from privlab.releases.ledger import Ledger
from tests.lab.ledgers.test_spending import INTEGER
from tests.releases.folders.test_release_folders import DIGEST, released


def test_entries_say_their_weeks_and_product_and_flows_are_meant_where_none_is_named(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    of_visits = INTEGER | {"parameters": INTEGER["parameters"] | {"product": "visits"}}
    for what in (INTEGER, of_visits):
        ledger.reserve_budget("a", epsilon=1.0, delta=0.0, what=json.dumps(what))
    flows, visits = (released_from_entry(entry, None) for entry in ledger.account("a").entries)
    assert (flows.weeks, flows.product) == (("2026-03-02", "2026-03-09"), "flows")
    assert (visits.weeks, visits.product) == (("2026-03-02", "2026-03-09"), "visits")


def test_an_entry_that_says_nothing_is_told_by_its_certificate_or_not_at_all(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    released(tmp_path / "out", ledger)
    (entry,) = ledger.account(DIGEST).entries
    folder = kept_release(ledger, entry)
    weeks = tuple(json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))["weeks"])
    silent = replace(entry, what="")
    for one in (entry, silent):
        found = released_from_entry(one, folder)
        assert (found.weeks, found.product) == (weeks, "flows")
    assert released_from_entry(silent, None) is None
    assert released_from_entry(silent, tmp_path) is None  # no certificate there
