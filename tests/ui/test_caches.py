"""Memory that outlives a session: every cache and every shared name in the code, each with why it knows of no file."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = [*sorted(ROOT.glob("privlab/**/*.py")), *sorted(ROOT.glob("pages/*.py")), ROOT / "app.py"]

# Caches that all sessions share: what they are keyed by, which no file can have a say in.
SHARED_CACHES = {
    ("privlab/releases/ledger/ledger_server.py", "_engine"): "addresses of ledgers, from the operator",
    (
        "privlab/releases/folders/kept_releases.py",
        "_digest_of_state",
    ): "files of releases, which are published",
    (
        "privlab/releases/folders/kept_releases.py",
        "_said_of_state",
    ): "certificates, which are published",
    (
        "privlab/datasets/columns/guessed_mapping.py",
        "_plain_words",
    ): "the lab's own lists of names of columns",
    ("privlab/datasets/catalog.py", "sample_geography"): "names of samples, which are public",
    (
        "privlab/datasets/zone_kinds/regular_zones.py",
        "_around_zero",
    ): "nothing: one projection, the same for all data",
    ("privlab/datasets/catalog.py", "sample_decoration"): "names of samples, which are public",
    ("privlab/datasets/engines/spark_session.py", "_scratch"): "no argument: a folder of the process",
    ("privlab/dp/composing/spending.py", "_spending"): "parameters of promises, nothing of data",
    (
        "privlab/dp/gaussian/discrete_gaussian.py",
        "sigma_from_promise",
    ): "parameters of promises, nothing of data",
    (
        "privlab/dp/gaussian/discrete_gaussian.py",
        "_summed_log_tails",
    ): "widths of noise, nothing of data",
    (
        "privlab/dp/gaussian/gaussian_parameters.py",
        "accuracy_at_most",
    ): "parameters of promises, nothing of data",
    ("privlab/od/releases/release_plan.py", "_guarantee"): "parameters of promises, nothing of data",
    ("privlab/reports/documents/document.py", "template"): "templates that come with the project",
    (
        "privlab/datasets/columns/projected_systems.py",
        "system_of_crs",
    ): "numbers of projected systems, which are public",
    (
        "privlab/datasets/columns/projected_systems.py",
        "_projected",
    ): "numbers of projected systems, which are public",
    (
        "privlab/datasets/columns/projected_systems.py",
        "_to_degrees",
    ): "numbers of projected systems, which are public",
    ("privlab/datasets/synthetic/city_shape.py", "city_shape"): "seeds of invented data",
    ("privlab/datasets/synthetic/commuters.py", "stations"): "seeds of invented data",
    ("privlab/datasets/synthetic/subscribers.py", "antennas"): "seeds of invented data",
    ("privlab/ui/flowmap/component.py", "_component"): "no argument: the map's module",
    ("privlab/ui/shell/colour_scheme.py", "_component"): "no argument: a script that knows no data",
    ("privlab/ui/sessions/asked_address.py", "_component"): "two scripts that know no data",
    ("privlab/ui/shell/assistive.py", "_component"): "no argument: a script that knows no data",
    ("privlab/ui/shell/assistive.py", "_of_parts"): "the same",
    ("privlab/ui/serving/quicker_scripts.py", "quicker_scripts"): "no argument: scripts that know no data",
    ("privlab/ui/shell/page_top.py", "_component"): "no argument: a script that knows no data",
    ("privlab/ui/tour/tour_keys.py", "_component"): "no argument: a script that knows no data",
    ("privlab/reports/documents/glossary_file.py", "glossary"): "no argument: words of the lab",
    (
        "privlab/releases/accounts/entry_costs.py",
        "cost_of_entry",
    ): "entries of the machine's ledger, which every session may read",
    (
        "privlab/kept/samples.py",
        "_versions",
    ): "no argument: versions of libraries, digest of the code",
}
# Names of modules and classes that are written to while the lab runs.
SHARED_NAMES = {
    ("privlab/aggregates/game/play.py", "_game"): "of a worker process, which ends with its one game",
    (
        "privlab/aggregates/game_rules/changed_traces.py",
        "_changed",
    ): "asked for with the session's own traces in hand, and gone with them",
    ("privlab/datasets/processes/own_process.py", "_living"): "numbers of processes",
    (
        "privlab/datasets/engines/shared_work.py",
        "_prepared",
    ): "of a worker of one command's cluster: the game or the index it is at",
    ("privlab/ui/state.py", "SAMPLE_JOBS"): "samples, which are public",
    (
        "privlab/ui/derived.py",
        "_worked_out",
    ): "samples, at the settings that a page or a step opens with",
    (
        "privlab/datasets/folders/uploads.py",
        "_folders",
    ): "folders of sessions, whose sizes are added up; no session reads another's",
    (
        "privlab/datasets/folders/private_folders.py",
        "_OWN",
    ): "private folders of the process, to be removed when it is stopped; no session reads another's",
    (
        "privlab/ui/publish/release_job.py",
        "_being_made",
    ): "digests of data of which a release is being made, as whoever has the same data reads in the ledger a moment later",
    ("privlab/ui/sessions/sessions.py", "_gone_since"): "ids of sessions",
    ("privlab/ui/sessions/sessions.py", "_marks"): "ids of sessions, and words drawn at random",
    ("privlab/ui/shell/loading.py", "_thread"): "no data: the libraries being loaded",
    ("privlab/ui/shell/loading.py", "_game"): "no data: the libraries being loaded",
}
_PLAIN = ("dict", "list", "set", "OrderedDict", "Counter", "deque")  # empty if they are given nothing
_ALWAYS_EMPTY = (
    "defaultdict",
    "WeakKeyDictionary",
    "WeakValueDictionary",
    "WeakSet",
    "TTLCache",
    "LRUCache",
    "SharedJobs",
)


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in FILES:
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def last_word(node: ast.expr) -> str:
    """Return the last word of what is called or named: `lru_cache` of `@functools.lru_cache(maxsize=4)`."""
    called = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(called).rpartition(".")[2]


def is_a_cache(name: str) -> bool:
    """Return whether the name is a cache's; `cached_property` is one object's own."""
    lower = name.lower()
    return ("cache" in lower or "memo" in lower) and name not in ("cached", "cached_property")


def caches() -> Iterator[tuple[str, str, str]]:
    """Yield (file, function, decorator) of every cached function; a cache that is no decorator counts as its line."""
    for file, tree in trees():
        decorators = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for decorator in node.decorator_list:
                    decorators |= {id(part) for part in ast.walk(decorator)}
                    if is_a_cache(last_word(decorator)):
                        yield file, node.name, ast.unparse(decorator)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and id(node) not in decorators:
                word = last_word(node)
                if word in ("cache", "lru_cache", "cache_data", "cache_resource", "memoize"):
                    yield file, f"line {node.lineno}", ast.unparse(node)


def test_what_is_cached_is_cached_for_its_session_or_can_come_from_no_file() -> None:
    of_sessions, shared = 0, set()
    for file, function, decorator in caches():
        if 'scope="session"' in decorator.replace("'", '"'):
            of_sessions += 1
            continue
        assert not decorator.startswith("st."), f"{file}: {function} is shared by all sessions"
        assert (file, function) in SHARED_CACHES, f"{file}: {function} is shared and not known here"
        shared.add((file, function))
    assert of_sessions > 15
    assert shared == set(SHARED_CACHES)


def written(tree: ast.Module) -> Iterator[str]:
    """Yield names of a module and of its classes that begin empty, or that a function writes to."""
    for body in [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]:
        for node in body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if begins_empty(node.value):
                    yield from (ast.unparse(target) for target in targets)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names


def begins_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List | ast.Set):
        return not value.elts
    if not isinstance(value, ast.Call):
        return False
    return last_word(value) in _ALWAYS_EMPTY or (last_word(value) in _PLAIN and not value.args)


def test_no_other_memory_is_shared_but_what_is_listed() -> None:
    found = {(file, name) for file, tree in trees() for name in written(tree)}
    assert found == set(SHARED_NAMES)


def test_what_the_walk_must_see_it_sees() -> None:
    """The forms that a cache can take, by hand."""
    by_hand = """
import functools
@functools.lru_cache(maxsize=4)
def a(x): ...
b = functools.cache(len)
_seen: dict[str, int] = {}
class C:
    kept = defaultdict(list)
    fine: int = 3
def d():
    global e
"""
    tree = ast.parse(by_hand)
    assert set(written(tree)) == {"_seen", "kept", "e"}
    decorated = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.decorator_list]
    assert [is_a_cache(last_word(node.decorator_list[0])) for node in decorated] == [True]
    assert not is_a_cache("cached_property")
