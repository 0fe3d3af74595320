"""Who has the very same fingerprint as whom, counted by digests: a way that knows no distance."""

from hashlib import blake2b
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from privlab.fingerprints.fingerprints import Fingerprints


def n_identical_from_fingerprints(fingerprints: Fingerprints) -> npt.NDArray[np.int64]:
    """Return how many users have the very same samples as each user, the user included, (n_users,).

    A k-gap is 0 exactly where this is at least k.
    """
    samples = np.stack([fingerprints.x, fingerprints.y, fingerprints.t], axis=1)
    cuts = fingerprints.offsets.tolist()
    digests = [
        blake2b(samples[first:end].tobytes(), digest_size=16).digest() for first, end in pairwise(cuts)
    ]
    _, group, counts = np.unique(np.array(digests, dtype="V16"), return_inverse=True, return_counts=True)
    return counts[group].astype(np.int64)
