"""Which answers are right: what the recording had."""

from __future__ import annotations

import re
from dataclasses import dataclass

from igen.har.exchange import Exchange
from igen.har.fields import Draft
from igen.har.requests import MOST_REDIRECTS
from igen.har.secrets import Secrets

_TITLE = re.compile(r"<title[^>]*>[^<]{1,200}</title>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a request of the scenario says of its answer."""

    status: int | None
    """`None` for any of 200 to 299."""
    contains: str
    redirects: int | None
    """Most redirects, where it is another number than usual."""


def expected(hops: list[Exchange], draft: Draft, secrets: Secrets) -> Expected:
    """Status and title as recorded."""
    last = hops[-1].answer
    # A browser that has something already is told so, which a user of the load is not.
    status = None if last.status < 300 or last.status == 304 else last.status
    redirects = len(hops) - 1 if len(hops) - 1 > MOST_REDIRECTS else None
    return Expected(status, _contains(hops[-1], draft, secrets), redirects)


def _contains(exchange: Exchange, draft: Draft, secrets: Secrets) -> str:
    """The title as it stands in the page; empty without one that is always the same."""
    answer = exchange.answer
    title = _TITLE.search(answer.text) if answer.mime == "text/html" and exchange.method != "HEAD" else None
    if title is None or secrets.tells(title[0]):
        return ""
    if not title[0].isascii() and answer.charset not in ("", "utf-8", "utf8"):
        return ""
    varies = any(value.hole and len(value.value) > 1 and value.value in title[0] for value in draft.values())
    return "" if varies or any(letter in title[0] for letter in "\r\0") else title[0]
