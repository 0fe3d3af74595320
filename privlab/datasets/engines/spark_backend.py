"""Ibis' Spark backend with what exact results need: Arrow instead of pandas, NaN apart from NULL.

Imports pyspark: to be imported only once an application runs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ibis
import ibis.expr.types as ir
import sqlglot as sg
from ibis.backends.pyspark import Backend
from ibis.backends.sql.compilers.base import NULL
from ibis.backends.sql.compilers.pyspark import PySparkCompiler
from ibis.formats.pyarrow import PyArrowData
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from privlab.checks import DataError
from privlab.datasets.engines.workspace import Interrupted
from privlab.datasets.times.shapes import BLANKS

REGISTERED = ibis.pyspark  # loading it registers the options that its compiler asks for
_MOST_WORDS = 300
# What the readers ask of the database by name, in Spark's words; the session's own zone is UTC.
_FUNCTIONS = (
    "CREATE OR REPLACE TEMPORARY FUNCTION timezone(zone STRING, instant TIMESTAMP) RETURNS TIMESTAMP_NTZ "
    "RETURN convert_timezone('UTC', zone, CAST(instant AS TIMESTAMP_NTZ))",
)


class _Compiler(PySparkCompiler):  # type: ignore[misc]
    """Spark's SQL with Ibis' own meaning of isnull, notnull, isinf and trim.

    On Spark, Ibis 12 takes NaN for NULL, compares with infinity before Spark sees it, and writes the
    blanks to strip so that Spark reads some of them as the letters v and f.
    """

    __slots__ = ()

    def visit_IsNull(self, op: Any, *, arg: Any) -> Any:
        """Return whether a value is NULL; NaN is not."""
        return arg.is_(NULL)

    def visit_NotNull(self, op: Any, *, arg: Any) -> Any:
        """Return whether a value is there; NaN is."""
        return sg.not_(arg.is_(NULL))

    def visit_IsInf(self, op: Any, *, arg: Any) -> Any:
        """Return whether a number is infinite."""
        return sg.or_(arg.eq(self.POS_INF), arg.eq(self.NEG_INF))

    def visit_ScalarUDF(self, op: Any, **arguments: Any) -> Any:
        """Return a call of a function by name; trim, whose arguments Spark takes the other way round, by btrim."""
        if op.__func_name__ != "trim":
            return super().visit_ScalarUDF(op, **arguments)
        text = next(iter(arguments.values()))
        ascii_ones = (self.f.anon.char(ord(one)) for one in BLANKS if one.isascii())
        others = (sg.exp.Literal.string(one) for one in BLANKS if not one.isascii())
        return self.f.btrim(text, self.f.concat(*ascii_ones, *others))


class SparkBackend(Backend):  # type: ignore[misc]
    """A Spark session whose results come as Arrow tables and whose failures are one sentence."""

    compiler = _Compiler()
    interrupted = False  # set by `SparkWorkspace.interrupt`

    def define_functions(self) -> None:
        """Give the session the functions that the readers' expressions call by name."""
        for statement in _FUNCTIONS:
            self.raw_sql(statement)

    def frame(self, table: ir.Table) -> Any:
        """Return an expression as Spark's DataFrame; nothing is computed."""
        self._run_pre_execute_hooks(table)
        return self.raw_sql(self.compile(table))

    def to_pyarrow(
        self, expr: ir.Expr, /, *, params: Any = None, limit: int | str | None = None, **kwargs: Any
    ) -> Any:
        """Return an expression's result as Arrow, with its exact types."""
        table = expr.as_table()
        with self.complaints():
            self._run_pre_execute_hooks(table)
            result = self.raw_sql(self.compile(table, params=params, limit=limit)).toArrow()
        return expr.__pyarrow_result__(PyArrowData.convert_table(result, table.schema()))

    @contextmanager
    def complaints(self) -> Iterator[None]:
        """Turn what Spark raises into one sentence, or `Interrupted` where a query was stopped."""
        self.interrupted = False
        try:
            yield
        except (PySparkException, Py4JError) as error:
            if self.interrupted:
                raise Interrupted("The query was stopped.") from error
            raise DataError(f"Spark could not finish: {reason_from_error(error)}") from error


def reason_from_error(error: Exception) -> str:
    """Return the first line of what Spark says of a failure, without its trace."""
    java = getattr(error, "java_exception", None)
    words = str(error if java is None else java.getMessage()).strip()
    first = next((line.strip() for line in words.splitlines() if line.strip()), type(error).__name__)
    return first if len(first) <= _MOST_WORDS else first[: _MOST_WORDS - 1] + "…"
