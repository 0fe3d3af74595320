"""The verifier: what it works out anew, who signed, what the ledger says, and any JSON that there is."""

import hashlib
import json
import math
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from privlab.checks import DataError, ParameterError
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells
from privlab.releases.accounts.accounts import LedgerEntry
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_keys import (
    public_key_from_text,
    public_key_from_text_or_file,
    public_key_path_of,
)
from privlab.releases.reading.certificate_reading import plan_from_certificate
from privlab.releases.reading.verification import came_from, is_of_data, verification_from_certificate
from privlab.releases.writing.certificate import signed_certificate
from privlab.releases.writing.estimate_files import columns_in_words_of_today, columns_of, write_estimates
from privlab.releases.writing.secure_files import sha256_of, write_release
from tests.json_parts import changed, places
from tests.releases.ledger.test_ledger_files import OTHER, old_ledger

DIGEST = "0123456789abcdef0123456789abcdef"
WEEK = "2026-03-02"
Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.sqlite")


@pytest.fixture
def certificate(tmp_path: Path, ledger: Ledger) -> Path:
    """A release of 60 people who go 11→12, threshold 5, under ε = 1 and L = 2."""
    return released(tmp_path / "out", ledger, epsilon=1)


def released(
    folder: Path, ledger: Ledger, *, epsilon: float, threshold: int = 5, cells: str = "public", **more: Any
) -> Path:
    trips = SettledCells(
        zones=np.array([11, 12]),
        weeks=(WEEK,),
        week_starts=np.array([0, 60]),
        user=np.arange(60, dtype=np.int32),
        flow=np.ones(60, dtype=np.int64),
    )
    plan = release_plan_from_parameters(
        SecureReleaseParameters(
            epsilon=epsilon, max_trips_per_user=2, threshold=threshold, cells=cells, **more
        ),
        weeks=[WEEK],
        zones_spec="box",
        public_zones=[11, 12, 13] if cells == "public" else None,
    )
    write_release(
        folder,
        ledger,
        digest=DIGEST,
        plan=plan,
        release=lambda: secure_release_from_settled_trips(trips, plan),
    )
    return folder / "certificate.json"


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))  # type: ignore[no-any-return]


def failures(path: Path, **known: Any) -> set[str]:
    return {check.what for check in verification_from_certificate(path, **known).checks if not check.holds}


def signed_anew(path: Path, ledger: Ledger, change: Change = lambda one: None) -> None:
    """Change a certificate and sign it with the key of a ledger: nothing but the change can give it away."""
    certificate = read(path)
    del certificate["signature"]
    change(certificate)
    keys = ledger.keys()
    certificate = signed_certificate(certificate, public_key=keys.public_key, signature=keys.signature)
    path.write_text(json.dumps(certificate), "utf-8")


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        (lambda one: one["utility"].update(noise_half_width_95=1), "totals and half width are those stated"),
        (
            lambda one: one["utility"].update(made_up_cells_expected_at_most=0.0),
            "totals and half width are those stated",
        ),
        (
            lambda one: one["utility"].update(published_total=one["utility"]["published_total"] + 1),
            "totals and half width are those stated",
        ),
        (lambda one: one["mechanism"].update(scale=4.0), "noise is the one that the parameters ask for"),
        (lambda one: one["mechanism"].update(scale=1.0), "noise is wide enough"),
        (lambda one: one["mechanism"].update(scale=1e-310), "proven ε is at most ε"),
        (lambda one: one["mechanism"].update(proven_epsilon=0.5), "noise is the one that the parameters ask for"),
        (lambda one: one["mechanism"].update(proven_epsilon=1.001), "proven ε is at most ε"),
        (lambda one: one["mechanism"].update(noise="Gauss"), "noise is the one that the parameters ask for"),
        (lambda one: one["mechanism"].update(library="OpenDP 99"), "versions are versions"),
        (lambda one: one["versions"].update(privlab="the best"), "versions are versions"),
        (lambda one: one["guarantee"].update(statement="All is well."), "guarantee follows from the parameters"),
        (
            lambda one: one["guarantee"]["units"]["user"].update(epsilon=0.1),
            "guarantee follows from the parameters",
        ),
        (lambda one: one.update(made="yesterday"), "it is dated, and its weeks begin on Mondays"),
        (lambda one: one.update(made="2026-03-10T09:00:00"), "it is dated, and its weeks begin on Mondays"),
        (lambda one: one.update(weeks=["2026-03-09"]), "weeks are those stated"),
        (lambda one: one["data"].update(keyed_digest=DIGEST), "digests are digests"),
        (lambda one: one["data"].update(law="none"), "digests are digests"),
        (lambda one: one["zones"].update(public=[12, 11, 13]), "zones are stated"),
        (lambda one: one["zones"].update(public=[11, 11, 12, 13]), "zones are stated"),
    ],
)  # fmt: skip
def test_what_follows_from_the_parameters_is_worked_out_anew(
    change: Change, failure: str, certificate: Path, ledger: Ledger
) -> None:
    signed_anew(certificate, ledger)
    assert failures(certificate, public_key=ledger.keys().public_key) == set()
    signed_anew(certificate, ledger, change)
    assert failure in failures(certificate, public_key=ledger.keys().public_key)


