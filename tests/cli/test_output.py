"""What commands print to be read: rows of a table that do not all have the same columns, parts within parts, lists."""

import pytest

from privlab.cli.printing.output import show


def test_each_figure_stands_under_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    show(
        {"rows": [{"size": 3, "auc": 0.5}, {"size": 3, "balance": "0.1", "auc": 0.25}, {"auc": 1}]},
        as_json=False,
    )
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == "rows:"
    header, *rows = [line.split("\t") for line in lines]
    assert [dict(zip(header, row, strict=True)) for row in rows] == [
        {"size": "3", "auc": "0.5", "balance": "–"},
        {"size": "3", "auc": "0.25", "balance": "0.1"},
        {"size": "–", "auc": "1", "balance": "–"},
    ]


def test_parts_within_parts_and_lists_are_no_program_text(capsys: pytest.CaptureFixture[str]) -> None:
    show(
        {
            "promise": {"trip": {"epsilon": 0.25, "delta": None}, "user": None, "nobody": {}},
            "weeks": ["2026-03-02", "2026-03-09"],
            "rows": [{"k": [2, 0.5], "of": {"low": 0.125, "high": None}}],
            "notes": ["Two words."],
        },
        as_json=False,
    )
    assert capsys.readouterr().out.splitlines() == [
        "promise:",
        "  trip:",
        "    epsilon: 0.25",
        "    delta: –",
        "  user: –",
        "  nobody: –",
        "weeks: 2026-03-02, 2026-03-09",
        "rows:",
        "k\tof",
        "2, 0.5\tlow: 0.125, high: –",
        "notes:",
        "  Two words.",
    ]
