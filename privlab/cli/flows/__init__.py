"""Commands on origin-destination flows: attack, risk, guarantee, plan, judge, practice, audit.

Uses options, printing, lab and everything below.
"""
