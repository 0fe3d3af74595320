"""The documentation holds: its commands run, its limits are the code's, its links lead somewhere."""

import math
import re
import shlex
from pathlib import Path

import pytest
import scipy.optimize
import scipy.special
import scipy.stats
from dp_accounting.pld import privacy_loss_distribution as pld

from bench.answers import GPS, commands, commands_in
from privlab import defaults, limits
from privlab.datasets.catalog import sample_dataset
from privlab.datasets.engines import Workspace
from privlab.dp.attack.composition import epsilon_from_composed_cells
from privlab.dp.attack.exact_accuracy import integer_accuracy_from_epsilon, laplace_accuracy_from_epsilon
from privlab.dp.attack.suppressed_cells import accuracy_from_cells
from privlab.dp.certainty.certainty import CertaintyParameters, certainty_from_parameters
from privlab.dp.certainty.gaussian_certainty import GaussianQuestion, posterior_law_from_gaussian_question
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters
from privlab.figures.fingerprints.anonymizability import TAIL_WEIGHTS
from privlab.fingerprints import fingerprints_from_dataset
from privlab.fingerprints.glove import (
    GloveParameters,
    accuracy_from_hidden_groups,
    hidden_groups_from_fingerprints,
)
from tests.command_line import Run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)


def test_the_commands_of_the_documents_run_in_their_order(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(commands_in(ROOT / "README.md")) <= set(commands_in(ROOT / "docs" / "commands.md"))
    assert len(commands_in(ROOT / "README.md")) >= 6
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gps.csv").write_text(GPS)
    for command in commands():  # on small data
        words = shlex.split(command)
        # This audit is of noise without a seed: at its usual level it convicts by chance, if seldom.
        if "opendp-integer" in words:
            words += ["--level", str(1 - 1e-9)]
        code, _, err = cli(*words)
        assert code == 0, (command, err)


def test_every_limit_is_documented_with_its_value() -> None:
    text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+`) \| ([^|]+) \|", text, re.M)
    documented = {
        name: float(value.replace(",", ""))
        for names, values in rows
        for name, value in zip(re.findall(r"`(\w+)`", names), values.split(", "), strict=True)
    }
    actual = {
        name: float(value)
        for name, value in (vars(limits) | vars(defaults)).items()
        if name.isupper() and isinstance(value, int | float)
    }
    assert documented == actual


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_makefile_has_the_two_commands() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("run", "test", "lint", "bench"):
        assert re.search(rf"^{target}:", makefile, re.M)
        assert (
            f"make {target}" in README + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
            or target == "bench"
        )


# --- docs/science.md --------------------------------------------------------------------------------

SCIENCE = (ROOT / "docs" / "science.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^##+ (\d+(?:\.\d+)?) ", SCIENCE, re.M)
CITATION = re.compile(r"science\.md(?:\)|`)?,\s+(?:#\s+)?sections?\s+([\d.]*\d(?:(?:, | and )[\d.]*\d)*)")
SOURCES = [
    path
    for folder in ("app.py", "privlab", "pages", "tests", "bench", "docs", "sample_data")
    for path in ([ROOT / folder] if folder.endswith(".py") else sorted((ROOT / folder).rglob("*")))
    if path.suffix in (".py", ".md")
] + [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]


def section(number: str) -> str:
    """Return the text of one section."""
    found = re.search(rf"^##+ {re.escape(number)} .*?(?=^##+ \d|\Z)", SCIENCE, re.M | re.S)
    assert found is not None, number
    return found[0]


def rows_below(number: str, first_words: str) -> list[list[str]]:
    """Return the cells of the table of a section whose head begins with these words."""
    table = re.search(rf"^\| {re.escape(first_words)}.*\n\|[-:| ]+\|\n((?:\|.*\n?)+)", section(number), re.M)
    assert table is not None, (number, first_words)
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table[1].splitlines()]


def as_written(value: float, text: str) -> bool:
    """Tell whether a value, rounded to the digits of the text, is the text."""
    digits = len(text.partition(".")[2])
    return round(value, digits) == float(text)


def test_sections_are_numbered_in_order() -> None:
    assert len(SECTIONS) > 25
    assert sorted(set(SECTIONS), key=lambda one: [int(part) for part in one.split(".")]) == SECTIONS


