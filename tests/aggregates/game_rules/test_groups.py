"""Plans as in the paper's table, groups of one size in both worlds, each once, and no leak between them."""

import numpy as np
import pytest

from privlab.aggregates.game_rules.game_plan import plan_from_parameters
from privlab.aggregates.game_rules.groups import (
    MOBILITY,
    Split,
    Target,
    split_from_traces,
    targets_from_traces,
)
from privlab.aggregates.game_rules.parameters import PRIORS, GameParameters, game_parameters_from_dict
from privlab.checks import DataError, ParameterError
from tests.aggregates.worlds import habitual_traces, traces_of_sets, unseen_traces


@pytest.mark.parametrize(
    ("n_users", "n_weeks", "prior", "expected"),
    [
        (10_000, 4, "subset", (400, 100, False, 1_100, (0,), 0)),
        (534, 3, "subset", (400, 100, False, 107, (0,), 0)),  # "~106": 0.2 of 534 is 106.8
        (10_000, 4, "same-groups", (150, 150, True, None, (0, 1, 2), 3)),
        (534, 3, "same-groups", (150, 150, True, None, (0, 1), 2)),
        (10_000, 4, "different-groups", (300, 100, False, None, (0, 1, 2), 3)),
        (534, 3, "different-groups", (300, 100, False, None, (0, 1), 2)),
        (10_000, 4, "zero-knowledge", (400, 100, False, None, (0,), 0)),
        (10_000, 4, "perfect", (200, 200, True, None, (0,), 0)),
        (534, 3, "perfect", (400, 400, True, None, (0,), 0)),
    ],
)
def test_sizes_against_the_paper(n_users: int, n_weeks: int, prior: str, expected: tuple) -> None:
    parameters = GameParameters(prior=prior, group_size=5)
    plan = plan_from_parameters(parameters, unseen_traces(n_users, n_weeks))
    found = plan.n_train, plan.n_test, plan.same_groups, plan.n_known, plan.train_weeks, plan.test_week
    assert found == expected


def drawn(prior: str, size: int = 4, **options: object) -> tuple[Split, Target]:
    traces = habitual_traces(80)
    if prior in ("subset", "different-groups"):
        options = {"test_groups": 20} | options
    parameters = GameParameters(prior=prior, group_size=size, targets=5, train_groups=40, **options)
    target = targets_from_traces(traces, 5, seed=3)[4]
    return split_from_traces(traces, parameters, plan_from_parameters(parameters, traces), target), target


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("size", [1, 2, 4, 11])
def test_groups_are_of_one_size_half_with_the_target_each_once(prior: str, size: int) -> None:
    split, target = drawn(prior, size, **({"prior_share": 0.5} if prior == "subset" else {}))
    different = [split.train] if split.test is split.train else [split.train, split.test]
    for groups in different:
        assert (groups.member.sum(axis=1) == size).all()
        assert groups.inside.sum() == groups.inside.size // 2
        np.testing.assert_array_equal(groups.member[:, target.position], groups.inside)
    rows = [row.tobytes() for groups in different for row in groups.member]
    alone = sum(int(groups.inside.sum()) - 1 for groups in different) + len(different) - 1 if size == 1 else 0
    assert len(set(rows)) == len(rows) - alone  # a group of one IN is the target, always


def test_subset_prior_leaks_no_user() -> None:
    split, target = drawn("subset", 7, prior_share=0.4)
    train, test = split.train.member.any(axis=0), split.test.member.any(axis=0)
    assert np.flatnonzero(train & test).tolist() == [target.position]
    assert not (train & ~split.known).any()
    assert np.flatnonzero(test & split.known).tolist() == [target.position]
    assert split.known.sum() == 32


def test_group_priors_test_what_they_say() -> None:
    same, _ = drawn("same-groups")
    assert same.test is same.train
    different, _ = drawn("different-groups")
    assert not {row.tobytes() for row in different.train.member} & {
        row.tobytes() for row in different.test.member
    }
    assert not different.known.any()


def test_groups_depend_on_seed_and_target_alone() -> None:
    first, target = drawn("different-groups")
    again, _ = drawn("different-groups")
    other, _ = drawn("different-groups", seed=2)
    np.testing.assert_array_equal(first.train.member, again.train.member)
    assert (first.train.member != other.train.member).any()
    assert target.turn == 4


def test_targets_are_of_three_thirds_and_nested() -> None:
    traces = habitual_traces(90)
    targets = targets_from_traces(traces, 30, seed=1)
    assert [sum(one.mobility == name for one in targets) for name in MOBILITY] == [10, 10, 10]
    assert len({one.position for one in targets}) == 30
    thirds = {name: [] for name in MOBILITY}
    for one in targets_from_traces(traces, 90, seed=1):
        thirds[one.mobility].append(traces.n_reports[one.position])
        assert one.user == traces.users[one.position]
    assert max(thirds["low"]) <= min(thirds["middle"])
    assert max(thirds["middle"]) <= min(thirds["high"])
    assert targets_from_traces(traces, 7, seed=1) == targets[:7]
    assert targets_from_traces(traces, 7, seed=2) != targets[:7]


def test_random_labels_say_nothing_of_members() -> None:
    split, target = drawn("subset", 4, random_labels=True)
    assert split.train.inside.sum() == 20
    assert (split.train.inside != split.train.member[:, target.position]).any()


