"""The only way a release leaves: ledger, signed certificate, files, and their verification.

Rooms: ledger, accounts, writing, folders, reading, copies. Uses datasets, od, dp and kept.
"""
