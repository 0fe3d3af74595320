"""Addresses of a real server: what answers without a login and what does not, and for which names of the host."""

import http.client
import os
import re
import urllib.parse

import pytest

from tests.browser.lab import Watched, free_port, started, stopped

pytestmark = pytest.mark.browser
# Counters of all sessions' caches, ways in for programs, and a run of a page for whoever asks; in every spelling.
CLOSED = (
    "/_stcore/metrics",
    "/_stcore/metrics/",
    "/_stcore/metrics?families=cache_memory_bytes",
    "/_stcore//metrics",
    "/%5Fstcore/metrics",
    "/attack/_stcore/metrics",
    "/attack/deeper/_stcore/metrics",
    "/_stcore/agent/interact",
    "/_stcore/agent/mcp",
    "/_stcore/agent/openapi.json",
    "/_stcore/script-health-check",
    "/_stcore/stream",
    "/_stcore/what-comes-next",
)


def asked(
    address: str, path: str, *, method: str = "GET", host: str | None = None, upgrade: bool = False
) -> tuple[int, bytes]:
    """Return status and content of one answer; `upgrade` asks for the socket that a page talks through."""
    parts = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=900)
    headers = {} if host is None else {"Host": host, "Origin": f"http://{host}"}
    if upgrade:
        headers |= {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
            "Sec-WebSocket-Protocol": "streamlit",
        }
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    content = b"" if upgrade else answer.read()
    connection.close()
    return answer.status, content


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "HEAD"])
def test_counters_and_what_no_page_needs_do_not_answer(address: str, method: str) -> None:
    for path in CLOSED:
        status, content = asked(address, path, method=method)
        assert status == 404, path
        assert re.search(rb"cache|session|hit|miss", content) is None, path


def test_what_pages_need_answers(address: str, watched: Watched) -> None:
    assert asked(address, "/_stcore/health") == (200, b"ok")
    assert asked(address, "/_stcore/host-config")[0] == 200
    watched.opened(f"{address}/attack").drawn()  # by the socket, which is no page's address
    watched.clean()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 101),
        ("localhost", 101),
        ("evil.example", 403),
        ("evil.streamlit.app", 403),
        ("lab.example.org", 403),
        ("127.0.0.1.evil.example", 403),
    ],
)
def test_only_this_machine_s_names_are_talked_to(address: str, host: str, status: int) -> None:
    assert asked(address, "/_stcore/stream", host=host, upgrade=True)[0] == status


def test_an_operator_adds_the_lab_s_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """As docs/privacy.md says, for a proxy and for Streamlit Community Cloud."""
    monkeypatch.setitem(os.environ, "STREAMLIT_SERVER_ALLOWED_HOSTS", "our-lab.streamlit.app lab.example.org")
    port = free_port()
    server = started(port)
    address = f"http://127.0.0.1:{port}"
    try:
        found = {
            host: asked(address, "/_stcore/stream", host=host, upgrade=True)[0]
            for host in ("our-lab.streamlit.app", "lab.example.org", "other.streamlit.app", "127.0.0.1")
        }
    finally:
        stopped(server)
    assert found == {
        "our-lab.streamlit.app": 101,
        "lab.example.org": 101,
        "other.streamlit.app": 403,
        "127.0.0.1": 403,
    }
