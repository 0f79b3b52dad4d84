"""Server-sent events: what a viewer has missed, then what is new, until the run is over or the console ends.

Format: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable

from starlette.responses import StreamingResponse

from igen.console.live.hub import Hub
from igen.console.live.position import Position, written
from igen.console.live.viewer import Message

COMMENT_S = 15.0
"""A silent stream says that it is there: proxies close one that is not."""
RETRY_MS = 2_000
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class EventStream:
    """One viewer's stream of one or several runs."""

    def __init__(
        self,
        hub: Hub,
        places: dict[str, Position],
        *,
        is_of_one: bool,
        left_s: Callable[[], float] = lambda: math.inf,
    ) -> None:
        """`places` are where the viewer is in each run. The ids of a stream of one run do not name it.

        `left_s` is how long it may go on from now, asked again and again.
        """
        self._hub, self._places, self._is_of_one, self._left_s = hub, dict(places), is_of_one, left_s

    def response(self) -> StreamingResponse:
        """The answer to the browser."""
        return StreamingResponse(self._frames(), media_type="text/event-stream", headers=HEADERS)

    async def _frames(self) -> AsyncIterator[bytes]:
        yield b"retry: %d\n\n" % RETRY_MS
        if self._hub.is_stopping:
            return
        async with self._hub.viewer(list(self._places)) as (viewer, tailers):
            for run, tailer in tailers.items():
                yield self._encoded(tailer.attach(viewer, self._places[run]))
            goes_on = {run for run, tailer in tailers.items() if not tailer.is_over}
            yield self._encoded([Message(run, b"") for run in tailers if run not in goes_on])
            while goes_on and not viewer.is_dropped:
                messages = await viewer.take(max(0.0, min(COMMENT_S, self._left_s())))
                if self._left_s() <= 0:
                    viewer.drop()
                goes_on -= {message.run for message in messages if not message.data}
                if not viewer.is_dropped:
                    yield self._encoded(messages) or b":\n\n"

    def _encoded(self, messages: list[Message]) -> bytes:
        parts = []
        for run, data, place in messages:
            if place is not None:
                self._places[run] = place
                parts.append(b"id: %s\n" % self._id().encode())
            parts.append(b"data: %s\n\n" % (data or b'{"run":"%s","end":true}' % run.encode()))
        return b"".join(parts)

    def _id(self) -> str:
        if self._is_of_one:
            (place,) = self._places.values()
            return str(place)
        return written(self._places)
