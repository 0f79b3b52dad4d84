"""Reads HAR 1.1 and 1.2 (HTTP Archive): the file is mapped, and bodies are read only when they are needed."""

from __future__ import annotations

import contextlib
import math
import mmap
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from igen.errors import InputError
from igen.first_use import ready
from igen.har.exchange import Answer, Exchange, Pairs, Recording, Sent
from igen.har.fitting import fitting

MOST_BYTES = 1 << 30
"""Longest recording, 1 GiB."""
HTTP2 = frozenset({"h2", "http/2", "http/2.0"})
"""How browsers and proxies write that version, in small letters."""
CACHES = frozenset({"memory cache", "disk cache"})
"""Sources of an answer in Safari, in small letters."""
FAILED = 400
"""First status that means no answer."""

_BOM = b"\xef\xbb\xbf"
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
"""An escape of JSON, or two that form a character."""
_PLACE = re.compile(r"\(byte (\d+)\)")
_EXPORT = "export it again: in the browser's developer tools, from the menu of the list of requests"


class _Pair(msgspec.Struct):
    name: str = ""
    value: str | None = None


class _Param(_Pair, rename={"file_name": "fileName", "content_type": "contentType"}):
    file_name: str | None = None
    content_type: str | None = None


class _PostData(msgspec.Struct, rename={"mime": "mimeType"}):
    mime: str | None = None
    text: str | None = None
    params: list[_Param] | None = None
    encoding: str | None = None


class _Request(msgspec.Struct, rename={"post": "postData"}):
    method: str
    url: str
    headers: list[_Pair] | None = None
    cookies: list[_Pair] | None = None
    post: _PostData | None = None


class _Content(msgspec.Struct, rename={"mime": "mimeType"}):
    size: float | None = None
    mime: str | None = None
    text: msgspec.Raw = msgspec.Raw(b"")
    encoding: str | None = None


class _Response(
    msgspec.Struct,
    rename={"redirect": "redirectURL", "version": "httpVersion", "transfer_size": "_transferSize"},
):
    status: float | None = None
    version: str | None = None
    headers: list[_Pair] | None = None
    cookies: list[_Pair] | None = None
    content: _Content = msgspec.field(default_factory=_Content)
    redirect: str | None = None
    transfer_size: float | None = None


class _Entry(
    msgspec.Struct,
    rename={
        "started": "startedDateTime",
        "page_ref": "pageref",
        "kind": "_resourceType",
        "from_cache": "_fromCache",
        "fetch": "_fetchType",
        "messages": "_webSocketMessages",
    },
):
    request: _Request
    response: _Response | None = None
    started: str | None = None
    time: float | None = None
    page_ref: str | None = None
    kind: str | None = None
    from_cache: Any = None
    fetch: str | None = None
    messages: msgspec.Raw = msgspec.Raw(b"")


class _Page(msgspec.Struct):
    id: str
    title: str | None = None


class _Log(msgspec.Struct):
    entries: list[msgspec.Raw]
    pages: list[msgspec.Raw] | None = None


class _Har(msgspec.Struct):
    log: _Log


def read_recording(path: Path, where: str = "") -> Recording:
    """The recording in that file, with or without a byte order mark; `where` is what errors call it.

    Raises `InputError` where the file cannot be read, is longer than 1 GiB, is no HAR, or has no entry.
    """
    where = where or str(path)
    content = _content(path, where)
    skipped = 3 if bytes(content[:3]) == _BOM else 0
    try:
        har = _har(memoryview(content)[skipped:])
    except msgspec.ValidationError as error:
        raise InputError(f"is not a HAR file: {error}", where=where, hint=_EXPORT) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _no_json(where, content, skipped, str(error)) from None
    if not har.log.entries:
        raise InputError(
            "has no entries", where=where, hint="open the list of requests (network tab) before you record"
        )
    read, last_s, malformed = [], 0.0, []
    for place, raw in enumerate(har.log.entries):
        try:
            exchange = _exchange(place, _entry(raw), last_s)
        except (ValueError, RecursionError) as error:
            malformed.append(f"log.entries[{place}]: {error}")
            continue
        last_s = exchange.began_s
        read.append(exchange)
    read.sort(key=lambda exchange: (exchange.began_s, exchange.place))
    return Recording(read, dict(_titles(har.log.pages or [])), malformed)


def _entry(raw: msgspec.Raw) -> _Entry:
    """Return an entry, of which parts with another type than HAR has may be absent. Raises `ValueError`."""
    try:
        return msgspec.json.decode(raw, type=ready(_Entry), strict=False)
    except msgspec.ValidationError:
        entry: _Entry = fitting(msgspec.json.decode(raw), _Entry)
        return entry


def _har(content: memoryview) -> _Har:
    """Return the decoded file; halves of characters, which browsers write, are allowed."""
    try:
        return msgspec.json.decode(content, type=ready(_Har), strict=False)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError as error:
        if not re.search("escape|surrogate|unicode", str(error), re.IGNORECASE):
            raise
    return msgspec.json.decode(_ESCAPE.sub(_whole, content), type=ready(_Har), strict=False)


def _whole(escape: re.Match[bytes]) -> bytes:
    """Return an escape, or the escape of an unknown character for a half, with the same length."""
    is_half = len(escape[0]) == 6 and escape[0][2:3] in b"dD" and escape[0][3:4].lower() >= b"8"
    return b"\\ufffd" if is_half else escape[0]


