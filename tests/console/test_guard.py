from __future__ import annotations

import http.client
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.cli.console import _token
from igen.console.keys import Signer, read_key, signer_for
from igen.console.login import _place
from igen.console.serve import Listening, bound, is_loopback, serve
from igen.console.tries import MOST_TRIES
from igen.errors import IgenError, InputError
from igen.store.notes import add_note
from igen.store.run import Run
from igen.store.store import Store
from tests.console.live.serving import Serving
from tests.console.site import HOSTILE, RUN, Site, form_token, hostile_run, site
from tests.own_ports import own_ports


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8712", "localhost.evil.test", "", "169.254.0.1", "[::2]"]
)
def test_a_name_that_is_not_ours_is_refused_before_anything_else(shown: Site, host: str) -> None:
    assert shown.visitor("run").get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8712", "[::1]:8712", "LOCALHOST"])
def test_own_names_are_known(shown: Site, host: str) -> None:
    assert shown.visitor("read").get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/login", "/none", "/static/console.css", f"/runs/{RUN}"])
def test_every_answer_forbids_what_a_page_should_not_do(shown: Site, path: str) -> None:
    headers = shown.visitor("read").get(path).headers
    policy = headers["content-security-policy"]
    for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert part in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert not [name for name in headers if name.startswith("access-control-")]


def test_the_report_has_an_origin_of_its_own_and_no_network(shown: Site) -> None:
    answer = shown.visitor("read").get(f"/runs/{RUN}/report")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none';")
    assert "connect-src" not in policy
    assert "allow-same-origin" not in policy


def test_words_of_others_are_text(shown: Site) -> None:
    run = hostile_run(shown.console.folder)
    add_note(run, HOSTILE, HOSTILE)
    client = shown.visitor("run", name=HOSTILE)
    for path in ("/", f"/runs/{run.id}", f"/?q={HOSTILE}", f"/runs/{HOSTILE}", f"/tools/{HOSTILE}"):
        page = client.get(path).text
        assert "<script>alert" not in page, path
        assert "<img src=x" not in page, path


def test_a_code_works_once(shown: Site) -> None:
    shown.console.codes["c" * 22] = "run"
    printed: list[str] = []
    shown.console.say_link = lambda: printed.append("another")
    first = shown.visitor().post("/login", data={"code": "c" * 22, "next": "/queue", "name": "Anna"})
    assert (first.status_code, first.headers["location"]) == (303, "/queue")
    cookie = first.headers["set-cookie"]
    for part in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert part in cookie
    assert printed == ["another"]
    assert shown.visitor().post("/login", data={"code": "c" * 22}).status_code == 403


def test_a_code_is_not_used_up_by_looking_at_its_link(shown: Site) -> None:
    shown.console.codes["c" * 22] = "run"
    shown.visitor().get("/login?code=" + "c" * 22)
    assert shown.visitor().post("/login", data={"code": "c" * 22}).status_code == 303


def test_a_token_lets_in_again_and_again_with_its_role(shown: Site) -> None:
    shown.console.tokens |= {"r" * 20: "read", "w" * 20: "run"}
    for secret, status in (("r" * 20, 403), ("w" * 20, 303), ("w" * 20, 303)):
        client = shown.visitor()
        assert client.post("/login", data={"code": secret}).status_code == 303
        token = shown.console.signer.token("csrf", client.cookies[shown.console.cookie])
        noted = client.post(f"/runs/{RUN}/note", data={"csrf": token, "text": "x"})
        assert noted.status_code == status


def test_who_started_the_console_need_not_tell_a_name(shown: Site) -> None:
    shown.console.owner = "otto"
    shown.console.codes["c" * 22] = "run"
    client = shown.visitor()
    client.post("/login", data={"code": "c" * 22})
    assert "as otto" in client.get("/").text


def test_guessing_is_slow(shown: Site) -> None:
    shown.console.tokens["right" * 5] = "run"
    client = shown.visitor()
    for _ in range(MOST_TRIES):
        assert client.post("/login", data={"code": "wrong"}).status_code == 403
    assert client.post("/login", data={"code": "right" * 5}).status_code == 403
    shown.now += 61
    assert client.post("/login", data={"code": "right" * 5}).status_code == 303


def test_a_session_ends_and_cannot_be_made_up(shown: Site) -> None:
    client = shown.visitor("run")
    assert client.get("/").status_code == 200
    shown.now += 1001
    assert client.get("/").status_code == 303
    client.cookies.set(shown.console.cookie, Signer(b"o" * 32).sign("session", ["run", ""], shown.now + 10))
    assert client.get("/").status_code == 303


@given(st.text(max_size=60))
def test_after_the_login_one_stays_here(text: str) -> None:
    place = _place(text)
    assert place.startswith("/")
    assert not place.startswith(("//", "/\\"))


