"""The servers of a level as they see themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import add

from igen.aspects.server.commits import commits_per_s, engines_of, per_s, server_of_place
from igen.aspects.server.others import other_clients, sees_others
from igen.aspects.server.parts import OtherClient, Server
from igen.aspects.server.waits import NOTHING, Samples, samples_between, shares_by_event, shares_by_kind
from igen.facts import ENGINE_ASIDE_S
from igen.judge.aspect import LevelRuns
from igen.judge.result import Finding, Part
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.resources import Host
from igen.judge.trust.finding import finding

COUNT_SHARE = 0.02
"""By which the server's count of transactions may differ from the client's."""
LAG_S = 1.0
"""PostgreSQL's sessions report what they did up to this much later, all at the same time or not."""


def server_of(runs: LevelRuns) -> Server | None:
    """Return sums over the servers of each run, means over runs; None if no monitor of a server ran, or if
    the servers are of several engines, whose counters and waits have nothing in common."""
    watched = [run for run in runs.used if engines_of(run.host)]
    if not watched or len(engines := engines_of(watched[0].host)) > 1:
        return None
    (engine,) = engines
    others = other_clients(watched)
    samples = reduce(add, (_samples(run, engine) for run in watched), NOTHING)
    hit, read = (_mean(watched, engine, [name]) for name in ("blocks_hit", "blocks_read"))
    cpu = [each for run in watched if (each := _cpu_per_s(run.host)) is not None]
    processors = watched[0].host.processors
    throughput = sum(run.throughput_per_s for run in watched) / len(watched)
    cpu_per_s = sum(cpu) / len(cpu) if cpu else None
    active = sum(count for wait, count in samples.waits.items() if wait.event != "client")
    return Server(
        engine=engine,
        servers=len({server_of_place(subject) for subject in watched[0].host.subjects(engine)}),
        commits_per_s=_mean(watched, engine, ["commits"]),
        rollbacks_per_s=_mean(watched, engine, ["rollbacks"]),
        cache_hit_percent=100 * hit / (hit + read)
        if hit is not None and read is not None and hit + read
        else None,
        checkpoints=_count(watched, engine, ["checkpoints_timed", "checkpoints_requested"]),
        deadlocks=_count(watched, engine, ["deadlocks"]),
        lock_waits_per_s=_mean(watched, engine, ["lock_waits"]),
        cpu_percent=100 * cpu_per_s / processors if cpu_per_s is not None and processors else None,
        cpu_us_per_transaction=1e6 * cpu_per_s / throughput if cpu_per_s is not None and throughput else None,
        read_bytes_per_s=_mean_of_processes(watched, "read_bytes"),
        active_sessions=active / samples.moments if samples.moments else None,
        moments=samples.moments,
        session_samples=samples.sessions,
        kinds=shares_by_kind(samples) if samples.sessions else [],
        waits=shares_by_event(samples) if samples.sessions else [],
        others=others,
        sees_others=sees_others(watched),
        commits_of_others_percent=_of_others_percent(watched) if others else None,
    )


def other_clients_of(runs: LevelRuns) -> Iterator[Finding]:
    """Yield the other clients of the servers, whatever their share, or that they may not be seen; without
    others, the run in which client and servers count transactions most differently."""
    others = other_clients(runs.used)
    if others:
        percent = _of_others_percent(runs.used)
        share = [] if percent is None else [Part(name="commits_percent", figure=percent)]
        clients = [
            Part(name="active_percent", figure=each.active_percent, text=_client(each)) for each in others
        ]
        yield finding("other-clients-seen", *clients, *share, scope="level")
        return
    if sees_others(runs.used) is False:
        yield finding("other-clients-hidden", scope="level")
    found = [each for run in runs.used if (each := _difference(run)) is not None]
    beyond = [(difference, allowed) for difference, allowed in found if abs(difference) > allowed]
    if beyond:
        difference, allowed = max(beyond, key=lambda row: abs(row[0]))
        yield finding(
            "server-count",
            scope="level",
            limit=100 * allowed,
            unit="percent",
            difference_percent=100 * difference,
        )


def _client(other: OtherClient) -> str:
    """Return who it is: `bob at 10.0.0.7 (psql)`."""
    address = other.address or "a Unix socket"
    application = f" ({other.application})" if other.application else ""
    return f"{other.user} at {address}{application}"


def _of_others_percent(runs: Sequence[MeasuredRun]) -> float | None:
    """Return the share of the servers' commits that are not this load's, or None if either is unknown."""
    found = [each for run in runs if (each := _difference(run)) is not None]
    if not found:
        return None
    more = sum(difference for difference, _ in found) / len(found)
    return 100 * max(more, 0.0) / (1 + max(more, 0.0))


def _difference(run: MeasuredRun) -> tuple[float, float] | None:
    """Return by which share the servers of all targets counted more transactions, and the share that their
    delays explain; None if the counts are of different things."""
    commits = commits_per_s(run, run.host)
    if commits is None or not run.throughput_per_s:
        return None
    late = LAG_S / run.measured_s if "postgresql" in engines_of(run.host) else 0.0
    return commits / run.throughput_per_s - 1, COUNT_SHARE + late


def _mean(runs: Sequence[MeasuredRun], engine: str, counters: Sequence[str]) -> float | None:
    return _mean_known(per_s(run.host, engine, counters) for run in runs)


def _mean_of_processes(runs: Sequence[MeasuredRun], counter: str) -> float | None:
    """Processor time of the servers whose processes are on this host."""
    return _mean_known(_of_processes(run.host, [counter]) for run in runs)


def _mean_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _count(runs: Sequence[MeasuredRun], engine: str, counters: Sequence[str]) -> int | None:
    """In all measured time."""
    rates = [(per_s(run.host, engine, counters), run.measured_s) for run in runs]
    known = [rate * measured_s for rate, measured_s in rates if rate is not None]
    return round(sum(known)) if known else None


def _cpu_per_s(host: Host) -> float | None:
    return _of_processes(host, ["user_s", "system_s"])


def _of_processes(host: Host, counters: Sequence[str]) -> float | None:
    rates = [host.sum_per_s(monitor, counters, [subject]) for monitor, subject in host.servers()]
    known = [rate for rate in rates if rate is not None]
    return sum(known) if known else None


def _samples(run: MeasuredRun, engine: str) -> Samples:
    """Samples of all databases; moments are those of one of them: more servers are not more evidence."""
    job = run.recording
    always_busy = (
        job.load_model == "closed"
        and not job.load.get("think_time_s")
        and not any(interval.think_time_s for interval in run.intervals)
        and not job.facts.get(ENGINE_ASIDE_S)
    )
    subjects = [subject for subject in run.host.subjects(engine) if run.host.ends(engine, subject)]
    users = -(-(job.users or 0) // max(len(job.targets), 1)) if always_busy else None
    found = []
    for subject in subjects:
        ends = run.host.ends(engine, subject)
        if ends:
            found.append(samples_between(ends[0].counters, ends[1].counters, users))
    waits = reduce(add, found, NOTHING).waits
    return Samples(max((each.moments for each in found), default=0), waits)
