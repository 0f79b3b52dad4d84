"""The files that start load machines: each can be read, and says what the package says."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from igen.cluster.home import CLIENT_PORT, HEALTH, OBJECT_STORE_BYTES, PORT

DEPLOY = Path(__file__).parents[2] / "deploy"
(RAY_VERSION,) = re.findall(
    r"^ray==(\S+)", (DEPLOY.parent / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE
)


def read(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


def agents_of(name: str) -> int:
    """How many agents a file's head says to use."""
    (number,) = re.findall(r"^#.* --agents (\d+) --fleet auto", (DEPLOY / name).read_text(), re.MULTILINE)
    return int(number)


def variables(command: str) -> dict[str, str]:
    return dict(re.findall(r"(?<!\S)(RAY_\w+)=(\S+)", command))


@pytest.mark.parametrize("name", ["ray-ssh.yaml", "ray-aws.yaml"])
def test_machines_that_ray_starts_itself(name: str) -> None:
    found = read(name)
    head, worker = (found[f"{kind}_start_ray_commands"][-1] for kind in ("head", "worker"))
    common = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": "~/.igen-cluster-token",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    assert variables(head) == common | HEALTH
    assert variables(worker) == common
    assert found["file_mounts"] == {common["RAY_AUTH_TOKEN_PATH"]: common["RAY_AUTH_TOKEN_PATH"]}
    assert f"--head --port={PORT} --ray-client-server-port={CLIENT_PORT} --include-dashboard=false" in head
    assert f"--address=$RAY_HEAD_IP:{PORT} " in worker
    assert all(f"--object-store-memory={OBJECT_STORE_BYTES}" in each for each in (head, worker))
    assert f"'ray[client]=={RAY_VERSION}'" in " ".join(found["setup_commands"])
    assert "chmod 600 ~/.igen-cluster-token" in found["setup_commands"]


@pytest.mark.parametrize("name", ["ray-ssh.yaml", "ray-aws.yaml"])
def test_nobody_else_can_read_the_token_while_it_is_made(name: str, tmp_path: Path) -> None:
    (making,) = re.findall(r"^# First `([^`]+)`", (DEPLOY / name).read_text(encoding="utf-8"), re.MULTILINE)
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "openssl").write_text('#!/bin/sh\nstat -Lc %a "/proc/$$/fd/1" >"$HOME/mode"\necho token\n')
    (bin / "openssl").chmod(0o755)
    environment = {"PATH": f"{bin}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    subprocess.run(making, shell=True, env=environment, check=True)
    assert (tmp_path / "mode").read_text() == "600\n"
    assert (tmp_path / ".igen-cluster-token").read_text() == "token\n"


def test_as_many_machines_are_asked_for_as_are_named() -> None:
    found = read("ray-ssh.yaml")
    assert found["min_workers"] == found["max_workers"] == len(found["provider"]["worker_ips"])
    lent = read("ray-aws.yaml")
    load = lent["available_node_types"]["load"]
    assert load["min_workers"] == load["max_workers"] == lent["max_workers"]
    assert lent["available_node_types"][lent["head_node_type"]]["resources"] == {"CPU": 0}, "no agent there"
    assert agents_of("ray-ssh.yaml") == 1 + len(found["provider"]["worker_ips"]), "the head is one of them"
    assert agents_of("ray-aws.yaml") == load["max_workers"]


def test_pods() -> None:
    found = read("kuberay.yaml")
    spec = found["spec"]
    assert (found["kind"], spec["rayVersion"], spec["authOptions"]) == (
        "RayCluster",
        RAY_VERSION,
        {"mode": "token"},
    )
    head, (group,) = spec["headGroupSpec"], spec["workerGroupSpecs"]
    (of_head,), (of_group,) = (each["template"]["spec"]["containers"] for each in (head, group))
    assert {port["name"]: port["containerPort"] for port in of_head["ports"]} == {
        "gcs-server": PORT,
        "client": CLIENT_PORT,
    }
    no_usage = {"RAY_USAGE_STATS_ENABLED": "0"}
    assert {each["name"]: each["value"] for each in of_head["env"]} == no_usage | HEALTH
    assert {each["name"]: each["value"] for each in of_group["env"]} == no_usage
    for container, params in ((of_head, head["rayStartParams"]), (of_group, group["rayStartParams"])):
        assert container["image"].startswith(f"rayproject/ray:{RAY_VERSION}-")
        assert params["object-store-memory"] == str(OBJECT_STORE_BYTES)
        assert container["resources"]["requests"] == container["resources"]["limits"]
    assert head["rayStartParams"]["num-cpus"] == "0", "no agent there"
    assert agents_of("kuberay.yaml") == group["replicas"]
    assert head["template"]["spec"]["nodeSelector"] == group["template"]["spec"]["nodeSelector"]
    labels = group["template"]["metadata"]["labels"]
    (apart,) = group["template"]["spec"]["affinity"]["podAntiAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    assert apart["labelSelector"]["matchLabels"] == labels


def test_a_job_of_slurm(tmp_path: Path) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    for name, text in {
        "scontrol": "printf 'localhost\\n127.0.0.3\\n'",
        "srun": f'printf "%s\\n" "$@" >{tmp_path}/arguments; env >{tmp_path}/variables\n'
        f'openssl x509 -in "$RAY_TLS_SERVER_CERT" -noout -ext subjectAltName >{tmp_path}/names\n'
        f'stat -c %a "$RAY_AUTH_TOKEN_PATH" "$RAY_TLS_SERVER_KEY" >{tmp_path}/modes',
    }.items():
        (bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (bin / name).chmod(0o755)
    environment = {
        "PATH": f"{bin}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "SLURM_JOB_NODELIST": "load-[a-b]",
        "SLURM_JOB_NUM_NODES": "2",
    }
    command = [DEPLOY / "slurm.sh", "http", "--users", "40"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    arguments = (tmp_path / "arguments").read_text().splitlines()
    split = arguments.index("--")
    assert arguments[:6] == ["ray", "symmetric-run", "--address", f"localhost:{PORT}", "--min-nodes", "2"]
    assert f"--object-store-memory={OBJECT_STORE_BYTES}" in arguments[6:split]
    assert "--include-dashboard=false" in arguments[6:split]
    assert " ".join(arguments[split + 1 :]) == "igen run http --users 40 --agents 2 --fleet auto"
    found = dict(line.partition("=")[::2] for line in (tmp_path / "variables").read_text().splitlines())
    expected = {"RAY_AUTH_MODE": "token", "RAY_USE_TLS": "1", "RAY_USAGE_STATS_ENABLED": "0"} | HEALTH
    assert expected.items() <= found.items()
    assert (tmp_path / "modes").read_text().split() == ["600", "600"]
    assert "IP Address:127.0.0.3" in (tmp_path / "names").read_text()
    assert not list(tmp_path.glob(".igen-cluster-*")), "nothing of it is left"
