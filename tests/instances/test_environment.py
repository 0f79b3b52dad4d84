"""Programs of servers get nothing of the caller's environment that leads them elsewhere, or is secret."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from test_control import KINDS, answers

from igen.instances import control, process
from igen.instances.instance import Instance
from igen.instances.products import PRODUCTS
from tests.own_ports import own_ports

SECRETS = {
    "PGPASSWORD": "secret",
    "MYSQL_PWD": "secret",
    "LDAP_PASSWORD": "secret",
    "AWS_SECRET_ACCESS_KEY": "secret",
}


@contextmanager
def foreign_server(port: int) -> Iterator[list[object]]:
    """Somebody else's server at 127.0.0.2: whoever connects is noted, and hung up on."""
    visitors: list[object] = []
    with socket.create_server(("127.0.0.2", port)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, address = listening.accept()
                except OSError:
                    return
                visitors.append(address)
                connection.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield visitors
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def environments_of(instance: Instance) -> list[dict[str, str]]:
    """Those of all processes of a server."""
    found = []
    for pid in process.process_tree(instance.pid):
        try:
            words = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        except OSError:
            continue  # a session that has just ended
        found.append(dict(word.split("=", 1) for word in words if "=" in word))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_no_foreign_server_is_administered_and_no_secret_is_handed_on(
    kind: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = own_ports()
    elsewhere = {
        "PGHOSTADDR": "127.0.0.2",
        "PGHOST": "127.0.0.2",
        "PGSERVICE": "elsewhere",
        "PGOPTIONS": "-c default_transaction_read_only=on",
        "MYSQL_HOST": "127.0.0.2",
        "MYSQL_TCP_PORT": str(port),
        "MYSQL_UNIX_PORT": "/nowhere",
        "LDAPURI": f"ldap://127.0.0.2:{port}",
        "LDAPTLS_REQCERT": "hard",
        "LDAPSASL_MECH": "GSSAPI",
    }
    for name, value in {**elsewhere, **SECRETS}.items():
        monkeypatch.setenv(name, value)
    with foreign_server(port) as visitors:
        wish = control.Wish(port_from=port, durable=False)
        (instance,) = control.up(kind, 1, directory, wish=wish)
        assert answers(instance)
    assert visitors == []
    environments = environments_of(instance)
    assert any("PATH" in environment for environment in environments)
    for environment in environments:
        assert "secret" not in environment.values()
        assert not environment.keys() & elsewhere.keys()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as somebody else")
@pytest.mark.parametrize("kind", KINDS)
def test_a_loader_gets_no_secret_either(kind: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    told = process.execute(PRODUCTS[kind], ["env"])
    assert "secret" not in told
