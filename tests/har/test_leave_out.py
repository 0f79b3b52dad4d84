"""Which entries of a recording are requests of users."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from igen.errors import InputError
from igen.har.convert import Options
from tests.har.written import converted, entry

PAGE = entry(1, "GET /", "<p>hello")


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (entry(2, "GET data:text/plain,x"), "data: URLs"),
        (entry(2, "GET blob:http://app.lab/1"), "blob: URLs"),
        (entry(2, "GET chrome-extension://abc/x.js"), "of browser extensions"),
        (entry(2, "GET ws://app.lab/live", status=101), "WebSockets"),
        (entry(2, "GET /live", status=101), "WebSockets"),
        (entry(2, "GET /live", _webSocketMessages=[]), "WebSockets"),
        (entry(2, "GET /events", mime="text/event-stream"), "event streams"),
        (entry(2, "GET /a.css", mime="text/css", _fromCache="disk"), "from the browser's cache"),
        (entry(2, "GET /gone", status=0), "without an answer"),
        (entry(2, "GET /gone", status=-1), "without an answer"),
        (entry(2, "OPTIONS /api"), "preflights (OPTIONS)"),
        (entry(2, "PROPFIND /dav"), "with other methods"),
        (entry(2, "GET //double"), "of paths that begin with two slashes"),
        (entry(2, "GET /x", status=301, to="https://app.lab/x"), "redirects to https"),
        (entry(2, "GET /x", status=301, to="https://App.lab:443/x"), "redirects to https"),
    ],
)
def test_what_is_no_request_is_left_out_and_counted(
    tmp_path: Path, other: dict[str, object], reason: str
) -> None:
    found = converted(tmp_path, PAGE, other)
    assert dict(found.left_out) == {reason: 1}
    assert found.requests == 1


def test_other_hosts_are_told_and_may_be_taken_in(tmp_path: Path) -> None:
    entries = (
        entry(0, "GET http://start.lab/", status=302, to="http://app.lab/"),
        PAGE,
        entry(1.2, "GET http://api.lab:8080/v1/items", "{}", "application/json"),
        entry(1.3, "GET http://APP.LAB:80/more", "{}", "application/json"),
    )
    found = converted(tmp_path, *entries)
    assert (found.host, found.requests) == ("app.lab", 2)
    assert found.other_hosts == {"start.lab": 1, "api.lab:8080": 1}
    found = converted(tmp_path, *entries, options=Options(hosts=("api.lab:8080",)))
    assert (found.requests, found.other_hosts) == (3, {"start.lab": 1})
    assert 'get = "/v1/items"' in found.text


@pytest.mark.parametrize(
    ("first", "origin"),
    [
        (entry(0, "GET http://app.lab/", "a"), "http://app.lab"),
        (entry(0, "GET https://app.lab/", "a"), "https://app.lab"),
        (entry(0, "GET https://app.lab:8443/", "a"), "https://app.lab:8443"),
        (entry(0, "GET https://anna:secret@app.lab/", "a"), "https://app.lab"),
        (entry(0, "GET http://[::1]:8080/", "a"), "http://[::1]:8080"),
        (entry(0, "GET http://app.lab/", status=301, to="https://app.lab/"), "https://app.lab"),
    ],
)
def test_the_origin_is_that_of_the_first_page(tmp_path: Path, first: Any, origin: str) -> None:
    page = entry(1, "GET https://app.lab/", "a")
    assert converted(tmp_path, first, page).origin == origin


def test_where_nothing_is_left_it_is_said_what_there_was(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        converted(tmp_path, entry(1, "GET /", status=0), entry(1, "GET blob:http://app.lab/2"))
    assert raised.value.text == "none of 2 entries can be used: 1 without an answer, 1 blob: URLs"
    with pytest.raises(InputError) as raised:
        converted(tmp_path, entry(1, "POST /", sent="x", sent_as="multipart/form-data; boundary=x"))
    assert raised.value.text == "none of 1 requests can be used: its body has several parts (multipart)"


def test_a_body_of_several_parts_is_refused_with_a_comment(tmp_path: Path) -> None:
    upload = entry(1.2, "POST /upload", sent="--x", sent_as="multipart/form-data; boundary=x")
    found = converted(tmp_path, PAGE, upload)
    assert found.requests == 1
    assert "# left out: POST /upload: its body has several parts (multipart)\n" in found.text
    assert found.look_at == ["page: left out: POST /upload: its body has several parts (multipart)"]


def test_what_was_exported_without_bodies_is_told(tmp_path: Path) -> None:
    assert converted(tmp_path, entry(1, "GET /")).is_without_bodies
    assert not converted(tmp_path, PAGE).is_without_bodies


def test_what_was_exported_without_cookies_is_told(tmp_path: Path) -> None:
    assert converted(tmp_path, PAGE).is_without_cookies
    with_cookie = entry(1, "GET /", answered={"Set-Cookie": "session=1"})
    assert not converted(tmp_path, with_cookie).is_without_cookies
