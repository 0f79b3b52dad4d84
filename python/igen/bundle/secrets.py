"""What looks like a secret in the files of a run: a bundle is made to be published.

iGen itself keeps none: passwords come from files and the environment of the load. A user may have written one
into a study, and a server or a program may have told one in its last words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from igen.har.secret_names import is_secret_field

LEAST_CHARACTERS = 8
"""Shorter values of the environment are in many texts by chance."""
_IN_A_URL = re.compile(rb"://[^/\s\"'@:]*:(?!\*+@)[^/\s\"'@]+@")
_NAMED = re.compile(
    rb'"(?:[\w-]*[_-])?(?:password|passwd|pwd|secret|token|api[_-]?key|authorization|cookie)"\s*:\s*"'
    rb'(?!env:|file:|"|[^"]*\{)[^"]+"',
    re.IGNORECASE,
)
_OPTION = re.compile(rb"--?(?:password|passwd|token|secret|api-key)[= ](?![$\"])\S+", re.IGNORECASE)


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
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if _IN_A_URL.search(line):
                yield number, "a password in a URL"
            if _NAMED.search(line):
                yield number, "a value that is named like a secret"
            if _OPTION.search(line):
                yield number, "a password among the words of a command"
            for name, value in known.items():
                if value in line:
                    yield number, f"the value of {name}"
