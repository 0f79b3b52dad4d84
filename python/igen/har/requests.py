"""Requests of users: an exchange with the redirects that follow from it; and what is only embedded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from igen.har.exchange import Exchange
from igen.har.fields import Draft
from igen.har.redirect import REDIRECTS, leads_to

MOST_REDIRECTS = 5
"""So many a user of the load follows unless the scenario says otherwise."""
MOST_HOPS_AHEAD = 50
"""So many exchanges later at most a redirect is followed by the browser."""
_EMBEDDED_KINDS = ("stylesheet", "script", "image", "font", "media", "manifest")
_EMBEDDED_TYPES = (
    *("text/css", "text/javascript", "application/javascript", "application/x-javascript"),
    "application/manifest+json",
)
_EMBEDDED_FAMILIES = ("image/", "font/", "audio/", "video/", "application/font", "application/wasm")


@dataclass(slots=True)
class Asked:
    """What a user asks for, with the redirects up to the answer that counts."""

    hops: list[Exchange]
    draft: Draft | None = None
    """What is asked, in parts; `None` where no scenario can have it."""

    @property
    def first(self) -> Exchange:
        """What is asked."""
        return self.hops[0]

    @property
    def last(self) -> Exchange:
        """What is answered in the end."""
        return self.hops[-1]

    @property
    def ended_s(self) -> float:
        """When the last answer was there."""
        return max(hop.ended_s for hop in self.hops)

    @property
    def is_embedded(self) -> bool:
        """Whether it is something that pages embed, which all users get alike."""
        first, mime = self.first, self.last.answer.mime
        if first.method != "GET" or first.sent is not None or first.header("authorization") is not None:
            return False
        by_type = mime in _EMBEDDED_TYPES or mime.startswith(_EMBEDDED_FAMILIES)
        return by_type or (first.kind in _EMBEDDED_KINDS and mime != "text/html" and "json" not in mime)

    @property
    def is_within_redirects(self) -> bool:
        """Whether a user of the load who follows redirects as usual comes to the same answer."""
        return self.last.answer.status not in REDIRECTS and len(self.hops) - 1 <= MOST_REDIRECTS

    @property
    def is_navigation(self) -> bool:
        """Whether it is a page of its own, as far as it says so itself: not one that is within another."""
        first = self.first
        if destination := first.header("sec-fetch-dest"):
            return destination == "document"
        if first.kind not in ("", "document") or first.header("x-requested-with") is not None:
            return False
        accepted = first.header("accept")
        if "unanswered" in first.marks:
            return accepted is not None and accepted.startswith("text/html")
        return self.last.answer.mime == "text/html" and (accepted is None or accepted.startswith("text/html"))


def with_redirects(exchanges: list[Exchange]) -> list[Asked]:
    """The exchanges in their order, each with those that its redirects have led to."""
    taken: set[int] = set()
    found = []
    for index, exchange in enumerate(exchanges):
        if index in taken:
            continue
        hops, at = [exchange], index
        while (goal := hops[-1].redirect) and (after := _next(exchanges, at, goal, taken)) is not None:
            taken.add(after)
            hops.append(exchanges[after])
            at = after
        found.append(Asked(hops))
    return found


def _next(exchanges: list[Exchange], at: int, goal: str, taken: set[int]) -> int | None:
    """Where in the list the exchange is that a redirect has led to."""
    ahead: Iterable[int] = range(at + 1, min(at + 1 + MOST_HOPS_AHEAD, len(exchanges)))
    return next(
        (index for index in ahead if index not in taken and leads_to(goal, exchanges[index].url)), None
    )
