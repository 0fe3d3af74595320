"""Use cases without a browser and without a command line: pages and commands reach a result by one way.

Uses everything below; knows neither streamlit nor Typer.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.analyses import (
        AnalysedWeek,
        analyses_from_released_counts,
        simulated_analyses_from_trips,
    )
    from privlab.lab.backup import (
        back_up,
        restore,
    )
    from privlab.lab.collect import (
        Materials,
        collected_report_from_plan,
        handout,
        prepared_trips_of_rows,
        reason_against_report,
        reference_from_prepared_trips,
    )
    from privlab.lab.compare import (
        combinations_from_week,
        comparison_from_rows,
        reason_against_combinations,
        weighed_week_from_trips,
    )
    from privlab.lab.health import (
        Health,
        health_of_machine,
    )
    from privlab.lab.hide import (
        HiddenPeople,
        hidden_people_from_fingerprints,
    )
    from privlab.lab.ledger import (
        open_ledger,
        people_of_accounts,
    )
    from privlab.lab.levels import (
        levels_from_zone_map,
        levels_from_zoning,
    )
    from privlab.lab.load import (
        PROPOSED,
        DataSource,
        Making,
        Rows,
        dataset_from_source,
        dataset_on_spark_from_location,
        fingerprints_from_rows,
        kept_of_sample,
        made_from_sample,
        prepared_trips_from_rows,
        profiled_dataset,
        rows_in_zones,
        traces_from_rows,
        trip_source_from_rows,
        trips_from_rows,
    )
    from privlab.lab.noise_offer import (
        BOTH,
        BOUND,
        GAUSSIAN,
        LEVELS,
        TOTAL,
        better_releases,
    )
    from privlab.lab.own_week import (
        OwnWeeks,
        own_weeks_from_timeline,
    )
    from privlab.lab.plan import (
        advice_from_plan_points,
        bound_of_year,
        busiest_week,
        plan_points_from_trips,
        reason_against_plan,
        use_of_year,
    )
    from privlab.lab.play import (
        PlayedGame,
        games_that_fit,
        play_game,
        play_games_in_turns,
        runs_of_data,
    )
    from privlab.lab.preview import (
        offer_in_words,
        preview_from_release_data,
    )
    from privlab.lab.proposals import (
        PlanProposal,
        ZonePreview,
        ZoneSize,
        plan_proposal_from_trips,
        proposed_request,
        proposed_zones_from_rows,
        zone_preview_from_rows,
        zone_sizes_from_rows,
    )
    from privlab.lab.publish import (
        ReleaseData,
        form_with_ids,
        people_of_release_data,
        publish_release,
        release_data_of_sample,
        release_parameters_from_wishes,
        settled_zoning,
        trips_of_release,
    )
    from privlab.lab.publish_on_cluster import (
        form_from_location,
        require_for_cluster,
    )
    from privlab.lab.put_together import (
        USUAL_WISHES,
        report_plan_from_data,
        report_plan_from_release,
        wish_options,
    )
    from privlab.lab.recover import (
        placed_traces_from_rows,
        recovery_from_traces,
    )
    from privlab.lab.refusals import (
        DELTA,
        MADE_UP,
        WANTED_DELTA,
        Accepted,
        Refusal,
        ReleaseRefused,
        refusals_of_release,
        refused_in_words,
    )
    from privlab.lab.rehearse import (
        pipeline_audit_from_release_data,
    )
    from privlab.lab.simulate import (
        compared_step_from_rows,
        simulated_step_from_trips,
        steps_of_trips,
    )
    from privlab.lab.spending import (
        spending_from_account,
    )
    from privlab.lab.study import (
        kgap_studies_from_fingerprints,
        kgap_study_from_fingerprints,
        linked_halves_from_fingerprints,
    )
    from privlab.lab.verdict import (
        AMBER,
        GREEN,
        RED,
        Verdict,
        verdict_from_release,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "AMBER",
    "BOTH",
    "BOUND",
    "DELTA",
    "GAUSSIAN",
    "GREEN",
    "LEVELS",
    "MADE_UP",
    "PROPOSED",
    "RED",
    "TOTAL",
    "USUAL_WISHES",
    "WANTED_DELTA",
    "Accepted",
    "AnalysedWeek",
    "DataSource",
    "Health",
    "HiddenPeople",
    "Making",
    "Materials",
    "OwnWeeks",
    "PlanProposal",
    "PlayedGame",
    "Refusal",
    "ReleaseData",
    "ReleaseRefused",
    "Rows",
    "Verdict",
    "ZonePreview",
    "ZoneSize",
    "advice_from_plan_points",
    "analyses_from_released_counts",
    "back_up",
    "better_releases",
    "bound_of_year",
    "busiest_week",
    "collected_report_from_plan",
    "combinations_from_week",
    "compared_step_from_rows",
    "comparison_from_rows",
    "dataset_from_source",
    "dataset_on_spark_from_location",
    "fingerprints_from_rows",
    "form_from_location",
    "form_with_ids",
    "games_that_fit",
    "handout",
    "health_of_machine",
    "hidden_people_from_fingerprints",
    "kept_of_sample",
    "kgap_studies_from_fingerprints",
    "kgap_study_from_fingerprints",
    "levels_from_zone_map",
    "levels_from_zoning",
    "linked_halves_from_fingerprints",
    "made_from_sample",
    "offer_in_words",
    "open_ledger",
    "own_weeks_from_timeline",
    "people_of_accounts",
    "people_of_release_data",
    "pipeline_audit_from_release_data",
    "placed_traces_from_rows",
    "plan_points_from_trips",
    "plan_proposal_from_trips",
    "play_game",
    "play_games_in_turns",
    "prepared_trips_from_rows",
    "prepared_trips_of_rows",
    "preview_from_release_data",
    "profiled_dataset",
    "proposed_request",
    "proposed_zones_from_rows",
    "publish_release",
    "reason_against_combinations",
    "reason_against_plan",
    "reason_against_report",
    "recovery_from_traces",
    "reference_from_prepared_trips",
    "refusals_of_release",
    "refused_in_words",
    "release_data_of_sample",
    "release_parameters_from_wishes",
    "report_plan_from_data",
    "report_plan_from_release",
    "require_for_cluster",
    "restore",
    "rows_in_zones",
    "runs_of_data",
    "settled_zoning",
    "simulated_analyses_from_trips",
    "simulated_step_from_trips",
    "spending_from_account",
    "steps_of_trips",
    "traces_from_rows",
    "trip_source_from_rows",
    "trips_from_rows",
    "trips_of_release",
    "use_of_year",
    "verdict_from_release",
    "weighed_week_from_trips",
    "wish_options",
    "zone_preview_from_rows",
    "zone_sizes_from_rows",
]
