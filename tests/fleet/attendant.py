"""Runs the job on standard input as igen does, and prints the agent's lines: to be killed by a test."""

import json
import sys
from typing import Any

from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import run_job


class Printer:
    """Hands on what the agent says."""

    def line(self, line: bytes) -> None:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()

    def event(self, event: dict[str, Any]) -> None:
        """Answers nothing."""


agent = Agent()
with Interrupts() as interrupts:
    run_job(agent.path, agent.check(json.load(sys.stdin)), Printer(), interrupts)
