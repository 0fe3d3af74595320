"""One local Spark application for all commands of a process, each with a session of its own in it.

Commands on a cluster start applications of their own, as every command does for its users: one ends before another begins.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from privlab.datasets.engines import spark_workspace
from privlab.datasets.engines.spark_workspace import SparkWorkspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def share() -> None:
    """Have local workspaces of this process share an application, which ends when a cluster is asked."""
    begin, ship = spark_workspace.session_from_master, SparkWorkspace._ship
    applications: dict[str, SparkSession] = {}
    shipped: set[str] = set()

    def session(master: str | None, folder: Path) -> "SparkSession":
        if master is None or not master.startswith("local["):
            while applications:
                applications.popitem()[1].stop()
            shipped.clear()
            return begin(master, folder)
        if master not in applications:
            applications[master] = begin(master, folder)
        own = applications[master].newSession()
        own.stop = own.catalog.clearCache  # type: ignore[method-assign]
        return own

    def shipped_once(workspace: SparkWorkspace) -> None:
        application = workspace.session.sparkContext.applicationId
        if application not in shipped:
            ship(workspace)
            shipped.add(application)

    spark_workspace.session_from_master = session
    SparkWorkspace._ship = shipped_once  # type: ignore[method-assign]
