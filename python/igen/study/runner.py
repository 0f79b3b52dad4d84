"""Runs a study: each execution by an agent, into the store, told to an observer, until done or stopped.

A session, in which a run is begun or resumed, is in one state. It decides what an error and the end mean:

    NEW ─────────────────────── measures ──┐
                                           ▼
    KEPT ── executes ─► RESUMED ─ measures ─► MEASURED
      │
      └──── stops ────► LEFT
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from pathlib import Path
from typing import Any, Literal

import msgspec

from igen.aspects.aspects import ASPECTS
from igen.errors import IgenError
from igen.fleet.agent import Agent, agent_error
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import JobExit, run_job
from igen.fleet.machines import machines_of
from igen.fleet.plan import LOCAL
from igen.fleet.together import Together
from igen.judge import analyse
from igen.judge.intent import Intent
from igen.judge.result import Level, System
from igen.loads import THROUGHPUT
from igen.monitors.watch import Watch
from igen.store.active import ActiveRun
from igen.store.job_file import has_measured
from igen.store.run import Run, RunRecord
from igen.store.store import Store
from igen.study.agents import agents_of, check_agents
from igen.study.going_on import check_can_go_on
from igen.study.kept import Begun, exit_of, has_floor
from igen.study.levels import PlannedLevel
from igen.study.listener import JobListener
from igen.study.noise import machine_noise
from igen.study.observer import Observer
from igen.study.order import Execution, Heard, Order
from igen.study.planned import planned_levels
from igen.study.reached import reached_by
from igen.study.recordings import Recordings
from igen.study.running import Running
from igen.study.study import Study, with_load_seed
from igen.study.surroundings import FactsOf, Surroundings, no_facts
from igen.study.target_counts import ReadCounts, no_counts

FLOOR_JOB: dict[str, Any] = {
    "workload": "noop",
    "load": {"closed": {"users": 1}},
    "steps": ["measure"],
    "monitors": [],
}
"""Name of the job that measures the engine's own cost before each study."""
FLOOR_SHARE, FLOOR_LEAST_S, FLOOR_MOST_S = 0.05, 0.06, 0.3
"""Its length, as a share of an execution of each level, to keep it short in a short study."""


class State(Enum):
    """State of a session."""

    NEW = auto()
    """It started the run, and nothing was measured: an error ends it as bad input."""
    KEPT = auto()
    """It resumed a run, and executed nothing: at its end there was nothing left to do."""
    RESUMED = auto()
    """It resumed a run and executes, and nothing was measured: at its end the run was not resumed."""
    MEASURED = auto()
    """An execution has measured: an error is a failure of the run, which continues."""
    LEFT = auto()
    """It resumed a run and ended early without an execution: the outcome of the run stays as it was."""


Event = Literal["executes", "measures", "stops"]
"""A session stops early by the user, or by an error that ends it."""
_NEXT: dict[tuple[State, Event], State] = {
    (State.NEW, "measures"): State.MEASURED,
    (State.KEPT, "executes"): State.RESUMED,
    (State.RESUMED, "measures"): State.MEASURED,
    (State.KEPT, "stops"): State.LEFT,
}
"""All transitions; an event without one leaves the state as it is."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """Outcome of a study. All results so far are in the run."""

    run: Run
    measured: bool = False
    """True if a job of the run has reached its measurement, in this session or before."""
    interrupted: bool = False
    error: IgenError | None = None
    """The first error; the study may have continued after it."""
    recordings: Recordings = field(default_factory=Recordings)
    """Recordings of the run that were already read."""


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

    A run that has `begun` earlier goes on: what came to its end is not measured again. Until a job has
    measured, in this session, the first error ends it.
    `read_counts` reads what the targets of a job count themselves; `facts` are known of a job, and kept
    with it beside those of the agent.
    """
    study = study if begun else with_load_seed(study)
    levels = planned_levels(study, agent)
    check_agents(study.fleet.agents, levels, agent)
    with Interrupts() as interrupts, closing(machines_of(study.fleet, agent.path, interrupts)) as machines:
        run = begun or _new_run(study, store)
        with ActiveRun(run.folder.parent, run.id, begun=begun is not None) as active:
            if begun is not None:
                # Another process may have gone on with it, and ended, since it was looked at.
                check_can_go_on(run.read_record())
            outcome = Outcome(run=run, measured=any(map(has_measured, run.job_paths())))
            watch = Watch(agent.path, lambda: interrupts.count > 0)
            surroundings = Surroundings(watch, read_counts, facts)
            runner = _Runner(
                study=study,
                agent=agent,
                observer=observer,
                outcome=outcome,
                record=run.read_record(),
                begun=Begun(run=run),
                active=active,
                interrupts=interrupts,
                state=State.NEW if begun is None else State.KEPT,
                together=Together(study.fleet, machines, interrupts),
                surroundings=surroundings,
            )
            try:
                observer.run_started(run, study, levels)
                # The order of segments goes by what those of earlier sessions came to.
                if not study.plan.in_segments:
                    runner.begun = Begun.of(run)
                if not has_floor(run):
                    runner.floor(levels)
                runner.all(levels)
                runner.tell_end()
            except IgenError as error:
                outcome.error = error
                runner.on("stops")
            finally:
                surroundings.close()
                observer.close()
            if interrupts.count:
                outcome.interrupted = True
                runner.on("stops")
            try:
                runner.write_outcome()
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
        noise=_noise_of(study, store.path) if study.plan.finds_levels else None,
    )


