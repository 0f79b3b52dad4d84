"""Secrets are found by the names of the trade and by their shape; harmless values of real programs stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from igen.har.fields import Field
from igen.har.secrets import is_secret
from tests.har.written import converted, entry

HARMLESS = Path(__file__).with_name("harmless.tsv")
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
HEX = "9f86d081884c7d659a2feaa0c55ad015"
SECRETS = {
    "form j_pw": "hush-now-1",
    "form passwd": "hush-now-2",
    "form user[pin]": "hush-now-3",
    "form SAMLResponse": "PHNhbWxwOlJlc3BvbnNlIElEPSJfOGU4ZGM1ZjY5YTk4",
    "form client_secret": "hush-now-4",
    "form csrfmiddlewaretoken": "Xq3dTnBc0ZsLf9",
    "json refresh_token": "hush-now-5",
    "json id_token": JWT,
    "json note": "AKIAIOSFODNN7EXAMPLE",
    "query key": "39f1c2aa77de4b01",
    "query api_key": "hush-now-6",
    "query access_token": "hush-now-7",
    "query code": "4/P7q7W91a-oMsCeLvIaQm6bTrgtp7",
    "query sig": "hush-now-8",
    "query X-Amz-Signature": HEX * 2,
    "header Authorization": "hush-now-9",
    "header X-Auth-Token": "hush-now-10",
    "header X-Secret": "hush-now-11",
    "header X-Forwarded-User": JWT,
    "header X-Note": "xoxb-123456789012-abcdefABCDEF",
    "path": JWT,
    "path ;jsessionid": HEX,
    "path of a link": "8fJq2LxR7vTn0KwPz5Hc3B",
}


def sent(place: str, secret: str) -> dict[str, Any]:
    """A request with the secret at that place."""
    kind, _, name = place.partition(" ")
    match kind:
        case "form":
            return entry(9, "POST /a", sent=urlencode({"user": "ann", name: secret}))
        case "json":
            return entry(9, "POST /a", sent=json.dumps({"a": [{name: secret}]}), sent_as="application/json")
        case "query":
            return entry(9, f"GET /a?b=c&{name}={quote(secret, safe='')}")
        case "header":
            return entry(9, "GET /a", headers={name: secret})
    return entry(9, f"GET /a{name}={secret}" if name.startswith(";") else f"GET /a/{secret}")


@pytest.mark.parametrize("place", SECRETS)
def test_a_secret_is_named_and_not_kept(tmp_path: Path, place: str) -> None:
    secret = SECRETS[place]
    found = converted(tmp_path, entry(0, "GET /start"), sent(place, secret))
    assert len(found.secrets) == 1
    assert secret not in found.text
    assert quote(secret, safe="") not in found.text


def test_at_most_one_of_a_hundred_harmless_values_is_hidden() -> None:
    lines = HARMLESS.read_text("utf-8").splitlines()[1:]
    hidden = []
    for line in lines:
        origin, _, text = line.partition("\t")
        name, equals, value = text.partition("=")
        is_query = bool(equals) and origin.startswith(("queries", "paths and queries"))
        field = Field("query", name, value, value) if is_query else Field("path", "", text, text)
        hidden += [line] if is_secret(field) else []
    assert len(lines) >= 1000
    assert len(hidden) <= len(lines) // 100, hidden
