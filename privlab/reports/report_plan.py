"""What a report holds and how each part of it is worked out: a plan that is kept as JSON and run again.

Knows names and parameters; knows nothing of what an exhibit shows.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from privlab.checks import DataError, ParameterError, require_between, require_choice, require_whole
from privlab.dp.promise import delta_words
from privlab.figures.wording import noise_name, options_in_words, period
from privlab.limits import MAX_REPORT_ITEMS, MAX_REPORT_TEXT, MAX_SEED
from privlab.od import FLOWS, PRODUCTS, Product
from privlab.od.planning import MECHANISM_NAMES
from privlab.od.simulating import ReleaseParameters

KINDS = ("internal", "external")
WHAT = "privlab report plan"
Option = str | int | float | bool | None
_ANY_NUMBER = 10**15  # how large it may be says whoever uses it
_OF_THE_NOISE = ("law", "mechanism", "clip", "total", "product")  # options that the words for the release say


@dataclass(frozen=True, slots=True, kw_only=True)
class DataReference:
    """Which data an item is about: a sample by name, or a file by name and digest, and its zones."""

    name: str
    sample: bool
    digest: str
    zones: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseReference:
    """Which release an item is about: the SHA-256 of its certificate, when it was made, and its weeks in words."""

    certificate: str
    made: str
    weeks: str

    @property
    def in_words(self) -> str:
        """All weeks of the release, by their Mondays."""
        several = "," in self.weeks or " to " in self.weeks
        return f"week{'s' if several else ''} of {self.weeks}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasesTogether:
    """What the ledger said when a report was put together: how many releases of these people, and what all together promise.

    (`epsilon`, `delta`) is for a person over all weeks, as tightly as is known; `added` is their ε added up.
    """

    n: int
    epsilon: float
    delta: float
    added: float

    def options(self) -> "tuple[tuple[str, Option], ...]":
        """Return them as the options that parts of a report keep."""
        return tuple((f"together_{name}", value) for name, value in asdict(self).items())


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The shared plan of all pages at the moment an item was added, and the page's own settings.

    `week` is empty and `group_size` None where the data decides. `options` are an exhibit's own
    parameters, by name.
    """

    release: ReleaseParameters
    week: str = ""
    group_size: int | None = None
    seed: int = 1
    options: tuple[tuple[str, Option], ...] = ()

    def __post_init__(self) -> None:
        """Check every field that has limits of its own."""
        require_whole("seed", self.seed, 0, MAX_SEED)
        if self.group_size is not None:
            require_whole("group_size", self.group_size, 1, 10**9)

    def option(self, name: str, default: Option = None) -> Any:
        """Return one of the exhibit's own parameters."""
        return dict(self.options).get(name, default)

    def number(self, name: str, default: float) -> float:
        """Return one of the exhibit's own parameters that is a number. Raises ParameterError if it is none."""
        said = self.option(name)
        return require_between(f"option {name}", default if said is None else said, -_ANY_NUMBER, _ANY_NUMBER)

    def whole(self, name: str, default: int) -> int:
        """Return one of the exhibit's own parameters that is a whole number. Raises ParameterError if it is none."""
        said = self.option(name)
        return require_whole(f"option {name}", default if said is None else said, -_ANY_NUMBER, _ANY_NUMBER)

    def text(self, name: str) -> str | None:
        """Return one of the exhibit's own parameters as a text, None where there is none."""
        said = self.option(name)
        return None if said is None else str(said)

    def number_or_none(self, name: str) -> float | None:
        """Return one of the exhibit's own parameters that is a number, None where there is none. Raises ParameterError otherwise."""
        return None if self.option(name) is None else self.number(name, 0)

    @property
    def together(self) -> ReleasesTogether | None:
        """What the ledger said of all releases of these people, None where that is not known."""
        names = [field.name for field in fields(ReleasesTogether) if field.name != "n"]
        if any(self.option(f"together_{name}") is None for name in ("n", *names)):
            return None
        said = {name: self.number(f"together_{name}", 0) for name in names}
        return ReleasesTogether(n=self.whole("together_n", 0), **said)

    @property
    def release_in_words(self) -> str:
        """The parameters of the release that a part is about, by its own noise."""
        return self._release_in_words(0.0)

    def _release_in_words(self, delta: float) -> str:
        return release_words(
            self.release, self.option("law"), self.option("mechanism"), self.product.counted, delta=delta
        )

    @property
    def product(self) -> Product:
        """What the release counts that a part is about; flows where it does not say."""
        return PRODUCTS.get(self.option("product", FLOWS.name), FLOWS)

    def __str__(self) -> str:
        """Return the parameters in one line."""
        return self.in_words()

    def in_words(self, delta: float = 0.0) -> str:
        """Return the parameters in one line; `delta` is that of the release beside its ε, 0 where there is none or it is said elsewhere."""
        release = self._release_in_words(delta)
        words = [
            period(self.week) if self.week else "",
            "" if self.group_size is None else f"{self.group_size:,} users",
            release,
            self._own_words(release.split(", ")),
        ]
        return ", ".join(word for word in words if word)

    @property
    def own_words(self) -> str:
        """The exhibit's own parameters and the seed, in one line: all that matters where no release enters."""
        return self._own_words(())

    def _own_words(self, said: Sequence[str]) -> str:
        """Return the exhibit's own parameters and the seed; not the law of its noise, where the words for the release have `said` it."""
        options = {name: value for name, value in self.options if name not in _OF_THE_NOISE}
        if options_in_words({"noise": options.get("noise")}) in ([one] for one in said):
            del options["noise"]
        return ", ".join([*options_in_words(options), f"seed {self.seed}"])


