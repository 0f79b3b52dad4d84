"""Recognition of secrets: by the name of a field, header or cookie, and by their shape.

The names and shapes are those of the agent: `secret_names.toml` is a copy of its list.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

_LIST = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_TYPED, _ISSUED, _SHAPES = _LIST["typed"], _LIST["issued"], _LIST["shapes"]
_PERHAPS = frozenset(_LIST["perhaps"]["words"])
_PREFIXES, _PUBLIC = tuple(_SHAPES["prefixes"]), tuple(_SHAPES["public"])
LEAST_RANDOM = 20
"""Fewest letters of a random text."""
LEAST_BEHIND_PREFIX = 12
LEAST_CHANGES = 0.4
"""Least share of neighbours of two kinds (small, capital, digit). Random text has 0.62, words 0.2."""
_PART = re.compile(r"[A-Za-z0-9_.~+-]{15,}")
_LIKE_AN_ID = re.compile(
    r"csrf|xsrf|token|nonce|state|session|ticket|guid|uuid|(?:^|[-_.])id$|(?<=[a-z])I[dD]$", re.IGNORECASE
)
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ].*)?)?|\d\d?[./]\d\d?[./]\d{2,4}")
_WORD = re.compile(r"[A-Za-z]+|\d{1,2}")
LEAST_BITS = 2.5
"""Least information of a letter, in bits, of what looks like an id."""
LEAST_CHARACTERS = 6


@lru_cache(4096)
def is_secret_field(name: str) -> bool:
    """Return True if a field or header of that name holds a secret."""
    return is_typed_secret(name) or _has(_ISSUED, name)


@lru_cache(4096)
def is_typed_secret(name: str) -> bool:
    """Return True if a person types the value of a field of that name, so that no answer contains it."""
    return _has(_TYPED, name) and "token" not in name.lower()


def is_perhaps_secret(name: str, value: str) -> bool:
    """Return True if the name may belong to a secret, such as `key`, and the value looks machine-made."""
    words = _words_of(name)
    return bool(words) and words[-1] in _PERHAPS and looks_like_an_id(value, "token")


def pattern_of_names() -> str:
    """Return a regular expression for the ends of secret names: `userPassword` matches, `bypass` does not."""
    anywhere = [entry.replace("_", "[-_.]?") for group in (_TYPED, _ISSUED) for entry in group["anywhere"]]
    words = [entry for group in (_TYPED, _ISSUED) for entry in group["words"]]
    begin = r"(?-i:(?<![A-Za-z])|(?<=[a-z0-9])(?=[A-Z]))"
    return rf"(?:{'|'.join(anywhere)}|{begin}(?:{'|'.join(words)}))"


def pattern_of_keys() -> str:
    """Return a regular expression that all keys of services and all JWTs match, and few other texts."""
    return "|".join(map(re.escape, ("eyJ", *_PREFIXES)))


def has_secret_shape(text: str) -> bool:
    """Return True if a part of the text has the shape of a token: a JWT, a key of a service, random."""
    is_public = text.startswith(_PUBLIC)
    return any(_is_key(part) or (not is_public and _is_random(part)) for part in _PART.findall(text))


def has_key_shape(text: str) -> bool:
    """Return True if a part of the text is a JWT or a key of a service."""
    return any(_is_key(part) for part in _PART.findall(text))


def _is_key(part: str) -> bool:
    if part.startswith("eyJ") and "." in part and len(part) >= LEAST_RANDOM:
        return True
    return any(
        part.startswith(prefix) and len(part) >= len(prefix) + LEAST_BEHIND_PREFIX for prefix in _PREFIXES
    )


def _is_random(part: str) -> bool:
    kinds = [_kind(letter) for letter in part]
    if len(part) < LEAST_RANDOM or "." in part or not {0, 1, 2} <= set(kinds):
        return False
    return sum(one != other for one, other in pairwise(kinds)) >= LEAST_CHANGES * (len(kinds) - 1)


def _kind(letter: str) -> int:
    return 0 if letter.islower() else 1 if letter.isupper() else 2 if letter.isdigit() else 3


def _has(group: dict[str, list[str]], name: str) -> bool:
    words = _words_of(name)
    joined = "".join(words)
    is_within = any(entry.replace("_", "") in joined for entry in group["anywhere"])
    return is_within or any(word in group["words"] for word in words)


def _words_of(name: str) -> list[str]:
    """Return the words of a name in small letters: `userPin` has two."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]


def bits_per_character(text: str) -> float:
    """Shannon's entropy of the letters of a text, in bits."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts) if text else 0.0


def looks_like_an_id(value: str, name: str = "") -> bool:
    """Whether a value, of a field of that name, is made by a machine rather than chosen by a person."""
    if len(value) < LEAST_CHARACTERS or any(letter.isspace() for letter in value) or _DATE.fullmatch(value):
        return False
    has_digit = any(letter.isdigit() for letter in value)
    is_mixed = value.lower() != value and value.upper() != value and value.capitalize() != value
    if _is_words(value):
        return False
    named = _LIKE_AN_ID.search(name) is not None and (has_digit or is_mixed or len(value) >= 16)
    return named or (has_digit and bits_per_character(value) >= LEAST_BITS) or (is_mixed and len(value) >= 20)


def _is_words(value: str) -> bool:
    """Words with small numbers between them, such as `top-10-products`."""
    parts = [part for part in re.split(r"[-_.,:/ ]+", value) if part]
    words = [part for part in parts if not part.isdigit()]
    return bool(words) and all(_WORD.fullmatch(part) and _is_word(part) for part in parts)


def _is_word(part: str) -> bool:
    return part.isdigit() or len(part) <= 2 or any(letter in "aeiouyAEIOUY" for letter in part)
