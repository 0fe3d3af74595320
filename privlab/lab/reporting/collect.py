"""The plan of a report → the report: every part made anew from the data it is about, and its files.

The page Report and the command `report` come through here.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from privlab.aggregates import Traces
from privlab.aggregates.findings import GameResult
from privlab.aggregates.game_rules import GameParameters
from privlab.checks import DataError
from privlab.datasets.engines import Workspace
from privlab.datasets.layouts import FileForm
from privlab.datasets.zones import ZoneMap
from privlab.fingerprints import DEFAULT_LEVELS, Fingerprints
from privlab.fingerprints.measures import LevelStudy, StudyParameters
from privlab.kept import Runs
from privlab.lab.attacking.play import play_game, runs_of_data
from privlab.lab.attacking.recover import placed_traces_from_rows
from privlab.lab.attacking.rehearse import pipeline_audit_from_release_data
from privlab.lab.comparing.compare import combinations_from_week, weighed_week_from_trips
from privlab.lab.fingerprints.study import kgap_studies_from_fingerprints, kgap_study_from_fingerprints
from privlab.lab.loading.load import (
    Rows,
    fingerprints_from_rows,
    prepared_trips_from_rows,
    sample_rows,
    traces_from_rows,
)
from privlab.lab.publishing.publish import form_with_ids
from privlab.lab.publishing.release_data import ReleaseData, release_data_of_sample, trips_of_release
from privlab.lab.reporting.report_summary import summary_from_parts
from privlab.od.auditing import PipelineAudit, PipelineAuditParameters
from privlab.od.combining import Combination, CombinationRequest
from privlab.od.releases import ReleasePlan
from privlab.od.settled import SettledCells
from privlab.od.trips import PreparedTrips
from privlab.progress import UNHEARD, Progress
from privlab.releases.reading import ReleasedCounts, released_counts_from_folder
from privlab.reports import DataReference, ReleaseReference, ReportPlan, together_from_report_plan
from privlab.reports.documents import (
    Judgement,
    ReportPart,
    drawn_figures,
    handout_html,
    markdown_from_parts,
    pdf_from_html,
    word_from_parts,
)
from privlab.reports.exhibits import (
    EXHIBITS,
    html_from_report_parts,
    mixed_plans,
    no_release_at_hand,
    parts_from_report_plan,
    pictures_from_parts,
    reason_against_plan,
)

# What columns of data could not mean in versions before, as a key says that they do not; the newest first.
_MEANT_SINCE = (
    ", step_m=None",
    ", crs=None",
    ", origin_x=None, origin_y=None, destination_x=None, destination_y=None",
)


def handout(*, pdf: bool) -> bytes:
    """Return the handout of the tour as HTML, or printed on A4. Raises DataError for a PDF without a browser."""
    html = handout_html()
    return pdf_from_html(html) if pdf else html.encode()


def digest_of_key(key: str) -> str:
    """Return the digest by which a report tells data apart, of the `key` of its trips: rows, zones, columns and cleaning make it."""
    return hashlib.blake2b(key.encode(), digest_size=16).hexdigest()


def digests_of_before(key: str) -> tuple[str, ...]:
    """Return the digests that earlier versions gave the same data, whose columns could not mean all that they may mean today."""
    found = []
    for words in _MEANT_SINCE:
        if words not in key:  # the data has it: no version before could read that
            break
        key = key.replace(words, "", 1)
        found.append(digest_of_key(key))
    return tuple(found)


def reference_from_prepared_trips(prepared: PreparedTrips, *, sample: bool) -> DataReference:
    """Return which data this is."""
    return DataReference(
        name=prepared.name, sample=sample, digest=digest_of_key(prepared.key), zones=prepared.zones_spec
    )


def prepared_trips_of_rows(rows: Rows) -> PreparedTrips:
    """Read rows in a workspace of their own; return their unique trips, or the counts of data that names nobody."""
    with Workspace() as workspace:
        return prepared_trips_from_rows(*rows(workspace))


ToRelease = Callable[[FileForm], ReleaseData]
"""How a release would read a file that is written in a form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownStudies:
    """Studies of k-gaps that were worked out before, by the digest of their data and their parameters.

    Those of `levels` are of all default levels, by parameters with the first of them.
    """

    of_level: Mapping[tuple[str, StudyParameters], LevelStudy] = field(default_factory=dict)
    of_levels: Mapping[tuple[str, StudyParameters], tuple[LevelStudy, ...]] = field(default_factory=dict)


