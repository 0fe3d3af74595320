"""What the game is asked for, as options: words with commas between them become lists of games."""

from dataclasses import dataclass, fields
from itertools import product
from typing import Annotated

import typer

from privlab.aggregates.game import ADVERSARIES, ARMS, CLASSIFIERS, PRIORS, ClassifierSettings, GameParameters
from privlab.checks import ParameterError, numbers_from_text
from privlab.cli.common_options import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOptions:
    """Which games to play: each field is an option of the command line."""

    prior: Annotated[str, typer.Option(help=f"{', '.join(PRIORS)}; several with commas.")] = "subset"
    group_size: Annotated[str, typer.Option(help="Users of a group: m1,m2,…")] = "10"
    targets: Annotated[int, typer.Option(help="People attacked, drawn by the seed.")] = 150
    classifier: Annotated[str, typer.Option(help="lr, knn, rf, mlp; several with commas.")] = ",".join(
        CLASSIFIERS
    )
    arm: Annotated[str, typer.Option(help=f"{', '.join(ARMS)}; several with commas.")] = "statistics"
    period: Annotated[str, typer.Option(help="week, day:mon or hours:mon:8-16.")] = "week"
    defence: Annotated[str, typer.Option(help="What is done to the counts; several with commas.")] = "none"
    epsilon: Annotated[str, typer.Option(help="Privacy losses of the defence: e1,e2,…")] = ""
    adversary: Annotated[str, typer.Option(help="passive, strategic, or both.")] = ",".join(ADVERSARIES)
    train_groups: Annotated[int | None, typer.Option(help="Groups of the training; default the paper's.")] = (
        None
    )
    test_groups: Annotated[int | None, typer.Option(help="Groups of the test; default the paper's.")] = None
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
            help=f"NAME=VALUE, repeatable: {', '.join(one.name for one in fields(ClassifierSettings))}."
        ),
    ] = None
    sanity: Annotated[str, typer.Option(help="What the relative error is bounded by: group, zone, one.")] = (
        "group"
    )
    random_labels: Annotated[
        bool, typer.Option("--random-labels", help="A control: labels that say nothing.")
    ] = False
    seed: Seed = 1


def games_from_options(options: GameOptions) -> list[GameParameters]:
    """Return one game per prior, group size and defence. Raises ParameterError for what cannot be read."""
    from privlab.aggregates.defences import takes_epsilon

    epsilons = tuple(numbers_from_text("epsilon", options.epsilon))
    defences = words_from_text(options.defence)
    if epsilons and defences == ("none",):
        raise ParameterError(f"epsilon must come with a defence, got {options.epsilon!r}.")
    sizes = [int(one) for one in numbers_from_text("group_size", options.group_size, whole=True)]
    games = [
        GameParameters(
            prior=prior,
            group_size=size,
            targets=options.targets,
            arms=words_from_text(options.arm),
            classifiers=words_from_text(options.classifier),
            period=options.period,
            train_groups=options.train_groups,
            test_groups=options.test_groups,
            prior_share=options.prior_share,
            observation_weeks=options.observation_weeks,
            feature_elimination=options.feature_elimination,
            defence=defence,
            epsilons=epsilons if takes_epsilon(defence) else (),
            adversaries=words_from_text(options.adversary),
            sanity=options.sanity,
            random_labels=options.random_labels,
            settings=settings_from_pairs(options.setting),
            seed=options.seed,
        )
        for prior, size, defence in product(words_from_text(options.prior), sizes, defences)
    ]
    if not games:
        raise ParameterError(f"group_size must be one number at least, got {options.group_size!r}.")
    return games


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
