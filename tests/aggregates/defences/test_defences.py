"""Defences: sensitivities as properties of real aggregates, noise against its law, an audit, blocks by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from dp_accounting import gaussian_mechanism
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.aggregates.counting import aggregates_from_groups
from privlab.aggregates.defences.defence import Defence, DefenceFacts, defence_facts_from_window
from privlab.aggregates.defences.named_defences import (
    DEFENCES,
    NOISY_DEFENCES,
    defence_from_spec,
    sentence_from_defence,
    settings_from_defence,
    takes_epsilon,
)
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import Window, window_from_traces
from privlab.checks import ParameterError
from privlab.dp.noise.fourier import coefficients_from_series, dropped_energies
from tests.aggregates.worlds import habitual_traces, traces_of_sets

FACTS = DefenceFacts(max_reports=200, max_zones=5, n_zones=11, n_epochs=24, null_zone=True)
N_ZONES = 4

report = st.tuples(st.integers(0, 167), st.integers(0, N_ZONES - 1))
habits = st.sets(report, max_size=40)
block = st.builds(  # someone everywhere, for hours on end
    lambda first, last, zones: {(t, z) for t in range(first, max(first, last) + 1) for z in range(zones)},
    st.integers(0, 167),
    st.integers(0, 167),
    st.integers(1, N_ZONES),
)
people = st.lists(st.one_of(habits, block), min_size=1, max_size=5).filter(any)


def window_of(sets: list[set[tuple[int, int]]], *, null_zone: bool, period: str = "week") -> Window:
    traces = traces_of_sets(sets, n_zones=N_ZONES, n_weeks=1, null_zone=null_zone)
    return window_from_traces(traces, week=0, period=period_from_spec(period))


def moves(window: Window) -> np.ndarray:
    """Return by how much removing each user changes the aggregate of all, (users, zones, epochs)."""
    everybody = np.ones((1, window.n_users), dtype=bool)
    without = ~np.eye(window.n_users, dtype=bool)
    return aggregates_from_groups(everybody, window) - aggregates_from_groups(without, window)


@settings(max_examples=150)
@given(people, st.booleans(), st.sampled_from(["week", "hours:mon:0-8"]), st.integers(1, 168))
def test_removing_any_user_moves_no_more_than_declared(
    sets: list[set[tuple[int, int]]], null_zone: bool, period: str, n_kept: int
) -> None:
    window = window_of(sets, null_zone=null_zone, period=period)
    facts = defence_facts_from_window(window)
    if not facts.max_reports:
        return
    n_kept = min(n_kept, facts.n_epochs)
    change = moves(window)
    lpa, gaussian, fpa, efpag = (
        defence_from_spec(spec, epsilon=1.0, facts=facts)
        for spec in ("lpa", "gaussian", f"fpa:{n_kept}", "efpag")
    )
    assert np.abs(change).sum(axis=(1, 2)).max() == lpa.l1_sensitivity  # met, not only kept
    assert np.sqrt((change**2).sum(axis=(1, 2)).max()) == pytest.approx(gaussian.l2_sensitivity)
    coefficients = coefficients_from_series(change)
    assert np.abs(coefficients[..., :n_kept]).sum(axis=(1, 2)).max() <= fpa.l1_sensitivity * (1 + 1e-9)
    total = coefficients_from_series(aggregates_from_groups(np.ones((1, window.n_users), bool), window))
    for one in coefficients:  # however many are kept of each zone, and whatever they were chosen by
        lengths = np.random.default_rng(n_kept).integers(1, facts.n_epochs + 1, size=facts.n_zones)
        kept = one[np.arange(facts.n_epochs) < lengths[:, None]]
        assert np.sqrt((kept**2).sum()) <= efpag.l2_sensitivity * (1 + 1e-9)
        scores = np.abs(dropped_energies(total) - dropped_energies(total - one)).max(axis=-1)
        assert scores.sum() <= efpag.score_sensitivity + 1e-6
        of_all = [np.linalg.norm(dropped_energies(each), axis=0) for each in (total[0], total[0] - one)]
        assert np.abs(of_all[0] - of_all[1]).max() <= replace(efpag, common=True).score_sensitivity + 1e-6


def everywhere_always(n_zones: int) -> np.ndarray:
    return moves(window_of([{(t, z) for t in range(168) for z in range(n_zones)}], null_zone=False))[0]


@pytest.mark.parametrize("n_zones", [1, 3])
def test_fpa_sensitivity_is_met_by_someone_everywhere_always(n_zones: int) -> None:
    facts = replace(FACTS, max_reports=168 * n_zones, max_zones=n_zones, n_zones=N_ZONES, n_epochs=168)
    fpa = defence_from_spec("fpa:1", epsilon=1.0, facts=facts)
    kept = coefficients_from_series(everywhere_always(n_zones))[:, :1]
    assert np.abs(kept).sum() == pytest.approx(fpa.l1_sensitivity)
    assert fpa.l1_sensitivity == pytest.approx(math.sqrt(168) * n_zones)


def test_unnormalised_transform_needs_many_times_that_scale() -> None:
    """Public codes take numpy's transform and the orthonormal one's scale: too little noise by √168 here."""
    raw = np.abs(np.fft.rfft(everywhere_always(1), axis=-1)[:, :1]).sum()
    facts = replace(FACTS, max_reports=168, max_zones=1, n_zones=N_ZONES, n_epochs=168)
    assert raw / defence_from_spec("fpa:1", epsilon=1.0, facts=facts).l1_sensitivity == pytest.approx(
        168**0.5
    )


def epsilon_below(defence: Defence, change: np.ndarray, trials: int, statistic) -> float:
    """Return a lower bound on ε, sure but for 1e-6: how much likelier the target makes a large statistic."""
    rng = np.random.default_rng(12)
    inside = statistic(defence.defended(np.repeat(change[None], trials, axis=0), rng))
    outside = statistic(defence.defended(np.zeros((trials, *change.shape)), rng))
    cut = np.median(inside)
    low = scipy.stats.binomtest(int((inside >= cut).sum()), trials).proportion_ci(1 - 1e-6, "exact").low
    high = scipy.stats.binomtest(int((outside >= cut).sum()), trials).proportion_ci(1 - 1e-6, "exact").high
    return math.log(low / high)


def test_fpa_audited_keeps_its_promise_and_a_scale_too_small_does_not() -> None:
    """The first coefficient of someone always there: at the promised scale its ratio is e^ε exactly."""
    change = everywhere_always(1)[:1]
    facts = DefenceFacts(max_reports=168, max_zones=1, n_zones=1, n_epochs=168, null_zone=False)

    def first(published: np.ndarray) -> np.ndarray:
        return published.sum(axis=(1, 2)) / math.sqrt(168)

    honest = defence_from_spec("fpa:1", epsilon=1.0, facts=facts)
    assert 0.8 < epsilon_below(honest, change, 20_000, first) <= 1.0
    # A third of the noise, as with the wrong transform, is convicted by the same audit.
    wrong = defence_from_spec("fpa:1", epsilon=3.0, facts=facts)
    assert epsilon_below(wrong, change, 20_000, first) > 1.5


@pytest.mark.parametrize("spec", sorted({*NOISY_DEFENCES} - {"release"}))  # which has a file of its own
def test_promises_and_variances(spec: str) -> None:
    defence = defence_from_spec(spec, epsilon=2.0, facts=FACTS)
    assert defence.epsilon_user == (400.0 if spec == "lpa-event" else 2.0)  # Δ·ε
    assert defence.delta_user == (1e-5 if spec in ("gaussian", "efpag") else 0.0)
    rng = np.random.default_rng(4)
    aggregates = np.zeros((400, FACTS.n_zones, FACTS.n_epochs), dtype=np.int32)
    published = defence.defended(aggregates, rng)
    assert published.shape == aggregates.shape
    assert not aggregates.any()
    assert published.mean() == pytest.approx(
        0, abs=5 * math.sqrt(defence.noise_variance * 24 / published.size)
    )
    if spec == "efpag":
        assert published.var() <= defence.noise_variance
    else:  # of 100,000 draws, seed fixed
        assert published.var() == pytest.approx(defence.noise_variance, rel=0.03)
    member = np.ones((2, 3), dtype=bool)
    assert defence.counted(member, rng) is member


def test_noise_on_entries_is_of_its_law() -> None:
    rng, aggregates = np.random.default_rng(4), np.full((40, 11, 24), 9, dtype=np.int32)
    laws = {
        "lpa": scipy.stats.laplace(scale=200 / 0.5),
        "lpa-event": scipy.stats.laplace(scale=1 / 0.5),
        "gaussian:1e-6": scipy.stats.norm(
            scale=math.sqrt(200) * gaussian_mechanism.get_sigma_gaussian(0.5, 1e-6)
        ),
    }
    for spec, law in laws.items():
        noise = defence_from_spec(spec, epsilon=0.5, facts=FACTS).defended(aggregates, rng) - 9
        assert scipy.stats.kstest(noise.ravel(), law.cdf).pvalue > 1e-6, spec


def test_efpag_shares_its_epsilon() -> None:
    defence = defence_from_spec("efpag:1e-6:0.25", epsilon=2.0, facts=FACTS)
    expected = math.sqrt(200) * gaussian_mechanism.get_sigma_gaussian(1.5, 1e-6)
    assert settings_from_defence(defence)["sigma"] == pytest.approx(expected, rel=1e-6)
    assert 2 * defence.rate * math.sqrt(5 * 200) == pytest.approx(0.5)


def test_fourier_defences_err_less_on_a_daily_rhythm() -> None:
    """Better utility is what they are for; at equal ε, on counts that a few cosines describe."""
    facts = replace(FACTS, n_epochs=168)
    rhythm = 500 + 400 * np.cos(2 * np.pi * 7 * (np.arange(168) + 0.5) / 168)
    true = np.tile(rhythm, (20, 11, 1))
    errors = {}
    for spec in ("lpa", "fpa", "gaussian", "efpag", "efpag:common"):
        published = defence_from_spec(spec, epsilon=1.0, facts=facts).defended(true, np.random.default_rng(1))
        errors[spec] = np.abs(published - true).mean()
    assert errors["fpa"] < errors["lpa"] / 2
    assert errors["efpag"] < errors["gaussian"]
    assert errors["efpag:common"] < 0.9 * errors["efpag"]


def test_suppression_by_hand() -> None:
    counts = np.array([[[0, 1, 2, 3, 4]]], dtype=np.int32)
    defence = defence_from_spec("suppress:3", epsilon=None, facts=FACTS)
    assert defence.defended(counts, np.random.default_rng(1)).tolist() == [[[0, 0, 0, 3, 4]]]
    assert counts.tolist() == [[[0, 1, 2, 3, 4]]]


def test_sampling_is_of_users_and_without_bias() -> None:
    window = window_from_traces(habitual_traces(60), week=0, period=period_from_spec("week"))
    defence = defence_from_spec("sample:0.3", epsilon=None, facts=defence_facts_from_window(window))
    member, rng = np.zeros((3_000, 60), dtype=bool), np.random.default_rng(2)
    member[:, :25] = True
    counted = defence.counted(member, rng)
    assert not counted[:, 25:].any()
    n = int(counted.sum())
    assert scipy.stats.binomtest(n, 3_000 * 25, 0.3).pvalue > 1e-6
    assert scipy.stats.chisquare(counted[:, :25].sum(axis=0)).pvalue > 1e-6
    true = aggregates_from_groups(member[:1], window)
    mean = defence.defended(aggregates_from_groups(counted, window), rng).mean(axis=0)
    # Each entry is a binomial count over the share; the worst of 1,176 entries within six deviations.
    assert (np.abs(mean - true[0]) <= 6 * np.sqrt(true[0] * 0.7 / 0.3 / 3_000) + 1e-9).all()


def test_generalisation_by_hand() -> None:
    facts = replace(FACTS, n_zones=7, n_epochs=3)
    grid = np.array([[0, 1, 2], [10, 11, 12]], dtype=np.int32)  # two rows of a grid of three columns
    counts = np.zeros((1, 7, 3), dtype=np.int32)
    counts[0, :6, 0], counts[0, :6, 1], counts[0, :6, 2] = grid.ravel(), 0, 1
    counts[0, 6] = [5, 7, 9]  # the null zone
    rng = np.random.default_rng(1)

    def published(spec: str) -> np.ndarray:
        return defence_from_spec(f"generalise:{spec}", epsilon=None, facts=facts).defended(counts, rng)[0]

    hours = published("hours=2")
    assert hours[:, 0].tolist() == hours[:, 1].tolist() == [0, 0.5, 1, 5, 5.5, 6, 6]
    assert hours[:, 2].tolist() == [1, 1, 1, 1, 1, 1, 9]
    rows = published("zones=4")  # ids 0–3, then 4 and 5
    assert rows[:, 0].tolist() == [3.25, 3.25, 3.25, 3.25, 11.5, 11.5, 5]
    blocks = published("zones=2x2of3+hours=3")
    assert blocks[:6, 0].tolist() == pytest.approx([26 / 12, 26 / 12, 16 / 6, 26 / 12, 26 / 12, 16 / 6])
    assert blocks[6].tolist() == [7, 7, 7]
    narrow = published("zones=1x2of3")  # the last block of a row is one zone, and none of the next row's
    assert narrow[:6, 0].tolist() == [0.5, 0.5, 2, 10.5, 10.5, 12]
    for spec in ("hours=2", "zones=4", "zones=2x2of3+hours=3", "zones=1x2of3"):
        assert published(spec).sum() == pytest.approx(counts.sum())


@pytest.mark.parametrize(
    ("spec", "name"),
    [("none", "none"), ("lpa", "lpa"), ("lpa-event", "lpa-event"), ("gaussian", "gaussian:1e-05"),
     ("fpa", "fpa:20"), ("fpa:24", "fpa:24"), ("efpag", "efpag:1e-05:0.5"), ("efpag:1e-3", "efpag:0.001:0.5"),
     ("efpag:common", "efpag:1e-05:0.5:common"), ("efpag:1e-3:0.3:common", "efpag:0.001:0.3:common"),
     ("suppress:10", "suppress:10"), ("sample:0.5", "sample:0.5"), ("generalise:hours=6", "generalise:hours=6"),
     ("generalise:zones=2x5of5+hours=2", "generalise:hours=2+zones=2x5of5"),
     ("release:8", "release:8"), ("release:8:1e-9", "release:8:1e-09")],
)  # fmt: skip
def test_names_are_specs_again(spec: str, name: str) -> None:
    epsilon = 1.0 if takes_epsilon(spec) else None
    defence = defence_from_spec(spec, epsilon=epsilon, facts=FACTS)
    assert defence.name == name
    assert defence_from_spec(name, epsilon=epsilon, facts=FACTS) == defence
    assert settings_from_defence(defence)["epsilon_user"] == defence.epsilon_user
    assert spec.split(":")[0] in DEFENCES


def test_sentences_name_the_promise_to_a_user() -> None:
    def sentence(spec: str, epsilon: float | None) -> str:
        return sentence_from_defence(defence_from_spec(spec, epsilon=epsilon, facts=FACTS))

    assert sentence("lpa", 0.1) == "lpa: ε = 0.1 for all reports of one user."
    assert sentence("gaussian", 1) == "gaussian:1e-05: ε = 1, δ = 10⁻⁵ for all reports of one user."
    assert sentence("lpa-event", 0.1) == "lpa-event: ε = 0.1 for one report, 20 for all reports of one user."
    assert sentence("suppress:5", None) == "suppress:5: no promise to anybody."


@pytest.mark.parametrize(
    ("spec", "epsilon", "message"),
    [("smoke", 1.0, "defence must be one of none, lpa, lpa-event"), ("lpa", None, "epsilon must be given for the"),
     ("none", 1.0, "epsilon must be left out without a defence, got 1"),
     ("suppress:3", 1.0, "epsilon must be left out for the defence suppress"),
     ("lpa", 0.001, "epsilon must be between"), ("lpa", math.nan, "epsilon must be a finite number"),
     ("gaussian:common", 1.0, "defence must have 0 to 1 numbers"),
     ("lpa:3", 1.0, "defence must have nothing after the name lpa"),
     ("gaussian:0", 1.0, "delta must be between"), ("gaussian:x", 1.0, "defence must have 0 to 1 numbers"),
     ("fpa:2.5", 1.0, "whole number after its name"), ("fpa:25", 1.0, "n_kept must be between 1 and 24"),
     ("efpag:1e-5:0.99", 1.0, "selection must be between"), ("suppress", None, "defence must have 1 number"),
     ("suppress:nan", None, "whole number after its name"), ("sample:1.5", None, "share must be between"),
     ("sample:nan", None, "share must be a finite number"), ("generalise:", None, "generalise:hours=H"),
     ("generalise:hours=0", None, "hours must be between"),
     ("generalise:hours=2+hours=3", None, "generalise:hours=H"),
     ("generalise:zones=2x2of3", None, "grid_columns must divide the 10 zones, got 3")],
)  # fmt: skip
def test_specs_iv(spec: str, epsilon: float | None, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        defence_from_spec(spec, epsilon=epsilon, facts=FACTS)


def test_nobody_there_iv() -> None:
    with pytest.raises(ParameterError, match="max_reports must be at least 1"):
        defence_from_spec("lpa", epsilon=1.0, facts=replace(FACTS, max_reports=0))
