"""What can be read as a HAR, and what is said of what cannot."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from igen.errors import InputError
from igen.har.exchange import Recording
from igen.har.read import read_recording
from tests.har.written import entry, har

ONE = har(entry(1, "GET /", "<p>hello"))


def read(folder: Path, content: bytes) -> Recording:
    path = folder / "a.har"
    path.write_bytes(content)
    return read_recording(path)


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"\n "])
@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_what_browsers_and_proxies_write_is_read(tmp_path: Path, before: bytes, version: str) -> None:
    text = json.dumps({"log": ONE["log"] | {"version": version}})
    (exchange,) = read(tmp_path, before + text.encode()).exchanges
    assert (exchange.method, exchange.path, exchange.answer.text) == ("GET", "/", "<p>hello")
    assert exchange.ended_s - exchange.began_s == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"<html>", "is not JSON at byte 0: invalid character"),
        (b"\xef\xbb\xbf<html>", "is not JSON at byte 3: invalid character"),
        (json.dumps(ONE).encode()[:-60], "is cut off: it ends at byte"),
        (b'{"log": {"entries": []}}', "has no entries"),
        (b'{"log": {}}', "is not a HAR file: Object missing required field `entries`"),
        (b"[]", "is not a HAR file: Expected `object`, got `array`"),
        (json.dumps(ONE).encode("utf-16"), "is in UTF-16"),
        (b"[" * 100_000, "is "),
    ],
)
def test_what_is_no_har_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, content)
    assert raised.value.text.startswith(said)
    assert raised.value.where == str(tmp_path / "a.har")
    assert raised.value.hint


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: no such file"):
        read_recording(tmp_path / "none.har")


def test_entries_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    odd = [{}, {"request": 7}, "text", entry(2, "GET http://[bad/"), entry(2, "GET http://app.lab:port/")]
    recording = read(tmp_path, json.dumps(har(entry(1, "GET /"), *odd)).encode())
    assert (len(recording.exchanges), len(recording.malformed)) == (1, len(odd))


def test_bodies_in_base64_are_read_and_others_are_left(tmp_path: Path) -> None:
    encoded = entry(1, "GET /")
    encoded["response"]["content"] |= {
        "text": base64.b64encode("grün".encode()).decode(),
        "encoding": "base64",
    }
    picture = entry(2, "GET /p", mime="image/png")
    picture["response"]["content"] |= {"text": base64.b64encode(b"\xff\x00").decode(), "encoding": "base64"}
    half = entry(3, "GET /h", "\ud83d")
    recording = read(tmp_path, json.dumps(har(encoded, picture, half)).encode())
    assert [each.answer.text for each in recording.exchanges] == ["grün", "", "\ufffd"]


def test_what_is_null_or_missing_is_as_if_it_was_not_there(tmp_path: Path) -> None:
    nulls = {"headers": None, "cookies": None}
    bare = {
        "request": {"method": "get", "url": "http://app.lab/", **nulls},
        "response": {"status": None, **nulls},
    }
    (exchange,) = read(tmp_path, json.dumps(har(bare)).encode()).exchanges
    assert (exchange.method, exchange.answer.status, exchange.sent) == ("GET", 0, None)


def test_entries_come_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    recording = read(tmp_path, json.dumps(har(entry(2, "GET /b"), entry(1, "GET /a"))).encode())
    assert [each.path for each in recording.exchanges] == ["/a", "/b"]
