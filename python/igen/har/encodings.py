"""How a value may stand in a text: as it is, percent-encoded, escaped, in Base64."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable
from urllib.parse import unquote, unquote_plus

LEAST_CHARACTERS = 6
"""A shorter value is looked for as a whole value only: as a part of others it is everywhere."""
_ROUNDS = 2
"""So often a text may be encoded, one way within another."""
_ESCAPES = re.compile(r'(?:\\u[0-9A-Fa-f]{4}|\\["\\/bfnrt])+')


def views_of(text: str) -> set[str]:
    """A text, and all that it may mean: without percent-encoding, escapes of JSON and those of HTML."""
    views = {text}
    for _ in range(_ROUNDS):
        views |= {
            decode(view) for view in views for decode in (unquote, unquote_plus, html.unescape, _unescaped)
        }
    return views


def forms_of(value: str) -> Iterable[str]:
    """The value as it is, and in Base64: of that what stays the same whatever stands before and behind it."""
    data = value.encode("utf-8", "surrogatepass")
    forms = {value}
    for shift in range(3):
        encoded = base64.b64encode(bytes(shift) + data).decode("ascii").rstrip("=")
        shared = 1 if (shift + len(data)) % 3 else 0
        own = encoded[(0, 2, 3)[shift] : len(encoded) - shared]
        forms |= {own, own.replace("+", "-").replace("/", "_")}
    return [form for form in forms if len(form) >= LEAST_CHARACTERS]


def _unescaped(text: str) -> str:
    return _ESCAPES.sub(lambda match: str(json.loads(f'"{match[0]}"')), text)