class RowsMaterial:
    """Trips, fingerprints and traces of rows that can be read again, each worked out once, when asked for.

    `runs` keeps the games that are played for it; `known` are k-gaps worked out before. `to_release` says how a release would
    read the file, whose form it is handed; None where that is not known.
    """

    def __init__(
        self,
        rows: Rows,
        *,
        sample: bool,
        runs: Runs,
        progress: Progress = UNHEARD,
        prepared: PreparedTrips | None = None,
        to_release: ToRelease | None = None,
        known: KnownStudies | None = None,
    ) -> None:
        self._to_release, self._known = to_release, known or KnownStudies()
        self._of_level: dict[StudyParameters, LevelStudy] = {}
        self._of_levels: dict[StudyParameters, tuple[LevelStudy, ...]] = {}
        self._rows, self._sample, self._progress, self._prepared = rows, sample, progress, prepared
        self._runs = runs
        self._fingerprints: Fingerprints | None = None
        self._traces: Traces | None = None
        self._placed: tuple[Traces, ZoneMap] | None = None
        self._counted: dict[tuple[tuple[str, ...], str, tuple[Any, ...] | None], SettledCells] = {}

    def reference(self) -> DataReference:
        """Return which data this is."""
        return reference_from_prepared_trips(self.trips(), sample=self._sample)

    def trips(self) -> PreparedTrips:
        """Return the unique trips, or the counts of data that names nobody."""
        if self._prepared is None:
            self._prepared = prepared_trips_of_rows(self._rows)
        return self._prepared

    def fingerprints(self) -> Fingerprints:
        """Return the fingerprints of every user. Raises DataError for data without coordinates."""
        if self._fingerprints is None:
            with Workspace() as workspace:
                self._fingerprints = fingerprints_from_rows(*self._rows(workspace), self._progress)
        return self._fingerprints

    def kgap_study(self, parameters: StudyParameters) -> LevelStudy:
        """Return the k-gaps at one level and what they are made of: those known, or worked out once."""
        if parameters not in self._of_level:
            known = self._known.of_level.get((self.reference().digest, parameters))
            self._of_level[parameters] = known or kgap_study_from_fingerprints(
                self.fingerprints(), parameters, progress=self._progress
            )
        return self._of_level[parameters]

    def kgap_studies(self, parameters: StudyParameters) -> tuple[LevelStudy, ...]:
        """Return the k-gaps at every default level: those known, or worked out once."""
        asked = replace(parameters, level=DEFAULT_LEVELS[0])
        if asked not in self._of_levels:
            known = self._known.of_levels.get((self.reference().digest, asked))
            self._of_levels[asked] = known or kgap_studies_from_fingerprints(
                self.fingerprints(), asked, progress=self._progress
            )
        return self._of_levels[asked]

    def traces(self) -> Traces:
        """Return the traces of every user."""
        if self._traces is None:
            with Workspace() as workspace:
                self._traces = traces_from_rows(*self._rows(workspace), self._progress)
        return self._traces

    def placed_traces(self) -> tuple[Traces, ZoneMap]:
        """Return the traces of every user, and where their zones lie."""
        if self._placed is None:
            with Workspace() as workspace:
                self._placed = placed_traces_from_rows(*self._rows(workspace), self._progress)
        return self._placed

    def counted_trips(self, plan: ReleasePlan) -> SettledCells:
        """Return what a release of this plan counts, by person; worked out once. Raises DataError where the file is not at hand."""
        what = (plan.weeks, plan.product.name, plan.zones)
        if what not in self._counted:
            data = self._as_released(plan.zones)
            self._counted[what] = trips_of_release(
                data, plan, self.trips().source_digest, progress=self._progress
            )
        return self._counted[what]

    def pipeline_audit(
        self, parameters: PipelineAuditParameters, week: str, levels: Sequence[str] = ()
    ) -> PipelineAudit:
        """Return the audit of the whole way from the file. Raises DataError where it cannot be read as by a release."""
        return pipeline_audit_from_release_data(
            self._as_released(None),
            parameters,
            week=week,
            levels=levels,
            digest=self.trips().source_digest,
            progress=self._progress,
        )

    def _as_released(self, zones: tuple[Any, ...] | None) -> ReleaseData:
        """Return how a release reads the file; ids are of the kind that its public `zones` have, where they are known."""
        form = self.trips().form
        if self._to_release is None or form is None:
            raise DataError(
                "The file of this data is not at hand, and cannot be read as by a release. Load it again on the page Data."
            )
        # Zones that are laid over ids are numbered by the lab, and say nothing of them.
        if zones and self.trips().zones_spec == "column":
            form = form_with_ids(form, "text" if isinstance(zones[0], str) else "number")
        return self._to_release(form)

    def best_releases(
        self, request: CombinationRequest, *, week: str, group_size: int | None, min_utility: float | None
    ) -> tuple[Combination, ...]:
        """Return the releases that keep a promise in a week, step by step. Raises DataError where none can be planned."""
        prepared = self.trips()
        weighed = weighed_week_from_trips(
            prepared.trips, prepared.zone_map, prepared.public_zones, week=week, group_size=group_size
        )
        return combinations_from_week(weighed, request, min_utility=min_utility)

    def play_game(self, game: GameParameters) -> GameResult:
        """Play a game on the traces, or take up what was played of it."""
        return play_game(self.traces(), game, runs=self._runs).result


