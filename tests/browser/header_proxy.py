"""A small reverse proxy on this machine that adds one header to every answer, WebSockets passed through."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def header_proxy(port: int, header: str) -> Iterator[int]:
    """Serve what a port of this machine serves, with the header added; yield the proxy's own port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accepted, args=(listener, port, header.encode()), daemon=True).start()
        yield int(listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)


def _accepted(listener: socket.socket, port: int, header: bytes) -> None:
    with suppress(OSError):  # the listener was closed
        while True:
            browser, _ = listener.accept()
            threading.Thread(target=_served, args=(browser, port, header), daemon=True).start()


def _served(browser: socket.socket, port: int, header: bytes) -> None:
    """Pass one request and its answer on; every connection has one, so that every answer gets the header."""
    with suppress(OSError), browser, socket.create_connection(("127.0.0.1", port)) as server:
        asked = _up_to(browser, b"\r\n\r\n")
        if b"upgrade: websocket" not in asked.lower():
            asked = re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", asked)
            asked = asked.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        server.sendall(asked)
        threading.Thread(target=_pumped, args=(browser, server), daemon=True).start()
        browser.sendall(_up_to(server, b"\r\n").replace(b"\r\n", b"\r\n" + header + b"\r\n", 1))
        _pumped(server, browser)


def _up_to(source: socket.socket, end: bytes) -> bytes:
    heard = b""
    while end not in heard and (more := source.recv(65_536)):
        heard += more
    return heard


def _pumped(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while some := source.recv(65_536):
            sink.sendall(some)
        sink.shutdown(socket.SHUT_WR)
