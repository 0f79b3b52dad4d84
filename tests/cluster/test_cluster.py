"""`igen fleet`, with a program that stands in for Ray."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from igen.cli import run_arguments
from igen.cluster import credentials, head, home
from igen.errors import IgenError
from igen.fleet import ray as fleet_ray
from tests.own_ports import own_ports

NODE = "127.0.0.3"
"""A machine that is to join."""
OWN = credentials.own_address([NODE])


def up(*arguments: str) -> tuple[int, int]:
    """Exit code and port."""
    port = own_ports(2)
    ports = ["--port", str(port), "--client-port", str(port + 1)]
    return run_arguments(["fleet", "up", *ports, *arguments]), port


def told(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text().splitlines()


def variables(folder: Path) -> dict[str, str]:
    return dict(line.partition("=")[::2] for line in told(folder, "variables"))


def test_a_cluster_has_token_and_tls_in_files_of_its_owner(
    ray: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, port = up("--node", NODE)
    assert code == 0
    assert f"The head of your cluster is running on {OWN}:{port}." in capsys.readouterr().out
    found = variables(ray)
    assert (found["RAY_AUTH_MODE"], found["RAY_USE_TLS"], found["RAY_USAGE_STATS_ENABLED"]) == (
        "token",
        "1",
        "0",
    )
    secrets = home.folder() / home.CARRIED
    modes = {path.name: path.stat().st_mode & 0o777 for path in secrets.iterdir()}
    assert modes.pop("certificate.pem") & 0o022 == 0
    assert modes == {"token": 0o600, "key.pem": 0o600, "join": 0o700, "leave": 0o700}
    assert {secrets.stat().st_mode & 0o777, home.folder().stat().st_mode & 0o777} == {0o700}
    token = Path(found["RAY_AUTH_TOKEN_PATH"]).read_text()
    assert len(token) >= 40
    arguments = told(ray, "arguments")
    assert "--include-dashboard=false" in arguments
    assert token not in " ".join(arguments) + "".join(found.values()), "neither argv nor environment has it"
    assert token not in (secrets / "join").read_text()


def temporaries(folder: Path) -> list[Path]:
    """The folders that hold Ray's own, by what it was asked for."""
    options = (each.partition("=") for each in told(folder, "arguments"))
    return [Path(value).parent for name, _, value in options if name == "--temp-dir"]


def longest_socket(temporary: Path) -> str:
    """The path that Ray 2.60 makes of a session that begins by the largest process id there is."""
    session = f"session_2026-11-23_11-30-54_823485_{2**22}"
    return str(temporary / home.TEMPORARY_OF_RAY / session / "sockets" / "plasma_store.1")


def test_nobody_else_reaches_the_sockets_of_ray(ray: Path) -> None:
    up()
    (temporary,) = temporaries(ray)
    assert temporary.stat().st_mode & 0o777 == 0o700
    assert temporary.stat().st_uid == os.getuid()
    assert len(longest_socket(temporary)) <= 107
    assert (ray / "arguments").stat().st_mode & 0o077 == 0, "nor what it writes elsewhere"


def test_the_certificate_is_for_the_machines_that_were_named(ray: Path) -> None:
    up("--node", NODE)
    found = variables(ray)
    files = (found["RAY_TLS_SERVER_CERT"], found["RAY_TLS_SERVER_KEY"])
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for context in (server, client):
        context.load_cert_chain(*files)
        context.load_verify_locations(found["RAY_TLS_CA_CERT"])
        context.verify_mode = ssl.CERT_REQUIRED

    def speak(name: str) -> bytes:
        near, far = socket.socketpair()
        with near, far:
            far.settimeout(30.0)
            near.settimeout(30.0)
            answer: list[bytes] = []

            def serve() -> None:
                try:
                    with server.wrap_socket(far, server_side=True) as there:
                        there.sendall(b"hello")
                except (ssl.SSLError, OSError):
                    answer.append(b"refused")

            thread = threading.Thread(target=serve)
            thread.start()
            try:
                with client.wrap_socket(near, server_hostname=name) as here:
                    return here.recv(5)
            finally:
                near.close()
                thread.join(30.0)

    assert [speak(name) for name in ("127.0.0.1", OWN, NODE, "localhost")] == [b"hello"] * 4
    with pytest.raises(ssl.SSLCertVerificationError):
        speak("127.0.0.4")


