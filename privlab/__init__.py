"""privlab: a privacy lab for human-mobility data.

Three flows from the same records: origin-destination counts and the attack on them,
membership inference on aggregate series, and the anonymizability of trajectories.
"""

__version__ = "0.1.0"