def test_every_citation_names_a_section_that_exists() -> None:
    cited = []
    for path in set(SOURCES) - {Path(__file__)}:  # which holds wrong ones on purpose
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"SCIENCE \d[^\n]*", text), path
        for found in CITATION.finditer(text):
            for number in re.split(r", | and ", found[1]):
                assert number in SECTIONS, (path, found[0])
                cited.append(number)
    assert len(cited) > 20
    assert {"2.1", "2.3", "2.4", "2.6", "4.3", "5"} <= set(cited)


@pytest.mark.parametrize(
    "words", ["docs/science.md, section 9.9", "[science.md](science.md), sections 2.3 and 7"]
)
def test_the_search_for_citations_finds_a_wrong_one(words: str) -> None:
    found = CITATION.search(words)
    assert found is not None
    assert not set(re.split(r", | and ", found[1])) <= set(SECTIONS)


def test_attack_curve_of_the_science_is_computed() -> None:
    rows = rows_below("2.3", "k | accuracy")
    curve = laplace_accuracy_from_epsilon(0.66, 70)
    assert [int(row[0]) for row in rows] == [0, 1, 2, 3, 5, 10, 20, 32, 70]
    for k, accuracy, printed in rows:
        assert as_written(curve[int(k)], accuracy), k
        # 10,000 games at each k: the paper's per cents lie within four standard errors.
        assert not printed or abs(float(printed[:-2]) / 100 - curve[int(k)]) < 0.02
    assert curve[2] < 0.659260 < curve[3]


def test_promises_with_a_delta_of_the_science_are_computed_by_dp_accounting() -> None:
    cells = pld.from_laplace_mechanism(1 / 0.66, value_discretization_interval=1e-3).self_compose(70)
    words = " ".join(section("2.3").split())
    found = re.search(r"70 such cells have δ = ([\d.]+) at ε = 7 and ([\d.]+) at ε = 20", words)
    assert found is not None
    assert as_written(cells.get_delta_for_epsilon(7), found[1])
    assert as_written(cells.get_delta_for_epsilon(20), found[2])
    assert "at δ = 10⁻⁶ an ε of 33.0" in words
    assert as_written(epsilon_from_composed_cells("laplace", 0.66, 70, 1e-6), "33.0")


def test_suppressed_cells_of_the_science_are_computed() -> None:
    rows = rows_below("2.4", "ε | τ")
    assert len(rows) == 5
    for epsilon, threshold, cells, accuracy in rows:
        counts = []
        for part in cells.split(","):
            count, _, times = part.partition("×")
            counts += [int(count)] * int(times or 1)
        assert as_written(accuracy_from_cells("laplace", float(epsilon), int(threshold), counts), accuracy), (
            cells
        )


def test_certainty_of_the_science_is_computed() -> None:
    rows = rows_below("2.5", "k | accuracy")
    assert [int(row[0]) for row in rows] == [1, 2, 3, 5, 10, 32]
    for k, *texts, largest in rows:
        found = certainty_from_parameters(CertaintyParameters(epsilon=0.66, trips=int(k)))
        values = [found.accuracy, found.in_above, found.out_above, found.either_way, *found.tpr_at.values()]
        for value, text in zip(values, texts, strict=True):
            assert as_written(value, text), (k, value, text)
        # 1 − 6.7e-10: what is missing to 1
        short = largest.partition("1 − ")[2]
        assert f"{1 - found.largest:.1e}" == short if short else as_written(found.largest, largest), k


def test_certainty_under_gaussian_noise_of_the_science_is_computed() -> None:
    rows = rows_below("5.1", "others in each of the ten flows | weeks")
    assert len(rows) == 11
    release = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10)
    for others, weeks, *texts in rows:
        hidden = {} if others == "all published" else {"threshold": 100, "counts": (int(others),) * 10}
        question = GaussianQuestion(release=release, trips=10, weeks=int(weeks), above=0.9, **hidden)  # type: ignore[arg-type]
        found = posterior_law_from_gaussian_question(question).certainty
        values = [found.accuracy, found.in_above, found.out_above, found.tpr_at[0.01]]
        for value, text in zip(values, texts, strict=True):
            assert as_written(value, text), (others, weeks, value, text)


