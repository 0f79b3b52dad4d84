"""The least that a client of a web server can cost: a program in C that asks and reads on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from bench.http_cost import Cost, cost
from bench.process import ROOT, Execution, execute

SOURCE = ROOT / "bench" / "http_floor.c"
PROGRAM = "http_floor"
_ANSWERS = re.compile(r"(\d+) answers in ([\d.]+) s")


def build(folder: Path) -> Path:
    """The program, in that folder."""
    program = folder / PROGRAM
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", str(SOURCE), "-o", str(program)], check=True)
    return program


def run(program: Path, target: str, connections: int, run_s: int) -> Cost:
    """So many connections to the target for so long. Raises RuntimeError when an answer was not right."""
    port = urlsplit(target).port
    return read(execute([str(program), str(port), str(connections), str(run_s)]))


def read(execution: Execution) -> Cost:
    """What it printed. Raises RuntimeError when there were no answers."""
    told = _ANSWERS.fullmatch(execution.output.strip())
    if told is None or told[1] == "0":
        raise RuntimeError(f"http_floor: {execution.output[-2000:]}")
    answers = int(told[1])
    return cost(execution, answers, answers / float(told[2]))
