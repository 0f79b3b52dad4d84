"""HTTP/2 to a web server: counts equal its own log, one connection a user, versions agreed on."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Done, events
from requests_sent import levels, sent

from tests import web
from tests.web import Web

Igen = Callable[[str], Done]
Start = Callable[..., Web]
QUICK = "--duration 0.5s --warmup 0.1s --repeats 1 --threads 2 --quiet"
"""No pilots choose the threads: the server would count their requests too."""
H2 = "--set protocol=h2"
RESOURCES = 40
PAGES = """
name = "pages"
session = {{ steps = [{{ page = "home" }}] }}
browser = {{ protocol = "{protocol}", connections = 2 }}
[[page]]
name = "home"
request = [
  {{ name = "page", get = "/" }},
  {{ name = "a", get = "/api/a", after = "page" }},
  {{ name = "b", get = "/api/b", after = "page" }},
]
resource = [{resources}]
"""


@pytest.fixture
def pages(store: Path, tmp_path: Path) -> Callable[[str], str]:
    """Writes a scenario of pages with many resources that nobody keeps, for that version of HTTP."""

    def write(protocol: str) -> str:
        resources = ", ".join(f'{{ get = "/static/{number}" }}' for number in range(RESOURCES))
        (tmp_path / "pages.toml").write_text(PAGES.format(protocol=protocol, resources=resources))
        return "--set scenario=@pages.toml"

    return write


def test_counts_equal_the_servers_own_log(igen: Igen, nginx: Start, store: Path) -> None:
    server = nginx(http2=True)
    done = igen(
        f"run http --target {server.target} --users 1,8 {QUICK} --set protocol=h2 paths=/,/api/a --json"
    )
    for level in levels(done):
        assert level["errors"] == 0
        assert level["operations"]["GET /api/a"]["count"] > 0
        assert "connections" not in level["counters"], (
            "made before the load, and counters of zero are left out"
        )
        # Heads that were sent before are an index from then on: less than HTTP/1.1 takes for the body alone.
        assert 9 < level["counters"]["sent_bytes"]["per_transaction"] < 60
    facts = done.document["systems"][0]["facts"]
    assert (facts["target.http.protocol"], facts["target.http.client_io"]) == ("HTTP/2", "epoll")
    server.stop(signal.SIGQUIT)
    requests, answers = sent(store)
    assert requests == answers == server.asked().total()
    assert set(server.asked()) == {"200 GET /", "200 GET /api/a"}
    assert all(each.endswith("HTTP/2.0") for each in server.connections())


def test_bodies_heads_and_statuses_of_all_kinds(igen: Igen, nginx: Start, store: Path) -> None:
    server = nginx(http2=True)
    for settings, logged in [
        ("path=/moved expect.status=301 method=HEAD", "301 HEAD /moved"),
        ("path=/ expect.contains=Welcome headers.Accept=text/html", "200 GET /"),
        ("path=/api/b method=POST body=q=1 expect.contains={}", "200 POST /api/b"),
    ]:
        (level,) = levels(
            igen(f"run http --target {server.target} --users 2 {QUICK} --set protocol=h2 {settings} --json")
        )
        assert level["errors"] == 0, level["failures"]
        assert server.asked()[logged] > 0
    done = igen(f"run http --target {server.target} --users 1 {QUICK} --set protocol=h2 path=/busy")
    assert done.code == 1
    assert "GET /busy: status 503" in done.err, done.err


def test_connections_that_the_server_ends_are_made_anew(igen: Igen, nginx: Start, store: Path) -> None:
    server = nginx(http2=True, keepalive_requests=5)
    (level,) = levels(igen(f"run http --target {server.target} --users 4 {QUICK} {H2} --json"))
    assert level["errors"] == 0, level["failures"]
    assert level["counters"]["connections"]["per_transaction"] == pytest.approx(0.2, abs=0.1)
    assert level["operations"]["connect"]["count"] > 0
    server.stop(signal.SIGQUIT)
    assert sent(store)[0] == server.asked().total()


def test_versions_are_agreed_on_under_tls(igen: Igen, nginx: Start, tmp_path: Path, store: Path) -> None:
    certificate = web.self_signed(tmp_path, "localhost")
    both, old = (nginx(certificate=certificate, http2=http2, keepalive_requests=5) for http2 in (True, False))
    for server, protocol, spoken in [
        (both, "h2", "HTTP/2"),
        (both, "auto", "HTTP/2"),
        (both, "http/1.1", "HTTP/1.1"),
        (old, "auto", "HTTP/1.1"),
    ]:
        target = f"https://localhost:{server.port}?sslrootcert={certificate}"
        done = igen(f"run http --target {target} --users 2 {QUICK} --set protocol={protocol} --json")
        (level,) = levels(done)
        assert level["errors"] == 0, (protocol, level["failures"])
        assert level["counters"]["resumed_tls_handshakes"]["count"] > 0
        assert done.document["systems"][0]["facts"]["target.http.protocol"] == spoken
        (system,) = done.document["systems"]
        (found,) = [each for each in system["observations"] if each["rule"] == "http-connections"]
        parts = {part["name"]: part for part in found["parts"]}
        assert parts["protocol"]["text"] == spoken
        assert "TLSv1_3" in parts["tls"]["text"], parts
        assert parts["resumed_tls_handshakes"]["figure"] > 0
    target = f"https://localhost:{old.port}?sslrootcert={certificate}"
    done = igen(f"run http --target {target} --users 2 {QUICK} {H2}")
    assert done.code == 1
    assert "does not support" in done.err, done.err
    assert "hint:" in done.err, done.err


def test_who_speaks_another_version_is_told_before_any_load(igen: Igen, nginx: Start) -> None:
    new, old = nginx(http2=True), nginx()
    for server, protocol, said in [
        (old, "h2", "does not support HTTP/2 on this port"),
        (new, "http/1.1", "the server expects HTTP/2 on this port"),
        (new, "auto", "the server expects HTTP/2 on this port"),
    ]:
        done = igen(f"run http --target {server.target} --users 1 {QUICK} --set protocol={protocol}")
        assert done.code == 1
        assert said in done.err, done.err
        assert "protocol=" in done.err.partition("hint:")[2], done.err


def test_a_page_goes_over_one_connection(
    igen: Igen, nginx: Start, pages: Callable[[str], str], store: Path
) -> None:
    users, server = 3, nginx(http2=True)
    done = igen(
        f"run web --target {server.target} --users {users} --think-time 20ms {QUICK} {pages('h2')} --json"
    )
    (level,) = levels(done)
    assert level["errors"] == 0, level["failures"]
    of_page = RESOURCES + 3
    # A page of each user is cut at either end of the measured time.
    asked = pytest.approx(of_page * level["transactions"], abs=2 * of_page * users)
    assert level["counters"]["requests"]["count"] == asked
    server.stop(signal.SIGQUIT)
    requests, answers = sent(store, "web")
    assert requests >= answers
    assert answers <= server.asked().total() <= requests
    # Two more look at the server before the load, without a request.
    assert len(server.connections()) == users
    facts = {fact["name"]: fact["value"] for fact in events(store, "fact")}
    assert facts["target.web.protocol"] == "HTTP/2"


def test_connections_that_end_in_the_middle_of_a_page_are_made_anew(
    igen: Igen, nginx: Start, pages: Callable[[str], str], store: Path
) -> None:
    users, server = 3, nginx(http2=True, keepalive_requests=RESOURCES + 20)
    done = igen(
        f"run web --target {server.target} --users {users} --think-time 20ms {QUICK} {pages('h2')} --json"
    )
    (level,) = levels(done)
    assert level["errors"] == 0, level["failures"]
    counters = level["counters"]
    assert counters["connections"]["per_transaction"] == pytest.approx(43 / 60, abs=0.3)
    server.stop(signal.SIGQUIT)
    requests, answers = sent(store, "web")
    # What it had not begun when it ended a connection was asked once more, and is not in its log.
    assert answers <= server.asked().total() <= requests
    assert server.asked().total() >= requests - RESOURCES * len(server.connections())


def test_a_user_may_close_its_connection_after_each_page(
    igen: Igen, nginx: Start, pages: Callable[[str], str], store: Path
) -> None:
    server = nginx(http2=True)
    settings, written = pages("h2"), Path("pages.toml")
    written.write_text(written.read_text().replace("connections = 2", "keep = 0"))
    done = igen(f"run web --target {server.target} --users 2 --think-time 20ms {QUICK} {settings} --json")
    (level,) = levels(done)
    assert level["errors"] == 0, level["failures"]
    assert level["counters"]["connections"]["per_transaction"] == pytest.approx(1, abs=0.2)
