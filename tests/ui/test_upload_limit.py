"""An upload for which there is no room is refused by its length, before any of it is read."""

import asyncio
import tempfile
from collections import Counter
from types import SimpleNamespace

import pytest
import streamlit as st
from starlette.requests import Request
from streamlit import config, runtime

from privlab.ui.sessions import upload_limit
from privlab.ui.sessions.upload_limit import UploadRoom

MB = 1_000_000


class Lab:
    """What lies behind: it keeps what is sent to it, after others have had their turn."""

    def __init__(self) -> None:
        self.held: Counter[str] = Counter()
        self.n_read = 0

    async def __call__(self, scope, receive, send) -> None:
        await asyncio.sleep(0)
        while (message := await receive()).get("more_body"):
            self.n_read += len(message["body"])
        if scope["method"] == "PUT":
            self.held[scope["path"].split("/")[-2]] += scope["length"]
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def put(app, session: str, length: int | None, method: str = "PUT") -> tuple[int, str]:
    scope = {
        "type": "http",
        "method": method,
        "path": f"/_stcore/upload_file/{session}/file-1",
        "headers": [] if length is None else [(b"content-length", str(length).encode())],
        "length": length or 0,
    }
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"x", "more_body": False}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent).decode()


@pytest.fixture
def lab(monkeypatch) -> Lab:
    lab = Lab()
    monkeypatch.setattr(upload_limit, "held_bytes", lambda: Counter(lab.held))
    return lab


def test_five_uploads_of_195_mb_in_one_session(lab) -> None:
    """500 MB a session: two of them have room, one after the other or all at once."""

    async def one_by_one() -> list[int]:
        app = UploadRoom(lab)
        return [(await put(app, "a", 195 * MB))[0] for _ in range(5)]

    assert asyncio.run(one_by_one()) == [204, 204, 413, 413, 413]
    assert lab.held == {"a": 390 * MB}
    lab.held.clear()

    async def at_once() -> list[tuple[int, str]]:
        app = UploadRoom(lab)
        return list(await asyncio.gather(*(put(app, "a", 195 * MB) for _ in range(5))))

    answers = asyncio.run(at_once())
    assert sorted(status for status, _ in answers) == [204, 204, 413, 413, 413]
    assert lab.held == {"a": 390 * MB}
    words = next(words for status, words in answers if status == 413)
    assert words.startswith(
        "The uploads of this session would come to 585 MB, more than 500 MB. Forget your data first"
    )


def test_twenty_sessions_share_the_server(lab) -> None:
    async def all_of_them() -> list[int]:
        app = UploadRoom(lab)
        return [(await put(app, f"s{number}", 195 * MB))[0] for number in range(20)]

    assert asyncio.run(all_of_them()) == [204] * 10 + [413] * 10  # 2,000 MB in all
    lab.held.clear()  # the sessions have ended
    assert asyncio.run(put(UploadRoom(lab), "s21", 195 * MB))[0] == 204


def test_what_fails_on_its_way_takes_no_room(lab) -> None:
    async def broken(scope, receive, send) -> None:
        raise ConnectionError

    app = UploadRoom(broken)

    async def attempts() -> int:
        for _ in range(5):
            with pytest.raises(ConnectionError):
                await put(app, "a", 195 * MB)
        app.app = lab
        return (await put(app, "a", 195 * MB))[0]

    assert asyncio.run(attempts()) == 204


def test_an_upload_says_how_long_it_is_iv(lab) -> None:
    assert asyncio.run(put(UploadRoom(lab), "a", None)) == (411, "An upload must say how long it is.")
    assert asyncio.run(put(UploadRoom(lab), "a", None, method="GET"))[0] == 204


@pytest.fixture
def secrets(monkeypatch, tmp_path):
    """A file of secrets, to be written, and sessions of somebody who has logged in, of a stranger, and of who has logged out."""
    infos = {"anna": {"is_logged_in": True}, "stranger": {}, "out": {"is_logged_in": False}}
    found = {one: SimpleNamespace(session=SimpleNamespace(_user_info=info)) for one, info in infos.items()}
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(
        runtime,
        "get_instance",
        lambda: SimpleNamespace(_session_mgr=SimpleNamespace(get_session_info=found.get)),
    )
    monkeypatch.setattr(st, "secrets", st.runtime.secrets.Secrets())
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(tmp_path / "secrets.toml")])
    yield tmp_path / "secrets.toml"
    config.set_option("secrets.files", before)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (None, [204, 204, 204, 204]),
        ("[roles]\nrelease = []\n", [204, 204, 204, 204]),
        ('[auth]\nclient_id = "lab"\n', [204, 403, 403, 403]),
        ("[auth", [403, 403, 403, 403]),
    ],
)
def test_where_a_login_is_asked_for_a_stranger_takes_no_room_of_the_team(
    text: str | None, answers: list[int], lab, secrets
) -> None:
    """Whoever reaches the server has a session, that of the page with the button, and could send it files."""
    if text is not None:
        secrets.write_text(text)
    app = UploadRoom(lab)

    async def all_of_them() -> list[int]:
        return [(await put(app, one, MB))[0] for one in ("anna", "stranger", "out", "nobody")]

    assert asyncio.run(all_of_them()) == answers
    assert lab.held.total() == answers.count(204) * MB


def test_an_upload_is_never_on_disk_on_its_way(monkeypatch, tmp_path) -> None:
    """As streamlit takes files in, by the request's form, where no temporary file can be made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    head = b'--b\r\nContent-Disposition: form-data; name="f"; filename="Timeline.json"\r\n\r\n'
    body = head + b"x" * (8 * MB) + b"\r\n--b--\r\n"
    headers = [(b"content-type", b"multipart/form-data; boundary=b")]

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def taken_in() -> int:
        async with Request({"type": "http", "method": "PUT", "headers": headers}, receive).form() as form:
            return len(await form["f"].read())

    assert asyncio.run(taken_in()) == 8 * MB
