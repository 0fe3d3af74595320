"""How `make test` shares the tests out among its processes: whole files, the longest first, so that all end together.

A file is the unit because its fixtures (a server, a browser, a cluster) are made once for it.
"""

from xdist.scheduler import LoadScopeScheduling

# What takes longest, longest first; all other files follow in their order. `make check` leaves these out.
LONGEST: tuple[str, ...] = (
    "browser/test_sessions.py",
    "engines/test_spark.py",
    "browser/test_accessibility.py",
    "browser/test_files.py",
    "browser/test_controls.py",
    "pages/test_all_pages.py",
    "browser/test_walks_release.py",
    "pages/test_publish.py",
    "browser/test_every_page.py",
    "pages/test_groups.py",
    "browser/test_flow_map.py",
    "attack/test_privacy_loss.py",
    "files/test_ugly_files.py",
    "cli/test_absurd.py",
    "pages/test_addresses.py",
    "cli/test_stopped_commands.py",
    "reports/test_reports.py",
    "browser/test_walks_report.py",
    "pages/test_sources.py",
    "files/test_fuzzing.py",
    "pages/test_anonymizability.py",
    "releases/test_release_folders.py",
    "pages/test_plan.py",
    "test_docs.py",
    "lab/test_one_persons_rows.py",
    "pages/test_tour.py",
    "attack/test_certainty.py",
    "game/test_one_target.py",
    "auditing/test_pipeline_audit.py",
    "lab/test_settled_reading.py",
    "pages/test_promises.py",
    "lab/test_rehearse.py",
    "pages/test_report.py",
    "zones/test_boxed_zones.py",
    "engines/test_one_matrix.py",
    "datasets/test_synthetic.py",
    "counting/test_matrix.py",
    "pages/test_settings.py",
    "kept/test_runs.py",
    "cli/test_commands.py",
    "search/test_neighbours.py",
    "releases/test_ledger_server.py",
    "times/test_timestamps.py",
    "cli/test_guarantees.py",
    "pages/test_own_data.py",
    "pages/test_steps.py",
    "cli/test_audit.py",
    "datasets/test_read.py",
    "zones/test_zone_files.py",
    "cli/test_ledger.py",
    "releases/test_ledger.py",
    "cli/test_game.py",
    "counting/test_hourly_vote.py",
    "pages/test_ways_on.py",
    "game/test_zero_knowledge.py",
    "cli/test_remedies.py",
    "zones/test_zoning.py",
    "releases/test_ledger_chain.py",
    "measures/test_dispersion.py",
)


def place_in_line(file: str) -> int:
    """Return the place of a file among those handed out; those that are not named stand behind all others."""
    places = (place for place, name in enumerate(LONGEST) if f"/{file}".endswith(f"/{name}"))
    return next(places, len(LONGEST))


class WholeFiles(LoadScopeScheduling):
    """Gives a process one file after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0]
