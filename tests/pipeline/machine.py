"""What the monitors of an execution said: of a quiet machine, or of one that was disturbed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import msgspec

PROCESSORS = 4


@dataclass(frozen=True, slots=True)
class Machine:
    """Shares of all processors' time, 0 to 1."""

    load_share: float = 0.2
    """Used by the agent, in which the work is done."""
    foreign_share: float = 0.004
    """Used by processes that have nothing to do with the load."""
    steal_share: float = 0.0
    wait_per_s: float = 0.001
    """Time that the agent's threads waited for a processor, all together, a second."""
    pressure_share: float = 0.002
    """Time in which some task waited for a processor."""
    spins: float = 1.0
    """Speed of the spin canary against that of a quiet machine."""


QUIET = Machine()


@cache
def readings(machine: Machine, at_s: tuple[float, ...]) -> tuple[bytes, ...]:
    """The lines of all monitors at each of these times."""
    return tuple(_lines(machine, moment_s) for moment_s in at_s)


def _lines(machine: Machine, at_s: float) -> bytes:
    return b"".join(
        msgspec.json.encode({"reading": {"monitor": monitor, **subject, "at_s": at_s, **values}}) + b"\n"
        for monitor, subject, values in (
            ("cpu", {}, {"counters": _processors(machine, at_s, PROCESSORS), "gauges": {"runnable": 1.0}}),
            *(
                ("cpu", {"subject": f"cpu{n}"}, {"counters": _processors(machine, at_s, 1), "gauges": {}})
                for n in range(PROCESSORS)
            ),
            ("pressure", {"subject": "cpu"}, _pressure(machine.pressure_share, at_s)),
            ("pressure", {"subject": "io"}, _pressure(0.0, at_s)),
            ("process", {"subject": "agent"}, _agent(machine, at_s)),
            ("processes", {"subject": "4242 cc1plus"}, _other(machine, at_s)),
        )
    )


def _processors(machine: Machine, at_s: float, number: int) -> dict[str, float]:
    busy = machine.load_share + machine.foreign_share
    shares = {
        "user_s": 0.9 * busy,
        "system_s": 0.1 * busy,
        "steal_s": machine.steal_share,
        "idle_s": 1 - busy - machine.steal_share,
    }
    counters = {name: 100.0 + share * number * at_s for name, share in shares.items()}
    others = dict.fromkeys(("nice_s", "iowait_s", "irq_s", "softirq_s"), 1.0)
    return counters | others | {"context_switches": 1e6 + 2e3 * number * at_s}


def _pressure(share: float, at_s: float) -> dict[str, dict[str, float]]:
    return {"counters": {"some_s": 9.0 + share * at_s, "full_s": 0.0}, "gauges": {}}


def _agent(machine: Machine, at_s: float) -> dict[str, dict[str, float]]:
    used_s = machine.load_share * PROCESSORS * at_s
    return {
        "counters": {
            "user_s": 0.9 * used_s,
            "system_s": 0.1 * used_s,
            "run_s": used_s,
            "wait_s": machine.wait_per_s * at_s,
            "voluntary_switches": 2000 * at_s,
            "involuntary_switches": 20_000 * machine.wait_per_s * at_s,
        },
        "gauges": {"threads": 5.0, "resident_bytes": 1e7},
    }


def _other(machine: Machine, at_s: float) -> dict[str, dict[str, float]]:
    used_s = machine.foreign_share * PROCESSORS * at_s
    return {"counters": {"user_s": 50.0 + used_s, "system_s": 3.0}, "gauges": {}}
