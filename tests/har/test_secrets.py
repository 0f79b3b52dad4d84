"""What is secret in a recording is nowhere in what becomes of it, however it is written."""

from __future__ import annotations

import base64
import contextlib
import html
import json
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from igen.errors import InputError
from tests.har.written import converted, entry

SECRETS = st.tuples(
    st.text(st.sampled_from("0123456789abcdefXYZ"), min_size=4, max_size=10),
    st.text(st.sampled_from("aZ0+/=&%\"'\\<>#?ßあ.-_~!{}"), max_size=6),
    st.sampled_from(["k7Q", "9", "x2"]),
).map(lambda parts: "s3" + "".join(parts))
ENCODINGS = {
    "plain": lambda value: value,
    "percent": lambda value: quote(value, safe=""),
    "percent, small": lambda value: quote(value, safe="").replace("%2B", "%2b").replace("%3D", "%3d"),
    "form": quote_plus,
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 of a URL": lambda value: base64.urlsafe_b64encode(value.encode()).decode().rstrip("="),
    "base64 with a name": lambda value: base64.b64encode(f"ann:{value}".encode()).decode(),
    "JSON": lambda value: json.dumps(value)[1:-1],
    "JSON, not ASCII": lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
}
MARKS = ("bearer", "basic", "key", "cookie", "set-cookie", "form", "json", "query", "xml")
LEAKS = ("path", "query", "form", "json", "json key", "header", "title", "answer", "raw", "resource", "name")


def marked(kind: str, secret: str, at_s: float) -> dict[str, Any]:
    """A request in which something says that it is a secret."""
    match kind:
        case "bearer":
            return entry(at_s, "GET /a", headers={"Authorization": f"Bearer {secret}"})
        case "basic":
            pair = base64.b64encode(f"ann:{secret}".encode()).decode()
            return entry(at_s, "GET /a", headers={"Authorization": f"Basic {pair}"})
        case "key":
            return entry(at_s, "GET /a", headers={"X-Api-Key": secret})
        case "cookie":
            return entry(at_s, "GET /a", headers={"Cookie": f"lang=en; sid={quote(secret)}"})
        case "set-cookie":
            return entry(at_s, "GET /a", answered={"Set-Cookie": f"sid={quote(secret)}; Path=/"})
        case "form":
            return entry(at_s, "POST /a", sent=f"user=ann&user_password={quote_plus(secret)}")
        case "json":
            sent = json.dumps({"a": [{"refreshToken": secret}]})
            return entry(at_s, "POST /a", sent=sent, sent_as="application/json")
        case "query":
            return entry(at_s, f"GET /a?access_token={quote(secret, safe='')}")
    return entry(at_s, "POST /a", sent=f"<otp>{html.escape(secret)}</otp>", sent_as="text/xml")


def leaked(kind: str, text: str, at_s: float) -> dict[str, Any]:
    """A request or an answer that has some text where nothing says that it is a secret."""
    match kind:
        case "path":
            return entry(at_s, f"GET /b/{quote(text, safe='%')}/c")
        case "query":
            return entry(at_s, f"GET /b?q={quote(text, safe='%')}")
        case "form":
            return entry(at_s, "POST /b", sent=f"note={quote_plus(text)}&a=b")
        case "json":
            return entry(at_s, "POST /b", sent=json.dumps({"note": text}), sent_as="application/json")
        case "json key":
            return entry(at_s, "POST /b", sent=json.dumps({text: 1}), sent_as="application/json")
        case "header":
            return entry(at_s, "GET /b", headers={"X-Note": text, "Referer": f"http://app.lab/{text}"})
        case "title":
            return entry(at_s, "GET /b", f"<title>{text}</title>")
        case "answer":
            return entry(at_s, "GET /b", f"<p>{text}</p><a href='/c/4f5a6b7c8d'>{text}")
        case "raw":
            return entry(at_s, "POST /b", sent=f"text {text}", sent_as="text/plain")
        case "resource":
            return entry(at_s, f"GET /b/{quote(text, safe='%')}.png", mime="image/png")
    return entry(at_s, f"GET /{quote(text, safe='%')}", "<p>x", page="p1")


