"""A web server that keeps a book of what it was asked for: the target's own side of the count.

`python -m tests.fleet.counting_server ADDRESS PORT BOOK [ANSWERS]` serves until it is ended, and writes each
request into the file BOOK, before it answers, as a line: time, address of who asks, path. It says `listens`
when it does, and answers so many requests of each user; all of them unless said otherwise.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Self

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Noted = Callable[[float, str, str], None]


class Served:
    """Answers so many requests of each path's user (`?user=7&…`), and keeps all others waiting for ever."""

    def __init__(self, noted: Noted, answers: float = float("inf")) -> None:
        self._noted = noted
        self._answers = answers
        self._asked: Counter[str] = Counter()
        self.connections = 0
        """Those that are open: what was sent over others has been noted."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        source = writer.get_extra_info("peername")[0]
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                user = path.partition("user=")[2].partition("&")[0]
                self._asked[user] += 1
                self._noted(time.time(), source, path)
                if self._asked[user] <= self._answers:
                    writer.write(ANSWER)
                    await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass  # one of both has gone
        finally:
            self.connections -= 1
            writer.close()


class CountingServer:
    """The server on a thread of its own; `asked` has the paths by user in their order."""

    def __init__(self, port: int, answers: int) -> None:
        self.asked: dict[str, list[str]] = {}
        self._port = port
        self._served = Served(self._note, answers)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._listens = threading.Event()

    @property
    def connections(self) -> int:
        """Those that are open: what was sent over others is in `asked`."""
        return self._served.connections

    def _note(self, _at_s: float, _source: str, path: str) -> None:
        user = path.partition("user=")[2].partition("&")[0]
        self.asked.setdefault(user, []).append(path)

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with await asyncio.start_server(self._served.serve, "127.0.0.1", self._port, backlog=1000):
            self._listens.set()
            await self._over.wait()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._listens.wait(30.0)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(30.0)


def main() -> None:
    """Serves until it is ended."""
    address, port, book, *answers = sys.argv[1:]
    with Path(book).open("w", buffering=1, encoding="utf-8") as file:

        def note(at_s: float, source: str, path: str) -> None:
            file.write(f"{at_s:.6f} {source} {path}\n")

        async def serve() -> None:
            served = Served(note, *(float(each) for each in answers))
            server = await asyncio.start_server(served.serve, address, int(port), backlog=1000)
            print("listens", flush=True)
            await server.serve_forever()

        asyncio.run(serve())


if __name__ == "__main__":
    main()
