"""The command that does on the command line what a form on a page asks for."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType

from privlab.datasets import SAMPLES
from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.layouts import AUTO, TABLE, FileForm
from privlab.od import FLOWS
from privlab.od.planning import PlanRequest
from privlab.od.releases import ReleasePlan
from privlab.ui.data.own_file import LoadRequest, OwnFile
from privlab.ui.state import OWN, Plan

NOTHING_SAID: Mapping[str, str] = MappingProxyType({})  # by a publisher, for receivers
_CLEANING = {
    "first_day": "--first-day",
    "last_day": "--last-day",
    "percentile": "--percentile",
    "max_speed_km_h": "--max-speed",
    "every_min": "--every-min",
    "min_records": "--min-records",
    "n_users": "--sample-users",
}


def command_from_request(request: LoadRequest, guess: ColumnMapping, zone_file: Path | None) -> str:
    """Return the shell command that loads the same and counts flows; `guess` is the mapping it would guess.

    >>> from privlab.ui.data.own_file import OwnFile
    >>> request = LoadRequest(own=OwnFile(id="1", path=Path("/x/it's.csv")), format="auto", mapping=ColumnMapping(),
    ...     lookup=None, timezone="UTC", cleaning=Cleaning(), zones="grid:1000", geography=None)
    >>> print(command_from_request(request, ColumnMapping(), None))
    python -m privlab od 'it'"'"'s.csv' --zones grid:1000 --out results
    """
    own, mapping = request.own, request.mapping
    words = ["python", "-m", "privlab", "od", *_file(own)]
    words += ["--zones", request.zones]
    if zone_file is not None and request.mapping.place == "zone":
        words += ["--zone-positions", zone_file.name]
    if request.format != AUTO:
        words += ["--format", request.format]
    if request.lookup is not None:
        lookup = request.lookup
        words += ["--join", *_path(Path(lookup.path.name)), "--join-on", f"{lookup.on}={lookup.key}"]
    words += _columns(mapping, guess)
    if mapping.time_format:
        words += ["--time-format", mapping.time_format]
    if request.timezone not in (None, "UTC"):
        words += ["--timezone", str(request.timezone)]
    if mapping.recorded_in != guess.recorded_in and mapping.recorded_in:
        words += ["--recorded-in", mapping.recorded_in]
    words += ["--crs", mapping.crs] if mapping.crs else []
    return shlex.join([*words, *_cleaning(request.cleaning), "--out", "results"])


def _file(own: OwnFile) -> Sequence[str]:
    return ["DATA"] if own.is_of_many else _path(own.path if own.within else Path(own.path.name))


def _path(path: Path) -> Sequence[str]:
    return [f"./{path}" if str(path).startswith("-") else str(path)]


def _columns(mapping: ColumnMapping, guess: ColumnMapping) -> list[str]:
    names = [one.name for one in fields(mapping) if one.name not in ("time_format", "recorded_in", "crs")]
    if all(getattr(mapping, name) == getattr(guess, name) for name in names):
        return []
    words = []
    for name in names:
        column = getattr(mapping, name)
        if column is not None or getattr(guess, name) is not None:
            words += ["--column", f"{name}={column or ''}"]
    return words


def _cleaning(cleaning: Cleaning) -> list[str]:
    nothing, words = Cleaning(), []
    for name, option in _CLEANING.items():
        value = getattr(cleaning, name)
        if value != getattr(nothing, name):
            words += [option, f"{value:g}" if isinstance(value, float) else str(value)]
    if cleaning.box is not None:
        words += ["--bounding-box", ",".join(f"{edge:g}" for edge in cleaning.box)]
    return words + (["--drop-duplicates"] if cleaning.drop_duplicates else [])


def command_from_plan(plan: Plan, request: PlanRequest) -> str:
    """Return the shell command that plans the same; own data is named DATA."""
    words = ["python", "-m", "privlab", "plan", *_data(plan)]
    words += ["--max-accuracy", f"{request.max_accuracy:g}", "--min-utility", f"{request.min_utility:g}"]
    words += ["--tolerance", f"{request.tolerance:g}", "--max-made-up", f"{request.max_made_up:g}"]
    if request.max_certainty is not None and request.max_cases is not None:
        words += ["--max-certainty", f"{request.max_certainty:g}", "--max-cases", f"{request.max_cases:g}"]
    words += ["--weeks", str(request.weeks), "--week", plan.week]
    if request.cells != "public":
        words += ["--cells", request.cells]
    if request.noise != "any":
        words += ["--noise", request.noise]
    if plan.group_size is not None:
        words += ["--group-size", str(plan.group_size)]
    return shlex.join(words)


def command_from_release(
    plan: Plan,
    release: ReleasePlan | None,
    request: LoadRequest | None,
    zone_file: str | None,
    *,
    names_weeks: bool = True,
    said: Mapping[str, str] = NOTHING_SAID,
) -> str:
    """Return the shell command that makes the same release; what is not chosen yet stands in capitals."""
    form = plan.prepared.form
    words = ["python", "-m", "privlab", "release", *_data(plan)]
    if plan.data == OWN and request is not None:
        words[4:5] = _file(request.own)
        words += ["--zone-positions", zone_file] if zone_file else []
        if request.lookup is not None:
            lookup = request.lookup
            words += ["--join", *_path(Path(lookup.path.name)), "--join-on", f"{lookup.on}={lookup.key}"]
        if request.timezone not in (None, "UTC"):
            words += ["--timezone", str(request.timezone)]
    if plan.data == OWN and form is not None:
        words += _form(form)
    for week in release.weeks if release and names_weeks else ("MONDAY",):
        words += ["--week", week]
    words += ["--epsilon", f"{plan.release.epsilon:g}"]
    words += ["--max-trips-per-user", str(plan.release.max_trips_per_user or "L")]
    words += ["--threshold", str(plan.release.threshold)]
    if release is not None:
        words += _release(release)
    if form is not None and form.ids is not None:
        words += ["--ids", form.ids]
    for name, told in said.items():
        words += [f"--{name}", told]
    return shlex.join([*words, "--out", "release"])


def _form(form: FileForm) -> list[str]:
    """Return how a file is written, of which a release guesses nothing but what its header names."""
    words = [] if form.format == TABLE else ["--format", form.format]
    if form.delimiter is not None:
        words += ["--delimiter", form.delimiter]
    if form.encoding != "utf-8":
        words += ["--encoding", form.encoding]
    mapping = form.mapping
    words += _columns(mapping, ColumnMapping())
    words += ["--time-format", mapping.time_format] if mapping.time_format else []
    words += ["--recorded-in", mapping.recorded_in] if mapping.recorded_in else []
    return words + (["--crs", mapping.crs] if mapping.crs else [])


def _release(release: ReleasePlan) -> list[str]:
    asked = release.parameters
    words = ["--cells", "discovered"] if release.n_cells is None else []
    if asked.noise == "gaussian":
        words += ["--noise", "gaussian", "--clip", asked.clip, "--delta", f"{asked.delta:g}"]
        words += ["--unbiased"] if asked.total_share else []
        words += ["--levels", ",".join(level.name for level in release.levels)] if release.levels else []
    return words + (["--product", release.product.name] if release.product is not FLOWS else [])


def _data(plan: Plan) -> list[str]:
    """Return how the command line names the plan's data and zones."""
    if plan.data == OWN:
        return ["DATA", "--zones", plan.prepared.zones_spec]
    sample = SAMPLES[plan.data]
    words = [f"sample_data/{sample.file}", "--zones", sample.zones]
    if sample.geography_file is not None:
        words += ["--zone-positions", f"sample_data/{sample.geography_file}"]
    return words