def told(text: str, secret: str) -> list[str]:
    """The encodings in which a text tells a secret."""
    found = []
    for name, encode in ENCODINGS.items():
        written = encode(secret)
        if "base64" in name:
            # What stands before and behind it changes the letters at its ends.
            written = written.rstrip("=")[6:-1] if "name" in name else written.rstrip("=")[:-1]
        if len(written) >= 6 and written in text:
            found.append(name)
    return found


@settings(max_examples=300, deadline=None)
@given(
    secrets=st.lists(SECRETS, min_size=1, max_size=3, unique=True),
    marks=st.lists(st.sampled_from(MARKS), min_size=3, max_size=3),
    leaks=st.lists(
        st.tuples(st.sampled_from(LEAKS), st.sampled_from(sorted(ENCODINGS)), st.integers(0, 2)), max_size=4
    ),
)
def test_no_secret_is_in_what_is_written(
    secrets: list[str], marks: list[str], leaks: list[tuple[str, str, int]]
) -> None:
    entries = [entry(0, "GET /start", "<title>Start</title>")]
    for number, (mark, secret) in enumerate(zip(marks, secrets, strict=False)):
        entries.append(marked(mark, secret, 10 + number))
    for number, (kind, encoding, which) in enumerate(leaks):
        text = ENCODINGS[encoding](secrets[which % len(secrets)])
        entries.append(leaked(kind, text, 20 + number))
    with TemporaryDirectory() as folder, contextlib.suppress(InputError):
        found = converted(Path(folder), *entries, pages={"p1": secrets[0]})
        tomllib.loads(found.text)
        said = "\n".join([found.text, found.summary, *found.look_at, *map(str, found.secrets)])
        for secret in secrets:
            assert told(said, secret) == []


@pytest.mark.parametrize("mark", MARKS)
def test_a_secret_is_named_and_read_from_the_environment(tmp_path: Path, mark: str) -> None:
    found = converted(tmp_path, entry(0, "GET /start"), marked(mark, "s3cret-7f6e5d", 9))
    if mark in ("cookie", "set-cookie"):
        assert found.secrets == []
        return
    (secret,) = found.secrets
    scenario = tomllib.loads(found.text)
    assert scenario["secrets"] == {secret.name: f"env:IGEN_{secret.name.upper()}"}
    assert f"{{secret.{secret.name}}}" in found.text
    assert secret.where in ("GET /a", "POST /a")


def test_secrets_of_one_value_have_one_name_and_others_have_their_own(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        entry(1, "POST /login", sent="password=hush-1&old_password=hush-1&new_password=hush-2"),
        entry(9, "POST /more", sent="password=hush-3&q=hush-3"),
    )
    assert [each.name for each in found.secrets] == ["password", "new_password", "password_2"]
    (first, second) = (page["request"][0]["form"] for page in tomllib.loads(found.text)["page"])
    assert first == {
        "password": "{secret.password}",
        "old_password": "{secret.password}",
        "new_password": "{secret.new_password}",
    }
    assert second == {"password": "{secret.password_2}", "q": "{secret.password_2}"}


def test_a_password_that_is_a_word_hides_only_itself(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        entry(1, "GET /password", "<title>Your password</title>"),
        entry(9, "POST /login", sent="password=password&word=password&note=my+password"),
    )
    login = tomllib.loads(found.text)["page"][1]["request"][0]["form"]
    assert login == {"password": "{secret.password}", "word": "{secret.password}", "note": "my password"}
    assert "<title>Your password</title>" in found.text


def test_of_several_cookies_in_one_header_each_is_a_secret(tmp_path: Path) -> None:
    both = {"Set-Cookie": "sid=s3cret-7f6e5d; Path=/\ncsrf=s3cret-1a2b3c; Path=/"}
    found = converted(
        tmp_path, entry(1, "GET /", answered=both), entry(9, "GET /a?b=xs3cret-7f6e5dx&c=xs3cret-1a2b3cx")
    )
    assert [each.name for each in found.secrets] == ["b", "c"]


def test_a_secret_that_names_a_field_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a secret in a place that cannot be hidden") as raised:
        converted(tmp_path, entry(1, "POST /a", sent="password=s3cret-77&s3cret-77=b"))
    assert "s3cret" not in str(raised.value).replace(str(tmp_path), "")
