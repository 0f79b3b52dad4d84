"""Records a short run of each workload anew: `python -m tests.golden.record [NAME ...]`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from igen.instances import control
from igen.store.store import Store
from tests.golden.recorded_run import HOST, pack
from tests.own_ports import own_ports
from tests.web import Web

FILE = "file:///srv/golden"


@dataclass(frozen=True, kw_only=True)
class Golden:
    """A workload with what it is asked for."""

    workload: str
    target: str = ""
    server: str = ""
    """Kind of the instance that is its target, or nginx."""
    params: dict[str, Any] = field(default_factory=dict)
    load: dict[str, Any] = field(default_factory=lambda: {"closed": {"users": 2}})
    personas: dict[str, Any] = field(default_factory=dict)
    """In the place of parameters and load."""
    monitors: tuple[str, ...] = ("cpu", "process")
    interval_s: float = 0.15
    study: dict[str, Any] = field(default_factory=dict)


SMALL_TREE = {"entries": 200}
DIRECTORY = {"server": "openldap", "params": SMALL_TREE, "study": {"reference": "directory"}}
RUNS = {
    "noop": Golden(workload="noop"),
    "model": Golden(
        workload="model",
        params={"servers": 1, "service_time": "2ms"},
        load={"open": {"rate_per_s": 200, "arrivals": "poisson", "users": 20}},
    ),
    "personas": Golden(
        workload="model",
        personas={
            "clerks": {
                "params": {"servers": 2, "service_time": "2ms"},
                "load": {"closed": {"users": 2, "think_time_s": "10ms"}},
            },
            "orders": {
                "params": {"servers": 4, "service_time": "2ms"},
                "load": {"open": {"rate_per_s": 200, "arrivals": "poisson", "users": 20}},
            },
        },
    ),
    "command": Golden(workload="command", params={"run": "true", "shell": False}, monitors=("process",)),
    "cpu": Golden(workload="cpu"),
    "ram": Golden(workload="ram", params={"bytes_per_user": "1MiB"}),
    "mem": Golden(
        workload="mem", params={"size_bytes": "64KiB", "width": "scalar"}, study={"reference": "memory"}
    ),
    "io": Golden(
        workload="io",
        target=f"{FILE}/volume",
        params={"size_bytes": "1MiB", "read": 50, "verify": True},
        monitors=("cpu", "process", "device"),
        study={"reference": "storage"},
    ),
    "oltp-sqlite": Golden(workload="oltp", target="sqlite:///shop.db", params={"customers": 200}),
    "oltp-postgresql": Golden(
        workload="oltp", server="postgresql", params={"customers": 200}, monitors=("process", "postgresql")
    ),
    "bank-mariadb": Golden(
        workload="bank", server="mariadb", params={"branches": 1}, monitors=("process", "mysql")
    ),
    "http": Golden(workload="http", server="nginx", params={"paths": "/,/api/a"}, monitors=("process",)),
    "web": Golden(workload="web", server="shop", monitors=("process",)),
    "tiers": Golden(
        workload="web",
        server="shop",
        load={"closed": {"users": 4, "think_time_s": "20ms"}},
        monitors=("cpu", "process", "tier"),
        study={"reference": "web"},
    ),
    "scan": Golden(workload="scan", target="sqlite:///scan.db", params={"size_bytes": "256KiB"}),
    **{
        f"ldap-{kind}": Golden(workload=f"ldap-{kind}", **DIRECTORY)
        for kind in ("search", "siteminder", "bind", "modify", "mixed")
    },
}
"""By name of the file."""


@contextmanager
def _target(golden: Golden, folder: Path) -> Iterator[list[str]]:
    if not golden.server:
        yield [golden.target.replace(FILE, f"file://{folder}")] if golden.target else []
        return
    port = own_ports()
    if golden.server == "nginx":
        web = Web(folder / "nginx", port)
        web.folder.mkdir()
        web.start()
        try:
            yield [web.target]
        finally:
            web.stop()
        return
    instances = control.up(golden.server, 1, folder, wish=control.Wish(port_from=port, durable=False))
    try:
        yield [control.target(instances[0])]
    finally:
        for instance in instances:
            control.remove(instance)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(each)}' for key, each in value.items())} }}"
    return json.dumps(value)


def record(name: str, golden: Golden, folder: Path) -> Path:
    """Runs it through the command line in `folder` and packs what was recorded."""
    with _target(golden, folder) as targets:
        job = {
            "workload": golden.workload,
            "targets": targets,
            **(
                {"personas": golden.personas}
                if golden.personas
                else {"params": golden.params, "load": golden.load}
            ),
            "monitors": list(golden.monitors),
            "seed": 1,
            "phases": {
                "warmup_s": golden.interval_s,
                "measure_s": 4 * golden.interval_s,
                "interval_s": golden.interval_s,
            },
        }
        study = folder / "study.toml"
        plan = {
            "name": name,
            "system": HOST,
            "plan": {"mode": "sweep", "repeats": 1},
            **golden.study,
            "job": job,
        }
        study.write_text("".join(f"{key} = {_toml(value)}\n" for key, value in plan.items()))
        command = [sys.executable, "-m", "igen.cli", "study", "run", study.name, "--quiet", "--store", "runs"]
        # Where its instances are, so that their tiers are known.
        environment = {**os.environ, "IGEN_INSTANCES": str(folder)}
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        replaced = {f'"{socket.gethostname()}"': f'"{HOST}"', str(folder): FILE.removeprefix("file://")}
        return pack(Store(folder / "runs").find("last"), name, replaced)


def main() -> None:
    """Records all, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*RUNS, []], metavar="NAME", help=", ".join(RUNS))
    for name in parser.parse_args().names or RUNS:
        # The accounts of servers may not enter a folder of mine.
        folder = Path(mkdtemp(prefix="igen-golden-", dir="/var/tmp"))
        folder.chmod(0o755)
        try:
            packed = record(name, RUNS[name], folder)
        finally:
            shutil.rmtree(folder)
        print(f"{packed.name}: {os.stat(packed).st_size:,} bytes")


if __name__ == "__main__":
    main()
