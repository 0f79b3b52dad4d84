"""The least that a client of a web server can cost, and what iGen's own costs without its engine."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from bench import peers
from bench.http_cost import Cost, cost
from bench.process import ROOT, Execution, execute

SOURCE = ROOT / "bench" / "http_floor.c"
PROGRAM = "http_floor"
LOOP = "bare_loop"
"""An example of the crate that is the client."""
_ANSWERS = re.compile(r"(\d+) answers in ([\d.]+) s")


def build(folder: Path) -> Path:
    """The program in C that asks and reads on, in that folder."""
    program = folder / PROGRAM
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", str(SOURCE), "-o", str(program)], check=True)
    return program


def build_loop() -> Path:
    """The client without the engine, compiled as the agent is. Raises RuntimeError when it cannot be."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    command = ["cargo", "build", "--quiet", "--release", "--package=igen-http", f"--example={LOOP}"]
    manifest = f"--manifest-path={ROOT / 'Cargo.toml'}"
    peers.execute([*command, manifest, f"--target-dir={target}"], LOOP)
    return target / "release" / "examples" / LOOP


def run(program: Path, target: str, connections: int, run_s: int) -> Cost:
    """So many connections to the target for so long. Raises RuntimeError when an answer was not right."""
    port = urlsplit(target).port
    return read(execute([str(program), str(port), str(connections), str(run_s)]))


def run_loop(program: Path, target: str, connections: int, run_s: int) -> Cost:
    """The same by the client without the engine."""
    return read(execute([str(program), target, str(connections), str(run_s)]))


def read(execution: Execution) -> Cost:
    """What either printed. Raises RuntimeError when there were no answers."""
    told = _ANSWERS.fullmatch(execution.output.strip())
    if told is None or told[1] == "0":
        raise RuntimeError(f"bare loop: {execution.output[-2000:]}")
    answers = int(told[1])
    return cost(execution, answers, answers / float(told[2]))
