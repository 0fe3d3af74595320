"""What a server logs: kinds of faults and lines of code, never a word that may come from somebody's row."""

import ast
import io
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from privlab.ui.sessions.logs import keep_data_out_of_logs, where_it_happened

PACKAGE = Path(__file__).parents[2] / "privlab"
# Who may log: what is kept of the samples, which are nobody's data.
MAY_LOG = {"kept/samples.py"}
# Commands answer whoever gave them; a server does not run these.
ANSWER = {"cli/printing/output.py", "cli/printing/progress_lines.py"}


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    before, heard = (logging.getLogRecordFactory(), sys.excepthook), io.StringIO()
    handler, logger = logging.StreamHandler(heard), logging.getLogger("streamlit.test")
    logger.addHandler(handler)
    logger.propagate = False
    keep_data_out_of_logs()
    yield heard
    logging.setLogRecordFactory(before[0])
    sys.excepthook = before[1]
    logger.removeHandler(handler)


def test_a_fault_is_logged_without_its_words(log: io.StringIO) -> None:
    logger = logging.getLogger("streamlit.test")
    try:
        try:
            {}["user 4711"]
        except KeyError as error:
            raise ValueError("lives at 48.1, 11.5") from error
    except ValueError as error:
        logger.exception("Uncaught app execution", exc_info=error)
        logger.warning("It failed: %s (%s).", error, "page home")
    said = log.getvalue()
    assert '4711"]' in said  # the line of code, as it stands in the file, and nothing that it was given
    assert "48.1" not in said.replace('raise ValueError("lives at 48.1, 11.5")', "")
    assert "Uncaught app execution" in said
    assert "KeyError\nwhile, or because of:" in said
    assert "It failed: ValueError (page home)." in said


def test_a_value_that_was_read_is_not_logged(log: io.StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    row = "-".join(["4711", "row", "3"])
    with pytest.raises(ValueError, match=row) as caught:
        int(row)
    assert row not in where_it_happened(caught.value)
    logging.getLogger("streamlit.test").error("Failed", exc_info=caught.value)
    assert row not in log.getvalue()
    assert log.getvalue().rstrip().endswith("ValueError")
    sys.excepthook(ValueError, caught.value, None)
    said = capsys.readouterr().err
    assert row not in said
    assert "ValueError" in said


def test_nothing_else_of_the_program_writes_a_log() -> None:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_log = isinstance(node, ast.Attribute) and (
                node.attr in ("warning", "info", "debug", "exception", "error", "critical", "log")
                and isinstance(node.value, ast.Name)
                and node.value.id in ("_log", "log", "logger", "_LOGGER", "logging")
            )
            is_print = (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            )
            if is_log or is_print:
                found.add(path.relative_to(PACKAGE).as_posix())
    assert found == MAY_LOG | ANSWER