def _content(path: Path, where: str) -> mmap.mmap | bytes:
    """Return the file, memory-mapped if possible."""
    try:
        with path.open("rb") as file:
            with contextlib.suppress(ValueError, OSError):
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                if len(mapped) <= MOST_BYTES:
                    return mapped
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or '').lower()}", where=where) from None
    if len(content) > MOST_BYTES:
        raise InputError("is larger than 1 GiB", where=where, hint="record a shorter session")
    return content


def _no_json(where: str, content: mmap.mmap | bytes, skipped: int, said: str) -> InputError:
    """Return the error of a file that cannot be decoded, with the byte."""
    place = _PLACE.search(said)
    if not len(content):
        return InputError("is empty", where=where, hint=_EXPORT)
    if bytes(content[:2]) in (b"\xff\xfe", b"\xfe\xff"):
        hint = "convert it: iconv -f UTF-16 -t UTF-8"
        return InputError("is in UTF-16, but a HAR file must be in UTF-8", where=where, hint=hint)
    if "truncated" in said:
        text = f"is cut off: it ends at byte {len(content)} in the middle of a value"
        return InputError(text, where=where, hint=_EXPORT)
    at = f" at byte {int(place[1]) + skipped}" if place else ""
    reason = _PLACE.sub("", said).removeprefix("JSON is malformed: ").strip()
    return InputError(f"is not JSON{at}: {reason}", where=where, hint=_EXPORT)


def _titles(pages: list[msgspec.Raw]) -> Pairs:
    found = []
    for raw in pages:
        with contextlib.suppress(ValueError, RecursionError):
            page = msgspec.json.decode(raw, type=ready(_Page), strict=False)
            found.append((page.id, page.title or ""))
    return found


def _exchange(place: int, entry: _Entry, last_s: float) -> Exchange:
    """Return an entry; without a time it starts with the previous entry. Raises `ValueError`."""
    began_s = _seconds(entry.started)
    time_s = max(entry.time or 0.0, 0.0) / 1e3
    url = urlsplit(entry.request.url.strip())
    _ = url.port  # Raises where it is no number.
    if url.scheme in ("http", "https") and not re.fullmatch(r"[\w.:-]+", url.hostname or ""):
        raise ValueError("a URL without a host")
    headers = _pairs(entry.request.headers)
    response = entry.response or _Response()
    content = response.content
    answer_headers = _pairs(response.headers)
    declared = next((value for name, value in answer_headers if name.lower() == "content-type"), "")
    mime, charset = _type(content.mime or declared)
    is_websocket = entry.kind == "websocket" or bytes(entry.messages) not in (b"", b"null")
    marks = {
        "cached": _is_cached(entry, response),
        "unanswered": entry.response is None,
        "untimed": began_s is None,
        "websocket": is_websocket,
        "http2": (response.version or "").lower() in HTTP2,
    }
    status = response.status or 0.0
    began_s = last_s if began_s is None else began_s
    return Exchange(
        place=place,
        began_s=began_s,
        ended_s=began_s + (time_s if math.isfinite(time_s) else 0.0),
        method=entry.request.method.upper(),
        url=url,
        headers=headers,
        cookies=_pairs(entry.request.cookies),
        sent=_sent(entry.request.post, headers),
        answer=Answer(
            status=int(status) if math.isfinite(status) else 0,
            headers=answer_headers,
            cookies=_pairs(response.cookies),
            mime=mime,
            charset=charset,
            size_bytes=_size_bytes(content, status),
            location=response.redirect or "",
            content=content.text,
            is_base64=content.encoding == "base64",
        ),
        page_ref=entry.page_ref or "",
        kind=(entry.kind or "").lower(),
        marks=frozenset(mark for mark, is_there in marks.items() if is_there),
    )


def _is_cached(entry: _Entry, response: _Response) -> bool:
    """Return True if nothing was sent, as Chromium (entry), Firefox (bytes) and Safari (kind) report it."""
    fetched = (entry.fetch or "").lower()
    return bool(entry.from_cache) or response.transfer_size == 0 or fetched in CACHES


def _pairs(pairs: list[_Pair] | None) -> Pairs:
    return [(pair.name, pair.value or "") for pair in pairs or [] if pair.name]


def _seconds(text: str | None) -> float | None:
    try:
        moment = datetime.fromisoformat(text or "")
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _type(text: str) -> tuple[str, str]:
    """Return content type and character set."""
    mime, _, parameters = text.partition(";")
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", parameters, re.IGNORECASE)
    return mime.strip().lower(), charset[1].lower() if charset else ""


def _size_bytes(content: _Content, status: float) -> int | None:
    """Return the size of a body; None if unknown: browsers report 0 for failed scripts and style sheets."""
    size = content.size
    if size is None or size < 0 or not math.isfinite(size) or (size == 0 and status >= FAILED):
        return None
    return int(size)


def _sent(post: _PostData | None, headers: Pairs) -> Sent | None:
    if post is None or not (post.text or post.params):
        return None
    declared = next((value for name, value in headers if name.lower() == "content-type"), "")
    params = post.params or []
    is_encoded = post.encoding == "base64"
    return Sent(
        mime=_type(post.mime or declared)[0],
        text=None if is_encoded else post.text or None,
        fields=[(param.name, param.value or "") for param in params],
        has_files=is_encoded or any(param.file_name is not None for param in params),
    )
