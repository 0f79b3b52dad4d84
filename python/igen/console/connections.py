"""Limits of the connections: how many there are, and how long a client may take
to send a request or to read an answer.

uvicorn has a timeout after an answer, and h11 a limit of a head (16 KiB). Neither limits connections that
never send a whole request: `limit_concurrency` answers 503 after the head.
"""

from __future__ import annotations

import asyncio
import ipaddress
from enum import Enum

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 256
MOST_OF_AN_ADDRESS = 64
IPV6_BITS_OF_A_CLIENT = 64
"""Length of the prefix that one client gets: within it, a client can choose addresses."""


def client_address(host: str) -> str:
    """Return the part of an address that identifies a client: the first 64 bits of IPv6, all of IPv4."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), IPV6_BITS_OF_A_CLIENT), strict=False))


class Step(Enum):
    """Next step of a client."""

    HEAD = "send a head"
    BODY = "send more of a body"
    ANSWER = "read an answer"


class BoundedProtocol(H11Protocol):
    """A connection whose client must take each step in time; waiting connections make room for new ones."""

    head_s = 10.0
    """Longest time without a whole head: data that trickle in do not extend it."""
    body_s = 30.0
    """Longest silence within a body."""
    answer_s = 30.0
    """Longest time for reading so much of an answer that the rest can be written: some 48 KiB."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Drop the waiting connection that was silent longest if there are too many, or else the new one."""
        super().connection_made(transport)
        self.address = client_address(self.client[0] if self.client else "")
        self._heard_s = self.loop.time()
        self._deadline: asyncio.TimerHandle | None = None
        self._watched: Step | None = None
        own = [each for each in self._others() if each.address == self.address]
        if len(own) >= MOST_OF_AN_ADDRESS:
            self._make_room(own)
        elif len(self.connections) > MOST_CONNECTIONS:
            self._make_room(self._others())
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        self._stop()

    def data_received(self, data: bytes) -> None:
        """Start the clock again if the data are of a body."""
        self._heard_s = self.loop.time()
        super().data_received(data)
        self._watch(again=self._step is Step.BODY)

    def pause_writing(self) -> None:
        """Wait until the client reads."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Wait for the next step."""
        super().resume_writing()
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next head."""
        super().on_response_complete()
        self._watch(again=self._step is Step.HEAD)

    @property
    def is_waiting(self) -> bool:
        """True if the next step is the client's."""
        return self._step is not None

    @property
    def _step(self) -> Step | None:
        if self.flow.write_paused:
            return Step.ANSWER
        if self.cycle is None or self.cycle.response_complete:
            return Step.HEAD
        return Step.BODY if self.cycle.more_body else None

    def _others(self) -> list[BoundedProtocol]:
        return [each for each in self.connections if isinstance(each, BoundedProtocol) and each is not self]

    def _make_room(self, among: list[BoundedProtocol]) -> None:
        waiting = [each for each in among if each.is_waiting]
        min(waiting, key=lambda each: each._heard_s, default=self)._drop()

    def _drop(self) -> None:
        # The loop reports the loss later, but many clients may connect before that.
        self.connections.discard(self)
        self._stop()
        self.transport.abort()

    def _watch(self, *, again: bool = False) -> None:
        """Start the clock of the client's next step, unless it runs and need not run `again`."""
        step = self._step
        if step is self._watched and not again:
            return
        self._stop()
        self._watched = step
        if step is not None:
            limit_s = {Step.HEAD: self.head_s, Step.BODY: self.body_s, Step.ANSWER: self.answer_s}[step]
            self._deadline = self.loop.call_later(limit_s, self._late)

    def _late(self) -> None:
        # A body that the console itself does not read, such as beside a slow disk, is not the client's fault.
        if self.flow.read_paused and not self.flow.write_paused:
            self._watch(again=True)
        else:
            self._drop()

    def _stop(self) -> None:
        self._watched = None
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
