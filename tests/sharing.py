"""How `make test` shares the tests out among its processes: whole files, the longest first, so that all end together.

A file is the unit because its fixtures (a server, a browser, a cluster) are made once for it.
"""

from xdist.scheduler import LoadScopeScheduling

# What takes longest, longest first; all other files follow in their order. `make check` leaves these out.
LONGEST: tuple[str, ...] = (
    "test_every_page.py",
    "test_accessibility.py",
    "test_pages_addresses.py",
    "test_spark.py",
    "test_pages.py",
    "browser/test_sessions.py",
    "browser/test_files.py",
    "test_pages_groups.py",
    "test_pages_counts.py",
    "browser/test_controls.py",
    "test_stopped_commands.py",
    "test_pages_plan.py",
    "test_pages_anonymizability.py",
    "test_pages_publish.py",
    "test_store.py",
    "test_fuzzing.py",
    "test_ugly_files.py",
    "test_docs.py",
    "test_pages_sources.py",
    "test_pages_tour.py",
    "test_pages_violations.py",
    "test_pages_promises.py",
    "test_pages_safe_release.py",
    "test_pages_guarantee.py",
    "test_pages_report.py",
    "test_full_disk.py",
    "browser/test_addresses.py",
    "test_cli_game.py",
    "test_synthetic.py",
    "test_marks.py",
    "test_pages_presentation.py",
)


def place_in_line(file: str) -> int:
    """Return the place of a file among those handed out; those that are not named stand behind all others."""
    places = (place for place, name in enumerate(LONGEST) if f"/{file}".endswith(f"/{name}"))
    return next(places, len(LONGEST))


class WholeFiles(LoadScopeScheduling):
    """Gives a process one file after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0]
