"""The publish page: what stands in the way, what is promised, the button that makes a release, and the job behind it."""

import contextlib
import hashlib

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.zone_kinds import csv_of_joined_ids, joined_from_spec
from privlab.dp.promise import delta_words
from privlab.figures.wording import noise_name, plain
from privlab.lab.judging import Accepted, ReleaseRefused, refused_in_words
from privlab.lab.publishing import PublisherWords, ReleaseData
from privlab.limits import MAX_REASON
from privlab.od.releases import ReleasePlan, require_zones_apart
from privlab.od.settled import reason_against_promise
from privlab.releases.accounts import AccountWish
from privlab.releases.ledger import Ledger
from privlab.safe_text import readable_csv
from privlab.ui import shared_controls
from privlab.ui.data.own_file import geography_of, loaded_request
from privlab.ui.publish import approval_view, budget_view, outlook_view, release_controls, release_file_form
from privlab.ui.publish.account_view import Charged
from privlab.ui.publish.release_job import being_made, running, start
from privlab.ui.sessions import access
from privlab.ui.sessions.downloads import download
from privlab.ui.shell import parts
from privlab.ui.shell.command_line import command_from_release
from privlab.ui.state import OWN, Plan
from privlab.ui.work.jobs import follow

_NO_BOUND = "Without a bound a release promises nothing to a person, and is not made. Set “{} per user, at most” in the settings, or take a plan."
_SAID_HELP = "Stands in the certificate and in README.txt, for receivers. Say no figure that was worked out from the data: none has noise here."
_LAID_BY_DATA = "The zones are a grid laid around the middle of the data, so that they tell of the people in it: no release is made on them."


def hindrance(plan: Plan) -> str | None:
    """Return why nothing can be released of this data or plan, whatever the weeks; None if it can be."""
    no_bound = None
    if plan.release.max_trips_per_user is None:
        no_bound = _NO_BOUND.format(shared_controls.counted_on("publish").capitalize())
    return _whatever_the_plan(plan) or no_bound


def _whatever_the_plan(plan: Plan) -> str | None:
    prepared = plan.prepared
    reason = reason_against_promise(has_users=prepared.has_users, users_apart=prepared.users_apart)
    if reason is not None:
        return reason
    try:
        require_zones_apart(prepared.zones_spec)
    except ParameterError:  # in words for the command line
        what_to_do = (
            "Name a box for them on the page Data."
            if plan.data == OWN
            else "The sample is there to be looked at."
        )
        return f"{_LAID_BY_DATA} {what_to_do}"
    return None


def other_data_label(plan: Plan) -> str:
    """Return the words of the button that leads on from data of which nothing can be released."""
    return (
        "Load other data, or choose other zones"
        if plan.prepared.has_users
        else "Load data that says whose trips these are"
    )


def wants_a_bound(plan: Plan) -> bool:
    """Return whether nothing but a bound on trips per user is missing."""
    return _whatever_the_plan(plan) is None and plan.release.max_trips_per_user is None


def promise(plan: Plan, release: ReleasePlan) -> None:
    """Show the sentence that may be published with the release, and what is different from the simulation."""
    parts.statement(release.guarantee.statement, name="promise")
    outlook_view.asked_of_ids(plan)
    of = release.product.counted
    cells = (
        f"{release.product.cell}s found in the data"
        if release.n_cells is None
        else f"{release.n_cells:,} {release.product.cell}s a week"
    )
    group = "" if plan.group_size is None else " It counts everyone, not the group chosen in the settings."
    st.caption(
        f"{noise_name(release.parameters.noise).capitalize()} noise without a seed on {cells}, published as whole numbers; noisy counts "
        f"below {release.parameters.threshold:,} are left out. It costs ε = {release.epsilon:g}"
        f"{f' and δ = {delta_words(release.delta)}' if release.delta else ''}, all weeks together.{group} "
        + (
            when_it_counts(plan.prepared.kind)
            if of == "trips"
            else "A person in a zone within an hour is one visit; the limit in the settings is on a person's visits in the week."
        )
    )


