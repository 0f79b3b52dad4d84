"""A recorded request taken apart: path, query, headers and body, with the values in them."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, unquote_plus, urlencode

from igen.har.exchange import Exchange
from igen.har.fields import Body, Draft, Field, Piece, path_bytes
from igen.har.json_text import pieces_of

_OF_CONNECTION = (
    *("host", "content-length", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te"),
    *("upgrade", "trailer", "expect", "cookie", "accept-encoding"),
)
"""Headers that follow from the request, the connection or the user."""
_OF_BROWSER = (
    *(
        "cache-control",
        "pragma",
        "dnt",
        "priority",
        "upgrade-insecure-requests",
        "save-data",
        "rtt",
        "downlink",
    ),
    *("ect", "viewport-width", "device-memory", "width", "purpose", "x-client-data", "range"),
)
"""Headers about the browser and its cache."""
_OF_TRACING = (
    *(
        "x-request-id",
        "x-correlation-id",
        "request-id",
        "traceparent",
        "tracestate",
        "newrelic",
        "baggage",
        "b3",
    ),
    *("x-newrelic-id", "sentry-trace", "x-amzn-trace-id", "x-cloud-trace-context"),
)
"""Headers with the ids of single requests."""
_DROPPED = frozenset({*_OF_CONNECTION, *_OF_BROWSER, *_OF_TRACING})
_DROPPED_FAMILIES = ("if-", "sec-", "x-b3-", "x-datadog-", ":")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|Session|Digest|Negotiate|JWT|ApiKey) +", re.IGNORECASE)
_PARAMETER = re.compile(r"(.*?;[\w.-]+=)([^;=]+)")
_ENCODED = re.compile(r"(?:[A-Za-z0-9*._~!'()+-]|%[0-9A-Fa-f]{2})*")
"""Characters that percent-encoding of forms does not change."""
_RAW_VALUE = re.compile(
    r"""(?<![\w.:-])([\w.:-]++)                   # a name
        (?:>([^<>]++)(?=</)                       # <name>value</name>
        |\s*=\s*"([^"]{1,99999}+)(?=") |\s*=\s*'([^']{1,99999}+)(?=')
        |["']?\s*:\s*"([^"]{1,99999}+)(?=") |["']?\s*:\s*'([^']{1,99999}+)(?=')
        |["']?\s*[=:]\s*([^"'<>&\s,;{}\[\]]++))    # name=value, name: value""",
    re.VERBOSE,
)


class Unusable(Exception):
    """A request that a scenario cannot have; its text is the reason."""


def draft_of(exchange: Exchange, origin: str | None) -> Draft:
    """The request in parts; `origin` is that of the target, `None` where it stays as it was recorded.

    Raises `Unusable` where it cannot be one of a scenario.
    """
    body = _body(exchange)
    return Draft(_url(exchange), _headers(exchange, origin, body), body)


def _url(exchange: Exchange) -> list[Piece]:
    pieces: list[Piece] = []
    before = ""
    for segment in path_bytes(exchange.path).split("/")[1:]:
        pieces.append("/")
        parameter = _PARAMETER.fullmatch(segment)
        prefix, raw = (parameter[1], parameter[2]) if parameter else ("", segment)
        name = re.sub(r"^.*;|=$", "", prefix) or before
        if segment:
            pieces.append(Field("path", name, unquote(raw), raw, before=prefix))
            before = unquote(segment)
    if exchange.url.query:
        for index, part in enumerate(path_bytes(exchange.url.query).split("&")):
            name, equals, raw = part.partition("=")
            pieces.append(("&" if index else "?") + name + equals)
            if raw:
                pieces.append(Field("query", unquote_plus(name), unquote_plus(raw), raw))
    return pieces or ["/"]


def _headers(exchange: Exchange, origin: str | None, body: Body | None) -> list[Field]:
    found: dict[str, Field] = {}
    for name, value in exchange.headers:
        lower = name.lower()
        if lower in _DROPPED or lower.startswith(_DROPPED_FAMILIES) or lower in found:
            continue
        if (
            not _TOKEN.fullmatch(name)
            or any(not " " <= letter < "\x7f" for letter in value)
            or not value.strip()
        ):
            continue
        if lower in ("origin", "referer"):
            # Some servers compare them with themselves before they change something.
            if exchange.method in ("GET", "HEAD"):
                continue
            own = origin or exchange.origin
            value = own if lower == "origin" else f"{own}/"
        if lower == "content-type" and (body is None or _follows(value, body)):
            continue
        scheme = _SCHEME.match(value)
        before = scheme[0] if scheme and value[len(scheme[0]) :].strip() else ""
        own_value = value[len(before) :].strip()
        found[lower] = Field("header", name, own_value, own_value, before=before)
    return list(found.values())


def _follows(content_type: str, body: Body) -> bool:
    """Return True if the content type says so."""
    mime = content_type.partition(";")[0].strip().lower()
    return {"form": "application/x-www-form-urlencoded", "json": "application/json"}.get(body.kind) == mime


def _body(exchange: Exchange) -> Body | None:
    sent = exchange.sent
    if sent is None or (sent.text is None and not sent.fields and not sent.has_files):
        return None
    if sent.mime.startswith("multipart/"):
        raise Unusable("its body has several parts (multipart)")
    if sent.has_files or (sent.text is not None and any(_is_binary(letter) for letter in sent.text)):
        raise Unusable("its body is binary")
    if sent.mime == "application/x-www-form-urlencoded":
        return _form(sent.text, sent.fields)
    if sent.text is None:
        raise Unusable("its body is not in the recording")
    if "json" in sent.mime or sent.text[:1] in ("{", "["):
        try:
            return Body("json" if "json" in sent.mime else "body", [], pieces_of(sent.text))
        except ValueError:
            pass
    return Body("body", [], _raw(sent.text))


def _is_binary(letter: str) -> bool:
    return (letter < " " and letter not in "\t\r\n") or "\ud800" <= letter <= "\udfff" or letter == "\ufffd"


def _form(text: str | None, fields: list[tuple[str, str]]) -> Body:
    """Return the fields of a form; a form with repeated names keeps its text with values."""
    if text is None and not _are_encoded(fields):
        # Some recorders write them as they were typed.
        text = urlencode(fields)
    if text is None:
        pairs = [(unquote_plus(name), unquote_plus(value)) for name, value in fields]
    else:
        pairs = parse_qsl(text, keep_blank_values=True)
    is_text = not any("\ufffd" in name + value for name, value in pairs)
    if is_text and len({name for name, _ in pairs}) == len(pairs):
        return Body("form", [Field("form", name, value, value) for name, value in pairs], [])
    pieces: list[Piece] = []
    raws = (text or "&".join(f"{name}={value}" for name, value in fields)).split("&")
    for index, part in enumerate(raws):
        name, equals, raw = part.partition("=")
        pieces.append(("&" if index else "") + name + equals)
        if raw:
            pieces.append(Field("body", unquote_plus(name), unquote_plus(raw), raw))
    return Body("body", [], pieces)


def _are_encoded(fields: list[tuple[str, str]]) -> bool:
    """Return True if all names and values of a form can be percent-encoded, and one is."""
    parts = [part for pair in fields for part in pair]
    return all(map(_ENCODED.fullmatch, parts)) and any("%" in part for part in parts)


def _raw(text: str) -> list[Piece]:
    """A text of any other kind, with what looks like values that have a name."""
    pieces: list[Piece] = []
    end = 0
    for match in _RAW_VALUE.finditer(text):
        group = match.lastindex or 0
        pieces += [text[end : match.start(group)], Field("body", match[1], match[group], match[group])]
        end = match.end(group)
    return [*pieces, text[end:]]
