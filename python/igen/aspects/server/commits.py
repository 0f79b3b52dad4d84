"""Counters of servers a second, and the commits that are the transactions of the load."""

from __future__ import annotations

from collections.abc import Sequence

from igen.aspects.server.parts import SERVER_MONITORS
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.resources import Host
from igen.loads import Loads

ONE_COMMIT = ("oltp", "bank")
"""Workloads whose transaction is one of the database."""
_OF_SERVER = ("background_", "checkpoint", "data_", "log_", "session_")
"""Prefixes of PostgreSQL's counters of the whole server; the other counters are of a database."""


def engines_of(host: Host) -> list[str]:
    """Return the monitors of servers that have readings of the measured time."""
    return [
        name for name in SERVER_MONITORS if any(host.ends(name, subject) for subject in host.subjects(name))
    ]


def server_of_place(place: str) -> str:
    """Return the server of a database's place: `db.lab:5432` of `db.lab:5432/shop`."""
    return place.rpartition("/")[0] or place


def per_s(host: Host, engine: str, counters: Sequence[str]) -> float | None:
    """Return the sum over servers; counters of a whole server are taken from one of its databases."""
    subjects = host.subjects(engine)
    if engine != "postgresql" or counters[0].startswith(_OF_SERVER):
        subjects = list({server_of_place(subject): subject for subject in subjects}.values())
    return host.sum_per_s(engine, counters, subjects)


def commits_per_s(run: MeasuredRun, host: Host) -> float | None:
    """Return the commits of the servers of all targets; None if they are not the transactions of the load, or
    if a server does not count them."""
    job = run.recording.job
    autocommit = any(load.params.get("mode") == "autocommit" for load in Loads.of(job))
    if job.get("workload") not in ONE_COMMIT or autocommit:
        return None
    engines = engines_of(host)
    counted = [per_s(host, engine, ["commits"]) for engine in engines]
    schemes = {target.partition(":")[0] for target in run.recording.targets}
    known = [each for each in counted if each is not None]
    return sum(known) if known and len(known) == len(counted) and schemes <= set(engines) else None
