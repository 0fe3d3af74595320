"""What commands write: tables, JSON, notes, files, and the lines that tell how far the work is.

Uses od.
"""
