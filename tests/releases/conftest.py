"""A place for a ledger, in a file and in PostgreSQL: what holds for one holds for the other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from privlab.releases.ledger.ledger_places import LedgerServer, Place
from tests.releases.postgres_cluster import Cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A server for all tests of this process."""
    made = Cluster()
    yield made
    made.remove()


@pytest.fixture
def server(cluster: Cluster, tmp_path: Path) -> LedgerServer:
    """A place in PostgreSQL without a ledger yet."""
    return LedgerServer(address=cluster.address(), folder=tmp_path / "house")


@pytest.fixture(params=["file", "postgresql"])
def ledger_place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place without a ledger yet."""
    if request.param == "file":
        return tmp_path / "deep" / "ledger.sqlite"
    server: LedgerServer = request.getfixturevalue("server")
    return server
