"""The walk of the tour → a handout for a class: eleven steps on two pages, with the exact figures behind the first ones."""

from dataclasses import asdict
from typing import Any

from privlab import __version__
from privlab.dp.attack import accuracy_from_cells
from privlab.figures.wording import STEPS_IN_WORDS
from privlab.od import QUOTED_TRIPS
from privlab.od.attack import (
    AttackParameters,
    attack_curve_from_parameters,
    bounded_attack_from_release_parameters,
)
from privlab.od.simulating import ReleaseParameters
from privlab.reports.documents.document import template
from privlab.seeds import generator

TITLE = "What a count of trips tells about a person"
_OPENING = (
    "Eleven steps through three papers, as the page Tour of privlab shows them. Figures are those of the best attack, "
    "computed exactly; a coin is right 50 times in 100."
)
_EPSILON = 0.66  # the published release that the walk is about
_BOUND = 10


def handout_html() -> str:
    """Return the handout as one HTML document: no true data, no script, two pages of A4 on paper."""
    steps: list[dict[str, Any]] = [asdict(words) | {"rows": []} for words in STEPS_IN_WORDS]
    curve = attack_curve_from_parameters(AttackParameters(epsilon=_EPSILON), generator(1, "attack games"))
    bounded = bounded_attack_from_release_parameters(
        ReleaseParameters(epsilon=_EPSILON, max_trips_per_user=_BOUND), max(QUOTED_TRIPS)
    )
    assert bounded is not None
    steps[2]["rows"] = [
        {"unique trips in the week": "right, in 100"}
        | {str(k): f"{100 * float(curve.optimal[k]):.1f}" for k in QUOTED_TRIPS}
    ]
    steps[3]["rows"] = [
        {"of ten trips, hardly anybody else makes": "right, in 100"}
        | {
            f"{n}": f"{100 * accuracy_from_cells('laplace', _EPSILON, 100, (1000,) * (10 - n) + (0,) * n):.1f}"
            for n in (0, 5, 10)
        }
    ]
    steps[4]["rows"] = [
        {f"unique trips, at most {_BOUND} counted": "right, in 100"}
        | {str(k): f"{100 * float(bounded.optimal[k]):.1f}" for k in QUOTED_TRIPS}
    ]
    html: str = template("handout.html.j2").render(
        title=TITLE, opening=_OPENING, steps=steps, footer=f"Made with privlab {__version__}."
    )
    return html
