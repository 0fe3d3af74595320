"""Addresses of a real server: what answers without a login and what does not, and for which names of the host."""

import http.client
import os
import re
import urllib.parse

import pytest

from privlab.ui.serving.page_html import PAGE
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
    address: str,
    path: str,
    *,
    method: str = "GET",
    host: str | None = None,
    upgrade: bool = False,
    as_page: bool = False,
) -> tuple[int, bytes]:
    """Return status and content of one answer; `upgrade` asks for the socket that a page talks through, `as_page` as a browser does."""
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
    if as_page:
        headers |= {"Accept": "text/html,*/*;q=0.8"}
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


def test_what_pages_need_answers_and_they_ask_for_nothing_else(address: str, alone: Watched) -> None:
    """Streamlit's own page would ask below each page's name first; it has no script of a control until it is to be drawn."""
    assert asked(address, "/_stcore/health") == (200, b"ok")
    assert asked(address, "/_stcore/host-config")[0] == 200
    wanted: list[str] = []
    alone.page.on("request", lambda request: wanted.append(urllib.parse.urlsplit(request.url).path))
    alone.page.on("websocket", lambda socket: wanted.append(socket.url))
    alone.opened(f"{address}/attack").drawn()  # by the socket, which is no page's address
    alone.clean()
    own = [path for path in wanted if "_stcore" in path and "bidi-components" not in path]
    assert set(own) == {
        "/_stcore/health",
        "/_stcore/host-config",
        f"{address.replace('http', 'ws')}/_stcore/stream",
    }
    assert any("/FileUploader." in path for path in wanted)  # which Attack does not show
    framed = """async () => {
        const frame = document.body.appendChild(document.createElement("iframe"));
        frame.src = "/guarantee";
        await new Promise(loaded => { frame.onload = loaded; });
        return [typeof frame.contentWindow.__streamlit, typeof window.__streamlit];
    }"""
    assert alone.page.evaluate(framed) == ["undefined", "object"]


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/", ""),
        ("/plan", ""),
        ("/plan/", ""),
        ("/home", ""),
        ("/lab", "/lab"),
        ("/lab/", "/lab"),
        ("/lab/plan", "/lab"),
        ("/of/the/house/recovery", "/of/the/house"),
        ("/planning", "/planning"),
    ],
)
def test_a_page_knows_where_its_server_is(path: str, below: str, alone: Watched) -> None:
    script = re.findall(rb"<script>(.*?)</script>", PAGE, re.S)[1].decode()
    told = alone.page.evaluate(
        """([script, pathname]) => {
            const window = {}, location = {pathname, origin: "https://lab.example.org"};
            new Function("window", "parent", "location", script)(window, window, location);
            return window.__streamlit;
        }""",
        [script, path],
    )
    assert told == {
        "BACKEND_BASE_URL": f"https://lab.example.org{below}",
        "HOST_CONFIG": {"allowedOrigins": ["https://lab.example.org"], "useExternalAuthToken": False},
    }


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


def test_a_page_under_another_name_says_what_to_do(address: str) -> None:
    """It would wait without a word: its socket is refused. What is no page answers as before, a probe of a proxy's among it."""
    status, content = asked(address, "/plan", host="lab.example.org", as_page=True)
    assert status == 403
    text = content.decode()
    assert "does not answer to the name <code>lab.example.org</code>" in text
    assert "Add the name <code>lab.example.org</code> to <code>server.allowedHosts</code>" in text
    assert f'<a href="http://localhost:{urllib.parse.urlsplit(address).port}/">' in text
    status, content = asked(address, "/", host='"><script>alert(1)</script>', as_page=True)
    assert status == 403
    assert b"script" not in content
    assert asked(address, "/plan", as_page=True) == (200, PAGE)
    assert asked(address, "/_stcore/health", host="lab.example.org") == (200, b"ok")


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
