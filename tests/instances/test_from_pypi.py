"""What applications from PyPI have in common: how they are asked, and who may sign in."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from igen.cli import run_arguments
from igen.errors import IgenError, InputError
from igen.instances import process
from igen.instances.application import APPLICATIONS
from igen.instances.from_pypi import FromPyPI
from igen.instances.instance import Instance
from igen.instances.products import PRODUCTS

KINDS = [name for name, product in PRODUCTS.items() if isinstance(product, FromPyPI)]


class Answers(BaseHTTPRequestHandler):
    """A server that answers what it was asked, with the status that the path says."""

    def do_GET(self) -> None:
        """The path and no body."""
        self._answer("")

    def do_POST(self) -> None:
        """The path and the body."""
        self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def _answer(self, body: str) -> None:
        text = f"{self.command} {self.path} {body}".encode()
        self.send_response(int(self.path.strip("/")))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    """Where the server listens."""
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def instance(kind: str, folder: Path, port: int, **settings: str) -> Instance:
    """One that is described, and not made."""
    return Instance(
        kind=kind,
        number=1,
        folder=folder,
        port=port,
        cache_bytes=0,
        max_connections=200,
        durable=True,
        settings=settings,
        version="",
        created_unix_s=0,
    )


def test_there_is_a_kind_of_server_for_each_application() -> None:
    assert set(KINDS) == set(APPLICATIONS)


@pytest.mark.parametrize(
    ("asked", "answer"), [("GET /200", "GET /200 "), ('POST /200\n{"id": 0}', 'POST /200 {"id": 0}')]
)
def test_an_application_is_asked_what_it_is_given(
    asked: str, answer: str, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FromPyPI, "python", sys.executable)
    product = PRODUCTS["tryton"]
    command = product.administer(instance("tryton", tmp_path, port), None)
    assert process.execute(product, command, asked) == f"{answer}\n"


@pytest.mark.parametrize("status", [302, 404, 500])
def test_it_is_not_ready_while_its_page_is_another_or_an_error(
    status: int, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FromPyPI, "python", sys.executable)
    product = PRODUCTS["superset"]
    command = product.administer(instance("superset", tmp_path, port), None)
    with pytest.raises(IgenError):
        process.execute(product, command, f"GET /{status}")


@pytest.mark.parametrize("kind", KINDS)
def test_the_password_that_is_told_is_that_of_its_users(kind: str) -> None:
    made = importlib.import_module(f"igen.instances.{kind}_data")
    assert f"`{made.PASSWORD}`" in PRODUCTS[kind].open_to


@pytest.mark.parametrize("kind", KINDS)
def test_an_instance_is_served_by_the_lock_that_has_made_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FromPyPI, "python", sys.executable)
    product, digest = PRODUCTS[kind], APPLICATIONS[kind].digest
    monkeypatch.setattr(product, "distribution", "pytest")
    version = process.execute(product, product.version()).strip()
    assert re.fullmatch(rf"{kind.title()} \d[\d.]+, lock {digest}", version)
    one = instance(kind, tmp_path, 14100)
    assert product.serve(replace(one, version=version))[0] == sys.executable
    for before in (version.partition(",")[0], version.replace(digest, "0" * 12)):
        with pytest.raises(InputError, match=f"was created by {before}; this iGen has the lock {digest}"):
            product.serve(replace(one, version=before))


@pytest.mark.parametrize("kind", KINDS)
def test_without_its_environment_the_command_that_makes_it_is_named(
    kind: str,
    directory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("IGEN_APPLICATIONS", str(tmp_path / "none"))
    assert run_arguments(["instances", "up", kind]) == 2
    said = capsys.readouterr().err
    assert f"{kind} is not installed" in said
    assert f"igen install {kind}" in said
    assert list(directory.glob("*")) == []
    assert not (tmp_path / "none").exists()
