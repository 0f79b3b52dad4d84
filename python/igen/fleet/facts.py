"""Facts of several agents about themselves and their work, as one list of facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


class Different(Exception):
    """Values that are not counts of the same things."""


class Facts:
    """Facts by agent. Facts of the first agent are told as they come, and what the others add at the end."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._told: dict[int, dict[str, Any]] = {}
        self._results: dict[str, dict[int, Any]] = {}
        """Facts that came when the load of their agent was over, by agent: each agent counts its own work."""

    def add(self, agent: int, name: str, value: Any, *, load_is_over: bool) -> bool:
        """Keep a fact. Returns True if it is to be told now."""
        self._told.setdefault(agent, {})[name] = value
        if load_is_over:
            self._results.setdefault(name, {})[agent] = value
        return agent == self._leader

    def rest(self) -> Iterator[tuple[str, Any]]:
        """Yield sums of what was counted, and facts in which other agents differ from the first."""
        own = self._told.get(self._leader, {})
        summed = set()
        for name, by_agent in self._results.items():
            try:
                total = _sum(list(by_agent.values()))
            except Different:
                continue
            summed.add(name)
            if total != own.get(name):
                yield name, total
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
                if name not in summed and not name.startswith("engine.") and own.get(name) != value:
                    yield f"fleet.{agent + 1}.{name}", value


def _sum(values: Sequence[Any]) -> Any:
    """Return the sum of counts, however deep they lie in lists and tables whose other values are equal.

    Raises `Different`.
    """
    first = values[0]
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return sum(values)
    if all(isinstance(value, list) and len(value) == len(first) for value in values):
        return [_sum(each) for each in zip(*values, strict=True)]
    if all(isinstance(value, dict) for value in values):
        names = dict.fromkeys(name for value in values for name in value)
        return {name: _sum([value[name] for value in values if name in value]) for name in names}
    if any(value != first for value in values):
        raise Different
    return first
