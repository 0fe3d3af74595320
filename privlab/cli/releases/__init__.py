"""Commands on releases for good: release, verify, the ledger, its copies, and the health of a lab.

Uses options, printing, lab and everything below.
"""
