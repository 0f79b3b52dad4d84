"""Free memory for more processes: of the machine, or within the limits of this process."""

from __future__ import annotations

import json
import subprocess

from igen.agent_program import SETUP_HINT, find_agent
from igen.errors import IgenError
from igen.facts import ENVIRONMENT_AVAILABLE_MEMORY_BYTES

_ANSWER_LIMIT_S = 30.0


def available_bytes() -> int:
    """Return what the agent reports as available to itself. Raises `IgenError` if it does not report it."""
    agent = find_agent()
    try:
        done = subprocess.run([agent, "facts"], capture_output=True, timeout=_ANSWER_LIMIT_S, check=True)
        facts = [json.loads(line).get("fact", {}) for line in done.stdout.splitlines()]
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise IgenError(f"{agent} does not answer: {error}", hint=SETUP_HINT) from error
    for fact in facts:
        if fact.get("name") == ENVIRONMENT_AVAILABLE_MEMORY_BYTES:
            return int(fact["value"])
    raise IgenError(f"{agent} does not report the available memory", hint=SETUP_HINT)