def test_other_shares_of_groups_hold_the_target_in_training_and_test() -> None:
    """A tenth of 40 training groups are 4, three quarters of 20 test groups 15; a hundredth of 40 is one."""
    even, target = drawn("subset", 4)
    rare, _ = drawn("subset", 4, balance="0.1/0.75")
    assert (even.train.inside.sum(), even.test.inside.sum()) == (20, 10)
    assert (rare.train.inside.sum(), rare.test.inside.sum()) == (4, 15)
    for groups in (rare.train, rare.test):
        assert (groups.member[:, target.position] == groups.inside).all()
        assert (groups.member.sum(axis=1) == 4).all()
    same, _ = drawn("same-groups", balance="0.01")
    assert same.train.inside.sum() == 1
    parameters = game_parameters_from_dict({"targets": 3})
    assert "balance" not in parameters.as_dict()  # kept runs are found again
    assert game_parameters_from_dict({"balance": "0.1"}).as_dict()["balance"] == "0.1"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prior": "subset", "group_size": 16}, ParameterError, "group_size must be at most 15"),
        ({"prior": "perfect", "group_size": 80}, ParameterError, "group_size must be at most 79"),
        ({"targets": 81, "group_size": 2}, ParameterError, "targets must be at most 80"),
        (
            {"prior": "same-groups", "observation_weeks": 3},
            DataError,
            r"prior same-groups\) needs 4 whole weeks, .+ those before it. From 2026-.+ there are 3\.$",
        ),
        (
            {"train_groups": 10, "group_size": 2, "settings": {"neighbours": 11}},
            ParameterError,
            "neighbours must be at most 10",
        ),
    ],
)
def test_what_the_data_cannot_give_iv(options: dict, error: type[Exception], message: str) -> None:
    parameters = game_parameters_from_dict({"targets": 3} | options)
    with pytest.raises(error, match=message):
        plan_from_parameters(parameters, habitual_traces(80))


def test_more_groups_than_there_are_iv() -> None:
    with pytest.raises(
        ParameterError, match=r"must be at most 40, as many as there are of 1 among 40 others"
    ):
        drawn("subset", 1, prior_share=0.5, seed=4, test_groups=None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": "some"}, "prior must be one of subset, same-groups"),
        ({"arms": ()}, "arms must be named, each once"),
        ({"classifiers": ("lr", "lr")}, "classifiers must be named, each once"),
        ({"classifiers": ("svm",)}, "classifiers must be one of lr, knn, rf, mlp"),
        ({"prior": "same-groups", "test_groups": 10}, "test_groups must be left out"),
        ({"defence": "lpa", "epsilons": (1.0,), "arms": ("cells+rule",)}, "a zero then contradicts nothing"),
        ({"epsilons": (0.0,)}, "epsilon must be between"),
        ({"group_size": 0}, "group_size must be between"),
        ({"period": "month"}, "period must be"),
    ],
)
def test_parameters_iv(options: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        GameParameters(**options)


def test_parameters_round_trip_through_json() -> None:
    import json

    parameters = GameParameters(
        prior="perfect", arms=("cells", "likelihood"), epsilons=(0.1, 1.0), defence="x"
    )
    assert game_parameters_from_dict(json.loads(json.dumps(parameters.as_dict()))) == parameters
    assert hash(parameters) == hash(game_parameters_from_dict(parameters.as_dict()))
    with pytest.raises(ParameterError, match="got colour"):
        game_parameters_from_dict({"colour": 1})


def test_more_than_fits_is_refused_iv() -> None:
    wide = traces_of_sets([{(0, 0)}] * 50, n_zones=200_000, n_weeks=1, null_zone=True)
    with pytest.raises(ParameterError, match="zones × hours of an aggregate must be at most 20,000,000"):
        plan_from_parameters(GameParameters(group_size=2, targets=1), wide)
    cells = GameParameters(group_size=2, targets=1, arms=("cells",), period="day:mon")
    with pytest.raises(ParameterError, match="to learn from raw cells"):
        plan_from_parameters(cells, wide)


def test_random_labels_say_nothing_of_those_that_are_tested_either() -> None:
    """Half of the labels stay half, and who is meant by them is drawn anew; of one group released and learned from, they are one draw."""
    split, target = drawn("different-groups", 4, random_labels=True)
    assert split.test.inside.sum() == 10
    assert (split.test.inside != split.test.member[:, target.position]).any()
    same, _ = drawn("same-groups", 4, random_labels=True)
    assert same.test.inside.tolist() == same.train.inside.tolist()


def test_a_subset_prior_knows_the_target_and_one_other_at_least() -> None:
    """A hundredth of 80 people is one, and groups of known people without the target need another."""
    parameters = GameParameters(prior="subset", prior_share=0.01, group_size=1, targets=1, train_groups=10)
    assert plan_from_parameters(parameters, habitual_traces(80)).n_known == 2


def test_groups_that_are_tested_must_fit_as_those_learned_from_do_iv() -> None:
    """200,000 zones with that of no report × 24 hours are 4.8 million cells: 10 groups to learn from are 48 million, 100 to be tested 480 million."""
    wide = traces_of_sets([{(0, 0)}] * 50, n_zones=199_999, n_weeks=1, null_zone=True)
    few = {"prior": "subset", "group_size": 2, "targets": 1, "arms": ("cells",), "period": "day:mon"}
    with pytest.raises(ParameterError, match="to learn from raw cells, got 480,000,000"):
        plan_from_parameters(GameParameters(train_groups=10, **few), wide)
    plan_from_parameters(GameParameters(train_groups=10, test_groups=10, **few), wide)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"known": "0.5"}, "known must be left out under the prior subset"),
        ({"prior": "perfect", "known": "top:3"}, "known must be left out under the prior perfect"),
        ({"prior": "zero-knowledge", "balance": "0.1"}, r"balance must be 0\.5 in training"),
        ({"prior": "perfect", "balance": "0.1/0.5"}, "balance must be one share"),
        ({"controls": ("shuffle",)}, "control"),
    ],
)
def test_what_a_prior_has_no_use_for_is_refused_iv(options: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        GameParameters(**options)
