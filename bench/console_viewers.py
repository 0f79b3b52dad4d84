"""Viewers of a run, as browsers are: many streams in one process, and when each event of them came."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class Viewer:
    """What one stream has brought."""

    came_s: dict[float, float] = field(default_factory=dict)
    """By the begin of an interval: when it came, on the monotonic clock."""
    transactions: int = 0
    is_over: bool = False


async def view(viewer: Viewer, port: int, cookie: str, path: str) -> None:
    """Reads a stream until it ends, or the task is cancelled."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    head = [
        f"GET {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Cookie: {cookie}",
        "Accept: text/event-stream",
    ]
    writer.write("\r\n".join([*head, "", ""]).encode())
    try:
        while line := await reader.readline():
            if line.startswith(b'data: {"run"'):
                _take(viewer, line)
                if viewer.is_over:
                    return
    finally:
        writer.close()


def _take(viewer: Viewer, line: bytes) -> None:
    if b'"digest":' in line[:120]:
        digest = json.loads(line[6:])["digest"]
        viewer.came_s[digest["start_s"]] = time.monotonic()
        viewer.transactions += digest["count"]
    elif line.endswith(b'"end":true}\n'):
        viewer.is_over = True