def test_raw_counts_with_a_matching_certificate_do_not_pass(
    certificate: Path, ledger: Ledger, tmp_path: Path
) -> None:
    """Whoever has the true counts can write a certificate that fits them, but not sign it."""
    days = pa.array([WEEK], pa.string()).cast(pa.date32())
    table = pa.table({"week": days, "origin": [11], "destination": [12], "count": [60]})
    pq.write_table(table, certificate.with_name("release.parquet"))
    certificate.with_name("release.csv").write_text(f"week,origin,destination,count\n{WEEK},11,12,60\n")
    files = {name: sha256_of(certificate.with_name(name)) for name in ("release.csv", "release.parquet")}

    certificate.with_name("estimates.csv").unlink()

    def forge(one: dict[str, Any]) -> None:
        one["files"] = files
        del one["estimates"]
        one["utility"] |= {"published_cells": 1, "published_total": 60}

    genuine = certificate.read_text()
    changed = json.loads(genuine)
    forge(changed)
    certificate.write_text(json.dumps(changed))
    assert failures(certificate) == {"signature is that of the key it names"}
    forger = Ledger(tmp_path / "forger.sqlite")
    forger.set_budget(DIGEST, epsilon=1, delta=0)
    certificate.write_text(genuine)
    signed_anew(certificate, forger, forge)
    found = verification_from_certificate(certificate)
    assert found.holds  # alone it cannot be told, which is said
    assert "Who made the release was not checked" in found.origin
    assert failures(certificate, public_key=ledger.keys().public_key) == {"signed with the key given"}
    found = verification_from_certificate(certificate, public_key=ledger.keys().public_key)
    assert "not signed with the key given" in found.origin
    assert failures(certificate, ledger=ledger) == {
        "signed with the key given",
        "the ledger has this very certificate",
    }
    assert "the ledger has an entry of it" in failures(certificate, ledger=forger)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("noisy_count", "1"),
        ("whole_count", "1"),
        ("at_least_95", "59"),
        ("chance_of_flow", "0.5"),
        ("smoothed_count", "3"),
    ],
)
def test_tampered_estimates_are_refused_even_if_they_are_certified_anew(
    column: str, value: str, certificate: Path, ledger: Ledger
) -> None:
    path = certificate.with_name("estimates.csv")
    header, *rows = (line.split(",") for line in path.read_text().splitlines())
    at = header.index(f'"{column}"')
    rows[0][at] = value if rows[0][at] != value else "2"  # the noise may have made it so
    path.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")
    assert failures(certificate) == {"estimates are those certified", "estimates follow from the counts"}
    signed_anew(certificate, ledger, lambda one: one["estimates"].update(sha256=sha256_of(path)))
    assert failures(certificate) == {"estimates follow from the counts"}


def test_a_release_made_before_sums_of_all_counts_were_told_still_holds(
    certificate: Path, ledger: Ledger
) -> None:
    """Its smoothed counts follow the published ones alone, and its certificate has no part for a model."""
    path = certificate.with_name("estimates.csv")
    today = path.read_bytes()
    parameters = plan_from_certificate(read(certificate)).parameters
    table, scale = pq.read_table(certificate.with_name("release.parquet")), 2.0  # L/ε
    write_estimates(table, parameters, scale, path, n_cells=None)
    if path.read_bytes() != today:  # the noise may have made both the same
        assert "estimates are those certified" in failures(certificate)
    digest = sha256_of(path)

    def as_before(one: dict[str, Any]) -> None:
        del one["model"]
        one["estimates"] = {"sha256": digest, "columns": columns_of(parameters, before=True)}

    signed_anew(certificate, ledger, as_before)
    assert failures(certificate) == set()


def test_columns_in_the_words_of_earlier_releases_still_hold_and_other_words_do_not(
    certificate: Path, ledger: Ledger
) -> None:
    """As releases of 23 November 2026 had it, a space before each %; and with another share in its place."""
    path = certificate.with_name("estimates.csv")
    parameters = plan_from_certificate(read(certificate)).parameters
    table = pq.read_table(certificate.with_name("release.parquet"))
    write_estimates(table, parameters, 2.0, path, n_cells=None)
    interval = (
        "Least count before noise within the 95 % interval that the law of the noise gives. The interval is for the noise alone: "
        "trips that the bound left out, or weighed less, are in no interval. With a threshold, cells that the noise lifted over it are "
        "published more often, so that fewer than 95 % of the small published ones may hold."
    )
    for words, broken in (
        (interval, set()),
        (interval.replace("95 %", "90 %"), {"columns of the estimates are explained"}),
    ):

        def as_then(one: dict[str, Any], words: str = words) -> None:
            one.pop("model", None)
            columns = columns_of(parameters, before=True) | {"at_least_95": words}
            one["estimates"] = {"sha256": sha256_of(path), "columns": columns}

        signed_anew(certificate, ledger, as_then)
        assert failures(certificate) == broken


