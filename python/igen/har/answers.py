"""Where in an answer a value is, and what a place has: exactly as the load looks there."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from igen.har.exchange import SEEN_BYTES, Exchange, Pairs
from igen.har.json_text import leaves_of

CONTEXT = 20
"""Letters before a value that tell it from others, at most."""
_LEAST_CONTEXT = 3
_MOST_OCCURRENCES = 20
_ELEMENT = re.compile(r"<(?:input|meta|button)\s(?:[^>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?""")
_REFERENCE = re.compile(r"&[#\w]+;")
_MEANT = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'"}
_CLASSES = (r"\d", "0-9a-f", "0-9A-F", r"\w", r"\w-", r"\w.-", r"\w.~+/=-")
"""What values consist of, the narrowest first, as it stands between brackets."""
_IGNORED_HEADERS = frozenset({"set-cookie", "date", "location", "etag", "content-length", "age", "server"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where in an answer a value is."""

    by: Literal["json", "input", "header", "cookie", "regex"]
    text: str
    """Pointer, name or expression."""


def place_of(value: str, name: str, hops: list[Exchange]) -> Place | None:
    """The best place of a value, of a field of that name, in an answer and the redirects before it.

    `None` where it has no place of its own.
    """
    answer = hops[-1].answer
    body = answer.text
    for place in _candidates(value, name, hops, body):
        if found(place, answer.headers, body, [hop.answer.headers for hop in hops]) == value:
            return place
    return None


def _candidates(value: str, name: str, hops: list[Exchange], body: str) -> Iterator[Place]:
    answer = hops[-1].answer
    if body[:1] in ("{", "[") and _is_whole(hops[-1]):
        try:
            leaves = [(pointer, key) for pointer, key, leaf in _leaves(body) if leaf == value]
        except ValueError:
            leaves = []
        # One that is called the same, or else the nearest to the top.
        for pointer, _ in sorted(leaves, key=lambda leaf: (leaf[1] != name, leaf[0].count("/"), leaf[0])):
            yield Place("json", pointer)
    yield from (Place("input", own) for own, text in _inputs(body).items() if text == value)
    for header, _ in answer.headers:
        if header.lower() not in _IGNORED_HEADERS:
            yield Place("header", header)
    for hop in hops:
        for cookie, _ in cookies_of(hop.answer.headers):
            yield Place("cookie", cookie)
    alone = (expression for expression, values in _expressions(value, body) if len(values) == 1)
    yield from (Place("regex", expression) for expression in alone)


def may_tell(value: str, hops: list[Exchange]) -> bool:
    """Whether a value may be in an answer at all: a quick look before a thorough one."""
    escaped = json.dumps(value)[1:-1]
    forms = {value, escaped, escaped.replace("/", "\\/"), json.dumps(value, ensure_ascii=False)[1:-1]}
    forms |= {html.escape(value), html.escape(value).replace("&#x27;", "&#39;")}
    body = hops[-1].answer.text
    if any(form in body for form in forms):
        return True
    return any(value in text for hop in hops for _, text in hop.answer.headers)


def occurs_at(value: str, hops: list[Exchange]) -> str:
    """Where in an answer a value stands, for people; empty where it does not."""
    answer = hops[-1].answer
    at = answer.text.find(value)
    if at >= 0:
        return f"line {answer.text.count(chr(10), 0, at) + 1} of the answer"
    for hop in hops:
        for header, text in hop.answer.headers:
            if value in text:
                return f"the header {header} of the answer"
    return ""


def found(place: Place, headers: Pairs, body: str, cookie_headers: list[Pairs]) -> str | None:
    """What an answer has at that place; cookies are in the headers of it and of the redirects before it."""
    match place.by:
        case "json":
            try:
                # Of names that come twice the last one counts.
                return {pointer: leaf for pointer, _, leaf in _leaves(body)}.get(place.text)
            except ValueError:
                return None
        case "input":
            return _inputs(body).get(place.text)
        case "header":
            wanted = place.text.lower()
            return next((value.strip() for name, value in headers if name.lower() == wanted), None)
        case "cookie":
            all_cookies = [pair for each in cookie_headers for pair in cookies_of(each)]
            return dict(all_cookies).get(place.text)
    match = re.search(place.text, body)
    return (match[1] if match.re.groups else match[0]) if match else None


@lru_cache(maxsize=16)
def _leaves(body: str) -> tuple[tuple[str, str, str], ...]:
    return tuple(leaves_of(body))


@lru_cache(maxsize=16)
def _inputs(body: str) -> dict[str, str | None]:
    """Values of form fields and `meta` elements by name; of those of one name the first."""
    found: dict[str, str | None] = {}
    for element in _ELEMENT.findall(body):
        attributes = _attributes(element)
        if name := attributes.get("name"):
            value = attributes.get("value", attributes.get("content"))
            meant = None if value is None else _REFERENCE.sub(lambda it: _MEANT.get(it[0], it[0]), value)
            found.setdefault(name, meant)
    return found


def _attributes(element: str) -> dict[str, str]:
    """The attributes of an element as they stand there; of one that is there twice the first."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(
        element[element.find(" ") if " " in element else 0 : -1]
    ):
        found.setdefault(name.lower(), double or single or bare)
    return found


def cookies_of(headers: Pairs) -> Iterator[tuple[str, str]]:
    """Names and values of the cookies that headers set; some recordings put several into one."""
    for header, text in headers:
        if header.lower() == "set-cookie":
            for line in text.split("\n"):
                name, equals, value = line.partition(";")[0].strip().partition("=")
                if name and equals:
                    yield name, value.strip()


def _is_whole(exchange: Exchange) -> bool:
    """Whether the load sees all of the answer's body."""
    return len(exchange.answer.text.encode("utf-8", "replace")) < SEEN_BYTES


def _expressions(value: str, body: str) -> Iterator[tuple[str, set[str]]]:
    """Expressions that find the value by what stands before it, each with all values that it finds."""
    letters = next((own for own in _CLASSES if re.fullmatch(rf"[{own}]+", value, re.ASCII)), None)
    if letters is None:
        return
    group = r"(\d+)" if letters == r"\d" else f"([{letters}]+)"
    at = -1
    for _ in range(_MOST_OCCURRENCES):
        at = body.find(value, at + 1)
        if at < 0:
            return
        before = re.split(r"[^ -~]", body[max(0, at - CONTEXT) : at])[-1]
        # In an element all others of its kind count, such as the links of a list, whatever is before them.
        before = before[before.rfind("<") :] if before.rfind("<") > before.rfind(">") else before
        after = body[at + len(value) : at + len(value) + 1]
        is_part = any(re.fullmatch(f"[{letters}]", letter) for letter in (before[-1:], after))
        if not is_part and len(before.strip()) >= _LEAST_CONTEXT:
            behind = _quoted(after) if after and " " <= after <= "~" else ""
            expression = f"{_quoted(before)}{group}{behind}"
            values = {match[1] for match in re.finditer(expression, body)}
            if value in values:
                yield expression, values


def any_of_several(value: str, hops: list[Exchange]) -> str:
    """An expression that finds the value among others of its kind, such as the links of a list; or empty."""
    found = _expressions(value, hops[-1].answer.text)
    return next((expression for expression, values in found if len(values) > 1), "")


def _quoted(text: str) -> str:
    """A text as it stands in an expression."""
    return re.sub(r"[\\.+*?()|\[\]{}^$]", lambda it: f"\\{it[0]}", text)


def unescaped_title(body: str) -> str:
    """The title of a page of HTML as it is meant; empty where it has none."""
    match = re.search(r"<title[^>]*>([^<]*)</title", body, re.IGNORECASE)
    return " ".join(html.unescape(match[1]).split()) if match else ""
