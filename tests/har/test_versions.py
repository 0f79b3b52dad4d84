"""Which version of HTTP a scenario asks for."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.har.written import converted, entry


def answered(at_s: float, what: str, version: str) -> dict[str, Any]:
    found = entry(at_s, what)
    found["response"]["httpVersion"] = version
    return found


@pytest.mark.parametrize(
    ("versions", "protocol"),
    [
        (["h2", "HTTP/2"], "auto"),
        (["HTTP/2.0", "http/2.0", "HTTP/1.1"], "auto"),
        (["h2", "HTTP/1.1"], None),
        (["HTTP/1.1", ""], None),
    ],
)
def test_what_was_mostly_http_2_may_be_that_again(
    tmp_path: Path, versions: list[str], protocol: str | None
) -> None:
    found = converted(tmp_path, *(answered(5 * at, f"GET /{at}", each) for at, each in enumerate(versions)))
    assert tomllib.loads(found.text).get("browser", {}).get("protocol") == protocol
