"""The page that a browser opens, sent through the same parts that a server has around it."""

import base64
import hashlib
import re
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from privlab.ui.serving import page_html

STREAMLITS = Path(st.__file__).parent / "static" / "index.html"
REPORT = "<html><head></head><body>A report of one's own</body></html>" * 50
OPENS = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8", "accept-encoding": "gzip"}


@pytest.fixture
def server() -> TestClient:
    routes = [
        Route("/report", lambda _: HTMLResponse(REPORT)),
        Route("/words", lambda _: Response("text", media_type="text/plain")),
        Route("/{page:path}", lambda _: FileResponse(STREAMLITS)),
    ]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(page_html.OwnPage), Middleware(GZipMiddleware)])
    )


@pytest.mark.parametrize("path", ["/", "/attack", "/attack?k=32"])
def test_a_page_is_streamlits_with_three_scripts_more_and_nothing_less(server: TestClient, path: str) -> None:
    answer = server.get(path, headers=OPENS)
    own = iter(answer.text.splitlines())
    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert all(line in own for line in STREAMLITS.read_text().splitlines())  # in their order
    scripts = re.findall(r"<script.*?</script>", answer.text, re.S)
    assert "pushState" in scripts[0]
    assert not any("pushState" in one for one in scripts[1:])
    assert "BACKEND_BASE_URL" in scripts[1]
    chart = re.search(r'src="\./(static/js/PlotlyChart[^"]*)"', scripts[-1])
    assert chart
    assert (STREAMLITS.parent / chart[1]).is_file()


@pytest.mark.parametrize(
    ("typed", "led_to"),
    [
        ("/Attack", "/attack"),
        ("/ATTACK?k=32&claim=0.16", "/attack?k=32&claim=0.16"),
        ("/Attack/", "/attack"),
        ("/lab/Data", "/lab/data"),
    ],
)
def test_a_page_typed_in_capitals_is_found(server: TestClient, typed: str, led_to: str) -> None:
    answer = server.get(typed, headers=OPENS)
    assert str(answer.url).removeprefix("http://testserver") == led_to
    assert "BACKEND_BASE_URL" in answer.text
    assert [one.status_code for one in answer.history] == [307]
    assert not server.get("/Nowhere", headers=OPENS).history


@pytest.mark.parametrize(
    ("cookies", "is_told"),
    [
        ("", True),
        ("theme=dark; _streamlit_xsrf=2|a|b|1", True),
        ("_streamlit_user=x; _streamlit_xsrf=2|a|b|1", True),
        ("_streamlit_user=x", False),
        ("theme=dark; _streamlit_user=chunks-2; _streamlit_user__1=x", False),
    ],
)
def test_who_has_logged_in_and_lost_the_token_asks_for_the_server_and_gets_one(
    server: TestClient, cookies: str, is_told: bool
) -> None:
    """Streamlit knows nobody by a login without the token, which comes with the answer to the question."""
    answer = server.get("/", headers=OPENS | ({"cookie": cookies} if cookies else {}))
    assert ("BACKEND_BASE_URL" in answer.text) == is_told
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert "pushState" in answer.text


def test_each_script_of_a_page_is_allowed_by_its_digest(server: TestClient) -> None:
    for script in re.findall(rb"<script>(.+?)</script>", server.get("/", headers=OPENS).content, re.S):
        digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
        assert f"'sha256-{digest}'" in page_html.SCRIPT_DIGESTS


def test_no_page_is_kept_by_a_browser_for_another_version(server: TestClient) -> None:
    before = server.get("/", headers=OPENS)
    assert "etag" not in before.headers
    assert "last-modified" not in before.headers
    streamlits = server.get("/", headers={"accept": "*/*"})
    again = server.get("/", headers=OPENS | {"if-none-match": streamlits.headers["etag"]})
    assert again.status_code == 200
    assert again.content == before.content


@pytest.mark.parametrize(("path", "text"), [("/report", REPORT), ("/words", "text")])
def test_other_answers_go_through_as_they_are(server: TestClient, path: str, text: str) -> None:
    assert server.get(path, headers=OPENS).text == text


def test_a_script_that_asks_for_the_page_gets_streamlits(server: TestClient) -> None:
    assert server.get("/", headers={"accept": "*/*"}).content == STREAMLITS.read_bytes()
