"""Machines on which a recording was made: what the monitors would have said."""

from __future__ import annotations

from typing import Any

from igen.judge.record.recording import Recording
from tests.judge.synthetic import readings

PROCESSORS = 2


def on_host(
    made: Recording,
    *,
    own: float = 1.0,
    waiting: float = 0.0,
    foreign: dict[str, float] | None = None,
    steal: float = 0.0,
    pressure: float | None = None,
    programs: float = 0.0,
) -> Recording:
    """Two processors. All figures are seconds a second: of the load process, of the time in which it was
    ready and had no processor, of programs by name, of the hypervisor; `pressure` is the share of time in
    which any task waited; `programs` what programs have used that the load process has started."""
    foreign = foreign or {}
    busy = own + programs + sum(foreign.values())
    idle = max(PROCESSORS - busy - steal, 0.0)
    whole: dict[str, Any] = {"user_s": busy, "idle_s": idle, "steal_s": steal}
    agent = {"user_s": own, "system_s": 0.0, "wait_s": waiting, "children_user_s": programs}
    parts = [
        readings("cpu", whole),
        *(
            readings("cpu", {name: value / PROCESSORS for name, value in whole.items()}, f"cpu{number}")
            for number in range(PROCESSORS)
        ),
        readings("process", agent, "agent"),
        *(
            readings("processes", {"user_s": used}, f"{place + 7} {name}")
            for place, (name, used) in enumerate(foreign.items())
        ),
    ]
    if pressure is not None:
        parts.append(readings("pressure", {"some_s": pressure}, "cpu"))
    for part in parts:
        made.readings.update(part)
    return made
