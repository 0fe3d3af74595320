"""Small answers leave at once, instead of waiting for a browser's word that the one before has come.

Streamlit makes the server's socket in a way that asyncio does not know for one of TCP, so that the system's own saving of packets stays on
for it (Nagle's). A file's head and its body are two packets, and a browser confirms the first some 40 ms later: a page fetches a hundred
small files.
"""

import asyncio
import socket
from typing import Any


def send_at_once() -> None:
    """Have the sockets on which the running loop will serve send at once; call it before they are served.

    A connection takes this over from the socket that it comes in by. A loop that lets nobody change it sees to this itself (uvloop).
    """
    loop = asyncio.get_running_loop()
    create_server = loop.create_server

    async def create_server_that_sends_at_once(*args: Any, **options: Any) -> asyncio.Server:
        served = options.get("sock")
        if served is not None and served.family in (socket.AF_INET, socket.AF_INET6):
            served.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return await create_server(*args, **options)

    try:
        loop.create_server = create_server_that_sends_at_once  # type: ignore[method-assign]
    except AttributeError:
        return
