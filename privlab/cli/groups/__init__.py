"""Commands on counts by zone and hour: the membership game, and trails put together from counts.

Uses options, printing, lab and everything below.
"""
