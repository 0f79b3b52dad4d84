"""Runs a study: each execution by an agent, into the store, told to an observer, until done or stopped."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from igen.aspects.aspects import ASPECTS
from igen.aspects.torture.segments import segments_of
from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent, agent_error
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import JobExit, run_job
from igen.fleet.machines import machines_of
from igen.fleet.plan import LOCAL
from igen.fleet.together import Together
from igen.judge.analyse import analyse
from igen.judge.intent import Intent
from igen.judge.questions import THROUGHPUT
from igen.judge.result import Level, System
from igen.monitors.watch import Watch
from igen.store.active import ActiveRun
from igen.store.intervals import write_parquet
from igen.store.run import Run, RunRecord
from igen.store.store import Store
from igen.study.agents import agents_of, check_agents
from igen.study.levels import PlannedLevel, level, search_range
from igen.study.listener import FactsOf, JobListener, no_facts
from igen.study.noise import machine_noise
from igen.study.observer import Observer
from igen.study.order import Execution, Order, Reached, SweepOrder
from igen.study.peak import PeakOrder
from igen.study.plan import PeakPlan, ScalingPlan, SweepPlan, TogetherPlan, TorturePlan
from igen.study.planned import planned_levels
from igen.study.reached import reached_by, spoils_level
from igen.study.recordings import Recordings
from igen.study.scaling import ScalingOrder
from igen.study.study import Study, with_load_seed
from igen.study.target_counts import CountsOverMeasure, ReadCounts, no_counts
from igen.study.torture import TortureOrder
from igen.units import parse_share

FLOOR_JOB: dict[str, Any] = {
    "workload": "noop",
    "load": {"closed": {"users": 1}},
    "steps": ["measure"],
    "monitors": [],
}
"""What the engine itself costs, measured before each study."""
FLOOR_SHARE, FLOOR_LEAST_S, FLOOR_MOST_S = 0.05, 0.06, 0.3
"""Its length: a share of one execution of each level, so that a short study does not spend its time on it."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """How a study went. What was measured is in the run, whatever happened."""

    run: Run
    measured: bool = False
    """Whether any job reached its measurement: until then the first error ends the study."""
    interrupted: bool = False
    error: IgenError | None = None
    """The first thing that went wrong; the study may have gone on after it."""
    recordings: Recordings = field(default_factory=Recordings)
    """What was read of the run already."""


def run_study(
    study: Study,
    agent: Agent,
    store: Store,
    observer: Observer,
    begun: Run | None = None,
    read_counts: ReadCounts = no_counts,
    facts: FactsOf = no_facts,
) -> Outcome:
    """Checks every level, then runs the study. Raises `InputError` before anything is made or measured.

    A run that has `begun` earlier is resumed where it ended: of a torture, no other study can be.
    `read_counts` reads what the targets of a job count themselves; `facts` are known of a job, and kept
    with it beside those of the agent.
    """
    study = study if begun else with_load_seed(study)
    levels = planned_levels(study, agent)
    check_agents(study.fleet.agents, levels, agent)
    with Interrupts() as interrupts, closing(machines_of(study.fleet, agent.path, interrupts)) as machines:
        run = begun or _new_run(study, store)
        outcome = Outcome(run=run, measured=begun is not None)
        with ActiveRun(store.path, run.id) as active:
            if begun is not None:
                run.write_outcome("begun")
            together = Together(study.fleet, machines, interrupts)
            watch = Watch(agent.path, lambda: interrupts.count > 0)
            runner = _Runner(
                study,
                agent,
                store.path,
                observer,
                outcome,
                active,
                interrupts,
                together,
                read_counts,
                facts,
                watch,
            )
            try:
                observer.run_started(run, study, levels)
                if begun is None:
                    runner.floor(levels)
                runner.all(levels)
            except IgenError as error:
                outcome.error = error
            finally:
                watch.close()
                observer.close()
            outcome.interrupted = interrupts.count > 0
            try:
                run.write_outcome(
                    "interrupted" if outcome.interrupted else "failed" if outcome.error else "complete"
                )
            except IgenError as error:
                outcome.error = outcome.error or error
    return outcome


def _new_run(study: Study, store: Store) -> Run:
    system = study.system or ", ".join(system.name for system in study.systems) or _host_name()
    return store.create_run(
        name=study.name,
        system=system,
        title=study.title or f"{study.name} on {system}",
        study=msgspec.to_builtins(study),
    )


def floor_phases(levels: list[PlannedLevel]) -> dict[str, float]:
    """Warm-up, measurement and interval of the floor's own job, in seconds."""
    measured_s = sum(float(level.job["phases"]["measure_s"]) for level in levels)
    floor_s = min(max(FLOOR_SHARE * measured_s, FLOOR_LEAST_S), FLOOR_MOST_S)
    return {"warmup_s": floor_s / 6, "measure_s": floor_s, "interval_s": floor_s / 6}