def release_words(
    release: ReleaseParameters,
    law: Option = None,
    mechanism: Option = None,
    counted: str = FLOWS.counted,
    *,
    delta: float = 0.0,
) -> str:
    """Return the parameters of a release in one line; `law` is its noise, where that is not one of a simulation.

    `mechanism` is one of MECHANISM_NAMES that weighs trips, where a part simulates that, with `delta`; `counted` is what the release counts.
    """
    bound = release.max_trips_per_user
    one = counted.removesuffix("s") if bound == 1 else counted
    if mechanism is not None and bound is not None:
        beside = f", δ = {delta_words(delta)}" if delta else ""
        return (
            f"ε = {release.epsilon:g}{beside}, threshold {release.threshold}, {MECHANISM_NAMES.get(str(mechanism), mechanism)}, a limit of "
            f"{bound} {one} per user"
        )
    bounded = f"no bound on {counted} per user" if bound is None else f"at most {bound} {one} per user"
    return f"ε = {release.epsilon:g}, threshold {release.threshold}, {noise_name(str(law or release.noise))} noise, {bounded}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportItem:
    """One part of a report: an exhibit by name, of which data or release, under which view, with the reader's note."""

    exhibit: str
    view: View
    data: DataReference | None = None
    note: str = ""
    release: ReleaseReference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPlan:
    """A whole report; round-trips through `json_from_report_plan` and `report_plan_from_json`.

    `summary` says whether page one judges it in red, amber and green. `author` and `date` (ISO, written down when the
    report was put together) stand at its end.
    """

    title: str
    kind: str = "internal"
    note: str = ""
    items: tuple[ReportItem, ...] = ()
    summary: bool = False
    author: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        """Check kind, number of items and lengths of texts."""
        require_choice("kind", self.kind, KINDS)
        require_whole("number of items", len(self.items), 0, MAX_REPORT_ITEMS)
        texts = (self.title, self.note, self.author, self.date, *(item.note for item in self.items))
        for text in texts:
            require_whole("characters of a text", len(text), 0, MAX_REPORT_TEXT)


def without_others(item: ReportItem) -> ReportItem:
    """Return a part that says nothing of what the ledger said of other releases."""
    options = tuple(one for one in item.view.options if not one[0].startswith("together_"))
    return replace(item, view=replace(item.view, options=options))


def together_from_report_plan(plan: ReportPlan) -> ReleasesTogether | None:
    """Return the most that the parts of an internal report say of all releases together; None if none does, or it is external."""
    said = [one for item in plan.items if (one := item.view.together) is not None]
    return None if plan.kind != "internal" or not said else max(said, key=lambda one: one.epsilon)


