"""What a recording is told to differ in, when it is played at a server that answers otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from igen.har.play import play
from tests.har.written import converted, entry

Answers = dict[str, tuple[int, dict[str, str], str]]
Serve = Callable[[Answers], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that gives these answers, by method and path."""
    started: list[ThreadingHTTPServer] = []

    def start(answers: Answers) -> str:
        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                status, headers, body = answers.get(f"{self.command} {self.path}", (404, {}, ""))
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body.encode())

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("body", "difference"),
    [
        ("x" * 60, None),
        # Within 64 bytes of what was recorded, and nevertheless no answer.
        ("", "page: page: 0 bytes, recorded 60"),
        ("x" * 124, None),
        ("x" * 125, "page: page: 125 bytes, recorded 60"),
    ],
)
def test_short_bodies_are_alike_but_an_empty_one_is_none(
    serve: Serve, tmp_path: Path, body: str, difference: str | None
) -> None:
    found = converted(tmp_path, entry(1, "GET /", "x" * 60, "application/json"))
    told = play(found, serve({"GET /": (200, {}, body)}))
    assert (told.text if told else None) == difference


def test_an_empty_body_that_was_recorded_is_no_difference(serve: Serve, tmp_path: Path) -> None:
    found = converted(tmp_path, entry(1, "GET /", "", "text/plain"))
    assert play(found, serve({"GET /": (200, {}, "")})) is None


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("http://other.lab/x", "a redirect to another host: other.lab"),
        ("https://127.0.0.1/x", "a redirect to https://, but the target is http://"),
        ("", "a redirect without a valid URL"),
        ("//[", "a redirect without a valid URL"),
        ("/?again", "more than 5 redirects, the last from / to /"),
    ],
)
def test_a_redirect_that_leads_astray_is_the_difference(
    serve: Serve, tmp_path: Path, location: str, said: str
) -> None:
    found = converted(tmp_path, entry(1, "GET /", "x"))
    moved = (302, {"Location": location}, "")
    told = play(found, serve({"GET /": moved, "GET /?again": moved}))
    assert told is not None
    assert told.text == f"page: page: {said}"


def test_what_was_deleted_is_deleted_where_it_has_gone(serve: Serve, tmp_path: Path) -> None:
    found = converted(tmp_path, entry(1, "DELETE /old", "gone", status=200))
    answers: Answers = {"DELETE /old": (302, {"Location": "/new"}, ""), "DELETE /new": (200, {}, "gone")}
    assert play(found, serve(answers)) is None


def test_a_secret_in_a_path_is_not_told(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = converted(tmp_path, entry(1, "GET /reset/s3cr3t%2Fvalue?token=s3cr3t%2Fvalue", "x"))
    (secret,) = found.secrets
    monkeypatch.setenv(secret.variable, "hu/sh")
    path = "/reset/hu%2Fsh?token=hu%2Fsh"
    told = play(found, serve({f"GET {path}": (302, {"Location": path}, "")}))
    assert told is not None
    assert told.text.endswith("more than 5 redirects, the last from /reset/… to /reset/…")
