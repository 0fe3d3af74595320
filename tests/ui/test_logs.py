"""What a server logs: kinds of faults and lines of code, never a word that may come from somebody's row."""

import ast
import asyncio
import gc
import io
import logging
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit import config
from streamlit.error_util import handle_uncaught_app_exception

from privlab.ui.sessions.logs import keep_data_out_of_logs, tell_of_loop, where_it_happened

PACKAGE = Path(__file__).parents[2] / "privlab"
# Who may log: what is kept of the samples and of runs, by digests of samples, which are nobody's data, settings of the operator's, and
# that the lab is closed.
MAY_LOG = {
    "kept/samples.py",
    "kept/runs.py",
    "ui/work/fair_turns.py",
    "ui/work/heavy_work.py",
    "ui/sessions/sessions.py",
    "ui/sessions/stopping.py",
}
# Commands answer whoever gave them; a server does not run these.
ANSWER = {"cli/printing/output.py", "cli/printing/progress_lines.py"}


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    before, heard = (logging.getLogRecordFactory(), sys.excepthook), io.StringIO()
    hooks = threading.excepthook, sys.unraisablehook
    handler, logger = logging.StreamHandler(heard), logging.getLogger("streamlit.test")
    logger.addHandler(handler)
    logger.propagate = False
    keep_data_out_of_logs()
    yield heard
    logging.setLogRecordFactory(before[0])
    sys.excepthook = before[1]
    threading.excepthook, sys.unraisablehook = hooks
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


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_threads_loops_and_records_of_faults_say_no_words(
    log: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    row = "-".join(["4711", "row", "3"])
    logger = logging.getLogger("streamlit.test")
    logger.error(ValueError(row))
    logger.error("Failed: %s", [ValueError(row), "twice"])
    assert row not in log.getvalue()
    assert log.getvalue() == "ValueError\nFailed: ['ValueError', 'twice']\n"
    error = ValueError(row)
    threading.excepthook(threading.ExceptHookArgs((ValueError, error, None, None)))
    sys.unraisablehook(SimpleNamespace(exc_type=ValueError, exc_value=error, exc_traceback=None, object=row))  # type: ignore[arg-type]
    said = capsys.readouterr().err
    assert said == "ValueError\nValueError\n"


def test_a_task_that_nobody_waited_for_is_told_of_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    row = "-".join(["4711", "row", "3"])
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(tell_of_loop)

    async def fails() -> None:
        raise ValueError(row)

    def ended() -> None:
        task = loop.create_task(fails())
        loop.run_until_complete(asyncio.wait([task]))

    ended()
    gc.collect()
    loop.close()
    assert "never retrieved" in caplog.text
    assert "ValueError" in caplog.text
    assert row not in caplog.text


def test_what_streamlit_prints_of_a_fault_on_a_page_goes_through_the_log(
    log: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    """With colours it would print the words past the log: they are off, in the file and whatever folder the lab is started in."""
    row = "".join(["some", "body"])
    settings = tomllib.loads((PACKAGE.parent / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["logger"]["enableRich"] is False
    before = config.get_option("logger.enableRich")
    try:
        for rich in (True, False):
            config.set_option("logger.enableRich", rich)
            handle_uncaught_app_exception(ValueError(row))
            said = "".join(capsys.readouterr())
            assert (row in said) == rich
    finally:
        config.set_option("logger.enableRich", before)


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
