"""Servers that tests need: on somebody's machine a test without its server is skipped, in CI it fails."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

PROGRAMS = {
    "postgresql": Path("/usr/lib/postgresql"),
    "mariadb": Path("/usr/sbin/mariadbd"),
    "openldap": Path("/usr/sbin/slapd"),
    "nginx": Path("/usr/sbin/nginx"),
}
IN_CI = bool(os.environ.get("CI"))


def missing(reason: str) -> NoReturn:
    """Skips the test; fails it where the machine was to have everything."""
    if IN_CI:
        pytest.fail(f"needed in CI: {reason}")
    pytest.skip(reason)


def needs(kind: str) -> pytest.MarkDecorator:
    """A mark for tests of a kind of server; in CI they run and show that it is missing."""
    there = PROGRAMS[kind].exists() or IN_CI
    return pytest.mark.skipif(not there, reason=f"{kind} is not installed")
