"""What looks like a secret in the files of a run: a bundle is made to be published.

iGen itself keeps none: passwords come from files and the environment of the load. A user may have written one
into a study, and a server or a program may have told one in its last words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from igen import hdr
from igen.har.secret_names import has_key_shape, is_secret_field, pattern_of_keys, pattern_of_names
from igen.store.job_file import read_file_of_run

LEAST_CHARACTERS = 8
"""Shorter values of the environment are in many texts by chance."""
MOST_DEPTH = 8
"""JSON in text of JSON, and so on."""
_NAME = pattern_of_names()
_PERHAPS = re.compile(rf"{_NAME}|://[^/\s]*@|(?-i:{pattern_of_keys()})".encode(), re.IGNORECASE)
_NAMED = re.compile(rf"{_NAME}$", re.IGNORECASE)
_IN_A_URL = re.compile(r"://[^/\s\"'@:]*:(?!\*+@)[^/\s\"'@]+@")
_VALUE = r"(?:\"(?P<quoted>[^\"]+)\"|'(?P<single>[^']+)'|(?P<bare>[^\s\"'&;,]+(?: \{[\w.]+\})?))"
_IN_TEXT = re.compile(rf"(?<!\w)[\w.-]*{_NAME}[\"']?=[\"']?{_VALUE}", re.IGNORECASE)
_OPTION = re.compile(rf"(?<!\w)--?[\w-]*{_NAME}[= ]+{_VALUE}", re.IGNORECASE)
_HEADER = re.compile(
    rf"(?<![\w-])(?:[\w-]*-{_NAME}|[\w-]*(?:authorization|cookie|password|passphrase|api[-_]?key))[\"']?:\s*"
    rf"(?:(?:bearer|basic|token|digest)\s+)?{_VALUE}",
    re.IGNORECASE,
)
_NO_SECRET = re.compile(r"(?:\w+ )?\{[\w.]+\}|\$\{?\w+\}?.*|\*+|(?:env|file):.*|@.*", re.DOTALL)
"""Names of where a secret is: `env:PASSWORD`, `$PASSWORD`, `Bearer {secret.key}`, and what was masked."""


def secrets_of_environment(environment: Mapping[str, str] | None = None) -> dict[str, bytes]:
    """By name: values of variables that are named like secrets, and long enough to be one."""
    found = os.environ if environment is None else environment
    return {
        name: os.fsencode(value)
        for name, value in found.items()
        # `Path.exists` raises for a name that is too long, and its error would print the secret.
        if is_secret_field(name) and len(value) >= LEAST_CHARACTERS and not os.path.exists(value)
    }


def find_secrets(path: Path, known: Mapping[str, bytes]) -> Iterator[tuple[int, str]]:
    """Line and kind of all that looks like a secret in a file; never the secret itself."""
    with read_file_of_run(path) as file:
        for number, line in enumerate(file, start=1):
            if _PERHAPS.search(line):
                kinds = dict.fromkeys(_in_text(line.decode(errors="replace"), MOST_DEPTH))
                yield from ((number, kind) for kind in kinds)
            for name, value in known.items():
                if value in line:
                    yield number, f"the value of {name}"


def is_secret(name: str, value: Any) -> bool:
    """Whether a value of that name looks like a secret, or holds one."""
    return any(_in_value({name: value}, MOST_DEPTH))


def _in_text(text: str, depth: int) -> Iterator[str]:
    """What text holds: JSON, or the words of a command, a body or a message."""
    if depth and text.lstrip()[:1] in ("{", "["):
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            pass
        else:
            yield from _in_value(value, depth - 1)
            return
    if _is_histogram(text):
        return
    if _IN_A_URL.search(text):
        yield "a password in a URL"
    if any(_tells(each) for each in _OPTION.finditer(text)):
        yield "a password among the words of a command"
    elif any(_tells(each) for pattern in (_IN_TEXT, _HEADER) for each in pattern.finditer(text)):
        yield "a value that is named like a secret"
    elif has_key_shape(text):
        yield "a value that looks like a key"


def _in_value(value: Any, depth: int) -> Iterator[str]:
    match value:
        case str():
            yield from _in_text(value, depth)
        case list():
            for each in value:
                yield from _in_value(each, depth)
        case dict():
            pairs = list(value.items())
            if isinstance(value.get("name"), str) and "value" in value:
                pairs.append((value["name"], value["value"]))
            for name, each in pairs:
                if _NAMED.search(name) and _is_told(each):
                    yield "a value that is named like a secret"
                else:
                    yield from _in_value(each, depth)


def _is_histogram(text: str) -> bool:
    """Whether text is counts in base64: one in 4,500 ends with `MFA==`, as if that were a secret's name."""
    try:
        hdr.decoded([text])
    except ValueError:
        return False
    return True


def _is_told(value: Any) -> bool:
    if isinstance(value, int | float):
        return not isinstance(value, bool)
    return isinstance(value, str) and value != "" and not _NO_SECRET.fullmatch(value)


def _tells(found: re.Match[str]) -> bool:
    return _is_told(found["quoted"] or found["single"] or found["bare"])
