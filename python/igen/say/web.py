"""Sentences about web servers and the applications behind them."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.figure.figure import Figure
from igen.say.group import Group
from igen.say.load import why_sent_twice
from igen.say.said import Said
from igen.say.words import because
from igen.units import format_number


def hit_ratio(percent: Figure) -> str:
    """Return `97.3 % (97.1 to 97.4 %)`."""
    value = f"{format_number(percent.value, 3)} %"
    if percent.low is None or percent.high is None:
        return value
    low, high = max(percent.low, 0.0), min(percent.high, 100.0)
    return f"{value} ({format_number(low, 3)} to {format_number(high, 3)} %)"


def _cache_hits(group: Group) -> Said:
    part = group.findings[0].part("hit_percent")
    low, high = part.span or (None, None)
    ratio = hit_ratio(Figure(value=part.figure or 0.0, low=low, high=high))
    return Said(
        f"The application's cache answered {ratio} of {group.number('lookups')} lookups at "
        f"{group.listed('load')}: the rest reached the servers behind it.",
        "the application's own counters, from the start of the measurement to its end",
    )


def _http_connections(group: Group) -> Said:
    at = group.listed("load")
    server = "The first server" if group.findings[0].figure("targets") > 1 else "The server"
    under = f"under {group.listed('tls')}" if group.has("tls") else "without TLS"
    how = because(group)
    text = f"{server} spoke {group.listed('protocol')} {under}{': ' if how else ''}{how}"
    return Said(
        f"{text}; at {at} {_made(group)}.",
        f"version as agreed with the first target; counters of the measurement at {at}",
    )


def _made(group: Group) -> str:
    """Return `1,200 connections were made for 6,000 requests, 1,188 of them with a resumed TLS session`."""
    requests, made = group.number("requests"), group.findings[0].figure("connections")
    if not made:
        return f"no connection was made for {requests} requests"
    were = "was" if made == 1 else "were"
    text = f"{group.count('connections', 'connection')} {were} made for {requests} requests"
    if group.has("resumed_tls_handshakes"):
        resumed = group.number("resumed_tls_handshakes")
        text += f", {'none' if resumed == '0' else resumed} of them with a resumed TLS session"
    return text


def _users_dealt(group: Group) -> Said:
    return Said(
        f"iGen balanced the load: its users got the {group.number('targets', 'g')} targets in turn, "
        "one target for each user.",
        "targets of the job; a balancer in front of the nodes would be one target",
    )


def _requests_dealt(group: Group) -> Said:
    which = "Each shop" if group.findings[0].figure("targets") > 1 else "The shop"
    return Said(
        f"{which} had its own balancer, the web tier, which sent requests to "
        f"{group.number('nodes', 'g')} applications in turn.",
        "setting of the private instance",
    )


def _sent_twice(group: Group) -> Said:
    of = f"{group.number('repeated_requests')} of {group.number('requests')}"
    lost = f"{format_number(group.findings[0].figure('lost_each_ms'), 2)} ms"
    text = (
        f"{group.percent('share_percent')} of the requests at {group.listed('load')} were sent twice ({of}): "
        f"{why_sent_twice(group)}. Each lost {lost}"
    )
    if group.has("response_time_percent"):
        of_all = format_number(group.findings[0].figure("response_time_percent"), 2)
        text += f", together {of_all} % of all response time"
    return Said(
        f"{text}.",
        "counters repeated_requests and repeated_us: from the first to the second sending of a request",
    )


SENTENCES: dict[str, Callable[[Group], Said]] = {
    "cache-hits": _cache_hits,
    "http-connections": _http_connections,
    "users-dealt-to-targets": _users_dealt,
    "requests-dealt-to-nodes": _requests_dealt,
    "requests-sent-twice": _sent_twice,
}
PHRASES: dict[str, Callable[[Group], str]] = {
    "requests-at-once": lambda group: (
        f"one connection at a time for each user, with up to {group.listed('streams')} requests at once"
    ),
    "one-request-at-once": lambda _: "one connection and one request at a time for each user",
}