def json_from_report_plan(plan: ReportPlan) -> str:
    """Return the plan as JSON that a reader can understand and change.

    Of an external report parts that need no data do not say from which week they were added: that is true data.
    """
    if plan.kind == "external":
        plan = replace(plan, items=tuple(_without_week(item) for item in plan.items))
    items = [
        {**asdict(item), "view": {**asdict(item.view), "options": dict(item.view.options)}}
        for item in plan.items
    ]
    for item in items:
        if item["release"] is None:
            del item["release"]
    whole = {"what": WHAT, "format": 1, **asdict(plan), "items": items}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _without_week(item: ReportItem) -> ReportItem:
    if item.data is not None or item.release is not None:
        return item
    return replace(item, view=replace(item.view, week="", group_size=None))


def report_plan_from_json(text: str) -> ReportPlan:
    """Return the plan in a JSON text. Raises DataError, one sentence, for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError("The report plan is not JSON. Is it the file that the page Report saves?") from None
    if not isinstance(found, dict) or found.get("what") != WHAT:
        raise DataError("This is not a report plan. Is it the file that the page Report saves?")
    try:
        items = tuple(
            _item(_fields(one, "exhibit", "view", "data", "note", optional="release"))
            for one in _of_type(found, "items", list)
        )
        return ReportPlan(
            title=_of_type(found, "title", str),
            kind=_of_type(found, "kind", str),
            note=_of_type(found, "note", str),
            items=items,
            summary=_of_type({"summary": False, **found}, "summary", bool),
            author=_of_type({"author": "", **found}, "author", str),
            date=_of_type({"date": "", **found}, "date", str),
        )
    except ParameterError as error:
        raise DataError(f"The report plan cannot be used: {error}") from None


def _item(found: Mapping[str, Any]) -> ReportItem:
    view = _fields(found["view"], "release", "week", "group_size", "seed", "options")
    release = _fields(view["release"], "epsilon", "threshold", "max_trips_per_user", "noise")
    data = found["data"]
    return ReportItem(
        exhibit=_of_type(found, "exhibit", str),
        view=View(
            release=ReleaseParameters(**release),
            week=_of_type(view, "week", str),
            group_size=view["group_size"],
            seed=view["seed"],
            options=tuple(_options(view["options"])),
        ),
        data=None if data is None else _reference(_fields(data, "name", "sample", "digest", "zones")),
        note=_of_type(found, "note", str),
        release=None if found.get("release") is None else _release_reference(found["release"]),
    )


def _reference(found: Mapping[str, Any]) -> DataReference:
    texts = {name: _of_type(found, name, str) for name in ("name", "digest", "zones")}
    return DataReference(sample=_of_type(found, "sample", bool), **texts)


def _release_reference(found: Any) -> ReleaseReference:
    fields = _fields(found, "certificate", "made", "weeks")
    return ReleaseReference(
        **{name: _of_type(fields, name, str) for name in ("certificate", "made", "weeks")}
    )


def _options(found: Any) -> list[tuple[str, Option]]:
    if not isinstance(found, dict):
        raise ParameterError(f"options must be an object, got {found!r}.")
    for name, value in found.items():
        fine = isinstance(value, str | int | bool) or value is None
        if not fine and not (isinstance(value, float) and math.isfinite(value)):
            raise ParameterError(f"option {name} must be a text, a finite number or null, got {value!r}.")
    return list(found.items())


def _fields(found: Any, *names: str, optional: str | None = None) -> Mapping[str, Any]:
    if not isinstance(found, dict) or set(found) - {optional} != set(names):
        got = sorted(found) if isinstance(found, dict) else repr(found)[:80]
        raise ParameterError(f"an entry must have exactly {', '.join(names)}, got {got}.")
    return found


def _of_type(found: Mapping[str, Any], name: str, kind: type) -> Any:
    value = found.get(name)
    if not isinstance(value, kind):
        raise ParameterError(f"{name} must be a {kind.__name__}, got {repr(value)[:80]}.")
    return value