def test_words_on_the_interval_of_an_hour_and_on_slots_of_their_first_hours_still_hold(
    certificate: Path, ledger: Ledger
) -> None:
    """As releases of 26 and of 23 November 2026 had them; with another share in their place they do not hold."""
    interval = (
        "Least count before noise within the 95% interval that the law of the noise gives: whatever that count is, 95% of what is published "
        "of it have it in their interval, as the threshold lets through lucky noise most of all. The interval is for the noise alone: trips "
        "that the bound left out, or weighed less, are in no interval."
    )
    for words, broken in (
        (interval, set()),
        (interval.replace("95%", "90%"), {"columns of the estimates are explained"}),
    ):
        signed_anew(
            certificate,
            ledger,
            lambda one, words=words: one["estimates"]["columns"].update(at_least_95=words),
        )
        assert failures(certificate) == broken
    smoothed = (
        "Posterior mean between the published count and a model (origin x destination) fitted to the published counts of the week. It is "
        "pulled towards the model, and with a threshold the model knows published flows only."
    )
    slots, visits = (
        columns_of(SecureReleaseParameters(epsilon=1, max_trips_per_user=2, threshold=50, product=product))
        for product in ("flows-by-slot", "visits")
    )
    assert columns_in_words_of_today(slots | {"smoothed_count": smoothed}, "flows-by-slot") == slots
    assert columns_in_words_of_today(slots | {"smoothed_count": smoothed}, "flows") != slots
    of_visits = visits | {"at_least_95": interval.replace("trips that", "visits that")}
    assert columns_in_words_of_today(of_visits, "visits") == visits


def test_a_trip_of_which_an_earlier_release_states_what_the_week_allows_still_holds(
    tmp_path: Path, ledger: Ledger
) -> None:
    """(e^ε + δ)/(1 + e^ε) of a user's week, by hand: more than a trip's own, so nothing is promised that does not hold."""
    path = released(tmp_path / "then", ledger, epsilon=1, noise="gaussian", delta=1e-6)
    of_week = (math.e + 1e-6) / (1 + math.e)
    assert read(path)["guarantee"]["units"]["trip"]["proven_accuracy"] < of_week
    for said, broken in (
        (of_week, set()),
        (of_week - 0.001, {"guarantee follows from the parameters"}),
        (0.51, {"guarantee follows from the parameters"}),
    ):
        signed_anew(
            path,
            ledger,
            lambda one, said=said: one["guarantee"]["units"]["trip"].update(proven_accuracy=said),
        )
        assert failures(path) == broken


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        (lambda week: week["sums"][0].append(0), "sums of the model agree"),
        (lambda week: week["sums"][0].__setitem__(0, week["sums"][0][0] + 1), "sums of the model agree"),
    ],
)
def test_other_sums_than_those_smoothed_counts_follow_are_refused(
    change: Change, failure: str, certificate: Path, ledger: Ledger
) -> None:
    signed_anew(certificate, ledger, lambda one: change(one["model"]["weeks"][WEEK]))
    assert failure in failures(certificate)


def test_sums_of_a_release_without_threshold_are_those_of_its_counts(tmp_path: Path, ledger: Ledger) -> None:
    """One trip more from 11 and one less from 12, in both margins: they agree with each other, not with the counts."""
    path = released(tmp_path / "all", ledger, epsilon=1, threshold=0)
    assert failures(path) == set()

    def moved(one: dict[str, Any]) -> None:
        for sums in one["model"]["weeks"][WEEK]["sums"]:
            sums[0], sums[1] = sums[0] + 1, sums[1] - 1

    genuine = path.read_text()
    signed_anew(path, ledger, moved)
    assert "sums of the model are those of the counts" in failures(path)
    assert "sums of the model agree" not in failures(path)
    path.write_text(genuine)
    for other in ({"spreads": [9.0] * 5}, {"alike": 0.9}):
        path.write_text(genuine)
        signed_anew(path, ledger, lambda one, other=other: one["model"]["weeks"][WEEK].update(other))  # type: ignore[misc]
        assert "sums of the model are those of the counts" in failures(path)


def test_flows_and_those_back_are_alike_from_0_to_below_1_or_the_release_says_nothing_of_it(
    tmp_path: Path, ledger: Ledger
) -> None:
    path = released(tmp_path / "all", ledger, epsilon=1, threshold=0)
    genuine = path.read_text()
    for alike in (-0.1, 1, "much"):
        path.write_text(genuine)
        signed_anew(path, ledger, lambda one, alike=alike: one["model"]["weeks"][WEEK].update(alike=alike))  # type: ignore[misc]
        with pytest.raises(DataError):
            failures(path)
    # As releases were before: each flow smoothed by itself. Without threshold and estimates nothing else hangs on it.
    path.write_text(genuine)
    path.with_name("estimates.csv").unlink()

    def before(one: dict[str, Any]) -> None:
        del one["model"]["weeks"][WEEK]["alike"]
        columns = columns_of(plan_from_certificate(one).parameters, modelled=True, both_ways=False)
        assert "flow back" in one["estimates"]["columns"]["smoothed_count"]
        assert "flow back" not in columns["smoothed_count"]
        one["estimates"]["columns"] = columns

    signed_anew(path, ledger, before)
    assert failures(path) == set()


