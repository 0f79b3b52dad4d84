"""What a recording has: requests with their answers, as they went over the line."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import SplitResult, urljoin

import msgspec

from igen.har.redirect import PORTS, REDIRECTS, server_of

SEEN_BYTES = 1 << 20
"""So much of an answer is looked into: as far as expressions of the load look."""

Pairs = list[tuple[str, str]]
"""Names and values in their order; names may come several times."""


@dataclass(slots=True)
class Sent:
    """The body of a request."""

    mime: str
    """Content type without parameters, in small letters."""
    text: str | None
    """`None` where the recording has only fields."""
    fields: Pairs
    has_files: bool
    """Some of the fields are files."""


@dataclass
class Answer:
    """An answer."""

    status: int
    headers: Pairs
    cookies: Pairs
    mime: str
    """Content type without parameters, in small letters."""
    charset: str
    size_bytes: int | None
    """Length of the body without compression; `None` where it is unknown."""
    location: str
    """Where a redirect leads to, as it is written there."""
    content: msgspec.Raw
    """The body as it stands in the recording, which is read only when something looks into it."""
    is_base64: bool

    def header(self, name: str) -> str | None:
        """The value of the first header of that name."""
        return next((value for own, value in self.headers if own.lower() == name), None)

    @cached_property
    def text(self) -> str:
        """The begin of the body; empty where it is not there, or is no text."""
        raw = bytes(self.content)
        if not raw or raw == b"null":
            return ""
        try:
            text = msgspec.json.decode(raw, type=str)
            if self.is_base64:
                text = base64.b64decode(text, validate=False)[:SEEN_BYTES].decode(self.charset or "utf-8")
        except (msgspec.DecodeError, UnicodeDecodeError, binascii.Error, LookupError, ValueError):
            return ""
        return text[:SEEN_BYTES]


@dataclass
class Exchange:
    """A request and its answer."""

    place: int
    """Its number in the recording, from 0."""
    began_s: float
    ended_s: float
    """Seconds since 1970."""
    method: str
    url: SplitResult
    headers: Pairs
    cookies: Pairs
    sent: Sent | None
    answer: Answer
    page_ref: str
    kind: str
    """What asked for it, as browsers say: `document`, `xhr`, `stylesheet`; empty where that is unknown."""
    marks: frozenset[str] = field(default_factory=frozenset)
    """What else the recording says: `cached`, `unanswered`, `untimed`, `websocket`, `http2`."""

    def header(self, name: str) -> str | None:
        """The value of the first header of that name."""
        return next((value for own, value in self.headers if own.lower() == name), None)

    @property
    def host(self) -> str:
        """Host, with its port where that is not the scheme's own."""
        _, host, port = server_of(self.url)
        return host if port == PORTS.get(self.url.scheme) else f"{host}:{port}"

    @property
    def origin(self) -> str:
        """Scheme and host, with the port where the URL has one."""
        return f"{self.url.scheme}://{self.url.netloc.rpartition('@')[2]}"

    @property
    def path(self) -> str:
        """Path without query."""
        return self.url.path or "/"

    @property
    def redirect(self) -> str:
        """The whole URL that the answer leads to, without its fragment; empty where it is no redirect."""
        location = self.answer.location or self.answer.header("location") or ""
        if self.answer.status not in REDIRECTS or not location:
            return ""
        try:
            return urljoin(self.url.geturl(), location).partition("#")[0]
        except ValueError:
            return ""


@dataclass(frozen=True, slots=True)
class Recording:
    """All that was recorded, in the order in which it began."""

    exchanges: list[Exchange]
    titles: dict[str, str]
    """Titles of pages by their reference."""
    malformed: list[str]
    """Entries that could not be read, each with its place and the reason."""
