"""Work longer than a slider may take: jobs with progress, and fair turns for all sessions.

Uses lab and what it works on.
"""
