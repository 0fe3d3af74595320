"""Records at zone ids → records at coordinates, where a zone file says where its zones lie."""

from dataclasses import replace

import ibis
import numpy as np
import pyarrow as pa

from privlab.datasets.records import Dataset
from privlab.datasets.zones.zone_maps import Zoning


def located_dataset(dataset: Dataset, zoning: Zoning) -> Dataset:
    """Return the dataset with latitudes and longitudes of zone centres for zone ids, where they are known.

    Records in zones without a position are left out; `report` still counts them as kept. Data that has
    coordinates, or no zone with a position, is returned as it is.
    """
    zones = zoning.public_zones()
    if dataset.kind != "records" or dataset.place != "zone" or not zones:
        return dataset
    where = zoning.zone_map(zones)
    if not where.located:
        return dataset
    known = np.isfinite(where.lat) & np.isfinite(where.lon)
    centres = pa.table(
        {
            "zone": pa.array(zones).filter(pa.array(known)),
            "lat": where.lat[known],
            "lon": where.lon[known],
        }
    )
    joined = dataset.table.inner_join(ibis.memtable(centres), "zone").select("user_id", "time", "lat", "lon")
    stored = dataset.workspace.materialise("located", joined)
    return replace(dataset, table=stored, place="latlon")
