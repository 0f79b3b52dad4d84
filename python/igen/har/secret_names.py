"""Which fields, headers and cookies hold secrets, by their names."""

from __future__ import annotations

import math
import re
from collections import Counter

_FIELD = re.compile(
    r"pass|pwd|secret|token|credential|api[-_.]?key|private[-_.]?key|signature|authori[sz]ation|assertion|"
    r"session[-_.]?(?:id|key)|(?:^|[-_.])(?:otp|totp|mfa|pin|sid|csrf|xsrf|sig|auth|jwt|cvv|cvc|iban)(?:$|[-_.\[])|"
    r"jsessionid|phpsessid|saml|(?<=[a-z])(?:Otp|OTP|Pin|PIN)$|code_verifier|one[-_]?time",
    re.IGNORECASE,
)
_TYPED = re.compile(
    r"pass(?!port)|pwd|(?:^|[-_.])(?:otp|totp|mfa|pin|cvv|cvc)(?:$|[-_.\[])|one[-_]?time", re.IGNORECASE
)
_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token"})
_LIKE_AN_ID = re.compile(
    r"csrf|xsrf|token|nonce|state|session|ticket|guid|uuid|(?:^|[-_.])id$|(?<=[a-z])I[dD]$", re.IGNORECASE
)
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ].*)?)?|\d\d?[./]\d\d?[./]\d{2,4}")
_WORD = re.compile(r"[A-Za-z]+|\d{1,2}")
LEAST_BITS = 2.5
"""Least information of a letter, in bits, of what looks like an id."""
LEAST_CHARACTERS = 6


def is_secret_field(name: str) -> bool:
    """Whether a field of that name holds a secret."""
    return _FIELD.search(name) is not None


def is_typed_secret(name: str) -> bool:
    """Whether a field of that name holds what a person types, and no answer tells."""
    return _TYPED.search(name) is not None and "token" not in name.lower()


def is_secret_header(name: str) -> bool:
    """Whether a header of that name holds a secret."""
    return name.lower() in _HEADERS or is_secret_field(name)


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
