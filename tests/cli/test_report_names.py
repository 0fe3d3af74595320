"""A report has the form that its name says: other names are refused before anything is read."""

from pathlib import Path

import pytest

from tests.command_line import Answer

OF_NAMES = {
    "report.docx": " Add --docx for a Word document beside the HTML file.",
    "report.DOCX": " Add --docx for a Word document beside the HTML file.",
    "report.pdf": " Add --pdf for a PDF beside the HTML file.",
    "report.md": " Add --markdown for a ZIP of Markdown and its pictures beside the HTML file.",
    "report.md.zip": " Add --markdown for a ZIP of Markdown and its pictures beside the HTML file.",
    "report": "",
    "report.2026": "",
}


@pytest.mark.parametrize("name", OF_NAMES)
def test_a_report_under_another_name_than_html_is_refused_iv(
    name: str, answer: Answer, tmp_path: Path
) -> None:
    """The plan is not there, and is not missed: nothing is read."""
    for words in (("none.json",), ("--data", "none.csv"), ("--on-release", "none")):
        error = answer("report", *words, "--out", tmp_path / name, fails=True)
        assert error == f"out must end in .html, got '{name}'.{OF_NAMES[name]}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_handout_under_another_name_than_html_is_refused_iv(answer: Answer, tmp_path: Path) -> None:
    error = answer("handout", "--out", tmp_path / "tour.pdf", fails=True)
    assert error == "out must end in .html, got 'tour.pdf'. Add --pdf for a PDF beside the HTML file.\n"
    error = answer("handout", "--out", tmp_path / "tour.docx", fails=True)
    assert error == "out must end in .html, got 'tour.docx'.\n"
    assert list(tmp_path.iterdir()) == []
    assert "tour.htm" in answer("handout", "--out", tmp_path / "tour.htm", "--json")["written"][0]


@pytest.mark.parametrize("option", ["--docx", "--pdf", "--markdown"])
def test_a_name_behind_an_option_that_takes_none_is_no_plan_iv(
    option: str, answer: Answer, tmp_path: Path
) -> None:
    error = answer("report", "--out", tmp_path / "report.html", option, "report.docx", fails=True)
    assert error.startswith("plan must be a report plan, as the page Report saves it, got 'report.docx'.")
    assert list(tmp_path.iterdir()) == []
