"""Programs timed by `command` and by hyperfine: the same programs, in turn."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from functools import partial
from pathlib import Path

from bench import agent, machine, peers
from bench.comparison import alternate
from bench.outcome import Goal, Outcome, number
from bench.process import execute

NOTES = [
    "Milliseconds of an execution, the mean of a run; each value is the median of alternating runs, a ratio "
    "the median of the ratios within the rounds, a range goes from the lowest to the highest.",
    "direct: without a shell on both sides (`shell=false`, `--shell=none`). shell: /bin/sh on both sides; "
    "hyperfine subtracts its mean of empty shells, iGen subtracts nothing.",
]
SIDES = ("iGen", "hyperfine")


def measure(*, quick: bool) -> Outcome:
    """A program that does nothing, one that computes, one that reads and sorts a file."""
    peers.need("hyperfine", "hyperfine")
    rounds, run_s = (3, 1.0) if quick else (7, 3.0)
    outcome = Outcome("hyperfine", ("how", "iGen_ms", "range", "hyperfine_ms", "hyperfine_range", "ratio"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "numbers"
        draw = random.Random(1)
        file.write_text("".join(f"{draw.randrange(10**9)}\n" for _ in range(20_000)), encoding="utf-8")
        programs = {
            "nothing": "/bin/true",
            "computing": "awk 'BEGIN { for (i = 0; i < 100000; i++) sum += i }'",
            "sorting": f"sort -n {file}",
        }
        for name, program in programs.items():
            for how in ("direct", "shell"):
                _compare(outcome, name, program, how, rounds, run_s)
    outcome.notes += [f"hyperfine is {machine.version(['hyperfine', '--version'])}.", *NOTES]
    return outcome


def _compare(outcome: Outcome, name: str, program: str, how: str, rounds: int, run_s: float) -> None:
    print(f"hyperfine: {name}, {how} ...", file=sys.stderr)
    shell = how == "shell"
    first_ms = _igen_ms(program, shell, run_s)
    runs = max(round(run_s * 1e3 / first_ms), 10)
    sides = {
        "iGen": partial(_igen_ms, program, shell, run_s),
        "hyperfine": partial(_hyperfine_ms, program, shell, runs),
    }
    compared = alternate(sides, rounds)
    ratio = compared.ratio(*SIDES)
    outcome.add(
        name,
        how=how,
        iGen_ms=number(compared.median("iGen")),
        range=compared.spread("iGen"),
        hyperfine_ms=number(compared.median("hyperfine")),
        hyperfine_range=compared.spread("hyperfine"),
        ratio=number(ratio),
    )
    if not shell:
        theirs = compared.values["hyperfine"]
        widest = max(theirs) / min(theirs)
        outcome.goals[f"{name}: mean within hyperfine's own range"] = Goal(
            max(ratio, 1 / ratio), f"<= {max(widest, 1.02):.4f}"
        )


def _igen_ms(program: str, shell: bool, run_s: float) -> float:
    job = agent.job("command", 1, run_s, params={"run": program, "shell": shell})
    job["phases"]["warmup_s"] = 0.3
    return 1e3 / agent.run(job).throughput_per_s


def _hyperfine_ms(program: str, shell: bool, runs: int) -> float:
    with tempfile.NamedTemporaryFile(suffix=".json") as found:
        options = ["--shell", "/bin/sh" if shell else "none", "--warmup", "10", "--runs", str(runs)]
        execute(["hyperfine", *options, "--style", "none", "--export-json", found.name, program])
        return 1e3 * float(json.loads(Path(found.name).read_text(encoding="utf-8"))["results"][0]["mean"])
