"""Runs a job on several agents, recorded as one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from igen.fleet.coordinator import Coordinator
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import JobExit, Listener
from igen.fleet.member import Effect, Kill, Say, Tell
from igen.fleet.pauses import short_pauses
from igen.fleet.plan import FleetPlan
from igen.fleet.share import Job, alone, shared, steps_of
from igen.fleet.transport import Transport

_encoder = msgspec.json.Encoder()


class Together:
    """The agents of a study, which share its jobs one after another."""

    def __init__(self, plan: FleetPlan, transport: Transport, interrupts: Interrupts) -> None:
        self._plan = plan
        self._transport = transport
        self._interrupts = interrupts
        self.agents = list(range(plan.agents))
        """Return the agents that take part, without lost agents if the plan drops them."""

    def run(self, job: Job, agents: int, listener: Listener) -> JobExit:
        """Runs `job` (with its defaults filled in) on so many agents and returns when all are gone.

        What is done once is done by one of them: the steps before the load, and those after it. The first
        interrupt asks all agents to stop, the second kills them. Raises what the listener raises.
        """
        # What many agents say at once is told within a tenth of a second.
        with short_pauses():
            return _Run(self, job, self.agents[:agents], listener).run()

    def leave(self, lost: Iterable[int]) -> None:
        """Return the lost agents."""
        if self._plan.on_loss == "redistribute":
            gone = set(lost)
            left = [agent for agent in self.agents if agent not in gone]
            self.agents = left or self.agents


class _Run:
    def __init__(self, together: Together, job: Job, agents: Sequence[int], listener: Listener) -> None:
        self._together = together
        self._transport = together._transport
        self._plan = together._plan
        self._interrupts = together._interrupts
        self._job = job
        self._agents = agents
        self._listener = listener
        self._lines = 0
        self._unix_s = time.time() - time.monotonic()
        self._origin_unix_s = time.time()

    def run(self) -> JobExit:
        """Run all steps, one after another, until an error or an interrupt."""
        before, load, after = steps_of(self._job)
        last: Coordinator | None = None
        for steps in (before, ["measure"] if load else [], after):
            if steps and (last is None or (last.exit_code == 0 and not last.interrupted)):
                last = self._done(steps, load=load and steps == ["measure"], greet=last is None)
        assert last is not None
        self._perform(last, [Tell(last.end(time.time() - self._origin_unix_s))])
        return JobExit(exit_code=last.exit_code, interrupted=last.interrupted, error=last.error)

    def _done(self, steps: Sequence[str], *, load: bool, greet: bool) -> Coordinator:
        agents = list(self._agents) if load else list(self._agents[:1])
        places = self._transport.open(agents)
        lease_s = self._plan.lease_s
        jobs = shared(self._job, places, lease_s) if load else [alone(self._job, steps, lease_s)]
        coordinator = Coordinator(
            dict(enumerate(jobs)),
            dict(enumerate(places)),
            whole=self._job,
            on_loss=self._plan.on_loss,
            now_s=time.monotonic(),
            unix_s=self._unix_s,
            origin_unix_s=self._origin_unix_s,
            polls=self._transport.polls,
            greet=greet,
        )
        try:
            self._perform(coordinator, coordinator.start())
            self._drive(coordinator)
        finally:
            self._transport.end(agents)
        self._perform(coordinator, coordinator.close())
        self._together.leave(agents[place] for place in coordinator.lost)
        return coordinator

    def _drive(self, coordinator: Coordinator) -> None:
        stopped = 0
        while not coordinator.over:
            messages = self._transport.wait(coordinator.wake_s - time.monotonic())
            for message in messages:
                placed = replace(message, agent=self._agents.index(message.agent))
                self._perform(coordinator, coordinator.take(placed, time.monotonic()))
            if self._interrupts.count > stopped:
                stopped = self._interrupts.count
                self._perform(coordinator, coordinator.interrupt(time.monotonic(), at_once=stopped > 1))
            self._perform(coordinator, coordinator.tick(time.monotonic()))

    def _perform(self, coordinator: Coordinator, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Say(agent, what):
                    self._transport.say(self._agents[agent], _encoder.encode(what) + b"\n")
                case Kill(agent):
                    self._transport.kill(self._agents[agent])
                case Tell(event):
                    self._tell(coordinator, event)

    def _tell(self, coordinator: Coordinator, event: dict[str, Any]) -> None:
        self._listener.line(_encoder.encode({**event, "seq": self._lines}))
        self._lines += 1
        command = self._listener.event(event)
        if command is not None:
            self._perform(coordinator, coordinator.answer(command, time.monotonic()))
