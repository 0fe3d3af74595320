"""Speed and memory against peers, printed as ratios from one run: `python -m bench.attack_curve`."""
