"""The flow map in the browser, and what stands around it: before and after, and the flows of one zone.

Uses shell. Offers nothing to pages: rooms of the pages call it.
"""
