"""The data of a release, read in a settled form, and its parameters → the plan: one way for the page Publish and the command `release`.

Which zones there are, and of what kind their ids are, then hangs on what the steward said, and on nobody's rows.
"""

from collections.abc import Sequence

from privlab.checks import ParameterError
from privlab.datasets.times import UNIX_UNITS, slot_min_from_format
from privlab.datasets.zone_kinds import JoinedZoning
from privlab.datasets.zones import Zoning
from privlab.lab.publishing.levels import levels_from_zoning, positions_from_zoning
from privlab.lab.publishing.release_data import ReleaseData, settled_zoning
from privlab.od import RowsOfRelease, product_of
from privlab.od.levels import JoinedIds
from privlab.od.releases import ReleasePlan, SecureReleaseParameters, release_plan_from_parameters


def release_plan_from_release_data(
    parameters: SecureReleaseParameters,
    data: ReleaseData,
    *,
    weeks: Sequence[str],
    levels: Sequence[str] = (),
) -> ReleasePlan:
    """Return the plan of a release of this data; `levels` are specs of districts, from the lowest up. No row is read.

    Raises ParameterError as release_plan_from_parameters and levels_from_zoning, and for slots of workdays where the data does not say
    which days these are; DataError if an id of the zone file is not of the kind that was said.
    """
    rows = _rows(data)
    product_of(parameters.product).require_days(numbered=rows.days_numbered)
    zoning = settled_zoning(data)
    return release_plan_from_parameters(
        parameters,
        weeks=weeks,
        zones_spec=zoning.spec,
        public_zones=zoning.public_zones(),
        levels=levels_from_zoning(levels, zoning),
        positions=positions_from_zoning(zoning),
        joined=_joined(zoning),
        rows=rows,
    )


def _rows(data: ReleaseData) -> RowsOfRelease:
    """Return what the rows say: a run of a taxi's occupied records is a trip already."""
    mapping = data.form.mapping
    return RowsOfRelease(
        kind="trips" if mapping.occupied else mapping.kind,
        timezone=data.timezone or ("UTC" if mapping.time_format in UNIX_UNITS else None),
        in_metres=mapping.place == "xy",
        days_numbered=slot_min_from_format(mapping.time_format) is not None,
        cleaning=tuple(data.cleaning.as_texts().items()),
    )


def _joined(zoning: Zoning) -> JoinedIds | None:
    """Return how many ids of the zone file the zones stand for; None where the places are in the rows."""
    if not isinstance(zoning, JoinedZoning):
        return None
    zones = zoning.zone_of_id.values()
    return JoinedIds(n_ids=len(zones), n_zones=len(set(zones)))


def require_settled_zones(plan: ReleasePlan, data: ReleaseData) -> None:
    """Refuse a plan whose zones are not those that the data is read in. Raises ParameterError.

    Ids of another kind, as a look at the rows may take them, count nobody, and the list itself is published.
    """
    if plan.zones is None:
        return
    zones = tuple(sorted(settled_zoning(data).public_zones() or ()))
    if plan.zones != zones or [type(one) for one in plan.zones] != [type(one) for one in zones]:
        raise ParameterError(
            "zones must be those that the release reads its data in, known without the data, and the plan has others. Make the "
            "plan once it is said how the file is written."
        )
