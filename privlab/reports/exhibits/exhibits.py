"""What can stand in a report: every exhibit by name, what it needs, and whether it shows true data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, Protocol

from privlab import __version__
from privlab.aggregates import Traces
from privlab.aggregates.findings import GameResult
from privlab.aggregates.game_rules import GameParameters
from privlab.checks import DataError, require_choice
from privlab.datasets.zones import ZoneMap
from privlab.defaults import USUAL_DELTA
from privlab.figures.drawing import Figure
from privlab.figures.wording import options_in_words, period
from privlab.figures.wording import words as of_words
from privlab.fingerprints import Fingerprints
from privlab.fingerprints.measures import LevelStudy, StudyParameters
from privlab.od.auditing import PipelineAudit, PipelineAuditParameters
from privlab.od.combining import Combination, CombinationRequest
from privlab.od.releases import ReleasePlan
from privlab.od.settled import SettledCells
from privlab.od.trips import PreparedTrips
from privlab.progress import Progress
from privlab.releases.reading import ReleasedCounts
from privlab.reports.documents.document import ReportPart
from privlab.reports.external_rule import reason_against_part, reason_against_parts
from privlab.reports.report_plan import (
    DataReference,
    ReleaseReference,
    ReportItem,
    ReportPlan,
    View,
    without_others,
)


class Material(Protocol):
    """The data that exhibits are made from; worked out only where an exhibit asks."""

    def reference(self) -> DataReference:
        """Return which data this is."""
        ...

    def trips(self) -> PreparedTrips:
        """Return the unique trips, or the counts of data that names nobody."""
        ...

    def fingerprints(self) -> Fingerprints:
        """Return the fingerprints of every user."""
        ...

    def kgap_study(self, parameters: StudyParameters) -> LevelStudy:
        """Return the k-gaps at one level and what they are made of, or take up what was worked out of them."""
        ...

    def kgap_studies(self, parameters: StudyParameters) -> tuple[LevelStudy, ...]:
        """Return the k-gaps at every default level, or take up what was worked out of them; the level of the parameters is none of theirs."""
        ...

    def traces(self) -> Traces:
        """Return the traces of every user."""
        ...

    def placed_traces(self) -> tuple[Traces, ZoneMap]:
        """Return the traces of every user, and where their zones lie."""
        ...

    def counted_trips(self, plan: ReleasePlan) -> SettledCells:
        """Return what a release of this plan counts, read as the release reads it."""
        ...

    def pipeline_audit(
        self, parameters: PipelineAuditParameters, week: str, levels: Sequence[str] = ()
    ) -> PipelineAudit:
        """Return the audit of the whole way from this data's file to a release of a week."""
        ...

    def best_releases(
        self, request: CombinationRequest, *, week: str, group_size: int | None, min_utility: float | None
    ) -> tuple[Combination, ...]:
        """Return the releases that keep a promise in a week, step by step, each at its best; empty where nothing does."""
        ...

    def play_game(self, game: GameParameters) -> GameResult:
        """Play a game on the traces of every user, or take up what was played of it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Content:
    """What an exhibit shows: one sentence, perhaps a figure, perhaps a table with the same keys in each row.

    `facts` is the result that it was said of, for whoever judges the report as a whole. `drawn` says in one sentence what the figure shows,
    for whoever does not see it, where the sentence does not.
    """

    sentence: str
    figure: Figure | None = None
    rows: Sequence[dict[str, Any]] = field(default=())
    facts: Any = None
    drawn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseMaterial:
    """What an exhibit of a release is made from: its files, and the data it was made of where the exhibit shows any."""

    released: ReleasedCounts
    data: Material | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """One thing that a page shows and a report can hold.

    `make(material, view)` works it out; material is None where no data enters. `discloses` says whether
    true data can be read from it; an external report holds no such exhibit. `needs_data` is False where
    parameters alone decide. One that is `of_release` gets a ReleaseMaterial; one that `says_its_plan` has its
    parameters in what it shows, and no line of them above it.
    """

    name: str
    title: str
    page: str
    discloses: bool
    make: Callable[[Any, View], Content]
    of_release: bool = False
    says_its_plan: bool = False

    @property
    def needs_data(self) -> bool:
        """Whether anything of the data enters."""
        return self.discloses


def registry(*groups: Sequence[Exhibit]) -> Mapping[str, Exhibit]:
    """Return exhibits by name, in order."""
    return {exhibit.name: exhibit for group in groups for exhibit in group}


def no_release_at_hand(reference: ReleaseReference) -> NoReturn:
    """Raise DataError: the files of the release are nowhere to be found."""
    raise DataError(
        f"The files of the release of {reference.made} ({reference.in_words}) are not at hand. Name their folder "
        "with --on-release, or make the report where its ledger lies."
    )


def parts_from_report_plan(
    plan: ReportPlan,
    exhibits: Mapping[str, Exhibit],
    material: Callable[[DataReference], Material],
    progress: Progress,
    releases: Callable[[ReleaseReference], ReleasedCounts] = no_release_at_hand,
) -> list[ReportPart]:
    """Return every part of a report, worked out anew.

    `material` and `releases` find the data and the releases that parts are about.

    Raises ParameterError for an unknown exhibit, and DataError for one that shows true data in an
    external report.
    """
    reason = reason_against_plan(plan, exhibits)
    if reason is not None:
        raise DataError(reason)
    # With more than one dataset each part that shows any says in its heading which; an external report holds no such part.
    several = len({_data_shown(item, exhibits) for item in plan.items} - {""}) > 1
    parts = []
    for number, item in enumerate(plan.items):
        exhibit = exhibits[require_choice("exhibit", item.exhibit, tuple(exhibits))]
        progress.tell(number / len(plan.items), f"{exhibit.title} ({number + 1} of {len(plan.items)})")
        said = item if plan.kind == "internal" else without_others(item)
        part = _part(said, exhibit, material, releases)
        name = _data_shown(item, exhibits) if several else ""
        parts.append(replace(part, title=f"{part.title}: {name}") if name else part)
    return parts


def _data_shown(item: ReportItem, exhibits: Mapping[str, Exhibit]) -> str:
    """Return the name of the data that a part shows; empty where it shows none."""
    exhibit = exhibits.get(item.exhibit)
    return item.data.name if item.data is not None and exhibit is not None and exhibit.needs_data else ""


_PAGES_OF_RELEASES = ("attack", "release", "guarantee")  # what they show follows the plan's release
_OF_ONE_WEEK = ("release_maps", "release_series")  # of a release of several weeks they draw the first
_PAGES_OF_PEOPLE = (
    "groups",
    "recovery",
    "anonymizability",
)  # of these neither release, week nor group enters


def mixed_plans(plan: ReportPlan, exhibits: Mapping[str, Exhibit]) -> str:
    """Return a sentence that says which parts of a report differ in their plans and how; empty if none does.

    Only what a part depends on is compared: the release where it is about one, the data, week, group and seed
    where any data enters.
    """
    aspects: dict[str, dict[str, list[int]]] = {}
    for number, item in enumerate(plan.items, start=1):
        exhibit = exhibits.get(item.exhibit)
        for aspect, words in _plan_of(item, exhibit).items() if exhibit else ():
            aspects.setdefault(aspect, {}).setdefault(words, []).append(number)
    told = [
        _sentence("; ".join(f"{_parts(numbers)}: {words}" for words, numbers in said.items()))
        for said in aspects.values()
        if len(said) > 1
    ]
    return f"Mixed plans: not all parts are about the same. {'. '.join(told)}." if told else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plan_of(item: ReportItem, exhibit: Exhibit) -> dict[str, str]:
    view, about = item.view, {}
    if exhibit.page in _PAGES_OF_RELEASES:
        about["release"] = view.release_in_words
        if view.option("cells") is not None:
            (about["cells"],) = options_in_words({"cells": view.option("cells")})
        if exhibit.needs_data:
            about["week"] = period(view.week) if view.week else "the busiest week"
            about["group"] = (
                "everyone" if view.group_size is None else f"a group of {view.group_size:,} users"
            )
    if exhibit.needs_data and item.data is not None:
        about["data"] = _data_words(item.data)
        about["seed"] = f"seed {view.seed}"
    return about


def _parts(numbers: Sequence[int]) -> str:
    return f"part{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _data_words(data: DataReference) -> str:
    return f"{data.name} (hash {data.digest[:12]}), zones {of_words.zones_called(data.zones)}"


def unmarked(sentence: str) -> str:
    """Return a sentence of a page without the stars that make words bold there."""
    return sentence.replace("**", "")


def reason_against_exhibit(kind: str, exhibit: Exhibit) -> str | None:
    """Return why an exhibit must not stand in a report of this kind, None if it may."""
    return reason_against_part(kind, title=exhibit.title, discloses=exhibit.discloses)


def reason_against_plan(plan: ReportPlan, exhibits: Mapping[str, Exhibit]) -> str | None:
    """Return why a report of this kind cannot hold some of its parts, all of them named; None if it can hold all."""
    known = [exhibits[item.exhibit] for item in plan.items if item.exhibit in exhibits]
    return reason_against_parts(plan.kind, [one.title for one in known if one.discloses])


def _part(
    item: ReportItem,
    exhibit: Exhibit,
    material: Callable[[DataReference], Material],
    releases: Callable[[ReleaseReference], ReleasedCounts],
) -> ReportPart:
    if exhibit.needs_data and item.data is None:
        raise DataError(f"“{exhibit.title}” needs data, and the report plan names none.")
    if exhibit.of_release and item.release is None:
        raise DataError(f"“{exhibit.title}” is about a release, and the report plan names none.")
    source: Any = None if item.data is None or not exhibit.needs_data else material(item.data)
    if exhibit.of_release and item.release is not None:
        source = ReleaseMaterial(released=releases(item.release), data=source)
    content = exhibit.make(source, item.view)
    return ReportPart(
        title=exhibit.title,
        sentence=content.sentence,
        plan=_printed_plan(item, exhibit),
        caption=_caption(item, exhibit),
        discloses=exhibit.discloses,
        figure=content.figure,
        rows=content.rows,
        note=item.note,
        facts=content.facts,
        drawn=content.drawn,
    )


def _printed_plan(item: ReportItem, exhibit: Exhibit) -> str:
    """Return the plan of a part as it is printed above it: without wishes, which have a part of their own."""
    if exhibit.says_its_plan:
        return ""
    return plan_words(without_wishes(item), exhibit)


def without_wishes(item: ReportItem) -> ReportItem:
    """Return a part whose plan says nothing of wishes: they have a part of their own."""
    options = tuple(one for one in item.view.options if not one[0].startswith("wish_"))
    return replace(item, view=replace(item.view, options=options))


def plan_words(item: ReportItem, exhibit: Exhibit) -> str:
    """Return the plan that a part of a report is about, in one line; nothing of the data or the release where none enters."""
    view = item.view if exhibit.needs_data else replace(item.view, week="", group_size=None)
    # What was made has a δ of its own, in its certificate.
    delta = USUAL_DELTA if item.release is None and view.option("mechanism") is not None else 0.0
    words = view.own_words if exhibit.page in _PAGES_OF_PEOPLE else view.in_words(delta)
    # Other figures of a release are of all its weeks, the view has one.
    if exhibit.of_release and exhibit.name not in _OF_ONE_WEEK and item.release is not None and view.week:
        words = words.replace(period(view.week), item.release.in_words, 1)
    # A release that was made has no seed: its noise is the system's.
    return words if item.release is None else words.removesuffix(f", seed {view.seed}")


def _caption(item: ReportItem, exhibit: Exhibit) -> str:
    words = [] if item.data is None or not exhibit.needs_data else [_data_words(item.data)]
    if exhibit.of_release and item.release is not None:
        words.append(f"release made {item.release.made} (certificate {item.release.certificate[:12]})")
    return f"{'; '.join([*words, f'privlab {__version__}'])}."
