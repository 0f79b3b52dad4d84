"""A web server under load: counts equal its own log to the request, failures by reason, TLS."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Done
from requests_sent import levels, sent

from tests import web
from tests.web import Web

Igen = Callable[[str], Done]
Start = Callable[..., Web]
QUICK = "--duration 0.5s --warmup 0.1s --repeats 1 --threads 2 --quiet"
"""No pilots choose the threads: the server would count their requests too."""


def test_counts_equal_the_servers_own_log(igen: Igen, nginx: Start, store: Path) -> None:
    server = nginx()
    done = igen(f"run http --target {server.target} --users 1,8 {QUICK} --set paths=/,/api/a --json")
    for level in levels(done):
        assert (level["errors"], level["transactions"] > 0) == (0, True)
        assert level["operations"]["GET /"]["count"] > 0
        assert level["operations"]["GET /api/a"]["count"] > 0
        assert level["counters"]["status_2xx"]["per_transaction"] == pytest.approx(1, abs=0.1)
        assert level["counters"]["received_bytes"]["per_transaction"] > 100
    facts = done.document["systems"][0]["facts"]
    assert facts["target.http.transport"] == "TCP"
    assert facts["http.address"] == [server.target.removeprefix("http://")]
    server.stop(signal.SIGQUIT)
    requests, answers = sent(store)
    assert requests == answers == server.asked().total()
    assert set(server.asked()) == {"200 GET /", "200 GET /api/a"}


def test_nodes_are_dealt_like_cards_below_their_bases(igen: Igen, nginx: Start, store: Path) -> None:
    servers = [nginx(), nginx()]
    targets = " ".join(f"--target {server.target}/api/" for server in servers)
    (level,) = levels(igen(f"run http {targets} --users 4 {QUICK} --set path=/a --json"))
    assert level["errors"] == 0
    for server in servers:
        server.stop(signal.SIGQUIT)
        assert set(server.asked()) == {"200 GET /api/a"}
    requests, _ = sent(store)
    assert sum(server.asked().total() for server in servers) == requests


def test_a_server_that_drops_requests_of_kept_connections_fails_them(
    igen: Igen, nginx: Start, store: Path
) -> None:
    server = nginx()
    done = igen(f"run http --target {server.target} --users 4 {QUICK} --set path=/drops --json")
    assert done.code == 1
    (level,) = done.document["systems"][0]["levels"]
    assert "repeated_requests" not in level["counters"]
    server.stop(signal.SIGQUIT)
    requests, answers = sent(store)
    logged = server.asked()
    assert (requests, answers) == (logged.total(), logged["200 GET /drops"])
    dropped = logged["444 GET /drops"]
    assert requests - answers == dropped > 0
    # Errors are those of MEASURE, and the log has all.
    assert dropped / 2 < level["errors"] <= dropped


def test_what_is_sent_again_after_a_rest_makes_the_level_suspect(
    igen: Igen, nginx: Start, store: Path
) -> None:
    server = nginx()
    rests = "--users 32 --think-time 150ms --duration 2s --warmup 0s --repeats 1 --quiet"
    (level,) = levels(igen(f"run http --target {server.target} {rests} --set path=/drops --json"))
    assert level["errors"] == 0
    assert level["trust"]["verdict"] != "VALID"
    counters = level["counters"]
    repeated, requests = counters["repeated_requests"]["count"], counters["requests"]["count"]
    assert repeated == counters["stale_connections"]["count"] > requests / 100
    assert counters["repeated_us"]["count"] > 0
    server.stop(signal.SIGQUIT)
    assert repeated <= server.asked()["444 GET /drops"]
    assert sent(store)[0] == server.asked().total()


def test_connections_that_the_server_ends_are_made_anew(igen: Igen, nginx: Start, store: Path) -> None:
    server = nginx(keepalive_requests=5)
    (level,) = levels(igen(f"run http --target {server.target} --users 4 {QUICK} --json"))
    assert level["errors"] == 0
    assert level["counters"]["connections"]["per_transaction"] == pytest.approx(0.2, abs=0.1)
    assert level["operations"]["connect"]["count"] > 0
    server.stop(signal.SIGQUIT)
    assert sent(store)[0] == server.asked().total()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("path=/busy", "GET /busy: status 503"),
        ("path=/nowhere", "GET /nowhere: status 404"),
        ("path=/moved", "GET /moved: status 301"),
        ("path=/error-page expect.contains=Welcome", "GET /error-page: a body without the expected text"),
        ("path=/ expect.max_bytes=3B", "a body of more than max_bytes"),
    ],
)
def test_an_answer_that_is_not_the_right_one_is_told_before_the_load(
    igen: Igen, nginx: Start, settings: str, reason: str
) -> None:
    done = igen(f"run http --target {nginx().target} --users 1 {QUICK} --set {settings}")
    assert done.code == 1
    assert reason in done.err, done.err
    assert "hint:" in done.err, done.err


def test_what_is_expected_is_no_failure(igen: Igen, nginx: Start) -> None:
    settings = "path=/moved expect.status=301,302 method=HEAD"
    (level,) = levels(igen(f"run http --target {nginx().target} {QUICK} --users 2 --set {settings} --json"))
    assert level["errors"] == 0
    assert level["counters"]["status_3xx"]["per_transaction"] == pytest.approx(1, abs=0.1)


def test_who_is_not_known_to_agree_is_not_loaded(igen: Igen, store: Path) -> None:
    done = igen(f"run http --target http://192.0.2.1 --users 1 {QUICK}")
    assert done.code == 2
    assert "i_may_load=192.0.2.1" in done.err
    for settings, said in [
        ("paths=/a,/a", "--set paths: "),
        ("method=get", "capital letters"),
        ("headers.Authorization=secret", "env:IGEN_"),
        ("timeout_s=0s", "--set timeout_s: "),
    ]:
        done = igen(f"run http --target http://127.0.0.1:9 --set {settings} {QUICK}")
        assert done.code == 2, settings
        assert said in done.err, done.err
        assert "secret" not in done.err.replace("contain a secret", ""), done.err


def test_no_file_of_the_store_has_the_secret_of_a_header(
    igen: Igen, nginx: Start, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A secret by name or by shape is taken from the environment only, from a study as well."""
    secret = "ghp_k7Q2hushhushhush"
    server = nginx()
    run = f"run http --target {server.target} --users 1 {QUICK} --set path=/api/a --set headers."
    for name in ("X-Auth-Token", "X-Secret", "X-Note"):
        assert igen(f"{run}{name}={secret}").code == 2
        study = tmp_path / "study.toml"
        job = f'workload = "http"\ntargets = ["{server.target}"]\nparams.headers.{name} = "{secret}"'
        study.write_text(f'name = "s"\n[job]\n{job}\n[axes]\n"load.closed.users" = [1]\n')
        assert igen(f"study run {study} --quiet").code == 2
    monkeypatch.setenv("IGEN_TOKEN", secret)
    assert igen(f"{run}X-Auth-Token=env:IGEN_TOKEN").code == 0
    files = [path for path in store.rglob("*") if path.is_file()]
    assert len(files) > 3
    assert [path for path in files if secret.encode() in path.read_bytes()] == []


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("http://no-such-host.invalid", "unknown host name"),
        ("http://127.0.0.1:9", "connection refused"),
    ],
)
def test_a_server_that_is_not_there_is_told_before_the_load(igen: Igen, target: str, said: str) -> None:
    done = igen(f"run http --target {target} --users 1 {QUICK}")
    assert done.code == 1
    assert said in done.err, done.err


