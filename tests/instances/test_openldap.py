"""Private directories: how they are configured, who may do what, loads that are whole or leave nothing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from test_hazards import PATIENCE_S, launch, processes_of, wait_for

from igen.cli import run_arguments
from igen.errors import IgenError, InputError
from igen.instances import control, slapd
from igen.instances.instance import Instance
from igen.instances.products import PRODUCTS
from tests.needed import needs
from tests.own_ports import own_ports

__all__ = ["launch"]

pytestmark = needs("openldap")
ADMINISTRATOR = "cn=admin,dc=example,dc=com"
PERSON = "dn: dc=example,dc=com\nchangetype: add\nobjectClass: domain\ndc: example\n"


def up(directory: Path, **settings: str) -> Instance:
    wish = control.Wish(port_from=own_ports(), durable=False, settings=settings)
    (instance,) = control.up("openldap", 1, directory, wish=wish)
    return instance


def up_line(directory: Path, entries: int, count: int = 1) -> str:
    ports = f"--count {count} --port-from {own_ports(count)}"
    return (
        f"instances up openldap --directory {directory} {ports} --load ldap-bind --load-set entries={entries}"
    )


def found(
    instance: Instance, search: str, base: str = "dc=example,dc=com", *, as_nobody: bool = False
) -> str:
    """What a search finds."""
    who = [] if as_nobody else ["-D", ADMINISTRATOR, "-w", (instance.folder / "password").read_text().strip()]
    url = f"ldap://127.0.0.1:{instance.port}"
    command = ["ldapsearch", "-x", "-LLL", "-H", url, *who, "-b", base, *search.split()]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def test_the_administrator_reads_and_changes_what_others_may_not_even_see(directory: Path) -> None:
    instance = up(directory)
    tree = "(olcSuffix=dc=example,dc=com) olcDbNoSync"
    assert "olcDbNoSync: TRUE" in found(instance, tree, "cn=config")
    assert found(instance, tree, "cn=config", as_nobody=True) == ""
    assert "cn=Search,cn=Operations" in found(instance, "(cn=Search)", "cn=Monitor", as_nobody=True)
    logged = "dn: cn=config\nchangetype: modify\nreplace: olcLogLevel\nolcLogLevel: stats\n"
    control.administer(instance, logged)
    assert "olcLogLevel: stats" in found(instance, "(cn=config) olcLogLevel", "cn=config")


def test_the_password_is_in_one_file_that_is_ours(directory: Path) -> None:
    instance = up(directory)
    path = instance.folder / "password"
    password = path.read_text().strip()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert f"password_file={path}" in control.target(instance)
    others = [each for each in instance.folder.rglob("*") if each.is_file() and each != path]
    assert others
    assert not any(password.encode() in each.read_bytes() for each in others)
    commands = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in processes_of(directory)]
    assert commands
    assert not any(password.encode() in command for command in commands)
    control.stop(instance)
    control.start(instance)
    assert path.read_text().strip() == password
    assert "rootpw {SSHA}" in (instance.folder / "slapd.conf").read_text()


@pytest.mark.parametrize(
    ("name", "value", "asked", "answer"),
    [
        ("threads", "4", "(cn=config) olcThreads", "olcThreads: 4"),
        ("loglevel", "stats", "(cn=config) olcLogLevel", "olcLogLevel: Stats"),
        ("index", "uid,mail eq", "(olcSuffix=*) olcDbIndex", "olcDbIndex: mail eq"),
        ("limits", "users size=7", "(olcSuffix=*) olcLimits", "olcLimits: {0}users size=7"),
    ],
)
def test_a_setting_goes_where_slapd_wants_it(
    name: str, value: str, asked: str, answer: str, directory: Path
) -> None:
    assert answer in found(up(directory, **{name: value}), asked, "cn=config")


def test_a_cache_that_it_does_not_have_is_bad_input(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(f"instances up openldap --directory {directory} --memory 1GiB".split()) == 2
    assert "--memory: openldap has no cache" in capsys.readouterr().err
    assert list(directory.iterdir()) == []


def test_as_many_connections_as_were_wished_for(directory: Path) -> None:
    wish = control.Wish(port_from=own_ports(), max_connections=300)
    (instance,) = control.up("openldap", 1, directory, wish=wish)
    (limit,) = [
        line.split()[3]
        for line in Path(f"/proc/{instance.pid}/limits").read_text().splitlines()
        if line.startswith("Max open files")
    ]
    assert 300 <= int(limit) < 400


def test_new_ones_are_loaded_before_they_start(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = up_line(directory, entries=300, count=2)
    assert run_arguments(line.split()) == 0
    said = capsys.readouterr().err
    assert said.count("303 entries loaded") == 2
    assert "of disk with the loaded data" in said
    first, second = control.selected(directory, "openldap")
    for instance, holds, lacks in [(first, "user.299", "user.300"), (second, "user.300", "user.299")]:
        assert f"uid: {holds}\n" in found(instance, f"(uid={holds})")
        assert found(instance, f"(uid={lacks})") == ""
        assert not control.awaits_load(instance)
    # The same again: nothing is loaded a second time.
    assert run_arguments(line.split()) == 0
    assert "entries loaded" not in capsys.readouterr().err


def test_an_interrupted_load_leaves_nothing(
    directory: Path, launch: Callable[[str], subprocess.Popen[str]]
) -> None:
    process = launch(up_line(directory, entries=1_000_000))
    wait_for(lambda: any(directory.glob("openldap-1/data.part/data.mdb")))
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert list(directory.iterdir()) == []
    assert processes_of(directory) == []


def test_an_empty_one_is_loaded_in_bulk_by_prepare_and_another_one_is_not(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance = up(directory)
    assert control.awaits_load(instance)
    # Whoever asks: it is ours to load.
    target = f"ldap://localhost:{instance.port}/dc=example,dc=com"
    line = f"data prepare ldap-search --target {target} --set entries=300"
    assert run_arguments(line.split()) == 0
    assert "openldap-1: 303 entries loaded" in capsys.readouterr().err
    assert "uid: user.299\n" in found(instance, "(uid=user.299)")
    # What somebody else has put there stays.
    control.remove(instance)
    instance = up(directory)
    control.administer(instance, PERSON)
    assert not control.awaits_load(instance)
    line = f"data prepare ldap-search --target {control.target(instance)} --set entries=300"
    assert run_arguments(line.split()) == 0
    assert "303 entries loaded" not in capsys.readouterr().err
    assert "objectClass: domain\n" in found(instance, "(dc=example)")


def test_a_bulk_load_that_fails_leaves_it_as_it_was(directory: Path) -> None:
    instance = up(directory)

    def nonsense(_instance: Instance) -> list[bytes]:
        return [b"dn: dc=elsewhere\nobjectClass: domain\ndc: elsewhere\n\n"]

    with pytest.raises(IgenError, match="slapadd failed"):
        control.bulk_load(instance, nonsense)
    assert control.awaits_load(instance)
    assert sorted(path.name for path in instance.folder.iterdir()) == sorted(
        ["data", "instance.json", "log", "password", "pid", "ready.json", "run", "slapd.conf"]
    )


def test_where_it_is_not_installed_its_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slapd, "_FOLDERS", ())
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(InputError) as raised:
        PRODUCTS["openldap"].version()
    assert "apt-get install slapd" in raised.value.hint
