"""The settings of a figure → the words below its title: "k = 12", "groups of 10 and 100", "logistic regression"."""

import re
from collections.abc import Mapping

from privlab.dp.promise import delta_words

CLASSIFIER_NAMES = {
    "lr": "logistic regression",
    "knn": "nearest neighbours",
    "rf": "random forest",
    "mlp": "neural network",
}
PRIOR_NAMES = {
    "subset": "traces of some",
    "same-groups": "same groups, earlier",
    "different-groups": "other groups, earlier",
    "perfect": "the very groups released",
    "zero-knowledge": "nothing but the release",
}
"""What an attacker knows, as the page says it; the command line names it by the words of the paper."""
_SYMBOLS = {"epsilon": "ε", "delta": "δ", "k": "k", "L": "L", "ε": "ε", "δ": "δ"}
_LEARNED_FROM = {"statistics": "seven statistics per zone", "likelihood": "the likelihood"}
_COUNTED = {
    "simulated_games": "simulated games", "targets": "targets", "people": "people", "people_sought": "people looked for",
    "days": "days", "draws": "draws", "releases": "releases",
}  # fmt: skip
_SAID = {
    "group_sizes": "groups of {}",
    "group_size": "groups of {}",
    "arm": "learned from {}",
    "classifier": "{}",
    "prior": "the attacker knows: {}",
    "noise": "{} noise",
    "step": "steps of {} min",
    "of_release": "of the release {}",
    "chance": "beyond ε with a chance of {}",
    "together_n": "releases of these people in the ledger: {}",
    "together_epsilon": "together ε = {}",
    "together_delta": "at δ = {}",
    "together_added": "added up ε = {}",
}
_CONSIDERED = {"public": "all possible flows considered", "discovered": "only flows found in the data"}
_WHERE_TRUE = {
    "accepted_delta": "its δ accepted",
    "accepted_made_up": "false flows accepted",
    "zones_listed": "the zones of a zone file",
    "total": "a noisy total",
}


def noise_name(law: str) -> str:
    """Return a law of noise as it is written in a sentence: Laplace and Gauss were people.

    >>> noise_name("laplace"), noise_name("integer")
    ('Laplace', 'integer')
    """
    return {"laplace": "Laplace", "gaussian": "Gaussian"}.get(law, law)


def options_in_words(options: Mapping[str, object]) -> list[str]:
    """Return a figure's own settings as words, in their order; what is not set is left out.

    >>> options_in_words({"k": 12, "simulated_games": 10000, "classifier": "lr", "defence": None, "way": "honest"})
    ['k = 12', '10,000 simulated games', 'logistic regression', "the release's own way"]
    >>> options_in_words({"group_sizes": "10,100", "targets": 1, "noise": "laplace", "prior": 50, "simulated_games": 0})
    ['groups of 10 and 100', '1 target', 'Laplace noise', 'prior: 50%', 'no simulated games']
    >>> options_in_words({"prior": "subset", "targets": 30})
    ['the attacker knows: traces of some', '30 targets']
    >>> options_in_words({"way": "busiest-flows-kept", "product": "flows-by-slot", "total": False, "level": 0.999})
    ['broken way: busiest flows kept', 'flows by slot', 'sure to 99.9%']
    >>> options_in_words({"way": "honest", "product": "flows", "total": True, "level": "2.5-60"})
    ["the release's own way", 'flows', 'a noisy total', 'level: 2.5-60']
    >>> options_in_words({"delta": 1e-6, "chance": 2.8e-5, "of_release": "663838b81f8f", "accepted_made_up": True})
    ['δ = 10⁻⁶', 'beyond ε with a chance of 2.8·10⁻⁵', 'of the release 663838b81f8f', 'false flows accepted']
    """
    return [
        _in_words(name, value)
        for name, value in options.items()
        if value is not None and not (name == "total" and value is False)
    ]


def _in_words(name: str, value: object) -> str:
    words = (
        delta_words(value)
        if name in ("delta", "δ", "together_delta", "chance") and isinstance(value, float) and value > 0
        else f"{value:g}"
        if isinstance(value, float)
        else " and ".join(re.sub(", *", ", ", str(value)).rsplit(", ", 1))
    )
    if name in _WHERE_TRUE and value is True:
        return _WHERE_TRUE[name]
    if name == "way":
        return "the release's own way" if value == "honest" else f"broken way: {words.replace('-', ' ')}"
    if name == "product":
        return words.replace("-", " ")
    if name == "level" and isinstance(value, float):
        return f"sure to {100 * value:g}%"
    if name == "cells":
        return _CONSIDERED.get(str(value), f"cells: {value}")
    if name in _SYMBOLS:
        return f"{_SYMBOLS[name]} = {words}"
    if name in _COUNTED and isinstance(value, int):
        many = _COUNTED[name]
        one = {"people": "person"}.get(many, many.removesuffix("s"))
        return f"1 {one}" if value == 1 else f"{f'{value:,}' if value else 'no'} {many}"
    if name == "prior" and isinstance(value, int | float):
        return f"prior: {words}%"
    if name == "noise":
        if "noise" in str(value):  # a mechanism by its own name
            return str(value)
        words = noise_name(words)
    elif name == "prior":
        words = PRIOR_NAMES.get(str(value), words)
    elif name == "arm":
        words = " and ".join(_LEARNED_FROM.get(one, one) for one in str(value).split(","))
    elif name == "classifier":
        words = " and ".join(CLASSIFIER_NAMES.get(one, one) for one in str(value).split(","))
    return _SAID[name].format(words) if name in _SAID else f"{name.replace('_', ' ')}: {words}"
