"""The samples that come with the lab: where they are, how they are cut into zones, what they show."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from privlab.checks import require_choice
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.records import Dataset
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_files.zone_readers import geography_from_path, geojson_from_path

FOLDER = Path(__file__).resolve().parents[2] / "sample_data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One sample: its file, default zoning, and two sentences for a reader."""

    name: str
    title: str
    sentence: str
    file: str
    zones: str
    geography_file: str | None = None
    decoration_file: str | None = None


SAMPLES = {
    sample.name: sample
    for sample in (
        Sample(
            name="city",
            title="City",
            sentence="200,000 invented people, one week of trips over 100 zones of a town on a river.",
            file="city.parquet",
            zones="column",
            geography_file="city_zones.geojson",
            decoration_file="city_river.geojson",
        ),
        Sample(
            name="commuters",
            title="Commuters",
            sentence="10,000 invented transit cards, four weeks at 582 stations: sparse and regular.",
            file="commuters.parquet",
            zones="column",
            geography_file="commuter_stations.parquet",
        ),
        Sample(
            name="cabs",
            title="Cabs",
            sentence="534 invented cabs, three weeks in a 10 × 10 grid: dense and irregular.",
            file="cabs.parquet",
            zones="box:37.7356,-122.444,37.797,-122.3663:10x10",
        ),
        Sample(
            name="subscribers",
            title="Subscribers",
            sentence="5,000 invented phone users, two weeks, about 60 samples each at antennas of a country.",
            file="subscribers.parquet",
            zones="grid:10000",
        ),
    )
}


def sample_digest(name: str) -> str | None:
    """Return the digest of a sample's files and of how it is cut into zones; None if they cannot be read."""
    sample = SAMPLES[require_choice("sample", name, tuple(SAMPLES))]
    digest = hashlib.blake2b(repr(sample).encode(), digest_size=32)
    try:
        for file in (sample.file, sample.geography_file):
            digest.update((FOLDER / file).read_bytes() if file else b"")
    except OSError:
        return None
    return digest.hexdigest()


def sample_dataset(name: str, workspace: Workspace | None = None) -> Dataset:
    """Return a sample as a dataset, read like any other file."""
    sample = SAMPLES[require_choice("sample", name, tuple(SAMPLES))]
    return read_dataset(FOLDER / sample.file, workspace=workspace, name=sample.name)


@cache
def sample_geography(name: str) -> Geography | None:
    """Return where the zones of a sample lie, or None if its zoning says so itself."""
    sample = SAMPLES[require_choice("sample", name, tuple(SAMPLES))]
    return geography_from_path(FOLDER / sample.geography_file) if sample.geography_file else None


@cache
def sample_decoration(name: str) -> Any:
    """Return GeoJSON that helps the eye on the map (a river), or None."""
    sample = SAMPLES.get(name)
    if sample is None or sample.decoration_file is None:
        return None
    return geojson_from_path(FOLDER / sample.decoration_file)
