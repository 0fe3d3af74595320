"""The command that does on the command line what a form on a page asks for."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType

from privlab.datasets import SAMPLES
from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import NO_COLUMNS, ColumnMapping
from privlab.datasets.layouts import AUTO, TABLE, FileForm
from privlab.od import FLOWS
from privlab.od.auditing import HONEST, PipelineAuditParameters
from privlab.od.planning import PlanRequest
from privlab.od.releases import ReleasePlan
from privlab.ui.data.own_file import LoadRequest, OwnFile
from privlab.ui.state import OWN, Plan

NOTHING_SAID: Mapping[str, str | None] = MappingProxyType({})
_CLEANING = {
    "first_day": "--first-day",
    "last_day": "--last-day",
    "percentile": "--percentile",
    "max_speed_km_h": "--max-speed",
    "every_min": "--every-min",
    "min_records": "--min-records",
    "n_users": "--sample-users",
}


def command_from_request(request: LoadRequest, guess: ColumnMapping) -> str:
    """Return the shell command that loads the same and counts flows; `guess` is the mapping it would guess.

    >>> from privlab.ui.data.own_file import OwnFile
    >>> request = LoadRequest(own=OwnFile(id="1", path=Path("/x/it's.csv")), format="auto", mapping=ColumnMapping(),
    ...     lookup=None, timezone="UTC", cleaning=Cleaning(), zones="grid:1000", geography=None)
    >>> print(command_from_request(request, ColumnMapping()))
    python -m privlab od 'it'"'"'s.csv' --zones grid:1000 --out results
    """
    words = ["python", "-m", "privlab", "od", *_loaded(request, guess)]
    return shlex.join([*words, "--out", "results"])


def _loaded(request: LoadRequest, guess: ColumnMapping) -> list[str]:
    """Return the file, its zones, and how it is read and cleaned; of its columns what differs from the `guess`."""
    mapping = request.mapping
    words = [*_file(request.own), "--zones", request.zones, *_zone_file(request)]
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
    words += [] if mapping.step_m is None else ["--step-m", f"{mapping.step_m:.15g}"]
    return words + _cleaning(request.cleaning)


def _file(own: OwnFile) -> Sequence[str]:
    return ["DATA"] if own.is_of_many else _path(own.path if own.within else Path(own.path.name))


def _zone_file(request: LoadRequest) -> Sequence[str]:
    if request.zone_file is None:
        return []
    return ["--zone-positions", *_path(Path(f"{request.zone_file.name}/{request.zone_layer}"))]


def _path(path: Path) -> Sequence[str]:
    return [f"./{path}" if str(path).startswith("-") else str(path)]


def _columns(mapping: ColumnMapping, guess: ColumnMapping) -> list[str]:
    names = [one.name for one in fields(mapping) if one.name not in NO_COLUMNS]
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
        words += ["--bounding-box", ",".join(f"{edge:.12g}" for edge in cleaning.box)]
    return words + (["--drop-duplicates"] if cleaning.drop_duplicates else [])


def command_from_plan(plan: Plan, request: PlanRequest, loaded: LoadRequest | None = None) -> str:
    """Return the shell command that plans the same, of own data on the file as it was `loaded`."""
    data = _data(plan)
    if plan.data == OWN and loaded is not None:
        data = _loaded(loaded, ColumnMapping())
    words = ["python", "-m", "privlab", "plan", *data]
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
    *,
    names_weeks: bool = True,
    said: Mapping[str, str | None] = NOTHING_SAID,
) -> str:
    """Return the shell command that makes the same release; what is not chosen yet stands in capitals.

    `said` holds, by the name of its option, what a steward has written or ticked: None for an option that takes no words.
    """
    words = ["python", "-m", "privlab", "release", *_settled(plan, request)]
    for week in release.weeks if release and names_weeks else ("MONDAY",):
        words += ["--week", week]
    words += ["--epsilon", f"{plan.release.epsilon:g}"]
    words += ["--max-trips-per-user", str(plan.release.max_trips_per_user or "L")]
    words += ["--threshold", str(plan.release.threshold)]
    if release is not None:
        words += _release(release)
    words += _ids(plan)
    for name, told in said.items():
        words += [f"--{name}"] if told is None else [f"--{name}", told]
    return shlex.join([*words, "--out", "release"])


def command_from_audit(
    plan: Plan, audited: PipelineAuditParameters, levels: Sequence[str], request: LoadRequest | None
) -> str:
    """Return the shell command that audits the same whole way; `levels` are the districts whose sums are published too."""
    release = audited.release
    words = ["python", "-m", "privlab", "audit", "--pipeline", *_settled(plan, request)]
    words += ["--week", plan.week, "--epsilon", f"{release.epsilon:g}"]
    words += ["--max-trips-per-user", str(release.max_trips_per_user), "--threshold", str(release.threshold)]
    words += ["--cells", release.cells, "--noise", release.noise, "--trials", str(audited.trials)]
    words += ["--level", f"{audited.level:g}", "--seed", str(audited.seed)]
    words += [] if release.product == FLOWS.name else ["--product", release.product]
    words += ["--levels", ",".join(levels)] if levels else []
    words += ["--unbiased"] if release.total_share else []
    words += _ids(plan)
    return shlex.join(words + ([] if audited.pipeline == HONEST else ["--mechanism", audited.pipeline]))


def _settled(plan: Plan, request: LoadRequest | None) -> list[str]:
    """Return the data, its zones, and how a release reads and cleans it: nothing is guessed."""
    form, words = plan.prepared.form, _data(plan)
    if plan.data != OWN:
        return words
    if request is not None:
        words[:1] = _file(request.own)
        words += _zone_file(request)
        if request.lookup is not None:
            lookup = request.lookup
            words += ["--join", *_path(Path(lookup.path.name)), "--join-on", f"{lookup.on}={lookup.key}"]
        if request.timezone not in (None, "UTC"):
            words += ["--timezone", str(request.timezone)]
    words += [] if form is None else _form(form)
    return words + ([] if request is None else _cleaning(request.cleaning))


def _ids(plan: Plan) -> list[str]:
    form = plan.prepared.form
    return [] if form is None or form.ids is None else ["--ids", form.ids]


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
    words += [] if mapping.step_m is None else ["--step-m", f"{mapping.step_m:.15g}"]
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
