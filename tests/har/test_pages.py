"""Which requests are one page, what it embeds, and how long the user thought."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from igen.har.convert import Converted
from tests.har.written import converted, entry


def pages(found: Converted) -> dict[str, list[str]]:
    """Requests by page."""
    scenario = tomllib.loads(found.text)
    return {page["name"]: [path_of(request) for request in page["request"]] for page in scenario["page"]}


def path_of(request: dict[str, Any]) -> str:
    return next(f"{method} {request[method]}" for method in ("get", "post", "put") if method in request)


def resources(found: Converted) -> list[list[str]]:
    scenario = tomllib.loads(found.text)
    return [[each["get"] for each in page.get("resource", [])] for page in scenario["page"]]


def test_a_reference_makes_a_page(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        entry(1, "GET /list", page="p1"),
        entry(1.2, "GET /api/rows", "[]", "application/json", page="p1"),
        entry(1.5, "GET /detail", page="p2"),
        entry(1.6, "GET /frame", page="p2"),
        pages={"p1": "http://app.lab/list", "p2": "The detail"},
    )
    assert pages(found) == {"list": ["get /list", "get /api/rows"], "detail": ["get /detail", "get /frame"]}


def test_without_references_a_navigation_and_a_pause_begin_a_page(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        entry(1, "GET /list"),
        entry(1.2, "GET /api/rows", "[]", "application/json"),
        entry(1.6, "GET /detail"),
        entry(1.8, "GET /frame", headers={"Sec-Fetch-Dest": "iframe"}),
        entry(5, "POST /api/save", "{}", "application/json", sent="{}", sent_as="application/json"),
    )
    assert list(pages(found).values()) == [
        ["get /list", "get /api/rows"],
        ["get /detail", "get /frame"],
        ["post /api/save"],
    ]
    # A tenth of a second each takes.
    assert [round(page.think_s, 3) for page in found.planned.pages] == [0.3, 3.1, 0.0]


def test_one_reference_for_a_whole_session_is_cut_at_clicks(tmp_path: Path) -> None:
    found = converted(tmp_path, *(entry(at_s, f"GET /page{at_s}", page="tab") for at_s in (1, 9)))
    assert len(pages(found)) == 2


def test_what_pages_embed_are_resources(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        entry(1, "GET /"),
        entry(1.1, "GET /a.css?v=1", mime="text/css"),
        entry(1.1, "GET /b.js", mime="application/javascript"),
        entry(1.1, "GET /b.js", mime="application/javascript"),
        entry(1.1, "GET /{c}.png", mime="image/png"),
        entry(1.1, "GET /app.json", "{}", "application/manifest+json"),
        entry(1.1, "GET /no.png", mime="image/png", status=404),
        entry(1.1, "GET /data", "{}", "application/json", _resourceType="xhr"),
    )
    assert resources(found) == [["/a.css?v=1", "/b.js", "/%7Bc%7D.png", "/app.json"]]
    assert pages(found) == {"page": ["get /", "get /data"]}


def test_what_comes_late_belongs_to_the_page_before(tmp_path: Path) -> None:
    found = converted(tmp_path, entry(1, "GET /a"), entry(9, "GET /late.png", mime="image/png"))
    assert resources(found) == [["/late.png"]]


def test_what_is_sent_as_a_page_is_left_belongs_to_the_next_one(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        entry(1, "GET /a", page="p1"),
        entry(9, "POST /seen", "", "text/plain", status=204, sent="x", sent_as="text/plain", page="p1"),
        entry(9.1, "GET /b", page="p2"),
    )
    assert list(pages(found).values()) == [["get /a"], ["post /seen", "get /b"]]


def test_redirects_are_part_of_a_request(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        entry(1, "POST /login", status=302, sent="a=1", to="/home"),
        entry(1.1, "GET /home", status=303, to="http://app.lab/start#top"),
        entry(1.2, "GET /start", "<title>Start</title>"),
        entry(9, "GET /away", status=302, to="http://other.lab/"),
        entry(9.1, "GET http://other.lab/"),
    )
    assert list(pages(found).values()) == [["post /login"], ["get /away"]]
    login, away = (page["request"][0] for page in tomllib.loads(found.text)["page"])
    assert login["expect"] == {"contains": "<title>Start</title>"}
    # No load follows to another host.
    assert away["expect"] == {"status": 302}


@pytest.mark.parametrize("to", ["http://app.lab:80/home", "//APP.lab/home", "http://ann@app.lab/home#top"])
def test_a_redirect_is_known_however_it_names_the_server(tmp_path: Path, to: str) -> None:
    found = converted(tmp_path, entry(1, "GET /", status=302, to=to), entry(1.1, "GET /home", "hello"))
    assert list(pages(found).values()) == [["get /"]]


def picture(at_s: float, path: str, **more: Any) -> dict[str, Any]:
    return entry(at_s, f"GET {path}", mime="image/png", _resourceType="image", **more)


def test_a_picture_that_is_redirected_is_embedded_by_what_the_page_asks_for(tmp_path: Path) -> None:
    moved = entry(1.1, "GET /avatar/7", mime="", _resourceType="image", status=302, to="/media/7.png")
    found = converted(tmp_path, entry(1, "GET /"), moved, picture(1.2, "/media/7.png"))
    assert resources(found) == [["/avatar/7"]]
    assert pages(found) == {"page": ["get /"]}


def test_a_picture_that_no_resource_can_ask_for_is_a_request(tmp_path: Path) -> None:
    away = picture(1.1, "/away", status=302, to="http://other.lab/1.png")
    hops = [picture(1.2, f"/{hop}.png", status=302, to=f"/{hop + 1}.png") for hop in range(6)]
    lost = [picture(1.3, f"/lost{hop}.png", status=302, to=f"/lost{hop + 1}.png") for hop in range(6)]
    found = converted(
        tmp_path,
        entry(1, "GET /"),
        *(away, *hops, picture(1.4, "/6.png"), *lost, picture(1.4, "/lost6.png", status=404)),
    )
    (page,) = tomllib.loads(found.text)["page"]
    assert [path_of(request) for request in page["request"]] == ["get /", "get /away", "get /0.png"]
    assert [request.get("expect") for request in page["request"]] == [None, {"status": 302}, None]
    assert [request.get("redirects") for request in page["request"]] == [None, None, 6]
    assert "resource" not in page


def test_many_redirects_are_allowed_where_they_were_recorded(tmp_path: Path) -> None:
    hops = [entry(1 + 0.1 * hop, f"GET /{hop}", status=302, to=f"/{hop + 1}") for hop in range(7)]
    found = converted(tmp_path, *hops, entry(2, "GET /7"))
    (page,) = tomllib.loads(found.text)["page"]
    assert [request["redirects"] for request in page["request"]] == [7]


def test_the_same_page_again_is_one_page(tmp_path: Path) -> None:
    found = converted(tmp_path, *(entry(9 * index, f"GET /{name}") for index, name in enumerate("abab")))
    assert [step["page"] for step in tomllib.loads(found.text)["session"]["steps"]] == ["a", "b", "a", "b"]
    assert list(pages(found)) == ["a", "b"]


@pytest.mark.parametrize("last", ["/logout", "/home"])
def test_a_login_is_done_once_unless_the_user_signs_out(tmp_path: Path, last: str) -> None:
    found = converted(
        tmp_path,
        entry(1, "GET /login"),
        entry(9, "POST /login", sent="user=ann&password=hush"),
        entry(19, "GET /news"),
        entry(29, f"GET {last}"),
    )
    scenario = tomllib.loads(found.text)
    once, steps = len(scenario.get("once", [])), len(scenario["session"]["steps"])
    assert (once, steps) == ((0, 4) if last == "/logout" else (2, 2))


@pytest.mark.parametrize(
    ("status", "expected"), [(200, {}), (304, {}), (404, {"status": 404}), (204, {}), (503, {"status": 503})]
)
def test_another_status_than_usual_is_expected(tmp_path: Path, status: int, expected: dict[str, int]) -> None:
    (page,) = tomllib.loads(converted(tmp_path, entry(1, "GET /", status=status)).text)["page"]
    assert page["request"][0].get("expect", {}) == expected