def test_a_release_is_whole_without_its_estimates_and_says_what_their_columns_are(
    certificate: Path, ledger: Ledger
) -> None:
    certificate.with_name("estimates.csv").unlink()
    assert failures(certificate) == set()
    signed_anew(certificate, ledger, lambda one: one["estimates"]["columns"].update(at_least_95="The truth."))
    assert failures(certificate) == {"columns of the estimates are explained"}
    signed_anew(certificate, ledger, lambda one: one.pop("estimates"))  # as earlier versions wrote it
    assert failures(certificate) == set()


def test_sums_of_districts_that_no_certificate_knows_are_named_as_not_looked_at(certificate: Path) -> None:
    assert "levels.csv" not in verification_from_certificate(certificate).aside
    certificate.with_name("levels.csv").write_text("level,week,origin,destination,count\n")
    found = verification_from_certificate(certificate)
    assert found.holds
    assert "levels.csv" in found.aside


def test_a_release_is_compared_with_its_entry(certificate: Path, ledger: Ledger) -> None:
    found = verification_from_certificate(certificate, ledger=ledger)
    assert found.holds
    assert found.origin == "The certificate is signed with the key given."
    signed_anew(certificate, ledger, lambda one: one["parameters"].update(threshold=6))
    fails = {"the ledger has this very certificate", "the ledger has the same parameters and cost"}
    assert fails <= failures(certificate, ledger=ledger)
    signed_anew(certificate, ledger, lambda one: one["parameters"].update(threshold=5))
    assert failures(certificate, ledger=ledger) <= {"the ledger has this very certificate"}
    signed_anew(certificate, ledger, lambda one: one["guarantee"]["units"]["user"].update(delta=1e-6))
    assert fails <= failures(certificate, ledger=ledger)


def test_a_key_that_is_given_is_the_one_asked_for_whatever_the_ledger_s_is(
    certificate: Path, ledger: Ledger, tmp_path: Path
) -> None:
    """Whoever asks for a key wants to know whether that one signed: a ledger beside it does not answer in its place."""
    other = Ledger(tmp_path / "other.sqlite")
    other.set_budget(DIGEST, epsilon=1, delta=0)
    key = other.keys().public_key
    assert failures(certificate, ledger=ledger, public_key=key) == {"signed with the key given"}
    assert failures(certificate, ledger=ledger, public_key=ledger.keys().public_key) == set()


def test_another_week_or_cost_than_the_ledger_was_told_of_is_named(certificate: Path, ledger: Ledger) -> None:
    """As many weeks cost as much: which they are, and so whose trips were counted, is compared too. So is what was charged."""
    fails = "the ledger has the same parameters and cost"
    signed_anew(certificate, ledger, lambda one: one.update(weeks=["2026-04-06"]))
    assert fails in failures(certificate, ledger=ledger)
    signed_anew(certificate, ledger, lambda one: one.update(weeks=[WEEK]))
    assert fails not in failures(certificate, ledger=ledger)
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute("UPDATE entry SET epsilon = 0.25")
    connection.close()
    assert fails in failures(certificate, ledger=ledger)


def test_integer_noise_is_not_said_to_be_gaussian(certificate: Path, ledger: Ledger) -> None:
    """The first words of a certificate name the law of its noise: they are held against its format."""
    what = read(certificate)["what"].replace("integer noise", "discrete Gaussian noise")
    signed_anew(certificate, ledger, lambda one: one.update(what=what))
    with pytest.raises(DataError, match=r"not a whole certificate: its format is not that of its noise\.$"):
        verification_from_certificate(certificate)


def test_a_certificate_of_a_later_format_leads_to_a_newer_version(certificate: Path, ledger: Ledger) -> None:
    signed_anew(certificate, ledger, lambda one: one.update(format=99))
    with pytest.raises(
        DataError,
        match=r"does not know; it knows 1 to \d+\. Check it with the version that made it, or a newer one\.$",
    ):
        verification_from_certificate(certificate)


def test_which_data_a_release_came_from(certificate: Path, ledger: Ledger, tmp_path: Path) -> None:
    assert came_from(certificate, ledger, DIGEST)
    assert not came_from(certificate, ledger, "f" * 32)
    assert came_from(certificate, ledger, "f" * 32, DIGEST)
    other = Ledger(tmp_path / "other.sqlite")
    other.set_budget(DIGEST, epsilon=1, delta=0)
    with pytest.raises(DataError, match="has no entry of this release"):
        came_from(certificate, other, DIGEST)