def require_same_data(wanted: DataReference, found: DataReference, before: Collection[str] = ()) -> None:
    """Raise DataError unless this is the data that a report plan is about, by its digest or one of `before`."""
    if wanted.digest not in (found.digest, *before):
        raise DataError(
            f"The data is not that of the report plan ({wanted.name}, zones {wanted.zones}, hash "
            f"{wanted.digest[:12]}); its hash is {found.digest[:12]}. Are file, zones, columns and cleaning the same?"
        )


class Materials:
    """The data of a report's parts, each found and worked out once.

    Samples are read as they were shipped. `own_rows(reference)` returns how the rows of any other data are
    read, or raises DataError; `own_prepared` are its trips where they are at hand, and `own_runs` keeps its games.
    `releases(reference)` returns the folder of a release, None if it is not at hand; `own_to_release` says how a release would read
    any other data than samples; `known` are k-gaps that need not be worked out again.
    """

    def __init__(
        self,
        own_rows: Callable[[DataReference], Rows],
        *,
        own_runs: Runs | None = None,
        own_prepared: PreparedTrips | None = None,
        own_to_release: ToRelease | None = None,
        releases: Callable[[ReleaseReference], Path | None] = lambda reference: None,
        known: KnownStudies | None = None,
        progress: Progress = UNHEARD,
    ) -> None:
        self._known = known
        self._own_rows, self._own_runs, self._own_prepared = own_rows, own_runs, own_prepared
        self._progress, self._own_to_release = progress, own_to_release
        self._releases = releases
        self._found: dict[str, RowsMaterial] = {}
        self._read: dict[str, ReleasedCounts] = {}

    def release(self, reference: ReleaseReference) -> ReleasedCounts:
        """Return the release that a part is about. Raises DataError if its files are not at hand."""
        if reference.certificate not in self._read:
            folder = self._releases(reference)
            if folder is None:
                no_release_at_hand(reference)
            found = released_counts_from_folder(folder)
            if found.digest != reference.certificate:
                raise DataError(
                    f"The release in {folder.name} is not that of the report plan, made {reference.made}: its certificate "
                    "is another."
                )
            self._read[reference.certificate] = found
        return self._read[reference.certificate]

    def __call__(self, reference: DataReference) -> RowsMaterial:
        """Return the data that a part is about. Raises DataError if it is not at hand, or is other data."""
        if reference.digest not in self._found:
            found = self._sample(reference) if reference.sample else self._own(reference)
            require_same_data(reference, found.reference(), digests_of_before(found.trips().key))
            self._found[reference.digest] = found
        return self._found[reference.digest]

    def _sample(self, reference: DataReference) -> RowsMaterial:
        return RowsMaterial(
            lambda workspace: sample_rows(reference.name, workspace),
            sample=True,
            runs=runs_of_data(),
            progress=self._progress,
            to_release=lambda form: release_data_of_sample(reference.name, form),
            known=self._known,
        )

    def _own(self, reference: DataReference) -> RowsMaterial:
        return RowsMaterial(
            self._own_rows(reference),
            sample=False,
            runs=self._own_runs or runs_of_data(),
            progress=self._progress,
            prepared=self._own_prepared,
            to_release=self._own_to_release,
            known=self._known,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CollectedReport:
    """A finished report: its plan, its summary and parts as they are printed, and the document."""

    plan: ReportPlan
    parts: Sequence[ReportPart]
    summary: Sequence[Judgement]
    html: str

    def printed(self) -> bytes:
        """Return it printed on A4. Raises DataError without a browser."""
        return pdf_from_html(html_from_report_parts(self.plan, self.parts, self.summary, paper=True))

    def figures(self, progress: Progress = UNHEARD) -> dict[int, bytes]:
        """Return every figure as PNG by the place of its part; none without a browser."""
        return drawn_figures(self.parts, progress)

    def markdown(self, figures: dict[int, bytes]) -> bytes:
        """Return a ZIP archive with the report as Markdown and its pictures."""
        return markdown_from_parts(
            self.plan, self.parts, self.summary, figures, warning=mixed_plans(self.plan, EXHIBITS)
        )

    def word(self, figures: dict[int, bytes]) -> bytes:
        """Return the report as a Word document."""
        return word_from_parts(
            self.plan, self.parts, self.summary, figures, warning=mixed_plans(self.plan, EXHIBITS)
        )

    def pictures(self, progress: Progress = UNHEARD) -> bytes:
        """Return a ZIP archive with a picture of every figure. Raises DataError without a browser."""
        return pictures_from_parts(self.parts, kind=self.plan.kind, progress=progress)


def collected_report_from_plan(
    plan: ReportPlan,
    material: Callable[[DataReference], RowsMaterial],
    progress: Progress = UNHEARD,
    releases: Callable[[ReleaseReference], ReleasedCounts] = no_release_at_hand,
) -> CollectedReport:
    """Return the report that a plan asks for, every part made anew from its data; games and k-gaps known of it are taken up.

    Raises ParameterError or DataError, one sentence, for a plan that cannot be followed.
    """
    parts = parts_from_report_plan(plan, EXHIBITS, material, progress, releases)
    progress.tell(0.98, "Putting the report together")
    summary = (
        summary_from_parts(parts, together_from_report_plan(plan), kind=plan.kind) if plan.summary else ()
    )
    return CollectedReport(
        plan=plan, parts=parts, summary=summary, html=html_from_report_parts(plan, parts, summary)
    )


def reason_against_report(plan: ReportPlan) -> str | None:
    """Return why no report can be made of a plan, whatever the data; None if one can."""
    if any(item.exhibit not in EXHIBITS for item in plan.items):
        return "Take out the parts that this lab does not know."
    return reason_against_plan(plan, EXHIBITS)
