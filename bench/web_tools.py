"""oha, k6 and Locust: load generators for the web, as their registries have them."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import peers
from bench.process import Execution, execute

OHA, K6, LOCUST = "1.16.0", "1.8.1", "2.47.0"
"""Versions, from crates.io, the Go module proxy and PyPI."""

_K6 = """\
import http from 'k6/http';
import { sleep } from 'k6';
export const options = { discardResponseBodies: true };
const think_s = Number(__ENV.THINK_S);
export default function () {
  const answer = http.get(__ENV.TARGET);
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  if (think_s > 0) sleep(think_s);
}
"""
_LOCUST = """\
import os
from locust import FastHttpUser, constant, task
class Visitor(FastHttpUser):
    wait_time = constant(float(os.environ["THINK_S"]))
    @task
    def page(self):
        self.client.get("/")
"""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A load generator, executed."""

    execution: Execution
    requests: int


@dataclass(frozen=True, slots=True)
class Load:
    """What it is to do."""

    target: str
    users: int
    run_s: int
    think_s: float = 0.0


def oha(load: Load) -> ToolRun:
    """Raises RuntimeError when it failed, or requests did."""
    program = _built("oha", ["cargo", "install", "--quiet", "--locked", f"oha@{OHA}", "--root"], "bin/oha")
    command = [str(program), "--no-tui", "--output-format=json", f"-z{load.run_s}s", f"-c{load.users}"]
    if load.think_s:
        command += [f"-q{load.users / load.think_s:.0f}"]
    execution = execute([*command, load.target])
    told = json.loads(execution.output)
    statuses = told["statusCodeDistribution"]
    _check("oha", list(statuses) == ["200"], execution)
    return ToolRun(execution, sum(statuses.values()))


def k6(load: Load) -> ToolRun:
    """Raises RuntimeError when it failed, or requests did."""
    program = _built("k6", ["go", "install", f"go.k6.io/k6@v{K6}"], "k6")
    with tempfile.TemporaryDirectory() as folder:
        script, summary = Path(folder) / "load.js", Path(folder) / "summary.json"
        script.write_text(_K6)
        command = [str(program), "run", "--quiet", f"--summary-export={summary}", "--no-usage-report"]
        command += [f"--vus={load.users}", f"--duration={load.run_s}s", f"--env=TARGET={load.target}"]
        execution = execute([*command, f"--env=THINK_S={load.think_s}", "--address=", str(script)])
        metrics = json.loads(summary.read_text())["metrics"]
    _check("k6", metrics["http_req_failed"]["value"] == 0, execution)
    return ToolRun(execution, metrics["http_reqs"]["count"])


def locust(load: Load) -> ToolRun:
    """Raises RuntimeError when it failed, or requests did."""
    program = _built("locust", [sys.executable, "-m", "venv"], "bin/locust", _install_locust)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "load.py"
        script.write_text(_LOCUST)
        command = ["env", f"THINK_S={load.think_s}", str(program), "--headless", "--json", "--skip-log"]
        command += [f"--users={load.users}", f"--spawn-rate={load.users}", f"--run-time={load.run_s}s"]
        execution = execute([*command, f"--host={load.target}", f"--locustfile={script}"])
    (told,) = json.loads(execution.output)
    _check("locust", told["num_failures"] == 0, execution)
    return ToolRun(execution, told["num_requests"])


TOOLS: dict[str, Callable[[Load], ToolRun]] = {
    f"oha {OHA}": oha,
    f"k6 {K6}": k6,
    f"Locust {LOCUST}": locust,
}


def _check(name: str, succeeded: bool, execution: Execution) -> None:
    if not succeeded:
        raise RuntimeError(f"{name}: requests failed: {execution.output[-2000:]}")


def _built(
    name: str, install: list[str], program: str, then: Callable[[Path], None] = lambda _folder: None
) -> Path:
    """A program in a folder of its own, which is built there at first use."""
    folder = peers.CACHE / name
    if not (folder / program).exists():
        print(f"{name} is installed ...", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        if install[0] == "go":
            os.environ["GOBIN"] = str(folder)
        else:
            install = [*install, str(folder)]
        peers.execute(install, name)
        then(folder)
    return folder / program


def _install_locust(folder: Path) -> None:
    peers.execute([str(folder / "bin" / "pip"), "install", "--quiet", f"locust=={LOCUST}"], "locust")
