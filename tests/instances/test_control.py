"""Instances of real servers: up, again, killed, down, removed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from igen.cli import run_arguments
from igen.errors import IgenError, InputError
from igen.instances import control
from igen.instances.instance import Instance, all_in
from igen.instances.products import PRODUCTS
from tests.needed import PROGRAMS, needs
from tests.own_ports import own_ports

KINDS = [pytest.param(kind, marks=needs(kind)) for kind in PROGRAMS if kind in PRODUCTS]
DATABASES = KINDS[:2]
"""Those that understand SQL."""
FIRST = [
    pytest.param(kind, marks=[needs(kind), *([pytest.mark.slow] if number else [])])
    for number, kind in enumerate(PROGRAMS)
    if kind in PRODUCTS
]
"""The kinds for tests of what is the same for all: CI has the time for the first of them."""


def small(count: int = 1, **settings: str) -> control.Wish:
    return control.Wish(port_from=own_ports(count), durable=False, settings=settings)


def answers(instance: Instance) -> bool:
    ping = PRODUCTS[instance.kind].ping
    try:
        return control.administer(instance, ping) in ("1", "")
    except IgenError:
        return False


@pytest.mark.parametrize("kind", KINDS)
def test_an_instance_lives_dies_and_lives_again(kind: str, directory: Path) -> None:
    wish = small(2)
    one, two = control.up(kind, 2, directory, wish=wish)
    assert [one.port, two.port] == [wish.port_from, wish.port_from + 1 if wish.port_from else 0]
    assert answers(one)
    assert answers(two)
    first_pid = one.pid
    assert [control.status(each).state for each in (one, two)] == ["running", "running"]
    assert (control.status(one).memory_bytes or 0) > 1 << 20
    control.kill(one)
    assert not answers(one)
    assert control.status(one).state == "lost"
    again, still = control.up(kind, 2, directory, wish=wish)
    assert answers(again)
    assert again.pid != first_pid
    assert still.pid == two.pid
    control.stop(again)
    (stopped,) = control.selected(directory, kind, [1])
    assert control.status(stopped).state == "stopped"
    control.remove(stopped)
    assert [each.number for each in all_in(directory)] == [2]
    assert answers(two)


def test_what_an_instance_would_take_is_told_and_refused_first(directory: Path) -> None:
    said: list[str] = []
    wish = control.Wish(port_from=own_ports(), cache_bytes=1 << 50)
    with pytest.raises(InputError, match="not enough memory"):
        control.up("postgresql", 1, directory, wish=wish, say=said.append)
    assert "1 × postgresql: up to 1,024 TiB of memory" in said[0]
    assert said[1].startswith("free: ")
    assert list(directory.iterdir()) == []


def test_a_port_in_use_is_told_before_anything_is_made(directory: Path) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        wish = control.Wish(port_from=listening.getsockname()[1])
        with pytest.raises(InputError, match="in use"):
            control.up("postgresql", 1, directory, wish=wish)
    assert list(directory.iterdir()) == []


def test_a_folder_of_somebody_else_is_left_alone(directory: Path) -> None:
    notes = directory / "postgresql-1" / "notes"
    notes.parent.mkdir()
    notes.write_text("mine")
    with pytest.raises(InputError, match="is not an instance"):
        control.up("postgresql", 1, directory, wish=small())
    assert control.selected(directory, None) == []
    assert notes.read_text() == "mine"


@pytest.mark.parametrize("kind", KINDS[:1])
def test_what_another_command_has_just_made_is_kept(
    kind: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends before the lock is taken; while one holds the lock, nothing goes up or down."""
    alone, wish = control.only_one, small()
    made: list[Instance] = []

    @contextmanager
    def after_another(where: Path, doing: str) -> Iterator[None]:
        monkeypatch.setattr(control, "only_one", alone)
        made.extend(control.up(kind, 1, where, wish=wish))
        with alone(where, doing):
            yield

    monkeypatch.setattr(control, "only_one", after_another)
    assert control.up(kind, 1, directory, wish=wish) == made
    with alone(directory, "at work"), pytest.raises(IgenError, match="another command"):
        control.down(directory, remove_data=True)
    assert answers(made[0])
    control.down(directory, remove_data=True)
    assert all_in(directory) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_setting_that_the_server_refuses_is_shown_with_its_words(kind: str, directory: Path) -> None:
    with pytest.raises(IgenError, match="did not start") as raised:
        control.up(kind, 1, directory, wish=small(no_such_setting="1"))
    assert "no_such_setting" in str(raised.value).replace("-", "_")
    assert all_in(directory) == []


@pytest.mark.parametrize("kind", KINDS[:1])
def test_another_process_with_the_same_pid_is_never_stopped(kind: str, directory: Path) -> None:
    (instance,) = control.up(kind, 1, directory, wish=small())
    control.stop(instance)
    with subprocess.Popen(["sleep", "60"]) as other:
        instance.pid_file.write_text(f"{other.pid}\n")
        assert control.status(instance).state == "lost"
        control.kill(instance)
        control.stop(instance)
        control.remove(instance)
        assert other.poll() is None
        other.kill()
    assert all_in(directory) == []


@pytest.mark.parametrize("kind", KINDS[:1])
def test_the_command_line_starts_lists_and_removes(
    kind: str, directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port = own_ports()
    up = f"instances up {kind} --port-from {port} --memory 32MiB --set fsync=off --json"
    assert run_arguments(up.split()) == 0
    out, err = capsys.readouterr()
    (status,) = json.loads(out)
    assert status["target"] == f"postgresql://igen@127.0.0.1:{port}/igen"
    assert "free" in err
    assert "ready on port" in err
    assert run_arguments(["instances", "list"]) == 0
    assert f"{kind}-1" in capsys.readouterr().out
    assert run_arguments(["instances", "down", kind, "--number", "7"]) == 2
    assert run_arguments(["instances", "down", kind, "--remove"]) == 0
    assert list(directory.iterdir()) == []


def test_an_unknown_kind_and_a_malformed_setting_are_bad_input() -> None:
    assert run_arguments(["instances", "up", "oracle"]) == 2
    assert run_arguments(["instances", "up", "postgresql", "--set", "fsync"]) == 2
    assert run_arguments(["instances", "up", "postgresql", "--memory", "much"]) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as somebody else")
@pytest.mark.parametrize("kind", KINDS[:1])
def test_a_folder_that_the_servers_account_may_not_enter_is_refused(kind: str, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(InputError, match="may not enter"):
        control.up(kind, 1, closed, wish=small())
