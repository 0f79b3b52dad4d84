"""Which exchanges of a recording are requests of users, and why the others are left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from igen.errors import InputError
from igen.har.exchange import Exchange, Recording
from igen.har.redirect import leads_to

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
MOST_SENT_BYTES = 1 << 20
"""Longest body of a request: a scenario has 4 MiB in all."""


@dataclass(slots=True)
class Chosen:
    """What is left, and what is not."""

    exchanges: list[Exchange]
    host: str
    """Host of the application."""
    origin: str
    """The same with its scheme, as it was recorded."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many, by reason."""
    other_hosts: Counter[str] = field(default_factory=Counter)
    """Exchanges with hosts that are not the application's."""


def chosen(recording: Recording, more_hosts: tuple[str, ...], where: str) -> Chosen:
    """The exchanges with the application.

    Its host and scheme are those of the first page that came; `more_hosts` are taken for parts of it.
    Raises `InputError` where nothing is left, with what was left out.
    """
    left_out: Counter[str] = Counter()
    if recording.malformed:
        left_out[f"that cannot be read (the first is {recording.malformed[0]})"] = len(recording.malformed)
    answered = []
    for exchange in recording.exchanges:
        if reason := _unfit(exchange):
            left_out[reason] += 1
        else:
            answered.append(exchange)
    first = _first(answered)
    host = first.host if first else ""
    origin = first.origin if first else ""
    own = {host, *(name.lower() for name in more_hosts)}
    found = Chosen([], host, origin, left_out)
    for exchange in answered:
        if exchange.host not in own:
            found.other_hosts[exchange.host] += 1
        elif reason := _unusable(exchange):
            left_out[reason] += 1
        else:
            found.exchanges.append(exchange)
    found.left_out = +left_out
    if not found.exchanges:
        reasons = [
            *found.left_out.items(),
            *((f"of {name}", count) for name, count in found.other_hosts.items()),
        ]
        told = ", ".join(f"{count} {reason}" for reason, count in reasons[:8])
        hint = "--host NAME takes a host for a part of the application" if found.other_hosts else ""
        raise InputError(
            f"nothing is left of {len(recording.exchanges) + len(recording.malformed)} entries: {told}",
            where=where,
            hint=hint or "record pages of a web server",
        )
    return found


def _unfit(exchange: Exchange) -> str:
    """Why it is no request with an answer; empty where it is one."""
    scheme, status = exchange.url.scheme, exchange.answer.status
    if "websocket" in exchange.marks or scheme in ("ws", "wss") or status == 101:
        return "WebSockets"
    if scheme not in ("http", "https"):
        return f"{scheme}: URLs" if scheme in ("data", "blob", "about", "file") else "of browser extensions"
    if exchange.answer.mime == "text/event-stream":
        return "event streams"
    if "cached" in exchange.marks:
        return "from the browser's cache"
    return "" if 200 <= status <= 599 or "unanswered" in exchange.marks else "without an answer"


def _unusable(exchange: Exchange) -> str:
    """Why a request to the application cannot be one of a scenario; empty where it can."""
    if exchange.method == "OPTIONS":
        return "preflights (OPTIONS)"
    if exchange.method not in METHODS:
        return "with other methods"
    if exchange.path.startswith("//"):
        return "of paths that begin with two slashes"
    sent = exchange.sent
    if sent is not None and len(sent.text or "") > MOST_SENT_BYTES:
        return "with bodies of more than 1 MiB"
    if exchange.url.scheme == "http" and leads_to(exchange.redirect, exchange.url._replace(scheme="https")):
        return "redirects to https"
    return ""


def _first(exchanges: list[Exchange]) -> Exchange | None:
    """The first page that came, or else the first answer."""
    pages = [one for one in exchanges if one.answer.mime == "text/html" and one.answer.status < 300]
    return next(iter([*pages, *exchanges]), None)
