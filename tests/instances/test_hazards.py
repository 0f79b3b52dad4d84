"""What must not happen to others, or be left behind: removals, refusals, interrupted and killed commands."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from igen.cli import run_arguments
from igen.errors import InputError
from igen.instances import control
from igen.instances.product import program
from igen.instances.products import PRODUCTS, product_of
from tests.needed import needs
from tests.own_ports import own_ports
from tests.waiting import PATIENCE_S, wait_for

needs_postgresql, needs_mariadb = needs("postgresql"), needs("mariadb")


def up(directory: Path, count: int = 1) -> str:
    """A command line."""
    flags = f"--count {count} --port-from {own_ports(count)} --memory 32MiB --no-durable"
    return f"instances up postgresql --directory {directory} {flags}"


@pytest.fixture
def launch() -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Starts a command line in a process group of its own, as a terminal does; killed at the end."""
    started: list[subprocess.Popen[str]] = []

    def run(line: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "igen.cli", *line.split()]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, start_new_session=True, **pipes))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate()


def processes_of(directory: Path) -> list[int]:
    """The processes whose command line names a directory."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if os.fsencode(directory) in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@needs_postgresql
def test_a_relative_directory_is_found_again_and_removed(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(directory)
    assert run_arguments(up(Path("below")).split()) == 0
    capsys.readouterr()
    assert run_arguments(["instances", "list", "--directory", "below", "--json"]) == 0
    (status,) = json.loads(capsys.readouterr().out)
    assert status["state"] == "running"
    assert run_arguments(["instances", "down", "--remove", "--directory", "below"]) == 0
    assert list(Path("below").iterdir()) == []
    assert processes_of(directory) == []


@needs_postgresql
def test_ports_beyond_the_last_are_bad_input_and_nothing_is_made(directory: Path) -> None:
    line = f"instances up postgresql --directory {directory} --force --port-from 65000 --count 600"
    assert run_arguments(line.split()) == 2
    assert list(directory.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as somebody else")
@needs_postgresql
def test_a_refused_folder_can_be_used_once_it_is_open(directory: Path) -> None:
    closed = directory / "closed"
    closed.mkdir(mode=0o700)
    assert run_arguments(up(closed / "below").split()) == 2
    closed.chmod(0o755)
    assert run_arguments(up(closed / "below").split()) == 0
    assert run_arguments(["instances", "down", "--remove", "--directory", str(closed / "below")]) == 0


@needs_postgresql
def test_a_record_never_makes_igen_remove_a_folder_elsewhere(directory: Path) -> None:
    """Only its own folder, whatever a record says: anybody may have put the record there."""
    precious = directory / "precious"
    precious.mkdir()
    assert run_arguments(up(directory).split()) == 0
    assert run_arguments(["instances", "down"]) == 0
    path = directory / "postgresql-1" / "instance.json"
    record = json.loads(path.read_text())
    whole = directory.with_name(f"{directory.name}-whole")
    subprocess.run(["cp", "--archive", path.parent, whole], check=True)
    for field in ("folder", "run_folder", "data"):
        shutil.rmtree(path.parent, ignore_errors=True)
        subprocess.run(["cp", "--archive", whole, path.parent], check=True)
        path.write_text(json.dumps(record | {field: str(precious)}))
        run_arguments(["instances", "down", "--remove"])  # may refuse the record
        assert precious.exists(), field
    shutil.rmtree(path.parent, ignore_errors=True)
    shutil.rmtree(whole)


@needs_postgresql
def test_an_instance_whose_making_was_killed_is_made_anew(
    directory: Path, launch: Callable[[str], subprocess.Popen[str]]
) -> None:
    line = up(directory)
    process = launch(line)
    wait_for(lambda: any(directory.glob("postgresql-1/*/base")))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    wait_for(lambda: processes_of(directory) == [])
    assert run_arguments(line.split()) == 0


@pytest.mark.parametrize(
    "whole_group", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["ctrl-c", "kill"]
)
@needs_postgresql
def test_an_interrupted_start_leaves_nothing(
    whole_group: bool, directory: Path, launch: Callable[[str], subprocess.Popen[str]]
) -> None:
    process = launch(up(directory, 12))
    wait_for(lambda: any(directory.glob("postgresql-*/data.part/base")))
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "postgresql-12: making" not in err
    assert list(directory.iterdir()) == []
    assert processes_of(directory) == []


@needs_postgresql
def test_servers_outlive_the_terminal_that_started_them(
    directory: Path, launch: Callable[[str], subprocess.Popen[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    process = launch(up(directory))
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert run_arguments(["instances", "list", "--json"]) == 0
    (status,) = json.loads(capsys.readouterr().out)
    assert status["state"] == "running"
    assert os.getsid(status["pid"]) == status["pid"] != process.pid


@needs_postgresql
def test_the_user_who_needs_no_password_is_no_administrator(directory: Path) -> None:
    """An administrator may run programs as the server's account: nobody else on the machine may be one."""
    assert run_arguments(up(directory).split()) == 0
    (instance,) = control.selected(directory, None)
    psql = [product_of(instance.kind).administer(instance, None)[0], "-XAt", "-c"]
    url = control.target(instance)
    for target, sql in (
        (url, "COPY (SELECT 1) TO PROGRAM 'true'"),
        (url.replace("igen@", "postgres@"), "SELECT 1"),
        (control.socket_target(instance).replace("igen@", "nobody@"), "SELECT 1"),
    ):
        assert subprocess.run([*psql, sql, target], capture_output=True, check=False).returncode != 0
    for target in (url, control.socket_target(instance)):
        sql = "CREATE TABLE mine (id INT); SET commit_delay = 10; CHECKPOINT; DROP TABLE mine"
        subprocess.run([*psql, sql, target], capture_output=True, check=True)


@needs_mariadb
def test_temporary_tables_of_other_servers_are_left_alone(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = directory / "tmp"
    shared.mkdir()
    shared.chmod(0o777)
    table = shared / "#sql-temptable-1-2-3.MAI"
    table.touch()
    monkeypatch.setenv("TMPDIR", str(shared))
    wish = control.Wish(port_from=own_ports(), cache_bytes=32 << 20, durable=False)
    control.up("mariadb", 1, directory, wish=wish)
    assert table.exists()


@needs_postgresql
def test_a_path_too_long_for_a_socket_gets_a_short_one(directory: Path) -> None:
    long = directory / ("x" * 100)
    assert run_arguments(up(long).split()) == 0
    (instance,) = control.selected(long, None)
    assert not instance.run_folder.is_relative_to(directory)
    assert control.administer(instance, "SELECT 1;") == "1"
    assert run_arguments(["instances", "down", "--remove", "--directory", str(long)]) == 0
    assert not instance.run_folder.exists()


def test_a_program_that_is_missing_is_told_with_its_package() -> None:
    with pytest.raises(InputError) as raised:
        program("no-such-program", [Path("/usr/sbin")], PRODUCTS["mariadb"].package)
    assert "apt-get install mariadb-server" in raised.value.hint
