"""Packets that wait for no answer, on a socket made as Streamlit makes the server's."""

import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.web.server.starlette import starlette_server

from privlab.ui.serving import send_at_once

ROOT = Path(__file__).parents[2]


async def waits_for_no_answer(*, told: bool) -> bool:
    """Return whether a connection to a server on Streamlit's socket sends each packet at once."""
    if told:
        send_at_once()
    accepted: asyncio.Future[asyncio.BaseTransport] = asyncio.get_running_loop().create_future()

    class Accepts(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            accepted.set_result(transport)

    served = starlette_server._bind_socket("127.0.0.1", 0, 5)
    server = await asyncio.get_running_loop().create_server(Accepts, sock=served)
    _, writer = await asyncio.open_connection(*served.getsockname())
    at_once = bool(
        (await accepted).get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    )
    writer.close()
    (await accepted).close()
    server.close()
    return at_once


def test_a_server_on_streamlits_socket_sends_at_once() -> None:
    assert asyncio.run(waits_for_no_answer(told=True))


def test_without_being_told_it_does_not() -> None:
    """Should this fail, asyncio or Streamlit sees to it, and `send_at_once` can go."""
    assert not asyncio.run(waits_for_no_answer(told=False))


def test_the_lab_tells_its_server() -> None:
    program = (
        "import asyncio\nfrom privlab.ui.shell import loading\nloading.begin = lambda: None\nimport app\n"
        "async def serve():\n"
        "    usual = asyncio.get_running_loop().create_server\n"
        "    async with app.while_it_serves(app.app):\n"
        "        assert asyncio.get_running_loop().create_server != usual\n"
        "asyncio.run(serve())"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_other_sockets_are_served_as_before(tmp_path_factory: pytest.TempPathFactory) -> None:
    async def answer() -> bytes:
        send_at_once()
        served = socket.socket(socket.AF_UNIX)
        served.bind(str(tmp_path_factory.mktemp("s") / "s"))

        async def greeted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"yes")
            writer.close()

        server = await asyncio.start_unix_server(greeted, sock=served)
        reader, writer = await asyncio.open_unix_connection(served.getsockname())
        said = await reader.read()
        writer.close()
        server.close()
        return said

    assert asyncio.run(answer()) == b"yes"
