"""Watching a run in a test: messages as a browser gets them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from igen.console.live.hub import Hub
from igen.console.live.position import Position
from igen.console.live.stream import EventStream
from tests.console.live.growing import decoded

PATIENCE_S = 300.0


class Event(NamedTuple):
    """A server-sent event."""

    id: str
    name: str
    body: dict[str, Any]


async def events(hub: Hub, places: dict[str, Position], *, is_of_one: bool = True) -> AsyncIterator[Event]:
    """The events of a stream until it ends, as the standard says that they are read."""
    last_id, name = "", "message"
    response = EventStream(hub, places, is_of_one=is_of_one).response()
    frames = aiter(response.body_iterator)
    while True:
        try:
            frame = await asyncio.wait_for(anext(frames), PATIENCE_S)
        except StopAsyncIteration:
            return
        assert isinstance(frame, bytes)
        for line in frame.decode().split("\n"):
            field, _, value = line.partition(": ")
            match field:
                case "id":
                    last_id = value
                case "event":
                    name = value
                case "data":
                    yield Event(last_id, name, decoded(value.encode()))
                    name = "message"


def told(found: list[Event]) -> list[tuple[int, float]]:
    """Job and begin of each digest."""
    digests = [event.body["digest"] for event in found if "digest" in event.body]
    return [(each["job"], each["start_s"]) for each in digests]
