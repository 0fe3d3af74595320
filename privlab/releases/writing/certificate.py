"""The certificate of a secure release: what it says, and its signature.

It holds what was decided before the data was looked at, what can be worked out from the published counts,
and a keyed digest of the data: no true count, no user, no seed. The same function writes it and, in
verification.py, says what it should be.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab import __version__
from privlab.dp.promise import Guarantee, earlier_statement
from privlab.od.releases import ReleasePlan, WeekTotal, published_half_width, published_noise_tail

WHAT = "privlab secure release: people per week, origin and destination, with integer noise"
WHAT_GAUSSIAN = (
    "privlab secure release: people per week, origin and destination, with discrete Gaussian noise"
)
_CELLS = {  # what a certificate says of the cells, by product
    "flows": "origin and destination",
    "flows-by-slot": "origin, destination and time slot",
    "visits": "zone and hour",
}
WHATS = {  # by product and noise
    (product, noise): what.replace(_CELLS["flows"], cells)
    for product, cells in _CELLS.items()
    for noise, what in (("integer", WHAT), ("gaussian", WHAT_GAUSSIAN))
}
FORMAT = 3
FORMAT_GAUSSIAN = 4  # what is written of Gaussian noise
SAID = "said_by_publisher"
LAW = "HMAC-SHA256 of the data's digest and the salt, under a key beside the publisher's ledger"
LAW_1 = "BLAKE2b-256 of the data's digest under a key in the ledger"
SIGNED = "Ed25519 over this certificate without the value of its signature: JSON in ASCII, keys in order, no spaces"


def certificate_from_release(
    plan: ReleasePlan,
    count: npt.NDArray[np.int64],
    *,
    noise: dict[str, Any],
    data: dict[str, str],
    files: dict[str, str],
    made: str,
    versions: dict[str, str],
    form: int | None = None,
    accepted: dict[str, str] | None = None,
    said: dict[str, str] | None = None,
    estimates: dict[str, Any] | None = None,
    totals: Mapping[str, WeekTotal] = MappingProxyType({}),
    levels: dict[str, Any] | None = None,
    model: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the certificate without its signature: plain JSON, nothing of the true data.

    `count` are the published counts, `noise` what there is to say of the noise as it ran (ReleaseNoise.record),
    `data` salt and keyed digest, `files` the SHA-256 of the files by name. `accepted` holds the publisher's reasons
    for a large δ or for made-up flows, `said` what the publisher says of themselves and of the data; without any, the certificate has no
    such part. `estimates` is what there is to say
    of the file of estimates beside the counts, its SHA-256 and its columns; releases of earlier versions have none. `totals` are
    those of a release with a noisy total, by week, `levels` what there is to say of sums of districts, `model` of what all
    noisy counts of public cells add up to. `form` is the format to write; earlier ones are written to be compared with what was
    made then. Default: 3 with integer noise, 4 with Gaussian. A plan that says nothing of its rows makes a certificate without that part.
    """
    gaussian = plan.parameters.noise == "gaussian"
    form = form or (FORMAT_GAUSSIAN if gaussian else FORMAT)
    return {
        "what": WHATS[plan.product.name, plan.parameters.noise],
        "format": form,
        "made": made,
        "data": {**data, "law": LAW},
        "weeks": list(plan.weeks),
        "zones": {
            "spec": Path(plan.zones_spec).name,
            "public": None if plan.zones is None else list(plan.zones),
            **({"joined": asdict(plan.joined)} if plan.joined else {}),
        },
        **({"rows": plan.rows.as_record()} if plan.rows else {}),
        "parameters": plan.parameters.as_record(),
        "mechanism": noise,
        "guarantee": guarantee_as_record(plan.guarantee, form),
        "utility": _utility(plan, count, noise["scale"]),
        "files": files,
        "versions": versions,
        **({"accepted": accepted} if accepted else {}),
        **({SAID: said} if said else {}),
        **({"estimates": estimates} if estimates else {}),
        **({"totals": {week: asdict(total) for week, total in totals.items()}} if totals else {}),
        **({"levels": levels} if levels else {}),
        **({"model": model} if model else {}),
    }


def versions_of_release() -> dict[str, str]:
    """Return the versions of what makes a release."""
    return {"privlab": __version__, **{name: version(name) for name in ("opendp", "dp-accounting")}}


def signed_certificate(
    certificate: dict[str, Any], *, public_key: str, signature: Callable[[bytes], str]
) -> dict[str, Any]:
    """Return the certificate with its signature."""
    sign = {"law": SIGNED, "public_key": public_key}
    value = signature(content_signed({**certificate, "signature": sign}))
    return {**certificate, "signature": {**sign, "value": value}}


def content_signed(certificate: dict[str, Any]) -> bytes:
    """Return the bytes that a signature is over: all but the signature's own value."""
    sign = {name: said for name, said in certificate["signature"].items() if name != "value"}
    text = json.dumps(
        {**certificate, "signature": sign}, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return text.encode("ascii")


def guarantee_as_record(guarantee: Guarantee, form: int = FORMAT) -> dict[str, Any]:
    """Return a guarantee as a certificate writes it down; before format 3 nothing of certainty."""
    units = {name: None if unit is None else asdict(unit) for name, unit in guarantee.as_dict().items()}
    if form >= 3:
        return {"units": units, "statement": guarantee.statement}
    for unit in units.values():
        if unit is not None:
            del unit["certain_share"]
    return {"units": units, "statement": earlier_statement(guarantee)}


def _utility(plan: ReleasePlan, count: npt.NDArray[np.int64], scale: float) -> dict[str, Any]:
    """What a reader may know of the error: from the parameters and the published counts alone."""
    threshold, noise = plan.parameters.threshold, plan.parameters.noise
    chance = float(published_noise_tail(noise, scale, threshold)) if threshold else 1.0
    spurious = None if plan.n_cells is None else plan.n_cells * len(plan.weeks) * chance
    return {
        "published_cells": int(count.size),
        "published_total": int(count.sum()),
        "noise_half_width_95": published_half_width(noise, scale),
        "made_up_cells_expected_at_most": spurious,
    }
