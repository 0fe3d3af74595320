"""A week of trips with an added person and without -> what the whole way to the published file gives away, against its promise.

Uses counting, releases and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.auditing.added_people import (
        AddedPerson,
        canaries_from_used_cells,
        companions_of,
        moves_from_cells,
        stays_from_cells,
    )
    from privlab.od.auditing.broken_steps import (
        BROKEN_PIPELINES,
    )
    from privlab.od.auditing.pipeline_audit import (
        HONEST,
        SEED,
        AuditedWorlds,
        CanaryFound,
        PipelineAudit,
        PipelineAuditParameters,
        pipeline_audit_from_worlds,
    )
    from privlab.od.auditing.work_ahead import (
        WorkAhead,
        work_ahead_from_parameters,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "BROKEN_PIPELINES",
    "HONEST",
    "SEED",
    "AddedPerson",
    "AuditedWorlds",
    "CanaryFound",
    "PipelineAudit",
    "PipelineAuditParameters",
    "WorkAhead",
    "canaries_from_used_cells",
    "companions_of",
    "moves_from_cells",
    "pipeline_audit_from_worlds",
    "stays_from_cells",
    "work_ahead_from_parameters",
]
