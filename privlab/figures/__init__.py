"""Results -> figures, maps and sentences. Computes nothing.

Uses the three flows and releases.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.figures import (
        anonymizability,
        anonymizability_words,
        gain_words,
        groups,
        groups_compared,
        groups_words,
        pipeline_words,
        recovery_words,
        words,
    )
    from privlab.figures.analyses import (
        analyses_in_words,
        analyses_rows,
    )
    from privlab.figures.anonymizability_words import (
        kgap_finding,
    )
    from privlab.figures.attack import (
        attack_figure,
        trips_histogram,
    )
    from privlab.figures.certainty import (
        certainty_words,
        claim_readings,
        posterior_figure,
    )
    from privlab.figures.flow_map_data import (
        VIEWS,
        MapLook,
        View,
        flow_map_from_comparison,
        person_map_from_flows,
    )
    from privlab.figures.flows import (
        decay_figure,
        error_figure,
        scatter_figure,
    )
    from privlab.figures.html import (
        Figure,
        html_from_figure,
        plotly_script,
    )
    from privlab.figures.ledger import (
        account_figure,
        year_in_words,
        year_rows,
    )
    from privlab.figures.maps import (
        exposed_deck,
        flow_label,
        zones_deck,
    )
    from privlab.figures.marks import (
        holds_true_data,
        marked_csv,
        marked_name,
    )
    from privlab.figures.meanings import (
        MEANINGS,
    )
    from privlab.figures.mechanisms import (
        mechanism_name,
        mechanisms_figure,
        mechanisms_in_words,
        mechanisms_rows,
        no_mechanism_in_words,
    )
    from privlab.figures.numbers import (
        csv_from_figure,
    )
    from privlab.figures.outlook_words import (
        both_in_words,
        bound_offer_in_words,
        gaussian_noise_in_words,
        levels_offer_in_words,
        nothing_published,
        outlook_in_words,
        total_offer_in_words,
    )
    from privlab.figures.palette import (
        LIGHT,
        Palette,
        palette_for,
    )
    from privlab.figures.person import (
        giveaway_figure,
        laws_figure,
        parts_figure,
        space_time_figure,
    )
    from privlab.figures.pipeline import (
        pipeline_figure,
    )
    from privlab.figures.plan import (
        clipping_figure,
        plan_figure,
    )
    from privlab.figures.practice import (
        delta_sentence,
        practice_figure,
        practice_rows,
    )
    from privlab.figures.price import (
        price_figure,
        price_in_words,
    )
    from privlab.figures.printed_maps import (
        flow_maps_figure,
        visit_maps_figure,
    )
    from privlab.figures.reading_words import (
        outlook_sentence,
    )
    from privlab.figures.recovery import (
        recovered_trail_figure,
        recovery_figure,
    )
    from privlab.figures.remedies import (
        accuracy_figure,
        before_and_after_figure,
    )
    from privlab.figures.rhythm import (
        days_figure,
        week_figure,
    )
    from privlab.figures.risk import (
        risk_curve_figure,
        risk_histogram,
    )
    from privlab.figures.risk_words import (
        median_risk,
        risks_finding,
    )
    from privlab.figures.titles import (
        TITLES,
        enlarge,
        set_title,
    )
    from privlab.figures.tour_words import (
        STEPS_IN_WORDS,
    )
    from privlab.figures.trails import (
        home_of,
        km_from_home,
        n_days_of,
        trails_figure,
    )
    from privlab.figures.visit_series import (
        hour_in_words,
        slot_flows_in_words,
        visit_hour_in_words,
        visit_series_figure,
        visit_series_in_words,
    )
    from privlab.figures.words import (
        duration,
        in_hundred,
        people,
        period,
        plain,
    )
    from privlab.figures.zone_flows import (
        ZoneFlow,
        flows_of_zone,
    )
    from privlab.figures.zone_preview import (
        places_deck,
        zones_in_words,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "LIGHT",
    "MEANINGS",
    "STEPS_IN_WORDS",
    "TITLES",
    "VIEWS",
    "Figure",
    "MapLook",
    "Palette",
    "View",
    "ZoneFlow",
    "account_figure",
    "accuracy_figure",
    "analyses_in_words",
    "analyses_rows",
    "anonymizability",
    "anonymizability_words",
    "attack_figure",
    "before_and_after_figure",
    "both_in_words",
    "bound_offer_in_words",
    "certainty_words",
    "claim_readings",
    "clipping_figure",
    "csv_from_figure",
    "days_figure",
    "decay_figure",
    "delta_sentence",
    "duration",
    "enlarge",
    "error_figure",
    "exposed_deck",
    "flow_label",
    "flow_map_from_comparison",
    "flow_maps_figure",
    "flows_of_zone",
    "gain_words",
    "gaussian_noise_in_words",
    "giveaway_figure",
    "groups",
    "groups_compared",
    "groups_words",
    "holds_true_data",
    "home_of",
    "hour_in_words",
    "html_from_figure",
    "in_hundred",
    "kgap_finding",
    "km_from_home",
    "laws_figure",
    "levels_offer_in_words",
    "marked_csv",
    "marked_name",
    "mechanism_name",
    "mechanisms_figure",
    "mechanisms_in_words",
    "mechanisms_rows",
    "median_risk",
    "n_days_of",
    "no_mechanism_in_words",
    "nothing_published",
    "outlook_in_words",
    "outlook_sentence",
    "palette_for",
    "parts_figure",
    "people",
    "period",
    "person_map_from_flows",
    "pipeline_figure",
    "pipeline_words",
    "places_deck",
    "plain",
    "plan_figure",
    "plotly_script",
    "posterior_figure",
    "practice_figure",
    "practice_rows",
    "price_figure",
    "price_in_words",
    "recovered_trail_figure",
    "recovery_figure",
    "recovery_words",
    "risk_curve_figure",
    "risk_histogram",
    "risks_finding",
    "scatter_figure",
    "set_title",
    "slot_flows_in_words",
    "space_time_figure",
    "total_offer_in_words",
    "trails_figure",
    "trips_histogram",
    "visit_hour_in_words",
    "visit_maps_figure",
    "visit_series_figure",
    "visit_series_in_words",
    "week_figure",
    "words",
    "year_in_words",
    "year_rows",
    "zones_deck",
    "zones_in_words",
]
