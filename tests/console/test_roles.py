"""Every page for every role, generated from the list of pages: a new one is tested by being there."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.routing import Route

from igen.console.app import routes
from tests.console.site import RUN, Site, form_token, site

VALUES = {"run": RUN, "name": "run.json", "tool": "tunables", "token": "none.none"}
STREAMS = ("/events",)
"""They have no end."""


def _path(route: Route) -> str:
    path = route.path.replace(":path", "")
    for name, value in VALUES.items():
        path = path.replace(f"{{{name}}}", value)
    assert "{" not in path, f"say a value for {route.path}"
    return path


def _of(method: str) -> list[str]:
    return [_path(route) for route in routes(read_only=False) if method in (route.methods or ())]


READS = [path for path in _of("GET") if path != "/login" and not path.startswith("/s/")]
CHANGES = [path for path in _of("POST") if path != "/login"]


def test_there_are_pages_of_both_kinds() -> None:
    assert len(READS) > 15
    assert len(CHANGES) > 10


@pytest.mark.parametrize("path", READS)
def test_nobody_reads_without_a_session(shown: Site, path: str) -> None:
    answer = shown.visitor().get(path)
    assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, "/login")


@pytest.mark.parametrize("path", [path for path in READS if not path.endswith(STREAMS)])
def test_who_may_read_reads_everything(shown: Site, path: str) -> None:
    # A page may find nothing to show, but refuses nobody.
    assert shown.visitor("read").get(path).status_code in (200, 400)


@pytest.mark.parametrize("path", CHANGES)
def test_who_may_read_changes_nothing(shown: Site, path: str) -> None:
    assert shown.visitor().post(path, data={"csrf": "x"}).status_code == 403
    assert shown.visitor("read").post(path, data={"csrf": "x"}).status_code == 403


@pytest.mark.parametrize("path", CHANGES)
def test_a_form_of_another_session_changes_nothing(shown: Site, path: str) -> None:
    other = form_token(shown.visitor("run", name="Eve"))
    assert shown.visitor("run").post(path, data={"csrf": other}).status_code == 403
    assert shown.visitor("run").post(path).status_code == 403


@pytest.mark.parametrize("path", CHANGES)
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.test"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_no_other_page_changes_anything(shown: Site, path: str, headers: dict[str, str]) -> None:
    client = shown.visitor("run")
    token = form_token(client)
    assert client.post(path, data={"csrf": token}, headers=headers).status_code == 403


@pytest.mark.parametrize("path", sorted(set(CHANGES) - set(_of("GET"))))
def test_what_changes_something_is_no_link(shown: Site, path: str) -> None:
    assert shown.visitor("run").get(path).status_code in (400, 405)


def test_a_console_that_only_reads_has_no_page_that_changes(tmp_path: Path) -> None:
    left = [route.path for route in routes(read_only=True) if "POST" in (route.methods or ())]
    assert left == ["/login"]
    made = site(tmp_path / "runs", read_only=True)
    client = made.visitor("run")
    assert "csrf" not in client.get("/").text.replace('name="csrf" value=""', "")
    assert client.post(f"/runs/{RUN}/note", data={"text": "x"}).status_code == 403
    made.close()


def test_a_shared_link_shows_its_runs_and_nothing_else(shown: Site) -> None:
    word = shown.console.signer.sign("share", [RUN], shown.now + 100)
    client = shown.visitor()
    page = client.get(f"/s/{word}")
    assert page.status_code == 200
    assert "Order entry" in page.text or "oltp" in page.text
    assert "csrf" not in page.text
    assert client.get(f"/s/{word}/report").status_code == 200
    assert client.post(f"/s/{word}").status_code == 403
    assert client.get(f"/runs/{RUN}").status_code == 303
    assert client.get(f"/runs/{RUN}/files/run.json").status_code == 303


def test_a_shared_link_ends(shown: Site) -> None:
    word = shown.console.signer.sign("share", [RUN], shown.now + 100)
    shown.now += 101
    assert shown.visitor().get(f"/s/{word}").status_code == 400


def test_a_session_is_no_shared_link_and_the_other_way_round(shown: Site) -> None:
    session = shown.console.signer.sign("session", ["run", ""], shown.now + 100)
    assert shown.visitor().get(f"/s/{session}").status_code == 400
    client = shown.visitor()
    client.cookies.set(shown.console.cookie, shown.console.signer.sign("share", ["run", ""], shown.now + 9))
    assert client.get("/").status_code == 303
