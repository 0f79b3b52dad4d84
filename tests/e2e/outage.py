"""A server that is killed and started again while it is loaded."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command_line import PATIENCE_S, Done, measured, wait_for

from igen.instances import control
from igen.instances.instance import Instance


def outage(
    process: subprocess.Popen[str], instance: Instance, store: Path, igen: Callable[[str], Done]
) -> dict[str, Any]:
    """The only level of a run that went through it, and that somebody ended then: INVALID, and kept."""
    wait_for(lambda: len(measured(store)) >= 2, process)
    control.kill(instance)
    wait_for(lambda: measured(store)[-1].get("failures"), process)
    control.start(instance)
    seen = len(measured(store))
    wait_for(lambda: any(each["transactions"]["count"] for each in measured(store)[seen + 1 :]), process)
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert level["trust"]["verdict"] == "INVALID"
    assert level["transactions"] > 0
    return dict(level)
