"""The length of measurements, chosen from the length of transactions and the time budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from igen.ask.tables import merged
from igen.fleet.agent import Agent, agent_error
from igen.fleet.local import Command
from igen.fleet.plan import LOCAL
from igen.study.levels import PlannedLevel
from igen.study.planned import planned_levels
from igen.study.sizing import Pilot, between_s, is_sized, measure_s, total_s
from igen.study.study import Study
from igen.units import counted, duration_text, format_time_ms, parse_time_s
from igen.workbench.pilot import PILOT_S, run_pilot
from igen.workbench.trial import try_each

Say = Callable[[str], None]
Hear = Callable[[dict[str, Any]], None]
"""Is given each event of the pilot."""
_BETWEEN_JOBS_S = 0.1
"""Reading and judging an execution, roughly."""


def sized(study: Study, *, say: Say, hear: Hear, sessions: int = 1) -> Study:
    """Return the study with a length for its measurements, if it has none.

    A pilot of each system at its first level shows how long a transaction takes, or a trial if the length is
    given: what fails there fails before anything is measured. Load machines of a fleet have no pilot.
    `sessions` is how often the whole study is carried out. Raises `InputError`, `Interrupted`, and
    `IgenError` if a system fails.
    """
    has_length = is_sized(study)
    if not study.plan.has_pilot or (has_length and not study.systems):
        return study
    levels = planned_levels(study, Agent())
    first = {(level.system, level.test): level for level in reversed(levels)}
    here = [*first.values()] if study.fleet.address == LOCAL else []
    if has_length:
        try_each(here, hear)
        return study
    pilots = [_pilot(level, hear) for level in here]
    pilot = Pilot(*(max(getattr(each, name) for each in pilots or [Pilot()]) for name in Pilot.__slots__))
    executions = sessions * study.plan.executions(len(levels))
    asked = study.job.get("phases", {}).get("warmup_s")
    warmup_s = None if asked is None else parse_time_s(str(asked))
    length_s = measure_s(executions, pilot, warmup_s)
    job = merged(study.job, {"phases": {"measure_s": length_s}})
    whole_s = total_s(executions, length_s, pilot, warmup_s)
    plan = study.plan.within(whole_s)
    count = "measurements" if plan.finds_levels else counted(executions, "measurement")
    known = (
        f"a transaction takes about {format_time_ms(1000 * pilot.transaction_s)}" if pilots else "no pilot"
    )
    say(f"{known}: {count} of {length_s:g} s, about {duration_text(plan.within_s or whole_s)} in all")
    return msgspec.structs.replace(study, job=job, plan=plan)


def _pilot(level: PlannedLevel, hear: Hear) -> Pilot:
    """Carry out the level for a moment."""
    listener = _Listener(hear)
    exit = run_pilot(level, listener)
    if exit.error is not None:
        raise agent_error(exit.error, exit.exit_code, where=level.label)
    transaction_s = listener.sum_ns / max(listener.count, 1) / 1e9
    return Pilot(
        transaction_s=transaction_s,
        between_s=between_s(level.job["load"], transaction_s),
        overhead_s=_BETWEEN_JOBS_S + listener.overhead_s(time.monotonic()),
    )


@dataclass(slots=True)
class _Listener:
    """Counts transactions and adds up the time that is neither load nor preparation."""

    hear: Hear
    count: int = 0
    sum_ns: int = 0
    phase: str = ""
    phase_since_s: float = field(default_factory=time.monotonic)
    left_out_s: float = 0.0
    began_s: float = field(default_factory=time.monotonic)
    longest_s: float = PILOT_S

    def line(self, line: bytes) -> None:
        """Nothing is recorded."""

    def event(self, event: dict[str, Any]) -> Command | None:
        """Hand the event on; extend the pilot until a transaction has ended."""
        self.hear(event)
        if "phase" in event:
            self._leave_phase(str(event["phase"]["phase"]))
        if "snapshot" in event:
            transactions = event["snapshot"]["transactions"]
            self.count += transactions["count"]
            self.sum_ns += transactions["service_time"]["sum_ns"]
        if "measured" not in event:
            return None
        if self.count:
            return "finish"
        self.longest_s *= 2
        return {"extend": {"measure_s": self.longest_s}}

    def overhead_s(self, now_s: float) -> float:
        """Return the time so far without preparation and load."""
        return now_s - self.began_s - self.left_out_s

    def _leave_phase(self, following: str) -> None:
        now_s = time.monotonic()
        if self.phase in ("prepare", "measure"):
            self.left_out_s += now_s - self.phase_since_s
        self.phase, self.phase_since_s = following, now_s