def _noise_of(study: Study, store: Path) -> float | None:
    """Noise of a run's throughput, if `igen noise` measured it with this workload on this machine."""
    workload = str(study.job.get("workload", ""))
    machine = machine_noise(store, workload)
    if machine is None or machine.workload != workload or THROUGHPUT not in machine.of:
        return None
    return machine.of[THROUGHPUT].between_runs


def floor_phases(levels: list[PlannedLevel]) -> dict[str, float]:
    """Warm-up, measurement and interval of the floor's own job, in seconds."""
    measured_s = sum(float(level.job["phases"]["measure_s"]) for level in levels)
    floor_s = min(max(FLOOR_SHARE * measured_s, FLOOR_LEAST_S), FLOOR_MOST_S)
    return {"warmup_s": floor_s / 6, "measure_s": floor_s, "interval_s": floor_s / 6}


def _host_name() -> str:
    import socket

    return socket.gethostname()


def _where(execution: Execution) -> str:
    return f"{execution.level.label}, repeat {execution.repeat + 1}"


@dataclass(slots=True, kw_only=True)
class _Runner:
    study: Study
    agent: Agent
    observer: Observer
    outcome: Outcome
    active: ActiveRun
    interrupts: Interrupts
    state: State
    together: Together
    surroundings: Surroundings
    record: RunRecord
    begun: Begun
    warned: set[str] = field(default_factory=set)
    files: dict[int, list[Path]] = field(default_factory=dict)
    """Jobs files by level."""

    def on(self, event: Event) -> None:
        """Take the transition of an event, the only place that changes the state."""
        before, self.state = self.state, _NEXT.get((self.state, event), self.state)
        if self.state is not before and self.state is State.RESUMED:
            self.outcome.run.write_resumed()
        self.outcome.measured |= self.state is State.MEASURED

    def floor(self, levels: list[PlannedLevel]) -> None:
        """Measure the engine's own cost. A study continues without it."""
        job = self.agent.check({**FLOOR_JOB, "phases": floor_phases(levels)})
        place = {"system": self.record.system, "level": 0, "repeat": 0, "purpose": "floor"}
        with self.outcome.run.new_floor(self._start(job, **place)) as writer:
            listener = JobListener(writer, job, self.active, Observer(), self._warn)
            exit = run_job(self.agent.path, job, listener, self.interrupts)
            listener.finish(exit)
        if not exit.ok and not exit.interrupted:
            self._warn(f"cannot measure the engine's own cost: {agent_error(exit.error or {}, None).text}")

    def all(self, levels: list[PlannedLevel]) -> None:
        """Run every execution of the study, until a failure ends it."""
        order = self._order(levels)
        for number, planned in enumerate(order.executions()):
            execution = replace(planned, order=number)
            if self.interrupts.count:
                return
            kept = self.begun.take(execution)
            if kept is None:
                self.observer.job_started(execution)
            else:
                self._remember(execution, kept)
            path = kept or self._execute(execution)
            self.files.setdefault(execution.level.number, []).append(path)
            result = self._result_of([path])
            tell = self.observer.job_finished if kept is None else self.observer.kept
            tell(execution, result)
            reached = reached_by(self.outcome.recordings.of(path), result)
            self._tell(execution, order.hear(execution, reached))
            if self.study.plan.in_segments:
                self.outcome.recordings.forget(path)

    def _tell(self, execution: Execution, heard: Heard) -> None:
        """Report what the order concludes from an execution."""
        for incident in heard.incidents:
            self.observer.warning(incident)
        self._finish_levels(heard.done)
        if heard.replaced:
            self.observer.replaced(execution, heard.replaced)
        if heard.look:
            self.observer.looked(execution, heard.look)

    def _order(self, levels: list[PlannedLevel]) -> Order:
        running = Running(
            study=self.study,
            agent=self.agent,
            levels=levels,
            noise=self.record.noise,
            warn=self._warn,
            judged=self._judged,
            earlier=lambda: (Recordings().of(path) for path in self.outcome.run.job_paths()),
        )
        return self.study.plan.order(running)

    def _judged(self) -> list[System]:
        """Judge everything that was executed so far."""
        paths = [path for level in self.files.values() for path in level]
        return self._systems_of(paths) if paths else []

    def _remember(self, execution: Execution, path: Path) -> None:
        """Return the failures of earlier sessions, which make the whole run fail."""
        exit = exit_of(path, self.outcome.recordings.of(path))
        if not exit.ok:
            self._keep_in_mind(agent_error(exit.error or {}, None, where=_where(execution)))

    def _execute(self, execution: Execution) -> Path:
        """Return its jobs file, or the file of an earlier session if this session has not measured it."""
        self.on("executes")
        level, job = execution.level, execution.job
        place = {
            "level": level.number,
            "repeat": execution.repeat,
            "order": execution.order,
            "purpose": execution.purpose,
        }
        if level.test:
            place["test"] = level.test
        start = self._start(job, system=level.system or self.record.system, **place)
        self.surroundings.begin(job, self.observer.waiting)
        replaced = self.begun.replaced(execution)
        with self.outcome.run.new_job(start) as writer:
            listener = JobListener(
                writer, job, self.active, self.observer, self._warn, self.surroundings, replaced.set_aside
            )
            try:
                exit = self._run_job(listener, job)
            finally:
                if listener.reached_measure:
                    self.on("measures")
                path = replaced.settle(writer.path)
        if not exit.ok and not exit.interrupted:
            self._failed(exit, execution)
        return path

    def _run_job(self, listener: JobListener, job: dict[str, Any]) -> JobExit:
        agents = agents_of(job, len(self.together.agents))
        if agents > 1 or self.study.fleet.address != LOCAL:
            exit = self.together.run(job, agents, listener)
        else:
            exit = run_job(self.agent.path, job, listener, self.interrupts)
        listener.finish(exit)
        return exit

    def _start(self, job: dict[str, Any], **place: Any) -> dict[str, Any]:
        record = self.record
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
        goes_on = self.study.plan.goes_on(
            measured=self.state is State.MEASURED, resumed=self.state is State.RESUMED
        )
        exit_code = None if goes_on else exit.exit_code
        error = agent_error(exit.error or {}, exit_code, where=_where(execution))
        if not goes_on:
            raise error
        self._keep_in_mind(error)

    def _keep_in_mind(self, error: IgenError) -> None:
        self.outcome.error = self.outcome.error or error
        self._warn(str(error))

    def tell_end(self) -> None:
        """Report that a resumed run was finished already."""
        if self.state is State.KEPT and not self.interrupts.count:
            self._warn("nothing to do: the run was already complete")

    def write_outcome(self) -> None:
        """Write how the run ended. Raises `IgenError`."""
        outcome, run = self.outcome, self.outcome.run
        if self.state is State.LEFT:
            return
        if self.state is State.RESUMED:
            run.take_back_resumed()
        run.write_outcome("interrupted" if outcome.interrupted else "failed" if outcome.error else "complete")

    def _warn(self, text: str) -> None:
        if text not in self.warned:
            self.warned.add(text)
            self.observer.warning(text)

    def _finish_levels(self, numbers: list[int]) -> None:
        """Judge levels of compared systems together: a repeat is replaced on all sides."""
        paths = [path for number in numbers for path in self.files[number]]
        for system in self._systems_of(paths) if paths else []:
            for result in system.levels:
                self.observer.level_finished(result)

    def _result_of(self, paths: list[Path]) -> Level | None:
        """Return the result of the executions of a level."""
        (system,) = self._systems_of(paths)
        return system.levels[0] if system.levels else None

    def _systems_of(self, paths: list[Path]) -> list[System]:
        recordings = [self.outcome.recordings.of(path) for path in paths]
        repeats = self.study.plan.repeats
        intent = Intent(value=self.study.value, repeats=repeats if isinstance(repeats, int) else None)
        return analyse(recordings, intent=intent, aspects=ASPECTS)
