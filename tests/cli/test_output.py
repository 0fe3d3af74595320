"""What commands print: rows of a table whose rows do not all have the same columns."""

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
