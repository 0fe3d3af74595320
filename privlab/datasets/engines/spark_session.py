"""A Spark application of our own: Java found, the master reached, workers there, or one sentence why not.

Settings that a steward gives in spark-defaults.conf stand, but for those that exact results need.
"""

import importlib.util
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privlab.checks import ParameterError
from privlab.datasets.folders.private_folders import PrivateFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST_JAVA = 17
_REACH_SECONDS = 10.0
_WORKERS_SECONDS = 60  # or longer, where the steward lets Spark wait longer for them:
_WAITING = "spark.scheduler.maxRegisteredResourcesWaitingTime"
# Times without a zone are wall-clock times: the session must not shift them. Overflows are errors.
_EXACT = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    "spark.sql.catalogImplementation": "in-memory",
}
_USUAL = {
    "spark.app.name": "privlab",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
}
_LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


@contextmanager
def unwarned() -> Iterator[None]:
    """Keep pyspark 4.3 from saying at every turn that it does not know pandas 3, which nothing here uses."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def session_from_master(master: str | None, folder: Path) -> "SparkSession":
    """Return the session of a new application on a master; None takes the one configured, else local[*].

    `folder` is where tables that are given a name for good would be written.

    Raises
    ------
    ParameterError
        If pyspark or Java is missing, or the master cannot be reached or offers no worker.
    """
    _require_pyspark()
    _require_java()
    _require_reachable(master)
    from py4j.protocol import Py4JError
    from pyspark import SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    logging.getLogger("SQLQueryContextLogger").disabled = True  # every failure is told in one sentence
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # what workers on this machine run
    try:
        conf = _conf(master, folder)
        named = str(conf.get("spark.master"))
        _require_reachable(named)
        session = SparkSession(SparkContext(conf=conf))
    except (PySparkException, Py4JError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(
            f"engine must be a Spark that starts, got {_shown(master)}: {_reason(error)}"
        ) from error
    try:
        _require_workers(session, named)
    except ParameterError:
        session.stop()
        raise
    return session


def _conf(master: str | None, folder: Path) -> Any:
    """Return the settings of an application: ours where exactness needs them, else the steward's."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is None:  # one Java machine per process; it ends with the process
        # Its log would be a second voice on standard error.
        with tempfile.TemporaryFile() as log:
            gateway = launch_gateway(None, {"stderr": log})  # type: ignore[no-untyped-call]
        SparkContext._ensure_initialized(gateway=gateway)
    conf = SparkConf(_jvm=SparkContext._jvm)
    if master is not None:
        conf.setMaster(master)
    conf.setIfMissing("spark.master", "local[*]")
    is_local = str(conf.get("spark.master")).startswith("local")
    for name, value in (_USUAL | (_LOOPBACK if is_local else {})).items():
        conf.setIfMissing(name, value)
    own = {"spark.local.dir": str(_scratch().path), "spark.sql.warehouse.dir": str(folder / "tables")}
    return conf.setAll([*_EXACT.items(), *own.items()])


@cache
def _scratch() -> PrivateFolder:
    """Return a private folder that lasts as long as the process: so long Java keeps to the first it is given."""
    return PrivateFolder()


def _require_pyspark() -> None:
    if importlib.util.find_spec("pyspark") is None:
        raise ParameterError(
            "engine must be duckdb unless Spark is installed; install it with "
            "pip install -r requirements-spark.txt."
        )


def _require_java() -> None:
    version = java_version()
    if version is None or version < LEAST_JAVA:
        found = "found none" if version is None else f"found Java {version}"
        raise ParameterError(
            f"engine must be duckdb unless Java {LEAST_JAVA} or newer is installed ({found}); "
            "install it or set JAVA_HOME."
        )


def java_version() -> int | None:
    """Return the major version of the Java that Spark would run, None where there is none."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None:
        return None
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', told.stderr + told.stdout)
    return int(found[1]) if found else None


def _require_reachable(master: str | None) -> None:
    """Raise unless one host of a spark:// master takes a connection; other kinds are Spark's to reach."""
    if master is None or not master.startswith("spark://"):
        return
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        if not (host and port.isdecimal() and 0 < int(port) < 65536):
            raise ParameterError(f"engine must be spark://HOST:PORT, got {master!r}.")
        try:
            with socket.create_connection((host, int(port)), timeout=_REACH_SECONDS):
                return
        except OSError:
            continue
    raise ParameterError(f"engine must be a Spark master that answers, got {master!r}. Is it running?")


def _require_workers(session: "SparkSession", master: str) -> None:
    """Raise unless a worker joins; without one, Spark would wait for ever."""
    if master.startswith("local") and not master.startswith("local-cluster"):
        return
    context: Any = session.sparkContext._jsc.sc()
    seconds = max(_WORKERS_SECONDS, int(context.getConf().getTimeAsSeconds(_WAITING, "0s")))
    until = time.monotonic() + seconds
    while context.getExecutorMemoryStatus().size() < 2:  # the driver counts as one
        if time.monotonic() > until:
            raise ParameterError(
                f"engine must be a Spark master with free workers, got {master!r}: none joined within "
                f"{seconds} seconds."
            )
        time.sleep(0.1)


def _shown(master: str | None) -> str:
    return "the configured one" if master is None else repr(master)


def _reason(error: Exception) -> str:
    from privlab.datasets.engines.spark_backend import reason_from_error

    return reason_from_error(error)
