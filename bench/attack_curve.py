"""The exact attack curve for k = 0..70 against 71 compositions of dp_accounting, and against simulation."""

import argparse
import time

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld

from privlab.dp.attack.exact_accuracy import laplace_accuracy_from_epsilon
from privlab.od.attack.attack import AttackParameters, wins_from_games
from privlab.seeds import generator


def seconds(call, repeats=1):
    """Best time of some repeats, and the last result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return min(times), result


def peer(epsilon, last):
    one = pld.from_laplace_mechanism(1 / epsilon, value_discretization_interval=1e-4)
    deltas = [one.self_compose(k).get_delta_for_epsilon(0.0) for k in range(1, last + 1)]
    return np.concatenate([[0.5], 0.5 * (1 + np.clip(deltas, 0, 1))])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--epsilon", type=float, default=0.66)
    options.add_argument("--max-trips", type=int, default=70)
    chosen = options.parse_args()
    epsilon, last = chosen.epsilon, chosen.max_trips
    ours_s, ours = seconds(lambda: laplace_accuracy_from_epsilon(epsilon, last), repeats=20)
    peer_s, theirs = seconds(lambda: peer(epsilon, last))
    games = AttackParameters(epsilon=epsilon, max_trips=last, repetitions=10_000)
    nested_s, _ = seconds(lambda: wins_from_games(games, generator(1, "bench")), repeats=5)

    def apart():
        for k in range(last + 1):
            one = AttackParameters(epsilon=epsilon, max_trips=k, repetitions=10_000)
            wins_from_games(one, generator(k, "bench"))

    apart_s, _ = seconds(apart)
    print(f"exact curve, k = 0..{last}, epsilon {epsilon:g}: {ours_s * 1e3:.1f} ms")
    print(f"dp_accounting, {last + 1} compositions at 1e-4: {peer_s:.2f} s, ratio {peer_s / ours_s:,.0f}")
    print(f"largest difference: {np.abs(ours - theirs).max():.1e}")
    print(f"10,000 nested games of {last} flows: {nested_s:.3f} s, ratio {nested_s / ours_s:,.1f}")
    print(f"{last + 1} × 10,000 games, each k apart: {apart_s:.2f} s, ratio {apart_s / ours_s:,.0f}")


if __name__ == "__main__":
    main()
