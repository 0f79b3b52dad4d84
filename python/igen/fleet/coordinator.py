"""One job on several agents: who is ready, who begins when, who is lost, what is told and said.

A machine of states: it is given what agents wrote and the time of a clock that only goes forward, and
answers with what is to be done. It reads no clock, waits for nothing and starts nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from igen.facts import (
    FLEET_AGENTS,
    FLEET_BEGAN_TOGETHER,
    FLEET_CLOCK_ERRORS_S,
    FLEET_CLOCK_OFFSETS_S,
    FLEET_HOSTS,
    FLEET_LOST,
    FLEET_MACHINES,
    FLEET_ON_LOSS,
    FLEET_PROCESS_IDS,
)
from igen.fleet.agent import check_hello
from igen.fleet.facts import Facts, body
from igen.fleet.inbox import Event, NotAnEvent
from igen.fleet.local import GRACE_S, HUNG_S, Command
from igen.fleet.lockstep import Lockstep, is_common
from igen.fleet.member import Effect, Kill, Member, Say, Tell, death, name_of
from igen.fleet.plan import OnLoss
from igen.fleet.transport import Gone, Heard, Message, Place, told_apart

NOTICE_S = 1.5
"""An agent under load is lost when an interval is so much overdue: within 3 s where
intervals are of 1 s, the longest usual ones."""
UNREACHED_S = 2.5
"""Time after which an unreachable agent is lost."""
SAME_TIME_ERROR_S = 0.002
"""Largest error of clocks with which agents start at a given Unix time; otherwise they start at once."""
LEAD_S, LEAD_EACH_S = 0.1, 0.002
"""Time between the start command and the start, and the addition for each agent."""
ABSENCE_S = 1.0
"""Longest time between ticks: after a longer pause of the coordinator, output of agents is still to come."""
LOOK_S = 0.25
"""Time between checks for overdue agents."""
RENEWALS = 4
"""Renewals in the time of a lease."""


class Coordinator:
    """One job, or the steps of it that one agent does for all.

    `jobs` are those of the agents with these numbers, `total` how many share the whole. `origin_unix_s` is
    when the job began: its own clock counts from then. `unix_s` is the calendar where the clock of `now_s`
    is 0.
    """

    def __init__(
        self,
        jobs: Mapping[int, dict[str, Any]],
        places: Mapping[int, Place],
        *,
        whole: dict[str, Any],
        on_loss: OnLoss,
        now_s: float,
        unix_s: float,
        origin_unix_s: float,
        polls: bool = False,
        greet: bool = True,
    ) -> None:
        self._whole = whole
        self._on_loss: OnLoss = on_loss
        self._unix_s = unix_s
        self._origin_unix_s = origin_unix_s
        self._polls = polls
        self._greet = greet
        self._leader = min(jobs)
        places = told_apart(places)
        self._members = {
            agent: Member(
                places[agent], name_of(agent, len(jobs), places[agent]), job, heard_s=now_s, reached_s=now_s
            )
            for agent, job in jobs.items()
        }
        self._facts = Facts(self._leader)
        self._lockstep: Lockstep | None = None
        self._held: list[Event] | None = []
        """Yield the events after the greeting."""
        self._told_once: set[str] = set()
        self._lost: list[str] = []
        self._begin_s: float | None = None
        self._finishes = False
        """Record that the measurement is over: agents drain, even if they have not reported it yet."""
        self._stopping = False
        self._kill_s: float | None = None
        self._ticked_s = now_s
        first = jobs[self._leader]
        self._shares = bool(first["phases"].get("await_begin"))
        self._lease_s = float(first["lease_s"])
        self._renew_s = now_s + self._lease_s / RENEWALS
        self._interval_s: float = whole["phases"]["interval_s"]
        self._drain_s: float = whole["phases"]["drain_s"]
        self.error: Event | None = None
        """Error that ended the job: `path`, `text` and `hint`."""
        self.interrupted = False

    # What comes in.

    def start(self) -> list[Effect]:
        """Give each agent its job."""
        return [Say(agent, member.job) for agent, member in self._members.items()]

    def take(self, message: Message, now_s: float) -> list[Effect]:
        """Take in the output of an agent, or its end."""
        if isinstance(message, Heard):
            return list(self._heard(message, now_s))
        return list(self._gone(message, now_s))

    def answer(self, command: Command, now_s: float) -> list[Effect]:
        """Pass the answer to `measured` to each agent, which must continue within its time."""
        self._finishes |= command == "finish"
        for member in self._members.values():
            member.due |= member.present and not member.drained and member.end is None
        return [*self._say_all(command), *self._renewed_patience(now_s)]

    def interrupt(self, now_s: float, *, at_once: bool) -> list[Effect]:
        """Stop the job for the user."""
        self.interrupted = True
        if at_once:
            return [Kill(agent) for agent, member in self._members.items() if member.present]
        return list(self._stop(now_s))

    def tick(self, now_s: float) -> list[Effect]:
        """Yield the actions that are due at this time."""
        away_s, self._ticked_s = now_s - self._ticked_s, now_s
        if away_s > ABSENCE_S:
            self._renewed_patience(now_s)
        effects: list[Effect] = []
        if now_s >= self._renew_s:
            self._renew_s = now_s + self._lease_s / RENEWALS
            effects += self._say_all("renew")
        for agent, member in self._members.items():
            if member.present and (late := self._overdue(member, now_s)):
                effects += self._lose(agent, late, now_s)
        if self._kill_s is not None and now_s >= self._kill_s:
            self._kill_s = None
            effects += [Kill(agent) for agent, member in self._members.items() if member.present]
        return effects

    # What can be asked.

    @property
    def wake_s(self) -> float:
        """Return when `tick` is due next."""
        times = [self._renew_s, self._ticked_s + LOOK_S]
        if self._kill_s is not None:
            times.append(self._kill_s)
        return min(times)

    @property
    def over(self) -> bool:
        """True if no more output is expected."""
        return not any(member.present for member in self._members.values())

    @property
    def lost(self) -> list[int]:
        """Agents that were lost."""
        return [agent for agent, member in self._members.items() if member.lost]

    def close(self) -> list[Effect]:
        """Yield the last events of the job before its end event."""
        told: list[Event] = [{"fact": fact} for fact in self._facts.rest()]
        late = {member.name: member.left_out for member in self._members.values() if member.left_out}
        for name, count in late.items():
            text = f"{name} wrote {count} intervals after it was given up; they are ignored"
            told.append({"warning": {"path": "fleet", "text": text}})
        return [effect for event in told for effect in self._tell(event)]

    def end(self, at_s: float) -> Event:
        """The last event of the job."""
        ends = [member.end for member in self._members.values() if member.end]
        outcomes = {end["outcome"] for end in ends}
        worst = next((each for each in ("failed", "interrupted") if each in outcomes), "complete")
        outcome = "failed" if self.error else "interrupted" if self.interrupted else worst
        unfinished = sum(end.get("unfinished_users", 0) for end in ends)
        return {"end": {"outcome": outcome, "at_s": at_s, "unfinished_users": unfinished}}

    @property
    def exit_code(self) -> int:
        """Return the exit code of a single agent: 2 for a job that an agent refuses."""
        if self.error is not None:
            codes = {
                member.gone.exit_code for member in self._members.values() if member.gone and member.error
            }
            return 2 if codes == {2} else 1
        return 130 if self.interrupted else 0

    # Events.

    def _heard(self, message: Heard, now_s: float) -> Iterator[Effect]:
        agent, member = message.agent, self._members[message.agent]
        member.reached_s = now_s
        try:
            for event in member.inbox.take(message.lines):
                member.heard_s = now_s
                yield from self._event(agent, member, event, now_s)
        except NotAnEvent as error:
            yield from self._lose(agent, str(error), now_s)

    def _event(self, agent: int, member: Member, event: Event, now_s: float) -> Iterator[Effect]:
        if member.lost:
            member.left_out += "snapshot" in event
            return
        ((kind, body),) = event.items()
        match kind:
            case "hello":
                yield from self._hello(agent, member, event)
            case "ready":
                member.ready = True
                yield from self._begin_if_ready(now_s)
            case "error":
                member.error = member.error or body
            case "end":
                member.end = body
                member.due = False
            case "fact":
                if self._facts.add(agent, body, load_is_over=member.drained):
                    yield from self._tell(event)
            case "warning" if len(self._members) > 1:
                if body["text"] not in self._told_once:
                    self._told_once.add(body["text"])
                    yield from self._tell({"warning": body | {"text": f"{member.name}: {body['text']}"}})
            case _ if is_common(event) and self._lockstep:
                yield from self._common(agent, member, event, now_s)
            case "phase" | "progress":
                # Steps after the load are done by all, and each would tell the same.
                if agent == self._leader:
                    yield from self._tell(self._on_job_clock(member, kind, body))
            case _:
                yield from self._tell(self._on_job_clock(member, kind, body))

    def _on_job_clock(self, member: Member, kind: str, body: Any) -> Event:
        if isinstance(body, dict) and "at_s" in body:
            body = body | {"at_s": body["at_s"] + member.shift_s}
        if kind == "reading":
            # Another machine may have the same name.
            body = body | {"host": member.place.host}
        return {kind: body}

    def _hello(self, agent: int, member: Member, event: Event) -> Iterator[Effect]:
        check_hello(event)
        hello = event["hello"]
        member.shift_s = hello["started_unix_s"] - (member.place.clock_offset_s or 0.0) - self._origin_unix_s
        if agent == self._leader and self._held is not None:
            if self._greet:
                of_job = {
                    "host": member.place.host,
                    "started_unix_s": self._origin_unix_s,
                    "job": self._whole,
                }
                yield Tell({"hello": hello | of_job})
            yield from self._release()

    def _tell(self, event: Event) -> Iterator[Effect]:
        if self._held is not None:
            self._held.append(event)
        else:
            yield Tell(event)

    def _release(self) -> Iterator[Effect]:
        held, self._held = self._held or [], None
        yield from map(Tell, held)

    def _common(self, agent: int, member: Member, event: Event, now_s: float) -> Iterator[Effect]:
        assert self._lockstep is not None
        if "snapshot" in event:
            member.due = not member.drain
            member.drained = member.drain
        elif "measured" in event:
            member.due = False  # it waits for an answer
        elif event["phase"]["phase"] == "drain":
            member.drain = True
        self._lockstep.add(agent, event)
        yield from self._told_together(now_s)

    def _told_together(self, now_s: float) -> Iterator[Effect]:
        if self._lockstep is None:
            return
        try:
            for event in self._lockstep.told():
                yield from self._tell(event)
        except ValueError as error:
            yield from self._fail({"text": f"an agent's interval cannot be read: {error}"}, now_s)

    # Begin.

    def _begin_if_ready(self, now_s: float) -> Iterator[Effect]:
        members = self._members
        if (
            not self._shares
            or self._begin_s is not None
            or not all(member.ready for member in members.values())
        ):
            return
        known = all(
            member.place.clock_offset_s is not None and member.place.clock_error_s < SAME_TIME_ERROR_S
            for member in members.values()
        )
        lead_s = LEAD_S + LEAD_EACH_S * len(members) if known else 0.0
        self._begin_s = now_s + lead_s
        self._lockstep = Lockstep({agent: member.shift_s for agent, member in members.items()})
        at_s = self._unix_s + now_s - self._origin_unix_s
        yield from self._tell({"ready": {"at_s": at_s}})
        for agent, member in members.items():
            member.due, member.heard_s = True, self._begin_s
            at_unix_s = self._unix_s + self._begin_s + (member.place.clock_offset_s or 0.0)
            yield Say(agent, {"begin": {"at_unix_s": at_unix_s} if known else "now"})
        yield from self._facts_of_fleet(known)

    def _facts_of_fleet(self, known: bool) -> Iterator[Effect]:
        places = [member.place for member in self._members.values()]
        machines = [place.machine for place in places]
        beside = [each.process_id for index, each in enumerate(places) if each.machine in machines[:index]]
        for name, value in (
            (FLEET_AGENTS, len(places)),
            (FLEET_HOSTS, [place.host for place in places]),
            (FLEET_MACHINES, len(set(machines))),
            (FLEET_PROCESS_IDS, beside),
            (FLEET_BEGAN_TOGETHER, known),
            (FLEET_CLOCK_OFFSETS_S, [place.clock_offset_s for place in places]),
            (
                FLEET_CLOCK_ERRORS_S,
                [None if place.clock_offset_s is None else place.clock_error_s for place in places],
            ),
            (FLEET_ON_LOSS, self._on_loss),
        ):
            yield from self._tell({"fact": body(name, value)})

    # Loss and end.

    def _gone(self, gone: Gone, now_s: float) -> Iterator[Effect]:
        agent, member = gone.agent, self._members[gone.agent]
        if member.lost:
            return
        ended_well = member.end is not None and gone.exit_code == 0 and member.end["outcome"] == "complete"
        if ended_well or self._stopping or self.interrupted:
            member.gone = gone
            if self._lockstep:
                self._lockstep.leave(agent)
            yield from self._told_together(now_s)
            return
        member.gone = gone
        yield from self._lose(agent, death(member, gone), now_s)

    def _lose(self, agent: int, why: str, now_s: float) -> Iterator[Effect]:
        member = self._members[agent]
        member.lost = why
        if member.gone is None:
            yield Kill(agent)
        if self._lockstep:
            self._lockstep.leave(agent)
            yield from self._told_together(now_s)
        if self._stopping:
            return
        begun = self._begin_s is not None
        text = f"{member.name} was lost: {why}"
        if begun:
            since_s = max(now_s - (self._begin_s or now_s), 0.0)
            text = f"{member.name} was lost {since_s:.1f} s after the start of the load: {why}"
        # A loss makes the run no observation; what an agent says itself is of the system under test.
        if member.error is None and not member.drained:
            self._lost.append(text)
            yield from self._tell({"fact": body(FLEET_LOST, list(self._lost))})
        left = [each for each in self._members.values() if not each.lost]
        if not left and len(self._members) > 1:
            text = f"{text}; none of {len(self._members)} agents is left"
        if not begun or member.error is not None or self._on_loss == "fail" or not left:
            said = member.error and f"{member.name}: {member.error['text']}"
            error = {**(member.error or {}), "text": said or text}
            yield from self._fail(error if len(self._members) > 1 else member.error or error, now_s)
        else:
            text = f"{text}; the level continues with {len(left)} of {len(self._members)} agents"
            yield from self._tell({"warning": {"path": "fleet", "text": text}})

    def _fail(self, error: Event, now_s: float) -> Iterator[Effect]:
        if self.error is None:
            self.error = error
            yield from self._release()  # nobody may be left who greets
            yield from self._tell({"error": error})
        yield from self._stop(now_s)

    def _stop(self, now_s: float) -> Iterator[Effect]:
        if not self._stopping:
            self._stopping = True
            self._kill_s = now_s + self._drain_s + GRACE_S
            yield from self._say_all("stop")

    def _overdue(self, member: Member, now_s: float) -> str:
        silent_s = now_s - member.heard_s
        if self._polls and now_s - member.reached_s > UNREACHED_S:
            return f"it could not be reached for {now_s - member.reached_s:.1f} s"
        drain_s = self._drain_s if member.drain or self._finishes else 0.0
        if member.due and silent_s > self._interval_s + NOTICE_S + drain_s:
            return f"it wrote no interval for {silent_s:.1f} s"
        if not member.due and silent_s > HUNG_S + self._whole["canary_s"]:
            return f"it wrote nothing for {silent_s:.1f} s"
        return ""

    def _renewed_patience(self, now_s: float) -> Sequence[Effect]:
        for member in self._members.values():
            member.heard_s = max(member.heard_s, now_s)
            member.reached_s = max(member.reached_s, now_s)
        return []

    def _say_all(self, what: Command) -> list[Effect]:
        return [Say(agent, what) for agent, member in self._members.items() if member.present]
