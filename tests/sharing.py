"""How `make test` shares the tests out among its processes: whole files, the longest first, so that all end together.

A file is the unit because its fixtures (a cluster, prepared data) are made once for it. All that drive a browser are one
unit: they share a server and a browser.
"""

from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"
# What takes longest, longest first; all other files follow in their order. `make check` leaves these out.
LONGEST: tuple[str, ...] = (
    BROWSER,
    "engines/test_spark.py",
    "pages/test_all_pages.py",
    "lab/attacking/test_rehearse.py",
    "cli/test_absurd.py",
    "attack/test_exact_accuracy.py",
    "files/test_ugly_files.py",
    "releases/folders/test_release_folders.py",
    "pages/test_publish.py",
    "pages/test_groups.py",
    "pages/test_addresses.py",
    "cli/test_stopped_commands.py",
    "engines/test_one_matrix.py",
    "auditing/test_pipeline_audit.py",
    "files/test_fuzzing.py",
    "releases/ledger/test_ledger_server.py",
    "cli/test_commands.py",
    "lab/publishing/test_one_persons_rows.py",
    "kept/test_runs.py",
    "datasets/test_read.py",
    "lab/publishing/test_settled_reading.py",
    "certainty/test_certainty.py",
    "pages/test_anonymizability.py",
    "pages/test_sources.py",
    "pages/test_plan.py",
    "reports/test_reports.py",
    "releases/ledger/test_ledger.py",
    "datasets/test_synthetic.py",
    "pages/test_tour.py",
    "pages/test_promises.py",
    "times/test_timestamps.py",
    "zone_files/test_zone_files.py",
    "search/test_neighbours.py",
    "od/test_matrix.py",
    "pages/test_report.py",
    "pages/test_whole_way.py",
    "pages/test_settings.py",
    "lab/proposing/test_proposals.py",
    "cli/test_guarantees.py",
    "cli/test_audit.py",
    "game/test_one_target.py",
    "cli/test_ledger.py",
    "test_docs.py",
    "trips/test_hourly_vote.py",
    "pages/test_own_data.py",
    "zone_kinds/test_boxed_zones.py",
    "game/test_zero_knowledge.py",
    "pages/test_ways_on.py",
    "cli/test_game.py",
    "pages/test_steps.py",
    "releases/ledger/test_ledger_chain.py",
    "cli/test_remedies.py",
    "zone_kinds/test_zoning.py",
    "measures/test_dispersion.py",
)


def place_in_line(file: str) -> int:
    """Return the place of a file among those handed out; those that are not named stand behind all others."""
    places = (
        place for place, name in enumerate(LONGEST) if unit(file) == name or f"/{file}".endswith(f"/{name}")
    )
    return next(places, len(LONGEST))


def unit(file: str) -> str:
    """Return what is handed out as one: a file, or all that drive a browser."""
    return BROWSER if f"/{BROWSER}test_" in f"/{file}" else file


class WholeFiles(LoadScopeScheduling):
    """Gives a process one file after the other, and one of them all that drive a browser."""

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid.partition("::")[0])
