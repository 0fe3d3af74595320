"""Use cases without a browser and without a command line: pages and commands reach a result by one way.

Rooms: loading, planning, previewing, judging, publishing, ledgers, comparing, proposing, attacking, fingerprints, reporting.
Uses everything below; knows neither streamlit nor Typer.
"""
