"""What the game is asked for, as options: words with commas between them become lists of games."""

from dataclasses import dataclass, fields
from itertools import product
from typing import Annotated

import typer

from privlab.aggregates.game_rules import (
    ADVERSARIES,
    ARMS,
    CLASSIFIERS,
    HALF,
    PRIORS,
    ClassifierSettings,
    GameParameters,
    balance_from_spec,
    known_from_spec,
)
from privlab.checks import ParameterError, numbers_from_text
from privlab.cli.options.common_options import ControlOption, Seed
from privlab.controls import controls_from_specs

_ZERO = "zero-knowledge"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOptions:
    """Which games to play: each field is an option of the command line."""

    prior: Annotated[str, typer.Option(help=f"{', '.join(PRIORS)}; several with commas.")] = "subset"
    group_size: Annotated[str, typer.Option(help="Users of a group: m1,m2,…")] = "10"
    targets: Annotated[int, typer.Option(help="People attacked, drawn by the seed.")] = 150
    known: Annotated[
        str | None,
        typer.Option(
            help="Share of the target's trace that zero-knowledge knows: 1.0, 0.1, or top:3 places; several with commas."
        ),
    ] = None
    classifier: Annotated[
        str | None,
        typer.Option(
            help="lr, knn, rf, mlp; several with commas. Default all; lr alone under zero-knowledge."
        ),
    ] = None
    arm: Annotated[
        str | None,
        typer.Option(
            help=f"{', '.join(ARMS)}; several with commas. Default statistics; cells under zero-knowledge."
        ),
    ] = None
    period: Annotated[str, typer.Option(help="week, day:mon or hours:mon:8-16.")] = "week"
    defence: Annotated[
        str,
        typer.Option(
            help="What is done to the counts; several with commas. paper: the five mechanisms of Pyrgelis et al."
        ),
    ] = "none"
    epsilon: Annotated[str, typer.Option(help="Privacy losses of the defence: e1,e2,…")] = ""
    adversary: Annotated[str, typer.Option(help="passive, strategic, or both.")] = ",".join(ADVERSARIES)
    train_groups: Annotated[int | None, typer.Option(help="Groups of the training; default the paper's.")] = (
        None
    )
    test_groups: Annotated[int | None, typer.Option(help="Groups of the test; default the paper's.")] = None
    balance: Annotated[
        str,
        typer.Option(
            help="Share of the groups with the target: 0.5, 0.1 (training and test), 0.1/0.5 (training/test); several with commas."
        ),
    ] = HALF
    prior_share: Annotated[
        float | None, typer.Option(help="Share of users whose traces the subset prior knows.")
    ] = None
    observation_weeks: Annotated[
        int | None, typer.Option(help="Weeks before the last that the group priors saw; default all.")
    ] = None
    feature_elimination: Annotated[
        bool, typer.Option("--feature-elimination", help="Keep as many features as training samples.")
    ] = False
    setting: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help=f"Repeatable: {', '.join(one.name for one in fields(ClassifierSettings))}.",
        ),
    ] = None
    sanity: Annotated[str, typer.Option(help="What the relative error is bounded by: group, zone, one.")] = (
        "group"
    )
    random_labels: Annotated[
        bool, typer.Option("--random-labels", help="A control: labels that say nothing.")
    ] = False
    control: ControlOption = None
    seed: Seed = 1


def games_from_options(options: GameOptions) -> list[GameParameters]:
    """Return one game per prior, group size, defence and balance. Raises ParameterError for what cannot be read."""
    from privlab.aggregates.defences import PAPER_DEFENCES, require_defence, takes_epsilon

    epsilons = tuple(numbers_from_text("epsilon", options.epsilon))
    asked_for = words_from_text(options.defence)
    defences = tuple(
        dict.fromkeys(name for one in asked_for for name in (PAPER_DEFENCES if one == "paper" else (one,)))
    )
    for name in defences:
        require_defence(name)
    if epsilons and not any(takes_epsilon(name) for name in defences):
        raise ParameterError(
            f"epsilon must come with a defence that adds noise, got {options.epsilon!r} with {options.defence}."
        )
    sizes = [int(one) for one in numbers_from_text("group_size", options.group_size, whole=True)]
    priors = words_from_text(options.prior)
    asked = ("1",) if options.known is None else words_from_text(options.known) or ("",)
    knowns = list(dict.fromkeys(known_from_spec(one).spec for one in asked))
    balances = list(
        dict.fromkeys(balance_from_spec(one).spec for one in words_from_text(options.balance) or ("",))
    )
    if options.known is not None and _ZERO not in priors:
        raise ParameterError(f"known must come with the prior {_ZERO}, got {options.known!r}.")
    games = [
        GameParameters(
            prior=prior,
            group_size=size,
            targets=options.targets,
            arms=_asked(options.arm, prior, usual=ARMS[:1], of_zero=("cells",)),
            classifiers=_asked(options.classifier, prior, usual=CLASSIFIERS, of_zero=("lr",)),
            period=options.period,
            train_groups=options.train_groups,
            test_groups=options.test_groups,
            prior_share=options.prior_share,
            known=known,
            observation_weeks=options.observation_weeks,
            feature_elimination=options.feature_elimination,
            defence=defence,
            epsilons=epsilons if takes_epsilon(defence) else (),
            adversaries=words_from_text(options.adversary),
            sanity=options.sanity,
            random_labels=options.random_labels,
            balance=balance,
            controls=controls_from_specs(options.control or []),
            settings=settings_from_pairs(options.setting),
            seed=options.seed,
        )
        for prior, size, defence in product(priors, sizes, defences)
        for known in (knowns if prior == _ZERO else ("1",))
        for balance in balances
    ]
    if not games:
        raise ParameterError(f"group_size must be one number at least, got {options.group_size!r}.")
    return games


def _asked(
    words: str | None, prior: str, *, usual: tuple[str, ...], of_zero: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the words of an option, or what is usual under a prior where it is left out."""
    if words is not None:
        return words_from_text(words)
    return of_zero if prior == _ZERO else usual


def words_from_text(text: str) -> tuple[str, ...]:
    """Return words written with commas between them.

    >>> words_from_text("lr, knn")
    ('lr', 'knn')
    """
    return tuple(part.strip() for part in text.split(",") if part.strip())


def settings_from_pairs(pairs: list[str] | None) -> ClassifierSettings:
    """Return the settings that NAME=VALUE pairs change. Raises ParameterError for an unknown name."""
    known = {one.name: one.type for one in fields(ClassifierSettings)}
    changed: dict[str, float] = {}
    for pair in pairs or []:
        name, _, value = pair.partition("=")
        if name not in known:
            raise ParameterError(f"setting must be NAME=VALUE with one of {', '.join(known)}, got {pair!r}.")
        numbers = numbers_from_text(name, value, whole=known[name] in (int, "int"))
        if len(numbers) != 1:
            raise ParameterError(f"setting must be NAME=VALUE with one number, got {pair!r}.")
        changed[name] = int(numbers[0]) if known[name] in (int, "int") else numbers[0]
    return ClassifierSettings(**changed)  # type: ignore[arg-type]
