"""Results -> figures, maps and sentences. Computes nothing.

Rooms: drawing, wording, maps, flows, planning, risks, groups, fingerprints. Uses the three flows and releases.
"""
