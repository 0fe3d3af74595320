"""What the page Publish says and offers of budgets, approvals and files, against cases worked by hand; no page is opened."""

import contextlib
import json
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.layouts import FileForm
from privlab.datasets.zone_files import Geography
from privlab.lab.judging import MADE_UP, Refusal
from privlab.lab.publishing import ReleaseData
from privlab.od.releases import ReleasePlan, SecureReleaseParameters, release_plan_from_parameters
from privlab.releases.accounts import Account, Approval
from privlab.ui.data.own_file import LoadRequest, OwnFile
from privlab.ui.publish import (
    account_view,
    approval_view,
    budget_view,
    ledger_view,
    made_releases,
    outlook_view,
    publish_page,
)
from privlab.ui.publish.release_file_form import _confirmed, release_data_of_request

WEEKS = ("2026-03-02", "2026-03-09", "2026-03-16")


def release_of(epsilon: float, weeks: tuple[str, ...] = WEEKS, **chosen: Any) -> ReleasePlan:
    parameters = SecureReleaseParameters(epsilon=epsilon, max_trips_per_user=3, **{"threshold": 10, **chosen})
    return release_plan_from_parameters(
        parameters, weeks=list(weeks), zones_spec="column", public_zones=[1, 2, 3]
    )


def account_of(**said: Any) -> Account:
    """Return an account without a release whose budget is ε = 4 and δ = 10⁻⁴, but for what is said."""
    usual = {"name": "a", "epsilon": 0.0, "delta": 0.0, "budget_epsilon": 4.0, "budget_delta": 1e-4}
    return Account(**{**usual, "entries": (), "budget_changes": (), **said})


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What buttons would set, in the order in which they are shown."""
    found: list[dict[str, Any]] = []

    def setting_button(label: str, *, key: str, **settings: Any) -> None:
        found.append({"label": label, **settings})

    for module in (budget_view, approval_view):
        monkeypatch.setattr(module.parts, "setting_button", setting_button)
    return found


@pytest.mark.parametrize(
    ("budget", "spent", "said"),
    [(1e-4, 0.0, "10⁻⁴"), (3e-6, 1.04e-6, "1.9·10⁻⁶"), (1e-6, 1e-6, "0"), (1e-4, 1e-6, "9.9·10⁻⁵")],
)
def test_delta_that_is_left_is_never_said_to_be_more(budget: float, spent: float, said: str) -> None:
    assert budget_view.left_delta_words(account_of(budget_delta=budget, delta=spent)) == said


@pytest.mark.parametrize(
    ("spent", "enough"),
    [(0.0, 1e-4), (9.7e-5, 1e-4), (1.19e-4, 2e-4), (0.3, 0.4), (0.95, None)],
)
def test_a_budget_s_delta_that_is_offered_holds_what_is_spent_and_the_release(
    spent: float, enough: float | None
) -> None:
    """Three weeks of 10⁻⁶ come on top of what is spent."""
    release = release_of(1.0, noise="gaussian", clip="l2", delta=1e-6)
    assert release.delta == pytest.approx(3e-6, rel=0.01)
    found = budget_view._enough_delta(release, account_of(delta=spent))
    assert found == (None if enough is None else pytest.approx(enough))


@pytest.mark.parametrize(("left", "fits"), [(3.98, "1.3"), (4.0, "1.3"), (0.61, "0.2"), (0.299, "0.099")])
def test_an_epsilon_within_the_budget_is_of_each_week_and_rounded_down(
    left: float, fits: str, offered: list[dict[str, Any]]
) -> None:
    """Three weeks: a third of what is left for each, to two digits."""
    assert budget_view._within_budget(release_of(2.0), account_of(epsilon=10.0 - left, budget_epsilon=10.0))
    assert offered == [{"label": f"Use ε = {fits}", "epsilon": fits}]
    assert 3 * float(fits) <= left < 3 * (float(fits) + 10 ** -len(fits.partition(".")[2]))


def test_an_epsilon_that_one_may_release_alone_is_of_all_weeks_together(
    offered: list[dict[str, Any]],
) -> None:
    approval_view._within_limit(release_of(2.0), 3.98)
    assert [one["epsilon"] for one in offered] == ["1.3"]


def test_a_release_of_one_s_own_file_reads_it_just_as_it_was_loaded(tmp_path: Path) -> None:
    """Each field of what is read against what was loaded; no two of them are alike."""
    form = FileForm(mapping=ColumnMapping(user_id="who", timestamp="when", zone="where"), ids="text")
    request = LoadRequest(
        own=OwnFile(id="1", path=tmp_path / "own.csv", within=tmp_path), format="auto", mapping=ColumnMapping(),
        lookup=SimpleNamespace(path=tmp_path / "more.csv", on="a", key="b"),  # type: ignore[arg-type]
        timezone="Europe/Paris", cleaning=Cleaning(first_day=date(2026, 3, 3)), zones="grid:500:48,11,49,12",
        geography=Geography(zones=["10"]),
    )  # fmt: skip
    data = release_data_of_request(request, form)
    assert data == ReleaseData(
        path=tmp_path / "own.csv", within=tmp_path, form=form, zones="grid:500:48,11,49,12", geography=request.geography,
        lookup=request.lookup, timezone="Europe/Paris", cleaning=request.cleaning,
    )  # fmt: skip
    usual = {one.name: one.default for one in fields(ReleaseData)}
    assert [name for name, value in usual.items() if getattr(data, name) == value] == [
        "location"
    ]  # of a sample


def test_who_approves_reads_all_weeks_and_what_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"max_trips_per_user": 3, "threshold": 20, "cells": "discovered", "noise": "gaussian"}
    said = {"weeks": list(WEEKS), "parameters": chosen | {"total_share": 0.1, "levels": 1}}
    one = Approval(
        number=1, account="a", asked="", asked_by="anna", epsilon=6.0, delta=3e-6, what=json.dumps(said)
    )
    assert approval_view._what(one) == (
        "ε = 6, δ = 3·10⁻⁶, flows and a noisy total and sums of districts, weeks of 2026-03-02, 2026-03-09 and 2026-03-16, at most 3 trips "
        "of a user, threshold 20, only flows found in the data, noise gaussian."
    )
    # Gaussian noise has no largest loss, which ε and δ do not say.
    assert approval_view._promise_in_words(one) == ""
    integer = replace(one, epsilon=1.0, delta=0.0, what=json.dumps({"parameters": {}}))
    assert "at most 73.2% certain of anyone" in approval_view._promise_in_words(integer)


def test_a_refusal_of_one_release_is_none_of_another() -> None:
    """The reason that is asked for, and given, is of these weeks, these settings and this data."""
    marks = {
        outlook_view._mark(SimpleNamespace(prepared=SimpleNamespace(key=key)), release)  # type: ignore[arg-type]
        for key, release in (
            ("k", release_of(1.0)),
            ("k", release_of(1.0, WEEKS[:2])),
            ("k", release_of(1.5)),
            ("k", release_of(1.0, threshold=20)),
            ("other", release_of(1.0)),
        )
    }
    assert len(marks) == 5


def test_noise_after_a_total_is_said_of_the_week_in_which_it_is_widest() -> None:
    """A total of twice what was counted doubles the noise, one of 15,000 for 10,000 makes it half as much again."""
    parameters = {"epsilon": 1.0, "max_trips_per_user": 10, "noise": "gaussian", "clip": "l2", "delta": 1e-6}
    certificate = {
        "mechanism": {"scale": 9600.0, "total_units_per_trip": 4}, "zones": {"public": [1, 2]}, "utility": {"noise_half_width_95": 15},
        "totals": {week: {"trips": trips, "counted": 10_000} for week, trips in zip(WEEKS, (15_000, 20_000, 10_000), strict=True)},
        "parameters": {**parameters, "total_share": 0.1},
    }  # fmt: skip
    said = made_releases._noise_in_words(SimpleNamespace(certificate=certificate), "flow")  # type: ignore[arg-type]
    assert said.startswith("noise of ±30 in 95 of 100 flows where one counts with unbiased_count")
    assert "(±15 in release.csv," in said


@pytest.mark.parametrize("loaded", ["digest", "other", None])
def test_a_release_is_held_against_no_other_data_than_its_own(
    loaded: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a release before and after, and for a report on it, the data in use may have been changed since."""
    plan = None if loaded is None else SimpleNamespace(prepared=SimpleNamespace(source_digest=loaded))
    folds: list[str] = []

    def expander(label: str, **_: Any) -> SimpleNamespace:
        folds.append(label)
        return SimpleNamespace(open=False)

    monkeypatch.setattr(made_releases, "st", SimpleNamespace(session_state={"plan": plan}, expander=expander))
    monkeypatch.setattr(
        made_releases, "report_on_release_button", lambda folder, **_: folds.append(str(folder))
    )
    made: Any = SimpleNamespace(
        digest="digest", folder="report", entry=1, certificate={"parameters": {"product": "visits"}}
    )
    made_releases._series(made)
    made_releases._report_button(made)
    assert folds == (["Hour by hour, before and after", "report"] if loaded == "digest" else [])