@pytest.mark.parametrize("word", ["", ".", "a.b", "é.ü", "W10.x", "a" * 5000])
def test_a_word_that_was_not_signed_is_none(word: str) -> None:
    assert Signer(b"k" * 32).read("session", word, 0.0) is None


@pytest.mark.parametrize(
    "path",
    ["%2e%2e", "..%2f..%2fetc", ".queue", ".active", "a/b", "%00", "catalog.sqlite", "x" * 300],
)
def test_a_run_is_no_path(shown: Site, path: str) -> None:
    assert shown.visitor("run").get(f"/runs/{path}").status_code in (303, 400, 404)


@pytest.mark.parametrize(
    "name", ["../run.json", "..%2frun.json", "notes.jsonl", "/etc/passwd", "jobs", "link"]
)
def test_a_file_is_one_of_the_list(shown: Site, name: str) -> None:
    run = Run(shown.console.folder / RUN)
    (run.folder / "jobs" / "link").symlink_to("/etc/passwd")
    answer = shown.visitor("run").get(f"/runs/{RUN}/files/{name}")
    assert answer.status_code in (303, 400, 404)
    assert "root:" not in answer.text


def test_a_form_that_is_too_long_is_refused(shown: Site) -> None:
    client = shown.visitor("run")
    data = {"csrf": form_token(client), "text": "x" * (1 << 21)}
    for path in (f"/runs/{RUN}/note", "/login"):
        answer = client.post(path, data=data)
        assert answer.status_code == 413, path
        assert "start it on the command line" in answer.text
        # Pages are not kept by browsers: whoever goes back finds an empty form.
        assert "no-store" in answer.headers["cache-control"]
        assert "go back" not in answer.text


def test_a_browser_hears_that_its_form_is_too_long(tmp_path: Path) -> None:
    with Serving(Store(tmp_path)) as serving:
        asked = http.client.HTTPConnection("127.0.0.1", serving.port, timeout=300)
        asked.request("POST", "/login", b"code=" + b"x" * (20 << 20), {"Origin": serving.url("")})
        answer = asked.getresponse()
        assert answer.status == 413
        assert answer.read()
        asked.close()


def test_others_on_the_network_need_a_token(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="token"):
        serve(
            Store(tmp_path),
            Listening("0.0.0.0"),
            {},
            read_only=False,
            dangerous=False,
            new_key=False,
            say=print,
            opened=None,
        )
    assert is_loopback("::1")
    assert not is_loopback("example.org")
    with pytest.raises(InputError, match="16 characters"):
        _token("short", "file")


def test_a_port_that_is_taken_names_the_next(tmp_path: Path) -> None:
    port = own_ports(2)
    with bound(Listening(port=port)), pytest.raises(InputError) as caught:
        bound(Listening(port=port))
    assert caught.value.where == "--port"
    assert f"--port {port + 1}" in caught.value.hint


def test_a_key_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "console.key"
    key = read_key(path, new=False)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_key(path, new=False) == key
    assert read_key(path, new=True) != key
    path.chmod(0o644)
    with pytest.raises(IgenError, match="other users may read it"):
        read_key(path, new=False)


def test_a_login_at_one_store_is_none_at_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    own, other = (site(tmp_path / name) for name in ("own", "other"))
    for each in (own, other):
        each.console.signer = signer_for(each.console.folder, new_key=False)
    client = own.visitor("run")
    stranger = other.visitor()
    stranger.cookies.set(other.console.cookie, client.cookies[own.console.cookie])
    assert stranger.get("/").status_code == 303
    # A console that was begun anew, from the folder beside the store.
    own.console.signer = signer_for(Path("own"), new_key=False)
    assert client.get("/").status_code == 200
    own.console.signer = signer_for(Path("own"), new_key=True)
    assert client.get("/").status_code == 303
    for each in (own, other):
        each.close()


@pytest.mark.parametrize("origin", ["http://[x", "http://evil.test", "null", ""])
def test_a_form_of_another_origin_is_refused(shown: Site, origin: str) -> None:
    client = shown.visitor("run")
    data = {"csrf": form_token(client), "text": "x"}
    assert client.post(f"/runs/{RUN}/note", data=data, headers={"origin": origin}).status_code == 403
    own = {"origin": "http://localhost"}
    assert client.post(f"/runs/{RUN}/note", data=data, headers=own).status_code == 303


def test_where_the_store_is_stands_on_no_page_without_a_session(shown: Site) -> None:
    folder = str(shown.console.folder)
    signed = shown.console.signer.sign("share", [RUN], shown.now + 10)
    for path in ("/login", f"/s/{signed}", "/s/none"):
        assert folder not in shown.visitor().get(path).text, path
    assert shown.visitor().get(f"/s/{signed}").status_code == 200
    assert folder in shown.visitor("read").get("/").text
