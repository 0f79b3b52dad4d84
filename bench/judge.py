"""Whether the judge tells the truth, and how fast: synthetic job files through what show and compare do.

`tests/pipeline` writes the job files: studies of two systems of which is known what they are in the long run.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from bench.outcome import Goal, Outcome
from igen.report import write_report
from igen.study.results import read_result
from tests.pipeline.budget import BUDGET
from tests.pipeline.curve_study import write_curve
from tests.pipeline.questions import QUESTIONS
from tests.pipeline.rates import PROCESSES, Rates, goals_of, rates_of
from tests.pipeline.rates import Goal as MetGoal
from tests.pipeline.scenarios import SCENARIOS
from tests.pipeline.searches import CURVES, NOISES, goals_of_searches, searches

Result = TypeVar("Result")
FULL_STUDIES, QUICK_STUDIES, MORE_STUDIES = 100, 20, 500
FULL_SEARCHES, QUICK_SEARCHES, MORE_SEARCHES = 40, 2, 160
TURNS = 3
JUDGED, REPORTED = "<= 8", "<= 20"
"""Times a plain decode of the lines."""

NOTES = [
    "Coverage, bias (off) and claims are shares over studies of two systems with 5 runs of 10 s each, in 50 "
    "intervals, unless the name says otherwise; each study is written as job files, read, judged and "
    "printed as `igen show` does for one study and `igen compare` for two stored runs.",
    "A p99 that is called unstable, with the note that its interval is too narrow, has no goal of coverage.",
    "valid: levels called VALID. flagged: levels that are not. Coverage and bias are of VALID levels. "
    "claimed: studies with a sentence of one kind, or one row of the table, that calls both systems "
    "different; the worst kind is shown. The goal counts studies with any such sentence.",
    "A scenario has 100 studies. One that misses a goal with these has 500, which all count: with 100 the "
    "standard error of a share of 0.05 is 0.022 in studies and 0.015 in levels, with 500 it is 0.010 and "
    "0.007. So have curves 40 searches, and 160 where these miss a goal.",
    "Searches: studies with --find-peak that igen itself carries out on curves with a known peak; only the "
    "agent is synthetic. The peak is held against the highest throughput of the curve, its interval against "
    "the truth at its own level; a sweet spot below 97 % of the highest is wrong.",
    "Speed: processor time of a study of 25 levels with 10 runs each, in turns with a plain decode of the "
    "same lines (`json.loads`, all of them in memory at the end), medians of three.",
]


def measure(*, quick: bool) -> Outcome:
    """All scenarios, also those of the budget and of the questions, searches for the peak, then the speed."""
    outcome = Outcome(
        "judge", ("studies", "valid", "flagged", "covered", "ratios", "off", "claimed", "found"), notes=NOTES
    )
    for scenario in (*SCENARIOS, *BUDGET, *QUESTIONS):
        rates = rates_of(scenario, QUICK_STUDIES if quick else FULL_STUDIES)
        if not quick and not all(goal.met for goal in goals_of(scenario, rates)):
            rates = rates_of(scenario, MORE_STUDIES)
        outcome.add(scenario.name, **_cells(rates))
        _hold(outcome, scenario.name, list(goals_of(scenario, rates)))
    for curve, noise in product(CURVES, NOISES):
        found = searches(curve, noise, QUICK_SEARCHES if quick else FULL_SEARCHES, PROCESSES)
        if not quick and not all(goal.met for goal in goals_of_searches(found)):
            found = searches(curve, noise, MORE_SEARCHES, PROCESSES)
        name = f"search on a {curve.__name__}, noise {100 * noise:g} %"
        goals = goals_of_searches(found)
        outcome.add(
            name, studies=str(len(found)), found=", ".join(f"{goal.name} {goal.value:.3f}" for goal in goals)
        )
        _hold(outcome, name, goals)
    with tempfile.TemporaryDirectory(prefix="igen-bench-judge-") as folder:
        _speed(outcome, Path(folder))
    return outcome


def _hold(outcome: Outcome, name: str, goals: Sequence[MetGoal]) -> None:
    """Goals of one row; of an hour's work the progress is told, and what was missed."""
    missed = [f"{goal.name} {goal.value:.4g} ({goal.goal})" for goal in goals if not goal.met]
    print(
        f"judge: {name}: {'missed: ' + ', '.join(missed) if missed else 'met'}", file=sys.stderr, flush=True
    )
    outcome.goals |= {f"{name}: {goal.name}": Goal(goal.value, goal.goal) for goal in goals}


def _cells(rates: Rates) -> dict[str, str]:
    """Cells of one scenario's row."""
    covered = [f"{name} {rate.share:.3f}" for name, rate in rates.coverage.items() if rate.n]
    off = [f"{name} {100 * off.share:+.2f} %" for name, off in rates.off.items()]
    worst = max(rates.claims.items(), key=lambda row: row[1].share, default=None)
    return {
        "studies": str(rates.studies),
        "valid": f"{rates.valid.share:.3f}",
        "flagged": f"{rates.flagged.share:.3f}",
        "covered": ", ".join(covered),
        "ratios": f"{rates.ratios.share:.3f}" if rates.ratios.n else "",
        "off": ", ".join(off),
        "claimed": f"{worst[1].share:.3f} ({worst[0]})" if worst else "",
        "found": f"{rates.found.share:.3f}",
    }


def _decode(lines: list[bytes]) -> list[Any]:
    """Return all lines as values, in memory at once."""
    return [json.loads(line) for line in lines]


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the processor time of the work and its result; garbage of earlier work is collected before."""
    gc.collect()
    begin_s = time.process_time()
    result = work()
    return time.process_time() - begin_s, result


def _speed(outcome: Outcome, folder: Path) -> None:
    """Judging and drawing, against a plain decode of the lines. Each turn has a study of its own, because
    charts that were drawn once are kept."""
    taken_s: dict[str, list[float]] = {"decode": [], "judging": [], "report": []}
    lines: list[bytes] = []
    for turn in range(TURNS):
        run = write_curve(folder / f"run-{turn}", levels=25, runs=10, seed=turn)
        lines = [line for path in run.job_paths() for line in path.read_bytes().splitlines()]
        decode_s = _timed(partial(_decode, lines))[0]
        judging_s, result = _timed(partial(read_result, [run]))
        report_s, _ = _timed(partial(write_report, result, folder / "report.html", "html"))
        for name, taken in (("decode", decode_s), ("judging", judging_s), ("report", report_s)):
            taken_s[name].append(taken)
    median_s = {name: statistics.median(taken) for name, taken in taken_s.items()}
    for name, seconds in median_s.items():
        outcome.add(f"{name} of {len(lines):,} lines: {seconds:.2f} s")
    for name, goal in (("judging", JUDGED), ("report", REPORTED)):
        outcome.goals[f"{name}, times a decode"] = Goal(median_s[name] / median_s["decode"], goal)
