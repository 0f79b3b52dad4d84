"""Number of agents that share a level, and checks that they can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from igen.fleet.agent import Agent
from igen.fleet.share import check_targets
from igen.loads import Loads
from igen.study.levels import PlannedLevel


def agents_of(job: dict[str, Any], agents: int) -> int:
    """Return the number of agents that get a user: a user is not divided."""
    loads = Loads.of(job)
    users = [load.users for load in loads]
    if all(each is None for each in users):
        return agents
    # Each agent takes arrivals of an open load; of closed ones it may have none where it has other users.
    most = sum(each or 0 for each in users) if None not in users else agents
    of_open = [load.users for load in loads if load.users and load.model == "open"]
    return max(min(agents, most, *of_open), 1)


def check_agents(agents: int, levels: Sequence[PlannedLevel], agent: Agent) -> None:
    """Raise `InputError` if agents cannot share one of these levels."""
    if agents == 1:
        return
    for level in levels:
        of = agents_of(level.job, agents)
        check_targets(level.job, of)
        agent.check({**level.job, "share": {"index": of - 1, "of": of}})
