"""What the judge calls levels of this machine, quiet and while others take half of its processors."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.bare_level import broken_by
from bench.outcome import Goal, Outcome
from bench.process import IGEN

WORKLOADS = ("noop", "model", "cpu", "oltp")
FULL_LEVELS, QUICK_LEVELS = 10, 2
REPEATS = 5
USERS = 2
MEASURE_S, WARMUP_S = 2, 1
QUIET_VALID, DISTURBED_VALID = ">= 0.95", "<= 0"
QUIET_CLAIMED, DISTURBED_CLAIMED = "<= 0.05", "<= 0"
CLAIMS = ("faster", "slower")
VERDICTS = ("VALID", "SUSPECT", "ONE RUN", "INVALID")

NOTES = [
    f"A level is {USERS} users, {REPEATS} runs of {MEASURE_S} s, as `igen run` makes and judges it, in a "
    "store of its own; oltp on SQLite. Quiet levels and those beside others alternate. Nothing else may run "
    "on the machine: what does makes quiet levels worse.",
    "Beside others: a process that never waits on each second processor, bound to it.",
    "Claims: of pairs that `igen compare` calls different in throughput, by which closed loads are decided. "
    "All pairs are of the same work on the same machine: two quiet levels, two beside others, one of each.",
    "Counting loop: before each quiet level, a loop in C (`counting_loop.c`) of as many threads in as many "
    "runs of the same length, without iGen. VALID is here: iGen's rules find no outage and no trend. "
    "Where this machine does not hold its own speed, no program's levels can all be VALID on it.",
    "Differ by: the standard deviation of the levels' throughputs. The intervals of pairs carry 4 % of it, "
    "because nobody has measured this machine's: too little is assumed where quiet levels differ by more.",
]


@dataclass(slots=True)
class Levels:
    """Levels of one workload, measured under the same circumstances."""

    runs: list[str] = field(default_factory=list)
    """Their folders in the store."""
    verdicts: Counter[str] = field(default_factory=Counter)
    throughputs_per_s: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    """The first reason of each that is not VALID."""


def measure(*, quick: bool) -> Outcome:
    """A row for each workload and circumstance; goals over all workloads."""
    outcome = Outcome("validity", (*VERDICTS, "differ_by", "claimed", "reasons"), notes=NOTES)
    quiet_total, disturbed_total, bare = Levels(), Levels(), Levels()
    claims: dict[str, list[bool]] = {"quiet": [], "beside others": [], "quiet and beside others": []}
    with tempfile.TemporaryDirectory(prefix="igen-bench-validity-") as folder:
        store = Path(folder)
        for workload in WORKLOADS:
            quiet, disturbed = Levels(), Levels()
            for _ in range(QUICK_LEVELS if quick else FULL_LEVELS):
                _bare_level(bare)
                _level(store, workload, quiet)
                with others():
                    _level(store, workload, disturbed)
            found = {
                "quiet": _claims(store, _neighbours(quiet.runs)),
                "beside others": _claims(store, _neighbours(disturbed.runs)),
                "quiet and beside others": _claims(store, list(zip(quiet.runs, disturbed.runs, strict=True))),
            }
            _add(outcome, f"{workload}, quiet", quiet, found["quiet"])
            _add(outcome, f"{workload}, beside others", disturbed, found["beside others"])
            both = found["quiet and beside others"]
            outcome.add(f"{workload}, one of each", claimed=f"{sum(both)} of {len(both)}")
            for total, of_workload in ((quiet_total, quiet), (disturbed_total, disturbed)):
                total.verdicts += of_workload.verdicts
            for name, claimed in found.items():
                claims[name] += claimed
    _add(outcome, "counting loop, quiet", bare)
    outcome.goals["quiet levels VALID"] = Goal(_valid(quiet_total), QUIET_VALID)
    outcome.goals["levels beside others VALID"] = Goal(_valid(disturbed_total), DISTURBED_VALID)
    for name, claimed in claims.items():
        goal = QUIET_CLAIMED if name == "quiet" else DISTURBED_CLAIMED
        outcome.goals[f"pairs claimed different, {name}"] = Goal(sum(claimed) / len(claimed), goal)
    return outcome


def _level(store: Path, workload: str, levels: Levels) -> None:
    """Measures one level more."""
    print(f"validity: {workload} ...", file=sys.stderr)
    command = ["run", workload, "--users", str(USERS), "--repeats", str(REPEATS), "--quiet", "--json"]
    command += ["--duration", f"{MEASURE_S}s", "--warmup", f"{WARMUP_S}s"]
    if workload == "oltp":
        command += ["--target", f"sqlite:///{store}/oltp.db", "--think-time", "0s"]
    result = _igen(store, command)
    (system,) = result["systems"]
    (level,) = system["levels"]
    levels.runs.append(system["run"])
    levels.verdicts[level["trust"]["verdict"]] += 1
    levels.throughputs_per_s.append(level["throughput_per_s"]["value"])
    if level["trust"]["verdict"] != "VALID":
        levels.reasons[level["findings"][0]["rule"]] += 1


def _bare_level(levels: Levels) -> None:
    """Measures one level more of a loop without iGen: it is VALID where it is steady."""
    reasons = broken_by(threads=USERS, runs=REPEATS, warmup_s=WARMUP_S, measure_s=MEASURE_S)
    levels.verdicts["SUSPECT" if reasons else "VALID"] += 1
    levels.reasons.update(reasons[:1])


def _neighbours(runs: list[str]) -> list[tuple[str, str]]:
    """Each run is in one pair: with the one that was measured before or after it."""
    return list(zip(runs[::2], runs[1::2], strict=True))


def _claims(store: Path, pairs: list[tuple[str, str]]) -> list[bool]:
    """Whether the two of each pair are called different."""
    answers = [_answers(_igen(store, ["compare", *pair, "--json"])) for pair in pairs]
    return [any(answer in CLAIMS for answer in each) for each in answers]


def _answers(result: dict[str, Any]) -> list[str]:
    return [str(ratio["answer"]) for ratio in result["ratios"] if ratio["decides"]]


def _igen(store: Path, command: list[str]) -> dict[str, Any]:
    """What igen prints. Raises RuntimeError when it measured nothing or could not."""
    environment = {**os.environ, "IGEN_STORE": str(store)}
    done = subprocess.run([IGEN, *command], env=environment, capture_output=True, text=True, check=False)
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError:
        text = done.stderr[-2000:]
        raise RuntimeError(f"igen {command[0]} ended with exit code {done.returncode}: {text}") from None
    return found


@contextmanager
def others() -> Iterator[None]:
    """Processes that take each second processor."""
    processors = sorted(os.sched_getaffinity(0))[::2]
    # It ends with this process, also where that is killed.
    spin = ["sh", "-c", "while kill -0 $PPID; do :; done"]
    spinning = [
        subprocess.Popen(["taskset", "--cpu-list", str(each), *spin], stderr=subprocess.DEVNULL)
        for each in processors
    ]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def _valid(levels: Levels) -> float:
    return levels.verdicts["VALID"] / levels.verdicts.total()


def _add(outcome: Outcome, what: str, levels: Levels, claimed: list[bool] | None = None) -> None:
    counts = {verdict: str(levels.verdicts[verdict]) for verdict in VERDICTS}
    if levels.throughputs_per_s:
        differ_percent = 100 * statistics.stdev(map(math.log, levels.throughputs_per_s))
        counts["differ_by"] = f"{differ_percent:.1f} %"
    if claimed is not None:
        counts["claimed"] = f"{sum(claimed)} of {len(claimed)}"
    reasons = "; ".join(f"{count} × {reason}" for reason, count in levels.reasons.most_common(3))
    outcome.add(what, **counts, reasons=reasons)