def test_certainty_under_integer_noise_of_the_science_is_computed() -> None:
    rows = rows_below("2.5", "e | n")
    assert len(rows) == 3
    for loss, n, above, *texts in rows:
        # The first loss is ε = 0.66 over ten trips, the last ε = 5.08 over a hundred.
        bound = {"520": 10, "100": 100}[n]
        found = certainty_from_parameters(
            CertaintyParameters(
                epsilon=float(loss) * bound,
                trips=bound,
                noise="integer",
                max_trips_per_user=bound,
                weeks=int(n) // bound,
                above=float(above),
            )
        )
        values = [found.accuracy, found.in_above, found.out_above, found.largest]
        for value, text in zip(values, texts, strict=True):
            assert not text or as_written(value, text), (loss, n, above, value)


def test_tail_weights_of_the_science_are_computed() -> None:
    laws = {
        "exponential": scipy.stats.expon,
        "normal": scipy.stats.norm,
        "uniform": scipy.stats.uniform,
        "lognormal(1)": scipy.stats.lognorm(1),
        "Cauchy": scipy.stats.cauchy,
        "Pareto(1)": scipy.stats.pareto(1),
    }
    rows = dict(rows_below("4.3", "law | T"))
    assert set(rows) == set(laws)
    for name, law in laws.items():
        q50, q75, q99 = law.ppf([0.5, 0.75, 0.99])
        assert as_written((q99 - q50) / (q75 - q50) * 0.289935034, rows[name]), name
    assert {name: float(rows[name.replace("Pareto", "Pareto(1)")]) for name in TAIL_WEIGHTS} == TAIL_WEIGHTS


def test_laws_of_noise_of_the_science_are_computed() -> None:
    for epsilon, cells, laplace, integer, composed in rows_below("5", "ε per cell"):
        loss, n = float(epsilon), int(cells)
        assert as_written(laplace_accuracy_from_epsilon(loss, n)[n], laplace)
        assert as_written(integer_accuracy_from_epsilon(loss, n)[n], integer)
        assert as_written(scipy.special.expit(loss * n), composed)


def test_the_glossary_says_whom_a_user_and_a_person_mean() -> None:
    """Records, trips and promises are told by users there: a reader must know that two cards of one traveller are two."""
    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    (said,) = [line for line in text.splitlines() if line.startswith("| user, person |")]
    assert "one id in the data" in said
    assert "each id by itself" in said


def test_the_glossary_does_not_take_delta_for_how_often_gaussian_noise_fails_against_the_normal_law() -> None:
    """Of N(0, σ²) beside N(d, σ²) the loss is normal, ± d²/2σ² with deviation d/σ: that δ = 10⁻⁶ goes with a loss beyond ε = 1 in 2·10⁻⁵."""

    def beyond(ratio: float, epsilon: float = 1.0) -> float:
        return float(scipy.stats.norm.sf(epsilon / ratio - ratio / 2))

    def delta(ratio: float, epsilon: float = 1.0) -> float:
        return beyond(ratio, epsilon) - math.exp(epsilon) * float(
            scipy.stats.norm.sf(epsilon / ratio + ratio / 2)
        )

    ratio = float(scipy.optimize.brentq(lambda one: delta(one) - 1e-6, 0.05, 1.0))
    assert beyond(ratio) > 10 * 1e-6
    (said,) = (
        line
        for line in (ROOT / "docs/glossary.md").read_text("utf-8").splitlines()
        if line.startswith("| δ ")
    )
    assert "with Gaussian noise someone who is in loses more than ε more often than δ" in said
    assert "how often the promise ε may fail" not in said


def test_what_glove_leaves_of_the_sample_is_measured() -> None:
    words = " ".join((ROOT / "docs/scale.md").read_text("utf-8").partition("**What is left**")[2].split())
    said = re.search(
        r"k = 2 keeps (\d+)% of samples within 2 km and (\d+)% within two hours; with limits of 15 km and six hours (\d+)% are "
        r"suppressed, (\d+) users discarded, and (\d+)% and (\d+)% of the rest are as close",
        words,
    )
    assert said is not None
    with Workspace() as workspace:
        people = fingerprints_from_dataset(sample_dataset("subscribers", workspace))
    measured: list[float] = []
    for parameters in (GloveParameters(k=2), GloveParameters(k=2, suppress_km=15, suppress_min=360)):
        groups = hidden_groups_from_fingerprints(people, parameters)
        left = accuracy_from_hidden_groups(groups)
        if parameters.suppress_km is not None:
            measured += [100 * groups.n_suppressed / groups.home.size, groups.n_discarded_users]
        measured += [100 * left.within_km(2), 100 * left.within_min(120)]
    assert [round(one) for one in measured] == [int(one) for one in said.groups()]