def ids_in_zones(plan: Plan) -> None:
    """Offer, where the file's own ids are joined to larger zones, the list of which lies in which: receivers know the ids."""
    joined = joined_from_spec(plan.prepared.zones_spec, geography_of(plan))
    if joined is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        download(
            "Which id lies in which zone (CSV)",
            data=lambda: readable_csv(csv_of_joined_ids(joined).encode()),
            file_name="ids_in_zones.csv",
            mime="text/csv",
            key="ids_in_zones",
            meaning="Each id of your zone file (a station, an antenna) with the zone that it is counted in; empty where it lies in none.",
        )
        st.caption(
            "For receivers who know places by your ids. It follows from your zone file and the box alone, whoever is counted, and is not part of "
            "the release: hand it on where the places themselves may be known."
        )


def when_it_counts(kind: str) -> str:
    """Return in which week a trip counts that begins in one and ends in the next, in a sentence; `kind` is that of the data.

    >>> when_it_counts("trips")
    'A trip counts in the week in which it ends, and only if that is in another zone.'
    """
    if kind == "records":
        return "A move from Sunday's last hour to Monday's first lies in two weeks and is counted in neither."
    return "A trip counts in the week in which it ends, and only if that is in another zone."


def make_button(
    plan: Plan,
    data: ReleaseData | None,
    release: ReleasePlan,
    charged: Charged,
    book: Ledger,
    accepted: Accepted | None,
) -> None:
    """Show the button that makes the release; a second one asks first. Without `accepted` it is refused so far.

    Both belong to just this data and promise: a tick, or a click on a page that is out of date, counts for
    no other. Who may only look gets a sentence in its place.
    """
    if not access.may_release():
        st.warning(
            "You may look here, and not release: whoever runs this lab has named who may. Ask one of them; a report can "
            "hold the plan and what it promises."
        )
        parts.way_on("report", "Put a report together for them")
        return
    account = charged.account
    form = None if data is None else data.form
    what = repr(
        (
            *(plan.prepared.key, form, release.parameters, release.weeks, release.levels),
            *(account.name, len(account.entries)),
        )
    )
    mark = hashlib.sha256(what.encode()).hexdigest()[:12]
    agreed = _further_release(release, charged, mark)
    said = _words_control()
    over = budget_view.over_budget(plan, release, account, book)
    with st.container():  # there in each run, so that the button keeps its place
        seconded = approval_view.approved(
            release, account, book, plan.prepared.source_digest, can_ask=data is not None
        )
        if data is None:
            release_file_form.still_to_say(plan)
        if not agreed and not over:
            st.caption(
                "It cannot be made yet: tick above that the promises add up, or keep the release that was made."
            )
    if (
        st.button(
            "Make the release",
            type="primary",
            key=f"make_release_{mark}",
            icon=":material/publish:",
            disabled=data is None
            or accepted is None
            or said is None
            or not agreed
            or not charged.is_settled
            or over
            or not seconded
            or running() is not None
            or being_made(plan.prepared.source_digest) is not None,
            help="Writes the cost into the ledger, then draws the noise. It cannot be taken back.",
        )
        and data is not None
        and accepted is not None
        and said is not None
    ):
        outlook_view.mark_started(plan, release)
        start(plan.prepared, data, release, book, accepted, said, charged.wish, n_seen=len(account.entries))
        st.rerun()


