"""How a value may stand in a text: as it is, percent-encoded, escaped, in Base64."""

from __future__ import annotations

import base64
import html
import json
import re
from functools import lru_cache
from urllib.parse import quote, quote_plus

LEAST_CHARACTERS = 6
"""A shorter value is looked for as a whole value only: as a part of others it is everywhere."""
_PERCENT = re.compile(r"%[0-9A-F]{2}")


@lru_cache(maxsize=100_000)
def forms_of(value: str) -> tuple[str, ...]:
    """All texts that tell the value; of Base64 what stays the same whatever stands before and behind it."""
    data = value.encode("utf-8", "surrogatepass")
    forms = {value, *_escaped(value)}
    for encoded in (
        quote(data, safe=""),
        quote_plus(data),
        quote(data),
        quote(quote(data, safe=""), safe=""),
    ):
        forms |= {encoded, _PERCENT.sub(lambda it: it[0].lower(), encoded)}
    # All that is not a letter or a digit may be encoded too.
    forms.add("".join(letter if letter.isalnum() else quote(letter, safe="").upper() for letter in value))
    for shift in range(3):
        forms |= _base64(data, shift)
    return tuple(sorted(form for form in forms if len(form) >= LEAST_CHARACTERS))


def _escaped(value: str) -> set[str]:
    plain, in_ascii = (json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True))
    return {plain, in_ascii, plain.replace("/", "\\/"), json.dumps(plain)[1:-1], html.escape(value)}


def _base64(data: bytes, shift: int) -> set[str]:
    """The value in Base64 behind so many other bytes, without the letters that others share with it."""
    encoded = base64.b64encode(bytes(shift) + data).decode("ascii").rstrip("=")
    shared = 1 if (shift + len(data)) % 3 else 0
    own = encoded[(0, 2, 3)[shift] : len(encoded) - shared]
    return {own, own.replace("+", "-").replace("/", "_"), quote(own, safe="")}