def test_which_data_a_release_came_from_is_told_by_one_look_into_the_ledger(
    certificate: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program may write between two looks."""
    asked, look = list[str](), Ledger.entry_of

    def counted(self: Ledger, keyed_digest: str) -> LedgerEntry | None:
        asked.append(keyed_digest)
        return look(self, keyed_digest)

    monkeypatch.setattr(Ledger, "entry_of", counted)
    assert came_from(certificate, ledger, DIGEST)
    assert asked == [read(certificate)["data"]["keyed_digest"]]


def test_no_forged_certificate_is_said_to_come_from_data(certificate: Path, ledger: Ledger) -> None:
    """Neither with a broken signature nor signed anew: the ledger has noted the bytes of its own."""
    genuine = certificate.read_bytes()
    one = read(certificate)
    one["parameters"]["epsilon"] = 0.01
    certificate.write_text(json.dumps(one))
    with pytest.raises(
        DataError,
        match=r"has not this certificate of the release but another. Was certificate.json changed\?",
    ):
        came_from(certificate, ledger, DIGEST)
    certificate.write_bytes(genuine)
    signed_anew(certificate, ledger, lambda one: one["parameters"].update(threshold=6))
    with pytest.raises(DataError, match="has not this certificate"):
        came_from(certificate, ledger, DIGEST)
    certificate.write_bytes(genuine)
    assert came_from(certificate, ledger, DIGEST)


# What the lab wrote for ε = 1 and L = 2 before it said how certain an attacker becomes: p = 1/(1 + e^{−½}) = 0.62246.
EARLIER = (
    "Whatever one person did in a week, this release is ε = 1 private for that week (different trips of one person "
    "that are counted: at most 2). Whoever knows all else is right in at most 62.3% of cases about whether the "
    "person is in the data; a blind guess is right in 50%. Every further release of the same people adds to this."
)


def as_before_certainty(one: dict[str, Any], form: int) -> None:
    for newer in ("estimates", "model"):
        one.pop(newer, None)
    one["format"] = form
    one["guarantee"]["statement"] = EARLIER
    for unit in one["guarantee"]["units"].values():
        del unit["certain_share"]


def test_a_certificate_made_before_certainty_was_said_still_holds(certificate: Path, ledger: Ledger) -> None:
    certificate.with_name("estimates.csv").unlink()
    signed_anew(certificate, ledger, lambda one: as_before_certainty(one, 2))
    found = verification_from_certificate(certificate, public_key=ledger.keys().public_key)
    assert found.holds, found.checks
    signed_anew(certificate, ledger, lambda one: one["guarantee"].update(statement=EARLIER[:-1]))
    assert failures(certificate) == {"guarantee follows from the parameters"}


def test_a_certificate_that_says_as_good_as_all_cases_still_holds_issue_17(
    tmp_path: Path, ledger: Ledger
) -> None:
    """What the sentence said, before its words were changed, of a promise that protects nobody."""
    path = released(tmp_path / "loud", ledger, epsilon=20)
    today, before = "almost always (no protection)", "in as good as all cases"
    said = read(path)["guarantee"]["statement"]
    assert today in said
    signed_anew(path, ledger, lambda one: one["guarantee"].update(statement=said.replace(today, before)))
    assert failures(path) == set()


def test_a_certificate_that_says_ten_times_a_power_of_ten_still_holds(tmp_path: Path, ledger: Ledger) -> None:
    """A δ of 9.95·10⁻⁷, rounded up to a tenth, is 10⁻⁶, and was once written 10·10⁻⁷."""
    path = released(tmp_path / "ten", ledger, epsilon=1, noise="gaussian", delta=9.95e-7)
    said = read(path)["guarantee"]["statement"]
    assert said.count("δ = 10⁻⁶ ") == 1
    for before, broken in (
        ("10·10⁻⁷", set()),
        ("10·10^-7", set()),
        ("9.9·10⁻⁷", {"guarantee follows from the parameters"}),
        ("10·10⁻⁶", {"guarantee follows from the parameters"}),
    ):
        words = said.replace("10⁻⁶", before)
        signed_anew(path, ledger, lambda one, words=words: one["guarantee"].update(statement=words))
        assert failures(path) == broken


def test_a_certificate_that_tells_95_per_cent_alone_still_holds_issue_17(
    certificate: Path, ledger: Ledger
) -> None:
    """What the sentence said of an attacker who can end 73.2% certain at most; any other number is found out."""
    said = read(certificate)["guarantee"]["statement"]
    today = "never more than 73.2% certain"
    assert today in said
    for level, broken in (("95", set()), ("73.1", {"guarantee follows from the parameters"})):
        words = said.replace(today, f"never more than {level}% certain")
        signed_anew(certificate, ledger, lambda one, words=words: one["guarantee"].update(statement=words))
        assert failures(certificate) == broken


def test_a_chance_that_is_not_nothing_is_not_said_to_be_and_a_certificate_that_said_so_still_holds(
    tmp_path: Path, ledger: Ledger
) -> None:
    """Flows found in the data, one of which the noise shows from 80 on: with a chance of about e^(-½·79), 10^-17."""
    path = released(tmp_path / "found", ledger, epsilon=1, threshold=80, cells="discovered")
    guarantee = read(path)["guarantee"]
    assert 0 < guarantee["units"]["user-week"]["certain_share"] < 1e-16
    today, before = (f"more than 95% certain in at most {share}% of cases" for share in ("0.1", "0.0"))
    said = guarantee["statement"]
    assert today in said
    assert before not in said
    for words, broken in (
        (before, set()),
        (today.replace("0.1", "0.2"), {"guarantee follows from the parameters"}),
    ):
        changed_words = said.replace(today, words)
        signed_anew(path, ledger, lambda one, to=changed_words: one["guarantee"].update(statement=to))
        assert failures(path) == broken


def test_a_new_certificate_says_how_certain_an_attacker_becomes(certificate: Path) -> None:
    one = read(certificate)
    assert one["format"] == 3
    # Two cells of loss ½: σ(1) = 0.73106.
    assert "is never more than 73.2% certain" in one["guarantee"]["statement"]
    assert {unit["certain_share"] for unit in one["guarantee"]["units"].values()} == {0.0}


def test_a_certificate_of_the_first_format_is_checked_but_for_its_signature(
    certificate: Path, ledger: Ledger
) -> None:
    certificate.with_name("estimates.csv").unlink()
    one = read(certificate)
    del one["signature"], one["data"]["salt"]
    as_before_certainty(one, 1)
    one["data"]["law"] = "BLAKE2b-256 of the data's digest under a key in the ledger"
    certificate.write_text(json.dumps(one))
    found = verification_from_certificate(certificate)
    assert found.holds
    assert "was not checked" in found.origin
    assert failures(certificate, public_key=ledger.keys().public_key) == {"signed with the key given"}
    assert (
        "has no signature"
        in verification_from_certificate(certificate, public_key=ledger.keys().public_key).origin
    )
    assert is_of_data(one, ledger, DIGEST)  # by its entry in the ledger
    assert not is_of_data(one, ledger, "f" * 32)
    # A ledger that has not noted just these bytes knows nothing of it: anyone may have taken the signature off.
    assert failures(certificate, ledger=ledger) == {
        "signed with the key given",
        "the ledger has this very certificate",
    }
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute("UPDATE entry SET certificate = ?", (sha256_of(certificate),))
    noted = verification_from_certificate(certificate, ledger=ledger)
    assert noted.holds
    assert "has noted this very certificate" in noted.origin
    assert failures(certificate, ledger=ledger, public_key="0" * 64) == {"signed with the key given"}
    assert came_from(certificate, ledger, DIGEST)
    with pytest.raises(
        DataError, match=r"cannot be told by its files alone.*--join"
    ):  # else by another digest than today's
        came_from(certificate, ledger, "f" * 32)
    assert not came_from(certificate, ledger, "f" * 32, "e" * 32)


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_release_of_the_first_format_came_from_its_own_data_whatever_accounts_became_one(
    is_moved: bool, tmp_path: Path
) -> None:
    """The ledger of then named its data by the account alone, and it may have known it by another digest than today's."""
    ledger, today = Ledger(old_ledger(tmp_path / "ledger.sqlite")), "c" * 32
    said = hashlib.blake2b(DIGEST.encode(), key=bytes.fromhex("ab" * 32), digest_size=32).hexdigest()
    one = {"data": {"keyed_digest": said}}
    if is_moved:
        ledger.reserve_budget(today, epsilon=0.1, delta=0, what="", earlier_digest=DIGEST)
    name, other = ledger.account(today if is_moved else DIGEST).name, ledger.account(OTHER).name
    for merged in (False, True):
        if merged:
            ledger.merge_accounts(name, other)
            assert ledger.account(OTHER).entries != ()
        assert is_of_data(one, ledger, DIGEST)
        assert is_of_data(one, ledger, today) == is_moved
        assert not is_of_data(one, ledger, OTHER)


@pytest.mark.parametrize(
    "rows",
    [
        {"count": [60.0]},
        {"origin": ["11"]},
        {"count": [None]},
        {"count": pa.array([None], pa.int64())},
        {"destination": pa.array([None], pa.int64())},
        {"extra": [1]},
        {"week": [3]},
    ],
)
def test_ugly_tables_fail_and_break_nothing(rows: dict[str, Any], certificate: Path) -> None:
    columns: dict[str, Any] = {
        "week": pa.array([WEEK], pa.string()).cast(pa.date32()), "origin": [11], "destination": [12], "count": [60],
    }  # fmt: skip
    pq.write_table(pa.table(columns | rows), certificate.with_name("release.parquet"))
    assert {"files are those certified", "counts are whole numbers"} <= failures(certificate)


def test_a_name_of_a_column_that_is_no_utf_8_fails_and_breaks_nothing(certificate: Path) -> None:
    path = certificate.with_name("release.csv")
    path.write_bytes(path.read_bytes().replace(b"origin", b"or\xa6gin", 1))
    assert "files are those certified" in failures(certificate)


@pytest.mark.parametrize("ends", [(11, 14), (14, 11)])
def test_a_zone_that_the_certificate_does_not_state_fails(ends: tuple[int, int], certificate: Path) -> None:
    week = pa.array([WEEK], pa.string()).cast(pa.date32())
    table = pa.table({"week": week, "origin": ends[:1], "destination": ends[1:], "count": [60]})
    pq.write_table(table, certificate.with_name("release.parquet"))
    assert "zones are those stated" in failures(certificate)


def many_rows(certificate: Path, n_rows: int, zone: Any) -> None:
    week = pa.array([WEEK], pa.string()).cast(pa.date32())
    columns: dict[str, Any] = {"week": week, "origin": [zone], "destination": [zone], "count": [60]}
    table = pa.table(columns).take(np.zeros(n_rows, dtype=np.int64))
    pq.write_table(table, certificate.with_name("release.parquet"))


@pytest.mark.parametrize(
    ("n_rows", "zone", "stated"),
    [(50_000, 11, 0), (1_000_001, 11, 2_000_000), (2_000, "u" * 1_000_000, 0)],
    ids=["more than stated", "more than any release has", "2 GB of ids"],
)
@pytest.mark.parametrize("certified", [False, True])
def test_counts_that_are_too_many_are_not_read(
    n_rows: int,
    zone: Any,
    stated: int,
    certified: bool,
    certificate: Path,
    ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if isinstance(zone, str):  # a text once, and its place in every row
        week = pa.array([WEEK] * n_rows, pa.string()).cast(pa.date32())
        ids = pa.DictionaryArray.from_arrays(pa.array([0] * n_rows, pa.int32()), [zone])
        table = pa.table({"week": week, "origin": ids, "destination": ids, "count": [60] * n_rows})
        pq.write_table(table, certificate.with_name("release.parquet"), store_schema=False)
    else:
        many_rows(certificate, n_rows, zone)

    def not_read(*_: object, **__: object) -> None:
        raise AssertionError("read")

    if certified:
        digest = sha256_of(certificate.with_name("release.parquet"))

        def fitting(one: dict[str, Any]) -> None:
            one["files"]["release.parquet"] = digest
            one["utility"]["published_cells"] = stated or one["utility"]["published_cells"]

        signed_anew(certificate, ledger, fitting)
    monkeypatch.setattr(pq.ParquetFile, "read", not_read)
    found = verification_from_certificate(certificate)
    failed = {check.what for check in found.checks if not check.holds}
    too_many = "counts are no more than the certificate says (no check of the counts was made)"
    assert failed == {too_many} | (set() if certified else {"files are those certified"})
    assert not any("totals" in check.what or "cell" in check.what for check in found.checks)
    assert found.looked_at == ("certificate.json", "release.csv", "release.parquet")
    assert "estimates.csv (compared only with counts)" in found.aside


def test_a_table_of_few_rows_is_told_what_is_wrong_with_it(certificate: Path) -> None:
    """Ten thousand rows are read however few are stated."""
    many_rows(certificate, 10_000, 11)
    assert {"files are those certified", "no cell stands twice", "origin and destination differ"} <= failures(
        certificate
    )


@pytest.mark.parametrize(
    "name", ["certificate.json", "release.csv", "release.parquet", "estimates.csv", "levels.csv"]
)
@pytest.mark.parametrize("kind", ["a pipe", "a device"])
def test_what_is_no_file_is_refused_and_not_waited_for_iv(name: str, kind: str, certificate: Path) -> None:
    path = certificate.with_name(name)
    path.unlink(missing_ok=True)
    if kind == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(DataError) as error:
        verification_from_certificate(certificate)
    assert str(error.value) == f"{name} is no ordinary file."


@pytest.mark.parametrize("name", ["release.csv", "release.parquet", "estimates.csv", "levels.csv"])
def test_a_file_of_terabytes_of_nothing_is_refused_and_not_read_iv(name: str, certificate: Path) -> None:
    """It takes no room on a disk, and to read it would take hours: a million cells with ids of some hundred letters are a gigabyte."""
    with certificate.with_name(name).open("ab") as file:
        file.truncate(2 * 10**12)
    with pytest.raises(DataError) as error:
        verification_from_certificate(certificate)
    assert str(error.value) == (
        f"{name} has 2,000 GB, more than a file of any release: it is not the one certified. Ask the publisher for it."
    )


def test_a_certificate_that_is_too_large_is_refused_iv(certificate: Path) -> None:
    with certificate.open("ab") as file:
        file.truncate(64_000_001)
    with pytest.raises(
        DataError, match=r"^certificate\.json is not a certificate of a secure release: it is too large\.$"
    ):
        verification_from_certificate(certificate)


def test_a_link_to_a_file_of_a_release_is_that_file(certificate: Path, tmp_path: Path) -> None:
    for name in ("certificate.json", "release.csv", "release.parquet", "estimates.csv"):
        path = certificate.with_name(name)
        path.rename(tmp_path / name)
        path.symlink_to(tmp_path / name)
    assert failures(certificate) == set()


def test_a_release_in_a_folder_whose_name_is_no_text_is_verified(certificate: Path, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"b\xff")
    certificate.parent.rename(folder)
    found = verification_from_certificate(folder / "certificate.json")
    assert found.holds
    assert "estimates follow from the counts" in {check.what for check in found.checks}


def test_other_text_of_any_length_beside_a_release_is_read_no_further_than_it_matters(
    certificate: Path,
) -> None:
    readme = certificate.with_name("README.txt")
    assert "README.txt" in verification_from_certificate(certificate).looked_at
    with readme.open("ab") as file:
        file.truncate(4_000_000_000)  # of nothing: it takes no room on the disk
    (differs,) = verification_from_certificate(certificate).differs
    assert differs.startswith("README.txt (not the words")


@pytest.mark.parametrize("files", [b"", b"PAR1", b"\xff" * 100])
def test_damaged_tables_are_one_sentence_iv(files: bytes, certificate: Path) -> None:
    certificate.with_name("release.parquet").write_bytes(files)
    with pytest.raises(DataError, match=r"The files of certificate\.json could not be read") as error:
        verification_from_certificate(certificate)
    assert "\n" not in str(error.value)


def test_public_keys_as_text_and_as_file_iv(certificate: Path, ledger: Ledger) -> None:
    key = ledger.keys().public_key
    assert public_key_from_text_or_file(str(public_key_path_of(ledger.path))) == key
    assert public_key_from_text_or_file(f" {key.upper()}\n") == key
    for wrong in ("", "none", key[1:], "g" * 64, str(certificate), "\0", "\ud800"):
        with pytest.raises(ParameterError, match="public_key must be 64 hexadecimal digits"):
            public_key_from_text_or_file(wrong)
    with pytest.raises(ParameterError, match=r"As a file it could not be read: No such file or directory\.$"):
        public_key_from_text_or_file(str(certificate.with_name("gone.pub")))
    with pytest.raises(ParameterError):  # a page does not open what a visitor names
        public_key_from_text(str(public_key_path_of(ledger.path)))


# ------------------------------------------------------------------ any JSON

LEAVES = (
    some.none()
    | some.booleans()
    | some.floats()
    | some.text(max_size=4)
    | some.text(some.characters(categories=["Cs"]), min_size=1, max_size=2)
    | some.integers()
    | some.sampled_from([10**400, -(10**400), 2**63, 2**64, 0, -1, 1e308, 5e-324, -0.0, 1.5])
)
ANYTHING = some.recursive(
    LEAVES,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


def survives(certificate: Path, ledger: Ledger, text: str) -> bool:
    """Return whether a certificate passes; what it may do besides is to fail, or one sentence that prints."""
    certificate.write_text(text, "utf-8", errors="surrogatepass")
    try:
        found = verification_from_certificate(certificate, ledger=ledger)
    except DataError as error:
        complaint = str(error)
        complaint.encode("utf-8")
    else:
        complaint = ""
    assert "\n" not in complaint
    if complaint:
        return False
    assert all(isinstance(check.holds, bool) for check in found.checks)
    return found.holds


def test_no_edited_certificate_passes_whatever_is_put_in_it(certificate: Path, ledger: Ledger) -> None:
    sound, text = read(certificate), certificate.read_text("utf-8")

    @settings(
        max_examples=250,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(some.sampled_from(places(sound)), ANYTHING, some.booleans())
    def tried(path: tuple[Any, ...], to: Any, escaped: bool) -> None:
        edited = changed(sound, path, to)
        same = json.dumps(edited, sort_keys=True) == json.dumps(sound, sort_keys=True)
        assert same or not survives(certificate, ledger, json.dumps(edited, ensure_ascii=escaped))

    tried()
    assert survives(certificate, ledger, text)


@pytest.mark.parametrize(
    "ugly",
    [
        "1" + "0" * 400,
        "-1" + "0" * 5_000,
        "1e999",
        "NaN",
        "-Infinity",
        "[" * 900 + "]" * 900,
        "[" * 100_000,
        '{"a":' * 400 + "1" + "}" * 400,
        '"\\ud800"',
        '{"x": 1, "x": 2}',
        "[" + "1," * 20_000 + "1]",
    ],
    ids=lambda ugly: ugly[:12],
)
def test_ugly_json_in_any_place_is_a_refusal_iv(ugly: str, certificate: Path, ledger: Ledger) -> None:
    sound = read(certificate)
    for path in places(sound):
        text = json.dumps(changed(sound, path, "HERE")).replace('"HERE"', ugly)
        assert not survives(certificate, ledger, text), path


@pytest.mark.parametrize(
    "joined",
    [
        {"n_ids": 1, "n_zones": 2},
        {"n_ids": 9, "n_zones": 4},
        {"n_ids": 2, "n_zones": 0},
        {"n_ids": -2, "n_zones": -2},
        {"n_ids": 2},
        {"n_ids": 2, "n_zones": 1, "ids": []},
        {"n_ids": 2.0, "n_zones": 1},
        {},
        None,
        3,
    ],
)
def test_joined_places_are_told_as_they_can_be_or_the_certificate_is_refused_iv(
    joined: Any, certificate: Path, ledger: Ledger
) -> None:
    """There are three zones: of two places at most two zones hold one, of any more three."""
    signed_anew(certificate, ledger, lambda one: one["zones"].update(joined={"n_ids": 9, "n_zones": 3}))
    assert failures(certificate) == set()
    signed_anew(certificate, ledger, lambda one: one["zones"].update(joined=joined))
    with pytest.raises(DataError, match="is not a whole certificate"):
        verification_from_certificate(certificate)


def test_a_key_that_stands_twice_is_refused(certificate: Path, ledger: Ledger) -> None:
    text = certificate.read_text("utf-8")
    assert not survives(certificate, ledger, text.replace('"what"', '"what": "another", "what"', 1))
    assert survives(certificate, ledger, text)
    # Of two who read it one may take the first, one the last: it is refused whatever stands in either, even the same.
    for twice in ('{"what": "another", "what"', '{"weeks": ["2026-03-09"], "what"'):
        certificate.write_text(text.replace('{\n "what"', twice, 1), "utf-8")
        with pytest.raises(DataError, match="is not a certificate"):
            verification_from_certificate(certificate)