def _host_name() -> str:
    import socket

    return socket.gethostname()


class _Runner:
    def __init__(
        self,
        study: Study,
        agent: Agent,
        store: Path,
        observer: Observer,
        outcome: Outcome,
        active: ActiveRun,
        interrupts: Interrupts,
        together: Together,
        read_counts: ReadCounts,
        facts: FactsOf,
        watch: Watch,
    ) -> None:
        self._study = study
        self._agent = agent
        self._store = store
        self._observer = observer
        self._outcome = outcome
        self._active = active
        self._interrupts = interrupts
        self._record: RunRecord = outcome.run.read_record()
        self._warned: set[str] = set()
        self._files: dict[int, list[Path]] = {}
        """Jobs files by level."""
        self._together = together
        self._read_counts = read_counts
        self._facts = facts
        self._watch = watch

    def floor(self, levels: list[PlannedLevel]) -> None:
        """Measures what the engine itself costs. Without it a study is worth less, but not worthless."""
        job = self._agent.check({**FLOOR_JOB, "phases": floor_phases(levels)})
        place = {"system": self._record.system, "level": 0, "repeat": 0, "purpose": "floor"}
        with self._outcome.run.new_floor(self._start(job, **place)) as writer:
            listener = JobListener(writer, job, self._active, Observer(), self._warn)
            exit = run_job(self._agent.path, job, listener, self._interrupts)
            listener.finish(exit)
        if not exit.ok and not exit.interrupted:
            self._warn(f"the engine's floor is not known: {agent_error(exit.error or {}, None).text}")

    def all(self, levels: list[PlannedLevel]) -> None:
        """Every execution of the study, until one says that no further one makes sense."""
        for execution in (order := self._order(levels)).executions():
            if self._interrupts.count:
                return
            self._observer.job_started(execution)
            result = self._execute(execution)
            self._observer.job_finished(execution, result)
            if isinstance(order, TortureOrder):
                self._hear(order, execution)
            reached = reached_by(result)
            if result is not None and result.verdict != "VALID":
                recording = self._outcome.recordings.of(self._files[execution.level.number][-1])
                reached = replace(reached, spoils_level=spoils_level(recording, ASPECTS))
            for number in order.record(execution, reached):
                self._finish_level(number)
            if isinstance(order, SweepOrder):
                self._tell(order, execution, reached)

    def _tell(self, order: SweepOrder, execution: Execution, reached: Reached) -> None:
        """What decides how the sweep goes on."""
        where = f"{execution.level.label}, repeat {execution.repeat + 1}"
        if reached.disturbed_by and order.replaces(execution):
            then = "another repeat takes its place if that one is not"
            self._observer.warning(f"{where} was disturbed; {then}: {reached.disturbed_by}")
        if look := order.look(execution):
            self._observer.looked(execution, look)

    def _hear(self, order: TortureOrder, execution: Execution) -> None:
        """Tells at once what befell a target in a segment; why a job failed was told already."""
        path = self._files[execution.level.number][-1]
        for incident in order.hear(self._outcome.recordings.of(path)):
            if incident.kind not in ("data errors", "failed"):
                self._observer.warning(incident.text)
        self._outcome.recordings.forget(path)

    def _order(self, levels: list[PlannedLevel]) -> Order:
        study = self._study
        match study.plan:
            case SweepPlan(repeats=repeats) | TogetherPlan(repeats=repeats):
                against = {system.name: system.against for system in study.systems}
                return SweepOrder(levels, repeats, margin=parse_share(str(study.margin)), against=against)
            case PeakPlan():
                return PeakOrder(*search_range(study), self._make_level, self._noise())
            case ScalingPlan() as plan:
                return ScalingOrder(study, plan, self._agent, self._peak_per_s, self._warn, self._noise())
            case TorturePlan(under_load_s=under_load_s):
                done = segments_of(Recordings().of(path) for path in self._outcome.run.job_paths())
                return TortureOrder(under_load_s, levels[0], self._agent, done)

    def _noise(self) -> float | None:
        """Noise of a run's throughput, where `igen aa` has measured it with this workload on this machine."""
        workload = str(self._study.job.get("workload", ""))
        machine = machine_noise(self._store, workload)
        if machine is None or machine.workload != workload or THROUGHPUT not in machine.of:
            return None
        return machine.of[THROUGHPUT].between_runs

    def _peak_per_s(self) -> float | None:
        """The confirmed peak of what ran so far."""
        paths = [path for level in self._files.values() for path in level]
        systems = self._systems_of(paths) if paths else []
        peaks = [system.peak.throughput_per_s.value for system in systems if system.peak]
        return max(peaks, default=None)

    def _execute(self, execution: Execution) -> Level | None:
        level, job = execution.level, execution.job
        place = {"level": level.number, "repeat": execution.repeat, "purpose": execution.purpose}
        if level.test:
            place["test"] = level.test
        start = self._start(job, system=level.system or self._record.system, **place)
        self._watch.begin(job)
        with self._outcome.run.new_job(start) as writer:
            counts = CountsOverMeasure(job, self._read_counts)
            listener = JobListener(
                writer, job, self._active, self._observer, self._warn, counts, self._facts(job), self._watch
            )
            try:
                exit = self._run_job(listener, job)
            finally:
                self._outcome.measured |= listener.reached_measure
        if not exit.ok and not exit.interrupted:
            self._failed(exit, execution)
        if exit.ok:
            try:
                write_parquet(writer.path)
            except IgenError as error:
                self._warn(str(error))
        self._files.setdefault(level.number, []).append(writer.path)
        return self._result_of([writer.path])

    def _run_job(self, listener: JobListener, job: dict[str, Any]) -> JobExit:
        agents = agents_of(job, len(self._together.agents))
        if agents > 1 or self._study.fleet.address != LOCAL:
            exit = self._together.run(job, agents, listener)
        else:
            exit = run_job(self._agent.path, job, listener, self._interrupts)
        listener.finish(exit)
        return exit

    def _start(self, job: dict[str, Any], **place: Any) -> dict[str, Any]:
        record = self._record
        return {
            "run": record.run,
            "name": record.name,
            "title": record.title,
            "study": record.study,
            **place,
            "job": job,
            "started_unix_s": time.time(),
        }

    def _failed(self, exit: JobExit, execution: Execution) -> None:
        # Once something was measured, a job that is refused is a failed run, not bad input.
        exit_code = None if self._outcome.measured else exit.exit_code
        where = f"{execution.level.label}, repeat {execution.repeat + 1}"
        error = agent_error(exit.error or {}, exit_code, where=where)
        if not self._outcome.measured:
            raise error
        self._outcome.error = self._outcome.error or error
        self._warn(str(error))

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._observer.warning(text)

    def _finish_level(self, number: int) -> None:
        result = self._result_of(self._files[number])
        if result is not None:
            self._observer.level_finished(result)

    def _make_level(self, number: int, values: dict[str, int]) -> PlannedLevel | None:
        try:
            return level(self._study, number, dict(values), self._agent)
        except InputError as error:
            self._warn(f"the search ends here: {error}")
            return None

    def _result_of(self, paths: list[Path]) -> Level | None:
        """What the executions of one level came to."""
        (system,) = self._systems_of(paths)
        return system.levels[0] if system.levels else None

    def _systems_of(self, paths: list[Path]) -> list[System]:
        recordings = [self._outcome.recordings.of(path) for path in paths]
        return analyse(recordings, intent=Intent(value=self._study.value), aspects=ASPECTS)