def _words_control() -> PublisherWords | None:
    """Ask what a receiver would have to ask: who publishes, and what was counted of; None where that cannot stand in a certificate."""
    left, right = st.columns(2)
    who = left.text_input(
        "Who publishes it, and where to ask (optional)", key="publisher", persist_state="session", max_chars=MAX_REASON,
        placeholder="City of Sample, data@sample.example", help=_SAID_HELP,
    )  # fmt: skip
    of_what = right.text_input(
        "What was counted of (optional)", key="source", persist_state="session", max_chars=MAX_REASON,
        placeholder="Transit cards, about 40% of passengers", help=_SAID_HELP,
    )  # fmt: skip
    try:
        return words_of_publisher(who, of_what)
    except ParameterError as error:
        st.error(plain(str(error)))
        return None


def words_of_publisher(publisher: str | None, source: str | None) -> PublisherWords:
    """Return what was typed; blank is nothing said. Raises ParameterError."""
    return PublisherWords(publisher=(publisher or "").strip() or None, source=(source or "").strip() or None)


def _further_release(release: ReleasePlan, charged: Charged, mark: str) -> bool:
    """Say, where there are releases already, what they and one more add up to; return whether that is agreed to."""
    account = charged.account
    if not account.entries:
        return True
    total = account.epsilon + release.epsilon
    before = (
        "This data has been released before."
        if charged.is_alone
        else f"There are releases of {charged.whose} already."
    )
    st.warning(
        f"{plain(before)} One more, and what its people are promised is ε = {total:g}, not "
        f"{release.epsilon:g}: whoever reads all releases knows more than from any one of them."
    )
    return st.checkbox(
        f"I know that the promises add up to ε = {total:g}",
        key=f"agree_{mark}",
        help="Without this tick no further release of the same people is made.",
    )


def watch(digest: str) -> None:
    """Show the progress of a release, and what became of it. There is no cancel: its cost is written down.

    Of the data with this `digest` also that of a release begun by another session, as that of a page which was loaded anew since.
    """
    job = running()
    if job is None:
        if (other := being_made(digest)) is not None:
            st.info(
                "A release of this data is being made, begun before this page was opened. It will stand below, and in the ledger."
            )
            follow(other)
        return
    if not job.done:
        follow(job)
        return
    st.session_state.pop("release_job")
    if job.error is None:
        st.session_state["released"].append(job.result())
        st.rerun()  # the strip above was drawn before
    elif isinstance(job.error, ReleaseRefused):
        outlook_view.mark_refused(job.error.refusals)
        st.error(plain(refused_in_words(job.error.refusals)))
    elif isinstance(job.error, DataError | ParameterError):
        st.error(plain(f"The release was not handed over: {job.error}"))
        if isinstance(job.error, DataError):
            parts.way_on("data", "Look at the data, and load it again")
    else:
        raise job.error


def _said_so_far(accepted: Accepted | None, wish: AccountWish) -> dict[str, str | None]:
    """Return what was typed for receivers, why what is refused is right, and the account, by the options that say so on the command line.

    What cannot stand in a certificate is refused above.
    """
    said: dict[str, str | None] = {}
    with contextlib.suppress(ParameterError):
        said |= words_of_publisher(
            *(st.session_state.get(key) for key in ("publisher", "source"))
        ).as_record()
    reasons = {} if accepted is None else {"accept-delta": accepted.delta, "accept-made-up": accepted.made_up}
    said |= {name: words for name, words in {**reasons, "account": wish.title}.items() if words}
    return said | ({"new-account": None} if wish.is_new else {})


def on_the_command_line(
    plan: Plan, release: ReleasePlan | None, accepted: Accepted | None, wish: AccountWish
) -> None:
    """Show the commands that do the same without a browser; of a release without a week, the week is still to be named in them."""
    command = command_from_release(
        plan,
        release or release_controls.release_with_week_to_name(plan),
        loaded_request(),
        names_weeks=release is not None,
        said=_said_so_far(accepted, wish),
    )
    with st.expander("The same on the command line"):
        st.code(
            f"{command}\n"
            "python -m privlab ledger public-key\n"
            "python -m privlab verify release/certificate.json --public-key KEY\n"
            "python -m privlab ledger show",
            language=None,
            wrap_lines=True,
        )
