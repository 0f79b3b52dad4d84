"""Values that an answer has told: where they are found, and what becomes of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.har.written import converted, entry

ID = "f3a9c1d27b"


def requests(folder: Path, *entries: dict[str, Any]) -> list[dict[str, Any]]:
    scenario = tomllib.loads(converted(folder, *entries).text)
    return [request for page in scenario["page"] for request in page["request"]]


@pytest.mark.parametrize(
    ("body", "mime", "answered", "place"),
    [
        (f'{{"a":[{{"order":"{ID}"}}],"b":7}}', "application/json", {}, {"json": "/a/0/order"}),
        (f'<input type="hidden" name="order_id" value="{ID}">', "text/html", {}, {"input": "order_id"}),
        (f"<meta content='{ID}' name='order'>", "text/html", {}, {"input": "order"}),
        ("", "text/html", {"X-Order": ID}, {"header": "X-Order"}),
        ("", "text/html", {"Set-Cookie": f"order={ID}; Path=/"}, {"cookie": "order"}),
        (f"<td>Order:</td><td>{ID}</td>", "text/html", {}, {"regex": "<td>Order:</td><td>([0-9a-f]+)<"}),
        (f"<a href='/orders/{ID}'>", "text/html", {}, {"regex": "<a href='/orders/([0-9a-f]+)'"}),
        (f'var order = "{ID}";', "text/plain", {}, {"regex": 'var order = "([0-9a-f]+)"'}),
    ],
)
@pytest.mark.parametrize("use", ["/orders/{}", "/orders?order={}", "form", "json", "header"])
def test_a_value_is_taken_from_where_it_is(
    tmp_path: Path, body: str, mime: str, answered: dict[str, str], place: dict[str, str], use: str
) -> None:
    first = entry(1, "GET /start", body, mime, answered=answered, headers={"X-Requested-With": "x"})
    match use:
        case "form":
            second = entry(9, "POST /orders", sent=f"order={ID}&a=b")
        case "json":
            second = entry(9, "POST /orders", sent=f'{{"order":"{ID}","n":1.50}}', sent_as="application/json")
        case "header":
            second = entry(9, "GET /orders", headers={"X-Order-Id": ID})
        case _:
            second = entry(9, f"GET {use.format(ID)}")
    told, used = requests(tmp_path, first, second)
    ((name, found),) = told["extract"].items()
    assert found == place
    assert ID not in str(used)
    assert f"{{{name}}}" in str(used)
    if use == "json":
        assert used["json"] == f'{{"order":"{{{name}}}","n":1.50}}'


@pytest.mark.parametrize(("name", "pointer"), [("item", "/a/b/item"), ("other", "/z")])
def test_of_several_places_in_json_the_one_of_that_name_is_taken(
    tmp_path: Path, name: str, pointer: str
) -> None:
    body = f'{{"a":{{"b":{{"item":"{ID}"}}}},"z":"{ID}"}}'
    told, _ = requests(tmp_path, entry(1, "GET /", body, "application/json"), entry(9, f"GET /x?{name}={ID}"))
    assert told["extract"] == {name: {"json": pointer}}


@pytest.mark.parametrize("name", ["password", "userPwd", "otp", "login_pin"])
def test_what_a_user_types_is_no_variable_although_an_answer_has_it(tmp_path: Path, name: str) -> None:
    page = entry(1, "GET /login", f"<p>Code: {ID}</p>")
    told, used = requests(tmp_path, page, entry(9, "POST /login", sent=f"{name}={ID}"))
    assert "extract" not in told
    assert used["form"][name].startswith("{secret.")


def test_a_part_of_another_value_is_not_taken_for_it(tmp_path: Path) -> None:
    body = f"<a href='/other/0{ID}0'> <a href='/orders/{ID}'>"
    told, _ = requests(tmp_path, entry(1, "GET /list", body), entry(9, f"GET /orders/{ID}"))
    assert told["extract"] == {"orders": {"regex": "<a href='/orders/([0-9a-f]+)'"}}


def test_a_value_with_no_place_of_its_own_is_left_with_a_comment(tmp_path: Path) -> None:
    links = f"<p>\n<a href='/orders/1111111aaa'><a href='/orders/{ID}'>"
    found = converted(tmp_path, entry(1, "GET /list", links), entry(9, f"GET /orders/{ID}"))
    assert (found.extracted, len(found.look_at)) == (0, 1)
    assert f'get = "/orders/{ID}"' in found.text
    assert (
        "# check this: part of the path behind orders is in an earlier answer (line 2 of the answer to GET "
        "/list), but not in an unambiguous place; to use any value at this place: {orders} with "
        "extract.orders = { regex = \"<a href='/orders/([0-9a-f]+)'\", random = true }\n" in found.text
    )


@pytest.mark.parametrize(
    "value", ["oak-table", "2026-03-01", "created_at", "top-10-products", "42", "ABCDEF"]
)
def test_what_a_person_chose_is_no_variable(tmp_path: Path, value: str) -> None:
    found = converted(tmp_path, entry(1, "GET /", f"<option>{value}"), entry(9, f"GET /search?q={value}"))
    assert (found.extracted, found.look_at) == (0, [])


def test_what_was_sent_before_it_was_answered_is_the_users_own(tmp_path: Path) -> None:
    (first, second) = requests(
        tmp_path,
        entry(1, f"GET /search?q={ID}", f'<input name="q" value="{ID}">'),
        entry(9, f"GET /search?q={ID}&page=2"),
    )
    assert "extract" not in first
    assert second["get"] == f"/search?q={ID}&page=2"


def test_a_token_that_changes_keeps_its_name(tmp_path: Path) -> None:
    tokens = ["11aa22bb33cc", "44dd55ee66ff"]
    entries: list[dict[str, Any]] = []
    for number, token in enumerate(tokens):
        form = f'<input name="csrf" value="{token}">'
        entries.append(entry(20 * number, f"GET /form{number}", form))
        entries.append(entry(20 * number + 9, f"POST /form{number}", sent=f"csrf={token}"))
    found = requests(tmp_path, *entries)
    assert [request.get("form", {}) for request in found] == [{}, {"csrf": "{csrf}"}, {}, {"csrf": "{csrf}"}]
    # Both are known before one of them is used: each has a name of its own.
    entries = [entries[0], entries[2], entries[1], entries[3]]
    for number, each in enumerate(entries):
        each["startedDateTime"] = f"2026-03-01T10:00:{10 * number:02}Z"
    found = requests(tmp_path, *entries)
    assert [request.get("form", {}).get("csrf") for request in found] == [None, None, "{csrf}", "{csrf_2}"]


def test_what_is_known_of_a_user_for_good_is_not_overwritten(tmp_path: Path) -> None:
    token, other = "token-1a2b3c4d", "token-9z8y7x6w"
    found = requests(
        tmp_path,
        entry(1, "POST /login", f'{{"token":"{token}"}}', "application/json", sent="password=hush"),
        entry(9, f"GET /news?token={token}", f'{{"token":"{other}"}}', "application/json"),
        entry(19, f"GET /more?token={other}"),
    )
    assert [each["get"] for each in found[1:]] == ["/news?token={token}", "/more?token={token_2}"]


def test_a_session_in_the_path_and_a_bearer_token_are_found(tmp_path: Path) -> None:
    session, token = "0123456789ABCDEF", "eyJhbGciOi.eyJzdWIiOi.c2lnbmF0"
    found = requests(
        tmp_path,
        entry(1, "POST /token", f'{{"access_token":"{token}"}}', "application/json", sent="grant=x"),
        entry(9, "GET /", f'<form action="/go;jsessionid={session}">'),
        entry(19, f"GET /go;jsessionid={session}", headers={"authorization": f"Bearer {token}"}),
    )
    assert found[2]["get"] == "/go;jsessionid={jsessionid}"
    assert found[2]["headers"] == {"authorization": "Bearer {access_token}"}


def test_braces_of_the_recording_are_no_holes(tmp_path: Path) -> None:
    _, request = requests(
        tmp_path,
        entry(0.5, "GET /"),
        entry(
            1,
            "POST /q?f={id}",
            sent='{"a":"{id} {{x}} {"}',
            sent_as="application/json",
            headers={"X-T": "{t}"},
        ),
    )
    assert request["post"] == "/q?f=%7Bid%7D"
    assert request["json"] == '{"a":"{{id}} {{{x}}} {"}'
    assert request["headers"] == {"X-T": "{{t}}"}


def test_a_title_is_expected_unless_it_tells_a_variable(tmp_path: Path) -> None:
    found = requests(
        tmp_path,
        entry(1, "GET /", f"<title>All</title><a href='/orders/{ID}'>"),
        entry(9, f"GET /orders/{ID}", f"<title>Order {ID}</title>"),
    )
    assert found[0]["expect"] == {"contains": "<title>All</title>"}
    assert "expect" not in found[1]
