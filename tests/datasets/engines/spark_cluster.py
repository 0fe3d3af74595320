"""A real Spark cluster on the loopback interface: one master and two workers, each a process of its own."""

import ctypes
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
WORKERS = ("worker-1", "worker-2")
_START_SECONDS = 900
# These machines live for seconds. With one level of the compiler Java keeps room for a fifth of the usual code, which a long row of
# commands fills: it then says so among their answers. To prove each class of Spark sound anew takes a tenth of all their work.
_QUICK_JAVA = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
# Runs commands as they come, a line of words each, and answers each with a line. Java starts once, and stays warm.
_ONE_AFTER_THE_OTHER = """
import contextlib, io, json, sys
from privlab.cli import run
from tests.datasets.engines import one_application, raw_counts
one_application.share()
for line in sys.stdin:
    sys.argv = ["privlab", *json.loads(line)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            raw_counts.main(sys.argv[2:]) if sys.argv[1] == "raw-counts" else run()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
    print(json.dumps((code, out.getvalue(), err.getvalue())), flush=True)
"""


@dataclass(frozen=True)
class Commands:
    """A process that runs one command after the other on an engine."""

    process: subprocess.Popen[str]
    engine: str

    def __call__(self, *words: object) -> tuple[int, str, str]:
        """Run a command; return its exit code, standard output and error."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([*map(str, words), "--engine", self.engine]), file=self.process.stdin, flush=True)
        code, out, err = json.loads(self.process.stdout.readline())
        return code, out, err


@dataclass(frozen=True)
class Cluster:
    """Where the master listens and its state is asked; `folder` holds one folder per worker and the event logs."""

    url: str
    state_url: str
    folder: Path

    def state(self) -> Any:
        """Return what the master says of its workers."""
        with urllib.request.urlopen(self.state_url, timeout=900) as answer:
            return json.load(answer)

    @contextmanager
    def commands(self, engine: str | None = None) -> Iterator["Commands"]:
        """Yield the program's command line on the cluster or another engine, in a process of its own."""
        scratch = Path(tempfile.mkdtemp(dir=self.folder))
        settings = {"SPARK_CONF_DIR": str(self.folder / "conf"), "TMPDIR": str(scratch)}
        with tempfile.TemporaryFile(dir=self.folder) as complaints:
            process = subprocess.Popen(
                [sys.executable, "-c", _ONE_AFTER_THE_OTHER],
                env=_environment() | settings,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
            yield Commands(process, engine or self.url)
            process.communicate(timeout=_START_SECONDS)
            complaints.seek(0)
            assert (process.returncode, complaints.read()) == (0, b"")
        assert not list(scratch.iterdir()), "a private folder was left behind"

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of a kind in the log of the application that ran last."""
        last = max((self.folder / "events").iterdir(), key=lambda file: file.stat().st_mtime)
        events = (json.loads(line) for line in last.read_text(encoding="utf-8").splitlines())
        return [event for event in events if event["Event"] == kind]

    def tasks_by_worker(self) -> dict[str, int]:
        """Return how many tasks of the last application each worker's executor ran."""
        application = self.events("SparkListenerApplicationStart")[0]["App ID"]
        tasks = Counter(event["Task Info"]["Executor ID"] for event in self.events("SparkListenerTaskEnd"))
        return {
            worker: sum(tasks[folder.name] for folder in (self.folder / worker / application).iterdir())
            for worker in WORKERS
        }


@contextmanager
def running_cluster(folder: Path, workers: tuple[str, ...] = WORKERS) -> Iterator[Cluster]:
    """Start a cluster; end all of its processes, whatever happens."""
    for name in ("conf", "events"):
        (folder / name).mkdir()
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.sql.shuffle.partitions": "2",  # not 200: each is a task that takes longer to start than to run
        # No task begins before both workers are there, however long one takes to start.
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": f"{_START_SECONDS}s",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "768m",
        "spark.driver.extraJavaOptions": _QUICK_JAVA,
        "spark.executor.extraJavaOptions": _QUICK_JAVA,
        "spark.executor.memory": "768m",
    }
    defaults = "".join(f"{name} {value}\n" for name, value in settings.items())
    (folder / "conf" / "spark-defaults.conf").write_text(defaults, encoding="utf-8")
    port, state_port = _free_port(), _free_port()
    cluster = Cluster(f"spark://127.0.0.1:{port}", f"http://127.0.0.1:{state_port}/json/", folder)
    started: list[subprocess.Popen[bytes]] = []
    try:
        started.append(_daemon(folder, "master", "--port", port, "--webui-port", state_port))
        # A worker that finds no master tries again after 5 to 15 seconds only.
        _wait_for_workers(cluster, started, 0)
        for worker in workers:
            words = (
                "--cores",
                1,
                "--memory",
                "1g",
                "--work-dir",
                folder / worker,
                "--webui-port",
                0,
                cluster.url,
            )
            started.append(_daemon(folder, worker, *words))
        _wait_for_workers(cluster, started, len(workers))
        yield cluster
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGKILL)  # its executors are of its group
            process.wait()


def _daemon(folder: Path, name: str, *words: object) -> subprocess.Popen[bytes]:
    package = importlib.util.find_spec("pyspark")
    assert package is not None
    assert package.origin is not None
    spark_class = Path(package.origin).parent / "bin" / "spark-class"
    kind = "org.apache.spark.deploy." + ("master.Master" if name == "master" else "worker.Worker")
    command = [str(spark_class), kind, "--host", "127.0.0.1", *map(str, words)]
    own = {
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": _QUICK_JAVA,
        "SPARK_LOCAL_DIRS": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            command,
            env=_environment() | own,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )


def _die_with_parent() -> None:
    """Have the system kill this process when the one that started it ends, however it ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _environment() -> dict[str, str]:
    """Return the environment without what could point workers to this checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PYSPARK", "SPARK"))
    }
    return kept | {"SPARK_LOCAL_IP": "127.0.0.1"}


def _wait_for_workers(cluster: Cluster, started: list[subprocess.Popen[bytes]], n_workers: int) -> None:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until:
        assert all(process.poll() is None for process in started), "a process of the cluster ended"
        try:
            if cluster.state()["aliveworkers"] == n_workers:
                return
        except (OSError, ValueError):
            pass  # the master does not listen yet, or answers with its front page while it starts
        time.sleep(0.2)
    raise AssertionError("the cluster did not start")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
