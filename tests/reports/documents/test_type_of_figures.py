"""The type of figures on a page: large enough to be read, as a browser draws it, and none of it beyond the figure's edge."""

import io
import re

import docx
import pytest

from privlab.od.simulating import ReleaseParameters
from privlab.progress import UNHEARD
from privlab.reports.documents import browser_export, word_and_markdown
from privlab.reports.documents.document import ReportPart, html_from_parts
from privlab.reports.exhibits.all_exhibits import EXHIBITS
from privlab.reports.report_plan import ReportPlan, View

READABLE_PT = 7.5  # half a point below the notes of a printed book
SAYS_EDGE = """<script>
addEventListener("load", async () => {
  const rest = () => new Promise(done => setTimeout(done, 100));
  do await rest(); while (![...document.querySelectorAll(".plotly-graph-div")].every(one => one.querySelector(".main-svg") && one._fullLayout));
  const edges = [...document.querySelectorAll(".main-svg text")].map(one => one.getBoundingClientRect().right);
  document.documentElement.dataset.edge = Math.ceil(Math.max(...edges));
});
</script>"""


@pytest.fixture(params=["practice", "attack", "certainty"])
def part(request: pytest.FixtureRequest) -> ReportPart:
    """A part of a report with one of the figures that are of no data."""
    view = View(release=ReleaseParameters(epsilon=0.66, threshold=100))
    made = EXHIBITS[request.param].make(None, view)  # type: ignore[arg-type]
    return ReportPart(
        title=EXHIBITS[request.param].title,
        sentence=made.sentence,
        caption="c",
        discloses=True,
        plan="ε = 0.66, threshold 100, " * 9,
        figure=made.figure,
    )


def least_type_px(drawn: bytes) -> float:
    """Return the least type of the figures of a document that a browser has drawn."""
    figure = drawn[drawn.index(b"main-svg") :]
    return min(float(one) for one in re.findall(rb"font-size: ([\d.]+)px", figure))


def test_on_paper_the_type_of_a_figure_can_be_read(part: ReportPart, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what printing zooms, a pixel is three quarters of a point."""
    html = html_from_parts([part], title="Paper", kind="internal", still=True)
    asked: list[str] = []
    monkeypatch.setattr(browser_export, "_exported", lambda _, name, *options: asked.extend(options) or b"")
    browser_export.pdf_from_html(html)
    window = [one for one in asked if one.startswith(("--window", "--hide"))]
    drawn = browser_export._answered(html + SAYS_EDGE, *window, "--dump-dom")
    (zoom,) = re.findall(r"figure { zoom: ([.\d]+);", html)
    assert least_type_px(drawn) * float(zoom) * 0.75 >= READABLE_PT
    (wide,) = set(re.findall(rb'class="main-svg"[^>]* width="([\d.]+)"', drawn))
    (edge,) = re.findall(rb'data-edge="(\d+)"', drawn)
    beside = (int(window[0].partition("=")[2].partition(",")[0]) - float(wide)) / 2
    assert int(edge) <= beside + float(wide) + 1


def test_in_word_the_type_of_a_figure_can_be_read(part: ReportPart, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture has two pixels for one of the figure, and is as wide on the page as Word is told."""
    given: list[str] = []
    really = word_and_markdown.png_from_html

    def keeps(html: str, *, width: int) -> bytes:
        given.append(html)
        return really(html, width=width)

    monkeypatch.setattr(word_and_markdown, "png_from_html", keeps)
    pictures = word_and_markdown.drawn_figures([part], UNHEARD)
    document = word_and_markdown.word_from_parts(ReportPlan(title="T"), [part], [], pictures)
    (shape,) = docx.Document(io.BytesIO(document)).inline_shapes
    wide = int.from_bytes(pictures[0][16:20], "big") / 2
    drawn = browser_export._answered(given[0] + SAYS_EDGE, f"--window-size={wide:.0f},800", "--dump-dom")
    assert least_type_px(drawn) * shape.width.pt / wide >= READABLE_PT
    (edge,) = re.findall(rb'data-edge="(\d+)"', drawn)
    assert int(edge) <= wide
