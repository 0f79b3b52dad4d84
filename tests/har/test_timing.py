"""How long users think, and which requests of a page are under way together."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from igen.har.convert import Options
from tests.har.written import converted, entry

PARTS = (
    entry(1, "GET /"),
    entry(1.2, "GET /api/a", '{"key":"f3a9c1d27b"}', "application/json"),
    entry(1.22, "GET /api/b", "{}", "application/json"),
    entry(1.35, "GET /api/c", "{}", "application/json"),
)


def order(folder: Path, *entries: dict[str, Any]) -> dict[str, str | None]:
    (page,) = tomllib.loads(converted(folder, *entries).text)["page"]
    return {request["name"]: request.get("after") for request in page["request"]}


def test_a_user_thinks_as_long_as_was_recorded_give_or_take_half(tmp_path: Path) -> None:
    entries = (entry(1, "GET /a"), entry(11.1, "GET /b"), entry(11.4, "GET /c", page=None))
    first, second, third = tomllib.loads(converted(tmp_path, *entries).text)["page"]
    assert first["think"] == "uniform:5s,15s"
    assert second["think"] == "uniform:0.1s,0.3s"
    assert "think" not in third
    for page in tomllib.loads(converted(tmp_path, *entries, options=Options(think="none")).text)["page"]:
        assert "think" not in page


def test_requests_that_were_under_way_together_go_out_together(tmp_path: Path) -> None:
    # Each took a tenth of a second: b began while a was under way, c when both were answered.
    assert order(tmp_path, *PARTS) == {"page": None, "a": None, "b": "page", "c": None}


def test_one_that_began_with_the_first_comes_after_it(tmp_path: Path) -> None:
    early = entry(1.05, "GET /api/early", "{}", "application/json")
    assert order(tmp_path, PARTS[0], early, entry(1.06, "GET /api/more", "{}", "application/json")) == {
        "page": None,
        "early": None,
        "more": "page",
    }


def test_a_request_comes_after_what_tells_it_a_variable(tmp_path: Path) -> None:
    needs = entry(1.31, "GET /api/d?key=f3a9c1d27b", "{}", "application/json")
    late = entry(1.24, "GET /api/late", "{}", "application/json")
    found = order(tmp_path, *PARTS[:3], late, needs)
    assert found == {"page": None, "a": None, "b": "page", "late": "page", "d": "a"}