def test_without_protection_it_says_so_to_ray_and_to_the_user(
    ray: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = up("--insecure", "--json")
    assert code == 0
    assert json.loads(capsys.readouterr().out)["protected"] is False
    assert variables(ray)["RAY_AUTH_MODE"] == "disabled", "whatever token lies in the home folder"


def test_the_printed_line_lets_a_machine_join_and_leave(
    ray: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, port = up("--node", NODE, "--json")
    (line,) = json.loads(capsys.readouterr().out)["join"]
    there = tmp_path / "there"
    there.mkdir()
    bin = tmp_path / "bin"
    bin.mkdir()
    ssh = bin / "ssh"
    ssh.write_text(f'#!/bin/sh\n[ "$1" = {NODE} ] && cd {there} && exec sh -c "$2"\n')
    ssh.chmod(0o755)
    environment = {"PATH": f"{bin}:{ray}:{os.environ['PATH']}", "HOME": str(there)}
    (ray / "arguments").unlink()
    done = subprocess.run(line, shell=True, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert told(ray, "arguments")[:3] == ["start", f"--address={OWN}:{port}", f"--node-ip-address={NODE}"]
    found = variables(ray)
    assert found["RAY_AUTH_MODE"] == "token"
    assert (
        Path(found["RAY_AUTH_TOKEN_PATH"]).read_text() == (home.folder() / home.CARRIED / "token").read_text()
    )
    assert Path(found["RAY_TLS_SERVER_KEY"]).stat().st_mode & 0o777 == 0o600
    assert found["RAY_TLS_SERVER_KEY"].startswith(str(there))
    (temporary,) = temporaries(ray)
    assert temporary.stat().st_mode & 0o777 == 0o700
    assert len(longest_socket(temporary)) <= 107
    assert (ray / "arguments").stat().st_mode & 0o077 == 0
    joined = subprocess.Popen(["sleep", "600"], env={home.MARK: str(there / home.CARRIED)})
    other = subprocess.Popen(["sleep", "600"], env={home.MARK: str(there / "other")})
    try:
        leave = f"ssh {NODE} {home.CARRIED}/leave"
        left = subprocess.run(leave, shell=True, env=environment, capture_output=True, check=False)
        assert (left.returncode, left.stdout, left.stderr) == (0, b"", b"")
        assert not temporary.exists()
        assert joined.wait(30.0) < 0
        assert other.poll() is None
    finally:
        for process in (joined, other):
            process.kill()
            process.wait()


def test_down_ends_all_of_it_and_nothing_else(ray: Path, capsys: pytest.CaptureFixture[str]) -> None:
    up("--node", NODE)
    assert home.is_up()
    (temporary,) = temporaries(ray)
    assert temporary.is_dir()
    capsys.readouterr()
    assert run_arguments(["fleet", "down"]) == 0
    assert f"ssh {NODE} igen-cluster/leave" in capsys.readouterr().out
    assert not home.is_up()
    assert not temporary.exists()
    assert run_arguments(["fleet", "status"]) == 0
    assert run_arguments(["fleet", "down"]) == 0
    assert capsys.readouterr().out == "Your cluster is not running on this machine.\n" * 2


def test_machines_keep_the_names_by_which_they_are_reached(
    ray: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    up("--node", "localhost", "--json")
    begun = json.loads(capsys.readouterr().out)
    assert begun["nodes"] == {"localhost": "127.0.0.1"}
    (line,) = begun["join"]
    assert line.endswith("| ssh localhost 'tar -xof - && igen-cluster/join 127.0.0.1'")
    assert run_arguments(["fleet", "down", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["leave"] == ["ssh localhost igen-cluster/leave"]


def test_a_second_one_is_refused(ray: Path, capsys: pytest.CaptureFixture[str]) -> None:
    up()
    assert up()[0] == 2
    assert "a cluster of yours is up already" in capsys.readouterr().err


def test_a_port_in_use_is_refused(ray: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", own_ports())) as server:
        port = server.getsockname()[1]
        assert run_arguments(["fleet", "up", "--port", str(port)]) == 2
    assert f"--port: port {port}: Address already in use" in capsys.readouterr().err


def test_a_head_that_does_not_start_says_why(ray: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ray / "fails").touch()
    assert up()[0] == 1
    assert not any(each.exists() for each in temporaries(ray))
    assert "Ray's head did not start: there is no room" in capsys.readouterr().err
    assert home.read() is None


def test_an_unknown_machine_is_refused(ray: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert up("--node", "no such host")[0] == 2
    assert "--node: `no such host` is not known" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "said", "taken"),
    [
        ("auto", {}, True),
        ("ray://{own}:{client}", {}, False),
        ("ray://192.0.2.1:{client}", {}, False),
        ("auto", {"RAY_ADDRESS": "192.0.2.1:6379"}, False),
        ("auto", {"RAY_AUTH_MODE": "disabled"}, False),
        ("auto", {"RAY_USE_TLS": "1"}, False),
    ],
)
def test_the_secrets_are_for_this_cluster_alone(
    ray: Path, monkeypatch: pytest.MonkeyPatch, address: str, said: dict[str, str], taken: bool
) -> None:
    _, port = up()
    environment = dict(said)
    monkeypatch.setattr(home.os, "environ", environment | {"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]})
    home.take_settings(address.format(own=OWN, client=port + 1))
    assert ("RAY_AUTH_TOKEN_PATH" in home.os.environ) == taken
    assert home.MARK not in home.os.environ


def lost_power() -> Path:
    """Ends all processes of the cluster, whose record stays; the folder of Ray that stays too."""
    cluster = home.read()
    assert cluster is not None
    head._end(home.folder() / home.CARRIED)
    return Path(cluster.temporary)


def test_a_record_without_a_process_is_no_cluster(ray: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    up()
    left = lost_power()
    with monkeypatch.context() as patched:
        patched.setattr(home.os, "environ", {"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]})
        home.take_settings("auto")
        assert home.os.environ.keys() == {"XDG_STATE_HOME"}
    assert left.exists()


def test_what_is_left_of_an_earlier_cluster_is_removed(ray: Path) -> None:
    up()
    left = lost_power()
    assert up()[0] == 0
    assert not left.exists()
    assert home.is_up()


def test_status_speaks_of_the_cluster_that_is_up(ray: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, port = up()
    cluster = home.read()
    assert cluster is not None
    other = {"RAY_ADDRESS": "192.0.2.1:6379", "RAY_AUTH_MODE": "disabled", "RAY_USE_TLS": "0"}
    monkeypatch.setattr(home.os, "environ", {**os.environ, **other})
    asked: list[dict[str, str]] = []

    class Ray:
        def nodes(self) -> list[dict[str, Any]]:
            asked.append(dict(home.os.environ))
            return [{"NodeManagerAddress": OWN, "Alive": True}]

        def shutdown(self) -> None:
            """Nothing was begun."""

    monkeypatch.setattr(fleet_ray, "_ray", Ray)
    monkeypatch.setattr(fleet_ray, "_connect", lambda ray, address: None)
    assert run_arguments(["fleet", "status"]) == 0
    (variables,) = asked
    assert variables["RAY_ADDRESS"] == f"{OWN}:{port}"
    assert (variables["RAY_AUTH_MODE"], variables["RAY_USE_TLS"]) == ("token", "1")
    assert Path(variables["RAY_AUTH_TOKEN_PATH"]).parent == home.folder() / home.CARRIED


def test_a_damaged_record_is_told(ray: Path) -> None:
    home.folder().mkdir(parents=True)
    (home.folder() / home.RECORD).write_text("{}")
    with pytest.raises(IgenError, match="the record cannot be read"):
        home.read()
    (home.folder() / home.RECORD).unlink()
