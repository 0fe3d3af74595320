"""What a server writes into its log: never anything of the data. A fault is logged by its kind and where it happened.

The words of an exception may hold what stands in somebody's row; the lines of a traceback are this program's own.
"""

import asyncio
import logging
import sys
import threading
import traceback
from collections.abc import Mapping
from types import TracebackType
from typing import Any


class SilentRecord(logging.LogRecord):
    """A record of the log without the words of the exception that it tells of."""

    def __init__(
        self,
        name: str,
        level: int,
        pathname: str,
        lineno: int,
        msg: object,
        args: Any,
        exc_info: Any,
        func: str | None = None,
        sinfo: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__(name, level, pathname, lineno, _named(msg), args, None, func, sinfo, **more)
        if exc_info:
            self.exc_text = where_it_happened(exc_info[1])
        self.args = _without_words(self.args)


def keep_data_out_of_logs() -> None:
    """Have every record that this process logs from now on leave out the words of exceptions."""
    logging.setLogRecordFactory(SilentRecord)
    sys.excepthook = _print_without_words
    threading.excepthook = lambda said: _print_without_words(
        said.exc_type, said.exc_value, said.exc_traceback
    )
    sys.unraisablehook = lambda said: _print_without_words(said.exc_type, said.exc_value, said.exc_traceback)


def tell_of_loop(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """Log a fault in the loop of a server as it is logged elsewhere: what a task ended with stands in its name."""
    del loop
    logging.getLogger("asyncio").error(
        "%s\n%s", context.get("message", ""), where_it_happened(context.get("exception"))
    )


def where_it_happened(error: BaseException | None) -> str:
    """Return the kinds of an exception and of those that led to it, and the lines of code they came from; no words of theirs.

    >>> where_it_happened(ValueError("user 4711"))
    'ValueError'
    """
    parts = []
    while error is not None:
        lines = traceback.format_list(traceback.extract_tb(error.__traceback__))
        parts.append("".join([*lines, type(error).__name__]))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\nwhile, or because of:\n".join(reversed(parts)) if parts else ""


def _without_words(args: Any) -> Any:
    """Return the arguments of a record, exceptions among them named by their kinds."""
    if isinstance(args, Mapping):
        return {name: _named(one) for name, one in args.items()}
    return tuple(_named(one) for one in args) if isinstance(args, tuple) else args


def _named(one: Any) -> Any:
    if isinstance(one, BaseException):
        return type(one).__name__
    if isinstance(one, list | tuple | set) and any(isinstance(part, BaseException) for part in one):
        return [_named(part) for part in one]
    return one


def _print_without_words(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    sys.stderr.write((where_it_happened(error) or kind.__name__) + "\n")
