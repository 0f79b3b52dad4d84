"""What several agents tell of themselves and of their work, as one list of facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class Facts:
    """Facts by agent. Those of the first are told as they come, what the others add to them at the end."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._told: dict[int, dict[str, Any]] = {}
        self._counted: dict[str, dict[int, int]] = {}
        """Counts that agents told when their load was over."""

    def add(self, agent: int, name: str, value: Any, *, load_is_over: bool) -> bool:
        """Keeps a fact; whether it is to be told now."""
        self._told.setdefault(agent, {})[name] = value
        if load_is_over and _is_count(value):
            self._counted.setdefault(name, {})[agent] = value
        return agent == self._leader

    def rest(self) -> Iterator[tuple[str, Any]]:
        """Sums of what was counted, and what other agents say that the first does not."""
        own = self._told.get(self._leader, {})
        for name, by_agent in self._counted.items():
            if set(by_agent) != {self._leader}:
                yield name, sum(by_agent.values())
        drifts = [
            facts["engine.clock_drift_ppm"]
            for facts in self._told.values()
            if "engine.clock_drift_ppm" in facts
        ]
        if len(drifts) > 1:
            yield "engine.clock_drift_ppm", max(drifts, key=abs)
        asides = [facts["engine.aside_s"] for facts in self._told.values() if "engine.aside_s" in facts]
        if len(asides) > 1:
            yield "engine.aside_s", sum(asides)
        for agent, facts in sorted(self._told.items()):
            if agent == self._leader:
                continue
            for name, value in facts.items():
                if name not in self._counted and not name.startswith("engine.") and own.get(name) != value:
                    yield f"fleet.{agent + 1}.{name}", value
