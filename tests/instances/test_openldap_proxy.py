"""The proxy before private directories."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_openldap import found, up_line

from igen.cli import run_arguments
from igen.instances import control
from tests.needed import needs
from tests.own_ports import own_ports

pytestmark = needs("openldap")


def test_it_gathers_what_all_that_run_answer(directory: Path) -> None:
    assert run_arguments(up_line(directory, entries=100, count=2).split()) == 0
    proxy_line = f"instances up openldap-proxy --directory {directory} --port-from {own_ports()}"
    assert run_arguments(proxy_line.split()) == 0
    (proxy,) = control.selected(directory, "openldap-proxy")
    for user in ("user.0", "user.199"):
        assert f"uid: {user}\n" in found(proxy, f"(uid={user})", as_nobody=True)
    everybody = found(proxy, "(uid=*) 1.1", "ou=People,dc=example,dc=com", as_nobody=True)
    assert everybody.count("dn: uid=") == 200
    # What each of them has of its own is hidden.
    assert found(proxy, "(ou=igen)", as_nobody=True) == ""
    measured = f"run ldap-search --target {control.target(proxy)} --set entries=200 --duration 0.2s"
    store = directory / "runs"
    assert run_arguments(f"{measured} --warmup 0.1s --repeats 1 --quiet --store {store}".split()) == 0
    # Started again, it stands before those that run then.
    _, second = control.selected(directory, "openldap")
    control.stop(second)
    control.stop(proxy)
    assert run_arguments(proxy_line.split()) == 0
    everybody = found(proxy, "(uid=*) 1.1", "ou=People,dc=example,dc=com", as_nobody=True)
    assert everybody.count("dn: uid=") == 100


def test_before_nothing_it_is_refused(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"instances up openldap-proxy --directory {directory} --port-from {own_ports()}"
    assert run_arguments(line.split()) == 2
    assert "igen instances up openldap --count 2" in capsys.readouterr().err
    assert list(directory.iterdir()) == []
