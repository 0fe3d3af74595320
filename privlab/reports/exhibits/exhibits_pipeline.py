"""The exhibit of the audit of the whole way, from file to file."""

from privlab.defaults import USUAL_DELTA
from privlab.dp.gaussian import TOTAL_SHARE
from privlab.figures.drawing import LIGHT
from privlab.figures.risks import pipeline_figure, pipeline_words
from privlab.limits import MAX_AUDIT_CELLS
from privlab.od import FLOWS
from privlab.od.auditing import HONEST, PipelineAuditParameters
from privlab.od.releases import SecureReleaseParameters
from privlab.reports.exhibits.exhibits import Content, Exhibit, Material, unmarked
from privlab.reports.report_plan import View

_DELTA = USUAL_DELTA  # of Gaussian noise, as a release has it where nothing else is said


def _pipeline(material: Material, view: View) -> Content:
    bound = view.release.max_trips_per_user
    gaussian = view.option("noise", "integer") == "gaussian"
    levels = [one for one in str(view.option("levels", "")).split(",") if one]
    parameters = PipelineAuditParameters(
        release=SecureReleaseParameters(
            epsilon=view.release.epsilon,
            max_trips_per_user=None if bound is None else min(bound, MAX_AUDIT_CELLS),  # type: ignore[arg-type]  # None is refused there
            threshold=view.release.threshold,
            cells=str(view.option("cells", "public")),
            noise="gaussian" if gaussian else "integer",
            clip="l2" if gaussian else "keep",
            delta=_DELTA if gaussian else 0.0,
            total_share=TOTAL_SHARE if view.option("total", False) else 0.0,
            product=str(view.option("product", FLOWS.name)),
            levels=len(levels),
        ),
        trials=view.whole("releases", 2_000),
        level=view.number("level", 0.999),
        seed=view.seed,
        pipeline=str(view.option("way", HONEST)),
    )
    found = material.pipeline_audit(parameters, view.week or material.trips().trips.weeks[0], levels)
    words = [pipeline_words.finding(found), pipeline_words.lost_trips(found), pipeline_words.account(found)]
    if bound is not None and bound > MAX_AUDIT_CELLS:
        words.append(f"Audited is a limit of {MAX_AUDIT_CELLS}; an audit takes no more of the {bound:,}.")
    return Content(
        sentence=" ".join(unmarked(one) for one in words if one),
        figure=pipeline_figure(found, LIGHT),
        rows=pipeline_words.rows(found),
    )


EXHIBITS = (
    Exhibit(
        name="pipeline_audit",
        title="The whole way, from file to file",
        page="guarantee",
        discloses=True,
        make=_pipeline,
    ),
)
