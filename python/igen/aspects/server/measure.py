"""The servers of a level as they see themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

from igen.aspects.server.parts import SERVER_MONITORS, Server
from igen.aspects.server.waits import NOTHING, Samples, samples_between, shares_by_event, shares_by_kind
from igen.judge.aspect import LevelRuns
from igen.judge.measured import MeasuredRun
from igen.judge.resources import Host
from igen.judge.settings import params_of_loads

ONE_COMMIT = ("oltp", "bank")
"""Workloads whose transaction is one of the database."""
COUNT_SHARE = 0.02
"""By which the server's count of transactions may differ from the client's."""
LAG_S = 1.0
"""PostgreSQL's sessions report what they did up to this much later, all at the same time or not."""


def server_of(runs: LevelRuns) -> Server | None:
    """Sums over the servers of each run, means over runs; None where no monitor of a server ran."""
    watched = [run for run in runs.used if _engine(run.host)]
    if not watched:
        return None
    engine = _engine(watched[0].host)
    samples = reduce(add, (_samples(run, engine) for run in watched), NOTHING)
    hit, read = (_mean(watched, engine, [name]) for name in ("blocks_hit", "blocks_read"))
    cpu = [each for run in watched if (each := _cpu_per_s(run.host)) is not None]
    processors = watched[0].host.processors
    per_s = sum(run.throughput_per_s for run in watched) / len(watched)
    cpu_per_s = sum(cpu) / len(cpu) if cpu else None
    active = sum(count for wait, count in samples.waits.items() if wait.event != "client")
    return Server(
        engine=engine,
        servers=len({_server(subject) for subject in watched[0].host.subjects(engine)}),
        commits_per_s=_mean(watched, engine, ["commits"]),
        rollbacks_per_s=_mean(watched, engine, ["rollbacks"]),
        cache_hit_percent=100 * hit / (hit + read)
        if hit is not None and read is not None and hit + read
        else None,
        checkpoints=_count(watched, engine, ["checkpoints_timed", "checkpoints_requested"]),
        deadlocks=_count(watched, engine, ["deadlocks"]),
        lock_waits_per_s=_mean(watched, engine, ["lock_waits"]),
        cpu_percent=100 * cpu_per_s / processors if cpu_per_s is not None and processors else None,
        cpu_us_per_transaction=1e6 * cpu_per_s / per_s if cpu_per_s is not None and per_s else None,
        read_bytes_per_s=_mean_of_processes(watched, "read_bytes"),
        active_sessions=active / samples.moments if samples.moments else None,
        moments=samples.moments,
        session_samples=samples.sessions,
        kinds=shares_by_kind(samples) if samples.sessions else [],
        waits=shares_by_event(samples) if samples.sessions else [],
    )


def server_warnings(runs: LevelRuns) -> list[str]:
    """Where the server did not count what the client did; the farthest run."""
    found = [each for run in runs.used if (each := _difference(run)) is not None]
    if not found:
        return []
    difference, allowed = max(found, key=lambda row: abs(row[0]))
    limit = f"(limit {100 * allowed:.0f} %)"
    percent = f"{100 * abs(difference):.1f} %"
    if difference > 0:
        return [f"the server committed {percent} more transactions than this load {limit}: others use it too"]
    return [f"the server committed {percent} fewer transactions than the client was told {limit}"]


def _difference(run: MeasuredRun) -> tuple[float, float] | None:
    """By which share the server counted more, and what is allowed; None where both may differ or agree."""
    engine = _engine(run.host)
    autocommit = any(params.get("mode") == "autocommit" for params in params_of_loads(run.recording.job))
    if not engine or run.recording.job.get("workload") not in ONE_COMMIT or autocommit:
        return None
    commits = _per_s(run.host, engine, ["commits"])
    if commits is None or not run.throughput_per_s:
        return None
    allowed = COUNT_SHARE + (LAG_S / run.measured_s if engine == "postgresql" else 0.0)
    difference = commits / run.throughput_per_s - 1
    return (difference, allowed) if abs(difference) > allowed else None


def _engine(host: Host) -> str:
    """The first monitor of servers that has readings of the measured time; empty without one."""
    return next(
        (
            name
            for name in SERVER_MONITORS
            if any(host.ends(name, subject) for subject in host.subjects(name))
        ),
        "",
    )


def _server(subject: str) -> str:
    """The server of a database's place: `db.lab:5432` of `db.lab:5432/shop`."""
    return subject.rpartition("/")[0]


def _per_s(host: Host, engine: str, counters: Sequence[str]) -> float | None:
    """Sum over servers; counters of the whole server are taken from one of its databases."""
    of_database = engine == "postgresql" and not counters[0].startswith("checkpoints")
    subjects = host.subjects(engine)
    if not of_database:
        subjects = list({_server(subject): subject for subject in subjects}.values())
    return host.sum_per_s(engine, counters, subjects)


def _mean(runs: Sequence[MeasuredRun], engine: str, counters: Sequence[str]) -> float | None:
    return _mean_known(_per_s(run.host, engine, counters) for run in runs)


def _mean_of_processes(runs: Sequence[MeasuredRun], counter: str) -> float | None:
    """Processor time of the servers whose processes are on this host."""
    return _mean_known(_of_processes(run.host, [counter]) for run in runs)


def _mean_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _count(runs: Sequence[MeasuredRun], engine: str, counters: Sequence[str]) -> int | None:
    """In all measured time."""
    rates = [(_per_s(run.host, engine, counters), run.measured_s) for run in runs]
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
        and not job.facts.get("engine.aside_s")
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
