"""Options that several commands take: files and their columns, zones, noise, games.

Uses lab and everything below.
"""
