"""The handout of the tour: eleven steps, the published figures, two pages."""

import html
import math
import re
from pathlib import Path

import numpy as np
from scipy.signal import fftconvolve

from privlab.lab.reporting.collect import handout
from privlab.reports.documents.handout import handout_html
from tests.reports.test_reports import width_on_a_telephone

SCIENCE = (Path(__file__).parents[3] / "docs" / "science.md").read_text("utf-8")


def findings() -> list[str]:
    return re.findall(r"<b>Found:</b> (.*?)</p>", html.unescape(handout_html()))


def best_attack(k: int, step: float) -> float:
    """½(1 + TV) = 1 − ½e^(−kε/2)·E[e^(−|S|/2)], S of k steps: ±ε with ½ each, or uniform between with ε/2 in all (section 2.3).

    The sum is folded on a grid; the 1 and the measure of the steps, 1 + ε/2, cancel in the factor e^(−kε/2).
    """
    n = 2_000
    law = np.full(2 * n + 1, step / 2 / (2 * n))
    law[[0, -1]] = law[[0, -1]] / 2 + 0.5
    at = np.ones(1)
    for _ in range(k):
        at = fftconvolve(at, law)
    s = (np.arange(at.size) - at.size // 2) * step / n
    return 1 - 0.5 * math.exp(-k * step / 2) * float(at @ np.exp(-np.abs(s) / 2))


def science(pattern: str) -> list[str]:
    """Return what the page of science says there, line breaks as spaces."""
    found = re.search(pattern, " ".join(SCIENCE.split()))
    assert found is not None, pattern
    return list(found.groups())


def test_the_handout_has_eleven_steps_and_the_published_figures() -> None:
    made = handout_html()
    assert made.count("<h2>") == 11
    # docs/science.md, section 2.3: k = 1, 3, 20 and 32 at ε = 0.66; under a bound of 10 nobody is above the claim of 65.93.
    for right in ("64.1", "70.7", "91.1", "95.5"):
        assert f"<td>{right}</td>" in made
    assert "<script" not in made


def test_every_step_says_its_figures_and_speaks_of_no_picture() -> None:
    found = findings()
    assert len(found) == 11
    assert [step for step in found if not re.search(r"\d", step)] == []
    for word in ("curve", "dashed", "green", "line", "To see", "map"):
        assert not [step for step in found if re.search(rf"\b{word}\b", step)]


def test_figures_of_trips_against_theory() -> None:
    """One trip: 1 − ½e^(−ε/2); the claim: e^ε/(1 + e^ε); noise of scale b is beyond ±b·ln 20 in 5 of 100."""
    one, three, author, threshold, bound = findings()[:5]
    claim = f"the {math.ceil(1000 / (1 + math.exp(-0.66))) / 10:g} claimed"
    assert f"in {100 - 50 * math.exp(-0.33):.1f} of 100" in one
    assert all(claim in step for step in (one, three))
    assert claim.replace("the 66 claimed", "66 were claimed") in bound
    # Never below what it bounds: 54.05 by the closed form of section 2.3, of ten steps of 0.066.
    (most,) = re.findall(r"right in at most ([\d.]+) of 100 cases", bound)
    assert 100 * best_attack(10, 0.066) <= float(most) <= 100 * best_attack(10, 0.066) + 0.1
    assert "with 2 unique trips the attacker is right in 65.6 of 100 cases" in three
    assert f"an ε of {32 * 0.66:.1f} together" in author
    # Section 2.3: ten trips that are published; of trips that hardly anybody else makes nothing is seen.
    assert "83.0 of 100 cases, as without a threshold; about ten of the first kind in 50.0." in threshold
    wide, once = map(
        int,
        re.findall(
            r"noise moves a count by up to (\d+) in 95 of 100 flows, where without the limit it was (\d+)",
            bound,
        )[0],
    )
    assert abs(wide - 10 / 0.66 * math.log(20)) < 1
    assert abs(once - math.log(20) / 0.66) < 1


def test_figures_that_need_data_are_those_of_the_page_of_science() -> None:
    groups, regular, noise, nobody, coarser, when = findings()[5:]
    for size in ("5", "10", "100"):
        (auc,) = science(rf"\| subset \| {size} \| ([\d.]+) ")
        assert re.search(rf"<td>{float(auc) * 100:.0f}</td>", handout_html())
        assert size != "10" or f"rightly of {float(auc) * 100:.0f} of 100 pairs" in groups
    (tfl,) = science(r"Same groups, TFL, small m: every classifier above ([\d.]+);")
    low, high = science(r"SFC: ([\d.]+)–([\d.]+) at small m")
    assert f"more than {float(tfl) * 100:.0f} of 100" in regular
    assert f"{float(low) * 100:.0f} to {float(high) * 100:.0f} for cabs" in regular
    shuffled, as_they_are = science(r"LR at m = 50 has ([\d.]+) instead of ([\d.]+), over 45 targets")
    assert (
        f"about {float(as_they_are) * 100:.1f} of 100 pairs as they are, and {float(shuffled) * 100:.1f} with"
        in regular
    )
    (passive, strategic) = science(r"\| LPA\(1/ε\) \| [^|]+ \| ([\d.]+) / ([\d.]+) \|")
    (off,) = science(r"MRE of LPA\(Δ/ε\), Gaussian \| [^|]+ \| ([\d.]+), ")
    assert f"leaves {float(passive) * 100:.0f} of 100 pairs" in noise
    assert f"and {float(strategic) * 100:.0f} to one who" in noise
    assert f"off by {off} times" in noise
    (gap,) = science(r"median 2-gap is [\d.]+ \(paper ([\d.]+)\)")
    assert f"more than {gap} from" in nobody
    none, some = science(r"all but about (\d+)% of the users cannot be 2-anonymised, so about (\d+)% can")
    assert (
        f"about {some} of 100 people have a twin in the paper's data, and {100 - int(none)} have none"
        in coarser
    )
    few, many = science(r"gives ([\d.]+)% with 5,000 users, ([\d.]+)% with 82,000")
    assert f"{many} in 100 have one among 82,000, and {few} in 100 among 5,000" in coarser
    (share,) = science(r"the temporal share is ([\d.]+) or more for half of the users")
    low, high = science(r"temporal shares of ([\d.]+) to ([\d.]+)")
    assert f"{float(share):.0%} or more" in when
    assert f"{float(low):.0%} to {float(high):.0%}" in when


def test_on_paper_it_is_two_pages() -> None:
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", handout(pdf=True))) == 2


def test_on_a_telephone_no_table_of_the_handout_is_wider_than_the_page(tmp_path: Path) -> None:
    """A row of nine figures made the page 562 pixels wide, where there are 390."""
    assert width_on_a_telephone(handout_html(), tmp_path) == 390