def button_of(
    monkeypatch: pytest.MonkeyPatch,
    plan: ReleasePlan,
    *,
    key: str = "k",
    form: str | None = "form",
    entries: int = 1,
    account: str = "a",
    **held: Any,
) -> tuple[str, bool]:
    """Return the key of the button that makes a release, and whether it can be clicked; `held` is what stands in its way."""
    shown: dict[str, Any] = {}

    def button(label: str, *, key: str, disabled: bool, **_: Any) -> bool:
        shown.update(key=key, disabled=disabled)
        return False

    ways = {"agreed": True, "said": object(), "over": False, "seconded": True, "running": None} | held
    page = publish_page
    for module, name, value in (
        (page.access, "may_release", lambda: True),
        (page, "_further_release", lambda *_: ways["agreed"]),
        (page, "_words_control", lambda: ways["said"]),
        (page.budget_view, "over_budget", lambda *_: ways["over"]),
        (page.approval_view, "approved", lambda *_, can_ask: ways["seconded"]),
        (page.release_file_form, "still_to_say", lambda *_: None),
        (page, "running", lambda: ways["running"]),
        (page, "st", SimpleNamespace(container=contextlib.nullcontext, caption=lambda words: None, button=button)),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    prepared: Any = SimpleNamespace(key=key, source_digest="d")
    said = SimpleNamespace(name=account, entries=(None,) * entries)
    charged: Any = SimpleNamespace(account=said, is_settled=held.get("settled", True))
    data: Any = None if form is None else SimpleNamespace(form=form)
    accepted: Any = held.get("accepted", object())
    page.make_button(SimpleNamespace(prepared=prepared), data, plan, charged, None, accepted)  # type: ignore[arg-type]
    return shown["key"], not shown["disabled"]


@pytest.mark.parametrize(
    ("held", "can_be_made"),
    [
        ({}, True),
        ({"form": None}, False),
        ({"accepted": None}, False),
        ({"said": None}, False),
        ({"agreed": False}, False),
        ({"settled": False}, False),
        ({"over": True}, False),
        ({"seconded": False}, False),
        ({"running": object()}, False),
    ],
)
def test_each_thing_that_stands_in_the_way_shuts_the_button(
    held: dict[str, Any], can_be_made: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert button_of(monkeypatch, release_of(1.0), **held)[1] is can_be_made


def test_a_tick_or_click_is_of_one_release_of_one_state_of_the_data_and_its_account(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release, others = release_of(1.0), [{"key": "other"}, {"form": "other"}, {"entries": 2}, {"account": "b"}]
    keys = {button_of(monkeypatch, release)[0]}
    keys |= {button_of(monkeypatch, release, **one)[0] for one in others}
    keys |= {
        button_of(monkeypatch, one)[0]
        for one in (release_of(1.0, WEEKS[:2]), release_of(1.0, threshold=20), release_of(1.5))
    }
    assert len(keys) == 8
    assert button_of(monkeypatch, release)[0] in keys


def test_while_people_are_looked_for_in_the_ledger_nothing_is_charged_to_an_account(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The account that is proposed is not known yet: it may be that of releases of the same people."""
    monkeypatch.setattr(account_view, "_people", lambda *_: (None, False))
    monkeypatch.setattr(account_view, "_chosen", lambda *_: (SimpleNamespace(), account_of()))
    page: Any = SimpleNamespace(prepared=SimpleNamespace())
    assert not account_view._asked(page, None, None).is_settled  # type: ignore[arg-type]


def test_a_release_that_failed_is_said_to_have_cost_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[dict[str, Any]] = []
    for name in ("kept_release", "released_from_entry"):
        monkeypatch.setattr(ledger_view, name, lambda *_: None)
    monkeypatch.setattr(ledger_view, "_together", lambda *_, of_visits: None)
    monkeypatch.setattr(ledger_view.parts, "table", lambda said, key: rows.extend(said))
    states = ("confirmed", "unconfirmed", "failed")
    entries = tuple(
        SimpleNamespace(number=n, made=f"{WEEKS[0]}T08:00:00", epsilon=1.0, delta=0.0, state=state, who=None)
        for n, state in enumerate(states)
    )
    ledger_view._releases(account_of(entries=entries), None)  # type: ignore[arg-type]
    assert [row["handed over"] for row in rows] == [
        "confirmed",
        "not confirmed; the cost counts",
        "failed; the cost counts",
    ]


def test_approval_is_asked_for_just_this_release_in_the_account_that_pays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[dict[str, Any]] = []
    st = SimpleNamespace(warning=lambda words: None, button=lambda *_, **__: True, rerun=lambda: None)
    monkeypatch.setattr(approval_view, "st", st)
    monkeypatch.setattr(approval_view.access, "visitor", lambda: "anna")
    book: Any = SimpleNamespace(ask_approval=lambda digest, **said: asked.append({"digest": digest, **said}))
    release = release_of(2.0)
    account = account_of(name="cards", limit_epsilon=1.0)
    assert not approval_view.approved(release, account, book, "d", can_ask=True)
    (one,) = asked
    assert (one["digest"], one["account"], one["who"]) == ("d", "cards", "anna")
    assert (one["epsilon"], one["delta"]) == (6.0, 0.0)  # three weeks
    assert json.loads(one["what"])["weeks"] == list(WEEKS)


def test_a_release_is_attacked_with_its_own_epsilon_and_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[dict[str, str]] = []
    st = SimpleNamespace(
        button=lambda *_, **__: True, switch_page=lambda page, query_params: gone.append(query_params)
    )
    monkeypatch.setattr(outlook_view, "st", st)
    of_visits = {"noise": "gaussian", "clip": "l2", "delta": 1e-6, "product": "visits"}
    outlook_view.attack_button(release_of(2.5, **of_visits))
    assert gone == [{"show_groups": "defences", "mechanisms": "release:3", "defence_epsilons": "2.5"}]
    outlook_view.attack_button(release_of(2.5))
    assert len(gone) == 1  # flows are not what that game is on


@pytest.mark.parametrize("reason", [None, "a drill"])
def test_what_is_refused_so_far_is_not_called_fit_for_publication(
    reason: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ε = 1 is green by itself; most of what would be published is false, and nobody has said why that is right."""
    shown: list[str] = []
    page: Any = outlook_view
    st = SimpleNamespace(
        session_state={}, markdown=lambda words: None, caption=lambda words: None, badge=lambda words, **_: shown.append(words)
    )  # fmt: skip
    monkeypatch.setattr(page, "st", st)
    monkeypatch.setattr(page.parts, "true_data", lambda: None)
    monkeypatch.setattr(page, "_outlook_of", lambda *_: lambda release: object())
    refusal = Refusal(kind=MADE_UP, sentence="Most of it would be false.")
    monkeypatch.setattr(page, "refusals_of_release", lambda *_, **__: (refusal,))
    monkeypatch.setattr(page, "_offers", lambda *_: None)
    monkeypatch.setattr(page, "_answered", lambda *_: reason)
    plan: Any = SimpleNamespace(prepared=SimpleNamespace(key="k", n_users=100))
    accepted = page.outlook(plan, release_of(1 / 3), None)
    if reason is None:
        assert (accepted, shown) == (None, ["Refused so far: not for publication"])
    else:
        assert (accepted.made_up, shown) == (reason, ["For publication with care"])


def test_the_promise_of_a_release_goes_into_a_report_with_its_weeks_and_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    added: list[dict[str, Any]] = []
    monkeypatch.setattr(
        made_releases,
        "add_release_button",
        lambda entry, release, **said: added.append({"of": release, **said}),
    )
    chosen = {"epsilon": 1.5, "threshold": 20, "max_trips_per_user": 3, "cells": "discovered"}
    certificate = {"parameters": chosen, "weeks": list(WEEKS)}
    made_releases._add_promise(SimpleNamespace(entry=7, certificate=certificate))  # type: ignore[arg-type]
    (one,) = added
    assert (one["weeks"], one["cells"]) == (3, "discovered")
    assert (one["of"].epsilon, one["of"].threshold, one["of"].max_trips_per_user) == (1.5, 20, 3)


def test_how_a_file_is_written_is_confirmed_of_one_file_in_one_kind_of_zones() -> None:
    """Other zones may lie over a box that tells of the people in the data; another file may be written otherwise."""
    request: Any = SimpleNamespace(own=SimpleNamespace(id="1"), zones="grid:500:48,11,49,12")
    others = ({"zones": "grid:500:48,11,49,13"}, {"own": SimpleNamespace(id="2")}, {"zones": "column"})
    keys = {_confirmed(SimpleNamespace(**{**vars(request), **one})) for one in ({}, *others)}  # type: ignore[arg-type]
    assert len(keys) == 4
