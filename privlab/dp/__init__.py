"""Noise and what it promises.

Rooms: noise (mechanisms, the system's own randomness), attack (what the best test reaches), gaussian (trips as weights, noise on
their sums), certainty (how sure an attacker becomes), promise (what is guaranteed), composing (by several releases), audit
(mechanisms as they run). Knows parameters, no data. Uses the ground floor only.
"""
