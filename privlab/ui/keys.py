"""The keys of all controls, buttons, tables and figures, by the page that shows them.

Streamlit keeps one value per key for the whole session, and a control that is bound to the address has its
key as the name there: no key may stand for two things. A test holds this table against the pages. A star
stands for what is filled in when the page runs, such as a number.
"""

EVERY_PAGE = "every page"

KEYS: dict[str, tuple[str, ...]] = {
    EVERY_PAGE: (
        *("login", "logout", "present", "leave_presentation", "glossary", "glossary_find"),
        *("instead_*", "strip", "next_step", "of_no_effect", "*_box", "wide_epsilon"),
        *(
            "data",
            "epsilon",
            "threshold",
            "bound",
            "group",
            "noise",
            "week",
            "seed",
            "releases",
            "release_cells",
        ),
        *("again", "again_*", "cancel_*", "add_*", "tools_*", "numbers_*", "*_download"),
    ),
    "home": ("home_attack", "home_*"),
    "tour": (
        *("step", "tour_back", "tour_next", "tour_attack", "tour_cells", "tour_clipping", "tour_noise"),
        *("tour_epsilon", "tour_threshold", "tour_bound", "tour_k", "tour_author", "tour_m", "tour_m2"),
        *("tour_defence", "tour_k_gap", "tour_level", "tour_level2"),
        *("tour_auc", "tour_kgap", "tour_anonymous", "tour_share"),
    ),
    "data": (
        *("data_people", "data_zones", "use_*", "load", "dropped", "dropped_examples", "funnel", "preview"),
        *("upload", "second", "forget_own", "second_away", "server_root", "server_entry", "server_open"),
        *(
            "format_*",
            "lookup_on_*",
            "lookup_key_*",
            "column_*_*",
            "cancel_load",
            "use_paper",
            "use_proposal",
        ),
        *("own_timezone", "own_time_format", "own_recorded_in_*"),
        *("zoning", "grid_m", "h3", "box", "box_*", "geography_*", "zones_preview"),
        *("clean_duplicates", "clean_percentile", "clean_box", "clean_first", "clean_last", "clean_speed"),
        *("clean_every", "clean_min", "clean_users"),
    ),
    "release": (
        *("map", "top", "tiles", "release_map", "release_error", "release_scatter", "release_decay"),
        *("lowest_threshold", "utility_fold", "utility_table", "download_release"),
    ),
    "guarantee": (
        *("risk_histogram", "exposed", "exposed_fold", "exposed_map", "exposed_flows"),
        *("moves_fold", "moves", "risk_moves"),
        *("audited", "runs", "audit_level", "run_audit", "audit_table"),
    ),
    "plan": (
        *("max_accuracy", "max_certainty", "max_cases", "min_utility", "tolerance", "made_up", "use_plan"),
        *("try_sizes", "zone_sizes", "recut_*"),
        *("wish", "plan_point", "take_picked", "take_useful", "take_safe", "take_offer"),
        *("plan_frontier", "plan_table", "plan_clipping", "plan_bias"),
    ),
    "attack": (
        *("k", "games", "weeks", "population", "cells", "target_zone * *", "target_flows * * *"),
        *(
            "attack_curve",
            "attack_people",
            "numbers_fold",
            "attack_numbers",
            "attack_prior",
            "attack_certainty",
        ),
    ),
    "groups": (
        *("prior", "sizes", "targets", "arm", "classifier", "period", "show_groups", "turn", "use_*_here"),
        *(
            "first_game",
            "compare_runs",
            "auc_chart",
            "auc_table",
            "loss_chart",
            "loss_table",
            "roc_chart",
            "roc_table",
        ),
        *("factor_*", "factor_table", "heat_chart"),
        *("mechanisms", "defence_epsilons", "defence_targets", "run_defences"),
        *("trade_off_chart", "trade_off_table", "defended_fold", "heat_before_chart", "heat_after_chart"),
    ),
    "anonymizability": (
        *("use_subscribers", "show", "k_gap", "level", "judged", "fold"),
        *("first_study", "this_level", "max_km", "max_min", "weight_space", "weight_time"),
        *("compare_kgap", "kgap_table", "kgap_chart", "levels_table", "levels_chart", "anonymous_chart"),
        *("share_chart", "gini_chart", "tail_chart", "why_table"),
        *("person", "space_time", "person_parts", "giveaway", "giveaway_table", "person_levels"),
        *("unicity_levels", "points", "draws", "unicity_chart", "unicity_table"),
        *("glove_k", "glove_km", "glove_min", "run_glove", "glove_accuracy", "glove_maps", "glove_checks"),
        *("glove_parquet", "glove_csv"),
    ),
    "publish": (
        *(
            "publish_weeks",
            "name_week",
            "fit_budget",
            "ledger_again",
            "publish_form_*",
            "publish_ids_*",
            "agree_*",
            "accept_*_*",
            "use_threshold",
            "make_release_*",
            "made_*",
            "add_promise_*",
            "zip_*",
            "*_*",
        ),
        *(
            "kept_releases",
            "kept_*",
            "ledger_bar",
            "ledger_entries",
            "budget_epsilon",
            "budget_delta",
            "set_budget",
        ),
        *("check_files", "check_own_ledger", "check_public_key", "checks"),
    ),
    "report": (
        *(
            "report_title",
            "report_kind",
            "report_note",
            "part_*",
            "note_*_*",
            "up_*",
            "down_*",
            "out_*",
            "now_*",
        ),
        *("save_plan", "load_plan", "make_report", "report_pdf", "report_png"),
        *("report_html", "report_pdf_file", "report_png_file"),
    ),
}
