"""Choice of the exchanges that are requests of users, with the reasons to leave others out."""

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
    """Chosen and left out exchanges."""

    exchanges: list[Exchange]
    host: str
    """Host of the application."""
    origin: str
    """Recorded scheme and host."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of left out exchanges by reason."""
    other_hosts: Counter[str] = field(default_factory=Counter)
    """Exchanges with other hosts."""


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
        hint = "--host NAME adds a host to the application" if found.other_hosts else ""
        raise InputError(
            f"none of {len(recording.exchanges) + len(recording.malformed)} entries can be used: {told}",
            where=where,
            hint=hint or "record pages of the application",
        )
    return found


def _unfit(exchange: Exchange) -> str:
    """Return why it is not a request with an answer; empty if it is."""
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
    """Return why a scenario cannot have this request; empty if it can."""
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
    """Return the first page, or else the first answer."""
    pages = [one for one in exchanges if one.answer.mime == "text/html" and one.answer.status < 300]
    return next(iter([*pages, *exchanges]), None)
