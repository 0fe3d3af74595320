"""Exhibits → one self-contained HTML file: opens offline, asks nobody, prints on A4.

Knows how a report looks; knows nothing of what its exhibits mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from privlab import __version__
from privlab.checks import BoundViolation
from privlab.figures.drawing import Figure, html_from_figure, marked_name, rules_without_parameters
from privlab.reports.external_rule import TRUE_DATA, reason_against_part
from privlab.reports.own_plotly import plotly_script
from privlab.safe_text import file_word, visible

MADE_WITH = f"Made with privlab {__version__}."
MARKS = {
    "internal": "Internal: shows true data. Not for publication.",
    "external": "External: holds nothing of the true data that a release does not publish.",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportPart:
    """One exhibit as it is printed: words, perhaps a figure, perhaps a table, and where they come from.

    `rows` is a table, one mapping per row, all with the same keys. `discloses` says whether it shows
    true data. `plan` gives the parameters, `caption` the data and its hash. `facts` is the result that it was said
    of, where the report as a whole is judged by it. `drawn` is what the figure shows, where the sentence does not say it.
    """

    title: str
    sentence: str
    caption: str
    discloses: bool
    figure: Figure | None = None
    rows: Sequence[dict[str, Any]] = ()
    note: str = ""
    plan: str = ""
    facts: Any = None
    drawn: str = ""

    @property
    def alt(self) -> str:
        """What is read out where its figure is not seen."""
        return self.drawn or self.sentence or self.title

    @property
    def parameters(self) -> str:
        """What its figure says of itself, for whoever takes a picture out of the report."""
        return "; ".join(words for words in (self.plan, self.caption) if words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One line of the summary on page one: what is judged, its colour ("green", "amber" or "red") and why.

    `discloses` says whether true data can be read from it.
    """

    about: str
    colour: str
    sentence: str
    discloses: bool


def picture_names(parts: Sequence[ReportPart]) -> dict[int, str]:
    """Return by the place of its part the name of each figure's picture, counted in their order and marked where it shows true data."""
    drawn = [number for number, part in enumerate(parts) if part.figure is not None]
    return {
        number: marked_name(
            f"{at:02d}_{file_word(parts[number].title)}.png", true_data=parts[number].discloses
        )
        for at, number in enumerate(drawn, start=1)
    }


def require_document_allowed(
    kind: str, parts: Sequence[ReportPart], summary: Sequence[Judgement] = ()
) -> None:
    """Raise BoundViolation if an external document were given anything that shows true data."""
    shown = [(part.title, part.discloses) for part in parts]
    shown += [(one.about, one.discloses) for one in summary]
    for title, discloses in shown:
        reason = reason_against_part(kind, title=title, discloses=discloses)
        if reason is not None:
            raise BoundViolation(reason)


def html_from_parts(
    parts: Sequence[ReportPart],
    *,
    title: str,
    kind: str,
    note: str = "",
    warning: str = "",
    summary: Sequence[Judgement] = (),
    author: str = "",
    date: str = "",
    still: bool = False,
    paper: bool = False,
) -> str:
    """Return the report as one HTML document. Texts are shown as they are: nothing in them is run.

    `warning` and `summary` stand at the top, before the parts; `author` and `date` at the end. Nothing in it can be played where it
    is `still`, for a picture, or for `paper`, for which figures that nearly fit in half a page are made to.
    Raises BoundViolation if an external report were given a part or a judgement that shows true data.
    """
    require_document_allowed(kind, parts, summary)
    document: str = template("report.html.j2").render(
        title=visible(title),
        kind=kind,
        mark=MARKS[kind],
        note=_lines(note),
        warning=visible(warning),
        summary=[
            {"about": visible(one.about), "colour": one.colour, "sentence": visible(one.sentence)}
            for one in summary
        ],
        author=visible(author),
        date=visible(date),
        # The heading above a figure and the lines around it say the same.
        rules_of_figures=Markup(
            rules_without_parameters("figure > div", "figure .js-plotly-plot", titles=False)
        ),
        parts=[
            _shown(part, number, still or paper, paper and _stands_beside_another(parts, number - 1))
            for number, part in enumerate(parts, start=1)
        ],
        plotly_js=Markup(plotly_script()),
        true_data=TRUE_DATA,
        footer=MADE_WITH,
    )
    return document


@cache
def template(name: str) -> Any:
    """Return a template of this room; every text that it is given is escaped."""
    return Environment(loader=PackageLoader("privlab.reports"), autoescape=True).get_template(name)


def _stands_beside_another(parts: Sequence[ReportPart], at: int) -> bool:
    """Return whether a part is words and a figure, as one before or after it is: tables begin on one page and go on on the next."""
    alone = [
        0 <= place < len(parts) and parts[place].figure is not None and not parts[place].rows
        for place in (at - 1, at, at + 1)
    ]
    return alone[1] and (alone[0] or alone[2])


def _shown(part: ReportPart, number: int, still: bool, paper: bool) -> dict[str, Any]:
    return {
        "title": visible(part.title),
        "sentence": visible(part.sentence),
        "alt": visible(part.alt),
        "plan": visible(part.plan),
        "caption": visible(part.caption),
        "note": _lines(part.note),
        "discloses": part.discloses,
        "rows": [{visible(name): visible(value) for name, value in row.items()} for row in part.rows],
        "figure_html": None
        if part.figure is None
        else Markup(
            html_from_figure(
                part.figure,
                name=f"figure-{number}",
                title=part.title,
                parameters=part.parameters,
                true_data=part.discloses,
                still=still,
                paper=paper,
            )
        ),
    }


def _lines(text: str) -> str:
    return "\n".join(visible(line) for line in text.splitlines())
