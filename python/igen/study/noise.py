"""The noise of this machine from stored sessions, for searches, plans and comparisons."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from igen.judge.compare.machine import machine_of
from igen.judge.curve.points import used_runs
from igen.judge.curve.quantities import figures
from igen.judge.figure.noise import MachineNoise, Noise, Session, noise_of
from igen.judge.figure.pairs import paired
from igen.judge.result import Quantity, System
from igen.loads import MEAN, P99, THROUGHPUT, Load
from igen.store.noise import NoiseSession, read_noise

QUANTITIES: tuple[Quantity, ...] = (THROUGHPUT, MEAN, P99)
MOST_SESSIONS = 20
"""Most sessions of a system that count, the latest ones: a machine changes."""


def session_of(base: System, system: System) -> NoiseSession:
    """A session from the two sides of a run in which nothing differs; of a pair that lacks a side the other
    one does not count either."""
    levels = [each.levels[0] for each in (base, system)]
    of_base, of_system = ({quantity: figures(level, quantity) for quantity in QUANTITIES} for level in levels)
    pairs = {quantity: paired(of_system[quantity], of_base[quantity]) for quantity in QUANTITIES}
    return NoiseSession(
        host=host_name(),
        workload=base.workload,
        settings=_lasting(base.job),
        run=base.run,
        started_unix_s=min(run.started_unix_s for run in used_runs(levels[0])),
        pairs={
            str(quantity): [*zip(each.base, each.values, strict=True)] for quantity, each in pairs.items()
        },
        first={str(quantity): each.first for quantity, each in pairs.items() if each.first is not None},
    )


def machine_noise(store: Path, workload: str, host: str | None = None) -> MachineNoise | None:
    """Noise of the system with this workload that was measured last; for want of one, of the noisiest other.

    `host` is the machine, this one where it is None. None where its noise was never measured.
    """
    host = host or host_name()
    systems: list[tuple[dict[str, Any], list[NoiseSession]]] = []
    for session in read_noise(store):
        if session.host != host:
            continue
        place = next((each for settings, each in systems if settings == session.settings), None)
        if place is None:
            systems.append((session.settings, [session]))
        else:
            place.append(session)
    same = [each for _, each in systems if each[0].workload == workload]
    if same:
        return noise_from(max(same, key=lambda sessions: sessions[-1].started_unix_s))
    found = [each for _, sessions in systems if (each := noise_from(sessions)) and each.deciding]
    return max(found, key=lambda each: each.deciding.between_runs if each.deciding else 0.0, default=None)


def noise_from(sessions: Sequence[NoiseSession]) -> MachineNoise | None:
    """Return the noise in sessions of a system; None if they hold too few pairs."""
    latest = sessions[-MOST_SESSIONS:]
    found: dict[Quantity, Noise] = {}
    for quantity in QUANTITIES:
        noise = noise_of(
            [
                Session(
                    started_unix_s=session.started_unix_s,
                    pairs=session.pairs.get(quantity, []),
                    first=session.first.get(quantity),
                )
                for session in latest
            ]
        )
        if noise is not None:
            found[quantity] = noise
    decides_by = Load.of(latest[-1].settings.get("load")).decides
    return MachineNoise(workload=latest[-1].workload, of=found, decides_by=decides_by) if found else None


def noise_by_machine(store: Path, systems: Iterable[System], *, unnamed: str) -> dict[str, MachineNoise]:
    """What the store knows of the machine of each system, by its name; without those of which it knows
    nothing. `unnamed` is the machine of a system that does not say it, whose name is empty."""
    workloads = {machine_of(system): system.workload for system in systems}
    found = {name: machine_noise(store, workload, name or unnamed) for name, workload in workloads.items()}
    return {name: noise for name, noise in found.items() if noise is not None}


def host_name() -> str:
    """Return the identity of this machine."""
    return socket.gethostname()


def _lasting(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the job without fields that differ between sessions."""
    return {name: value for name, value in job.items() if name not in ("load_seed", "repeat")}
