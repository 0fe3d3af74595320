"""Make sure there is a Java that Apache Spark runs on for the Spark tests, by what the machine offers.

An installed one is used as it is; otherwise the system's package manager is asked. Fails, rather
than let tests be skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from privlab.datasets.engines.spark_session import LEAST_JAVA, java_version

BREW_JAVA = f"openjdk@{LEAST_JAVA}"


def install() -> None:
    """Ask the system's package manager for a Java runtime without a screen."""
    root = [] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run([*root, "apt-get", "update", "-qq"], check=False)
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        package = f"openjdk-{LEAST_JAVA}-jre-headless"
        if subprocess.run([*root, *command, package], check=False, env=quiet).returncode:
            # A release of Debian that has a newer one only.
            subprocess.run([*root, *command, "default-jre-headless"], check=False, env=quiet)
    elif shutil.which("dnf"):
        subprocess.run([*root, "dnf", "install", "-y", "-q", "java-headless"], check=False)
    elif shutil.which("brew"):
        subprocess.run(["brew", "install", BREW_JAVA], check=False)


def is_there() -> bool:
    """Return whether Spark would find a Java that is new enough."""
    version = java_version()
    return version is not None and version >= LEAST_JAVA


if __name__ == "__main__":
    if not is_there():
        install()
        if not is_there():
            sys.exit(
                f"No Java {LEAST_JAVA} or newer could be found or installed; install one, or set JAVA_HOME to it."
            )
    print(f"Java for the tests: {java_version()}")
