"""What a run has done so far, counted from what its agents say."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Any

import numpy as np

from igen.judge.record.histogram import Histogram, decode, middle_ns
from igen.judge.result import Level
from igen.loads import several
from igen.store.run import Run
from igen.study.levels import PlannedLevel
from igen.study.observer import Observer
from igen.study.order import Execution
from igen.study.study import Study
from igen.telemetry.families import UPPER_BOUNDS_S, Family, Labels, Point, Times

_BOUNDS_NS = np.array([1e9 * bound for bound in UPPER_BOUNDS_S])
_UNDER_LOAD = ("warmup", "measure")


class Totals(Observer):
    """Counts while the run goes; may be read by other threads at any time.

    Counters are those of transactions that ended in WARMUP and MEASURE, and of executions that ended. They
    never go back while the run goes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._run: Labels = ()
        self._level = self._phase = ""
        self._users: dict[Labels, float] = {(): 0}
        self._succeeded: dict[Labels, float] = defaultdict(float)
        self._failed: dict[Labels, float] = defaultdict(float)
        self._response_time: dict[Labels, Times] = defaultdict(Times)
        self._executions: dict[Labels, float] = defaultdict(float)

    def run_started(self, run: Run, study: Study, levels: list[PlannedLevel]) -> None:
        """Names the run in all metrics."""
        workload = str(study.job.get("workload", ""))
        with self._lock:
            self._run = (("run", run.id), ("study", study.name), ("workload", workload))

    def job_started(self, execution: Execution) -> None:
        """Names the level that is loaded."""
        with self._lock:
            self._level, self._phase, self._users = execution.level.label, "start", {(): 0}

    def event(self, event: dict[str, Any]) -> None:
        """Counts an interval, and follows the phases."""
        match event:
            case {"phase": {"phase": phase}}:
                with self._lock:
                    self._phase = phase
            case {"snapshot": snapshot} if snapshot["phase"] in _UNDER_LOAD:
                self._count(snapshot)

    def job_finished(self, execution: Execution, result: Level | None) -> None:
        """Counts the execution by its verdict."""
        verdict = result.trust.verdict if result is not None else "nothing measured"
        with self._lock:
            self._phase, self._users = "", {(): 0}
            self._executions[(*self._of_level(), ("verdict", str(verdict)))] += 1

    def families(self) -> list[Family]:
        """All metrics, as they are now."""
        with self._lock:
            times = {
                labels: Times([*each.counts], each.sum_s) for labels, each in self._response_time.items()
            }
            phase = [Point((*self._of_level(), ("phase", self._phase)), 1.0)] if self._phase else []
            working = self._users if self._run else {}
            users = [Point((*self._of_level(), *of), number) for of, number in working.items()]
            return [
                Family("igen_users", "gauge", "Virtual users that work now.", users),
                Family("igen_phase", "gauge", "1 for the phase of the execution that is going on.", phase),
                Family(
                    "igen_transactions",
                    "counter",
                    "Transactions that succeeded under load, warm-up included.",
                    _points(self._succeeded),
                ),
                Family(
                    "igen_failed_transactions",
                    "counter",
                    "Transactions that failed under load, warm-up included.",
                    _points(self._failed),
                ),
                Family(
                    "igen_response_time_seconds",
                    "histogram",
                    "Response times of transactions that succeeded, from the intended start.",
                    [Point(labels, each) for labels, each in times.items()],
                    "seconds",
                ),
                Family(
                    "igen_executions",
                    "counter",
                    "Executions of levels that ended, by verdict.",
                    _points(self._executions),
                ),
            ]

    def _of_level(self) -> Labels:
        return (*self._run, ("level", self._level))

    def _count(self, snapshot: dict[str, Any]) -> None:
        """Counts what ended; of several loads at once each by itself, whose sum is theirs who ask."""
        parts: dict[Labels, dict[str, Any]] = {
            (("persona", name),): part for name, part in several(snapshot).items()
        }
        parts = parts or {(): snapshot}
        with self._lock:
            self._users = {of: float(part["users"]) for of, part in parts.items()}
        for of, part in parts.items():
            transactions = part["transactions"]
            times = transactions.get("response_time") or transactions["service_time"]
            histogram = decode(times["hdr"], times["sum_ns"])
            with self._lock:
                labels = (*self._of_level(), *of, ("phase", snapshot["phase"]))
                self._succeeded[labels] += transactions["count"]
                self._failed[labels] += transactions["failed"]
                _add(self._response_time[labels], histogram)


def _points(values: dict[Labels, float]) -> list[Point]:
    return [Point(labels, value) for labels, value in values.items()]


def _add(times: Times, histogram: Histogram) -> None:
    """Counts each value in the bucket of the middle of what HDR knows of it, 0.4 % off at most."""
    places = np.searchsorted(_BOUNDS_NS, middle_ns(histogram.buckets))
    for place, count in zip(places.tolist(), histogram.counts.tolist(), strict=True):
        times.counts[place] += count
    times.sum_s += histogram.sum_ns / 1e9
