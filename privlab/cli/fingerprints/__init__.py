"""Commands on how hard people are to hide: k-gap, unicity, links, GLOVE.

Uses options, printing, lab and everything below.
"""