def test_tls_with_an_authority_of_ones_own(igen: Igen, nginx: Start, tmp_path: Path, store: Path) -> None:
    certificate = web.self_signed(tmp_path, "localhost")
    server = nginx(certificate=certificate, keepalive_requests=5)
    target = f"https://localhost:{server.port}?sslrootcert={certificate}"
    for resumption, resumed in [("own", True), ("never", False)]:
        settings = f"--set resumption={resumption}"
        done = igen(f"run http --target {target} --users 2 {QUICK} {settings} --json")
        (level,) = levels(done)
        assert level["errors"] == 0
        assert level["operations"]["tls"]["count"] > 0
        assert ("resumed_tls_handshakes" in level["counters"]) is resumed, "counters of zero are left out"
        facts = done.document["systems"][0]["facts"]
        assert facts["target.http.tls"].startswith("TLSv1_3")
        assert facts["target.http.client_io"] == "epoll"
    server.stop(signal.SIGQUIT)
    assert sent(store)[0] == server.asked().total()


def test_each_fault_of_tls_is_told_in_its_own_words(igen: Igen, nginx: Start, tmp_path: Path) -> None:
    certificate = web.self_signed(tmp_path, "localhost")
    secure, plain = nginx(certificate=certificate), nginx()
    trusted = f"sslrootcert={certificate}"
    for target, said in [
        (f"https://localhost:{secure.port}", "by an unknown authority"),
        (f"https://127.0.0.1:{secure.port}?{trusted}", "for another name"),
        (f"https://localhost:{plain.port}?{trusted}", "does not support TLS on this port"),
        (f"http://localhost:{secure.port}", "use https://"),
        (f"https://localhost:{secure.port}?sslrootcert=/nowhere", "/nowhere"),
    ]:
        done = igen(f"run http --target {target} --users 1 {QUICK}")
        assert done.code in (1, 2), target
        assert said in done.err, done.err
        assert "hint:" in done.err or "/nowhere" in target, done.err
    verified = f"https://127.0.0.1:{secure.port}?{trusted}&sslmode=verify-ca"
    assert igen(f"run http --target {verified} --users 1 {QUICK}").code == 0
