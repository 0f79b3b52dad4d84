"""Threads of a client next to its server: the number that `--threads auto` chooses, and each fixed number."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench import servers
from bench.comparison import alternate
from bench.outcome import Goal, Outcome, number
from bench.process import IGEN, execute
from igen.workbench.toml_text import toml_text

BODY_BYTES = 126
USERS = 64
AUTO = "auto"
GOAL = ">= 0.97"
NOTES = [
    "Requests per second of `igen study run`, the median of alternating runs; ranges go from the lowest to "
    "the highest, ratios are medians of the ratios within the rounds. `auto` is a study that does not say "
    "where its users run: the figure is without its pilots.",
    f"nginx with a worker for each processor answers {USERS} users on loopback with {BODY_BYTES} bytes.",
]


def measure(*, quick: bool) -> Outcome:
    """Compare the choice of the pilots with one thread and one for each processor, pinned and free."""
    rounds, run_s = (3, 0.6) if quick else (9, 1.0)
    processors = len(os.sched_getaffinity(0))
    outcome = Outcome("threads", ("per_s", "range", "auto_over_it", "chosen"))
    chosen: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="igen-bench-") as folder,
        servers.nginx(BODY_BYTES, workers=processors) as target,
    ):
        run = partial(_run, Path(folder), target, run_s)

        def auto() -> float:
            per_s, placement = run({})
            chosen.append(str((placement.get("task") or {}).get("threads", "-")))
            return per_s

        def with_placement(placement: dict[str, Any]) -> float:
            return run(placement)[0]

        fixed = {
            f"{threads} {'pinned' if pin else 'free'}": {"task": {"threads": threads, "pin": pin}}
            for threads in sorted({1, processors // 2 or 1, processors})
            for pin in (True, False)
        }
        sides: dict[str, Callable[[], float]] = {AUTO: auto}
        sides |= {name: partial(with_placement, placement) for name, placement in fixed.items()}
        print(f"threads: {', '.join(sides)} ...", file=sys.stderr)
        compared = alternate(sides, rounds)
    for name in sides:
        outcome.add(
            name,
            per_s=number(compared.median(name)),
            range=compared.spread(name),
            auto_over_it="" if name == AUTO else number(compared.ratio(AUTO, name)),
            chosen=" ".join(chosen) if name == AUTO else "",
        )
    outcome.goals["auto over the best"] = Goal(min(compared.ratio(AUTO, name) for name in fixed), GOAL)
    outcome.notes += NOTES
    return outcome


def _run(folder: Path, target: str, run_s: float, placement: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """Return the throughput of a run, and where its users ran."""
    job = {
        "workload": "http",
        "targets": [target],
        "load": {"closed": {"users": USERS}},
        "phases": {"measure_s": run_s},
        **({"placement": placement} if placement else {}),
    }
    table = {"name": "threads", "plan": {"mode": "sweep", "repeats": 1}, "job": job}
    study = folder / "study.toml"
    study.write_text(toml_text(table), encoding="utf-8")
    command = [str(IGEN), "study", "run", str(study), "--store", str(folder / "store"), "--quiet", "--json"]
    (system,) = json.loads(execute(command).output)["systems"]
    return float(system["levels"][0]["throughput_per_s"]["value"]), system["job"].get("placement") or {}
