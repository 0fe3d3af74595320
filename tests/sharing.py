"""How `make test` shares the tests out among its processes: whole files, the longest first, so that all end together.

A file is the unit because its fixtures (a server, a browser, a cluster) are made once for it.
"""

from xdist.scheduler import LoadScopeScheduling

# What takes longest, longest first; all other files follow in their order. `make check` leaves these out.
LONGEST: tuple[str, ...] = (
    "browser/test_sessions.py",
    "browser/test_accessibility.py",
    "engines/test_spark.py",
    "test_every_page.py",
    "browser/test_files.py",
    "pages/test_publish.py",
    "browser/test_walks_release.py",
    "browser/test_walks_report.py",
    "browser/test_controls.py",
    "files/test_fuzzing.py",
    "pages/test_all_pages.py",
    "pages/test_promises.py",
    "lab/test_one_persons_rows.py",
    "pages/test_tour.py",
    "pages/test_groups.py",
    "cli/test_absurd.py",
    "pages/test_safe_release.py",
    "pages/test_addresses.py",
    "search/test_neighbours.py",
    "attack/test_privacy_loss.py",
    "pages/test_counts.py",
    "cli/test_stopped_commands.py",
    "test_docs.py",
    "pages/test_report.py",
    "reports/test_reports.py",
    "pages/test_plan.py",
    "pages/test_anonymizability.py",
    "files/test_ugly_files.py",
    "browser/test_addresses.py",
    "measures/test_dispersion.py",
    "game/test_one_target.py",
    "zones/test_zoning.py",
    "releases/test_ledger.py",
    "pages/test_sources.py",
    "pages/test_settings.py",
    "cli/test_remedies.py",
    "pages/test_violations.py",
    "pages/test_guarantee.py",
    "pages/test_home.py",
    "pages/test_own_data.py",
    "pages/test_ways_on.py",
    "pages/test_steps.py",
    "pages/test_presentation.py",
    "cli/test_full_disk.py",
    "cli/test_game.py",
    "test_synthetic.py",
    "test_marks.py",
)


def place_in_line(file: str) -> int:
    """Return the place of a file among those handed out; those that are not named stand behind all others."""
    places = (place for place, name in enumerate(LONGEST) if f"/{file}".endswith(f"/{name}"))
    return next(places, len(LONGEST))


class WholeFiles(LoadScopeScheduling):
    """Gives a process one file after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0]
