"""Facts of several agents about themselves and their work, as one list of facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_TIMES = ("engine.aside_s", "engine.spun_s")
"""Times that add up over the agents."""


class Different(Exception):
    """Values that are not counts of the same things."""


def result(name: str, value: Any) -> dict[str, Any]:
    """Return the body of a fact about the run."""
    return {"name": name, "value": value, "kind": "result"}


class Facts:
    """Facts by agent. Facts of the first agent are passed on at once, additions of others at the end."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._told: dict[int, dict[str, Mapping[str, Any]]] = {}
        self._results: dict[str, dict[int, Any]] = {}
        """Facts that came when the load of their agent was over, by agent: each agent counts its own work."""

    def add(self, agent: int, fact: Mapping[str, Any], *, load_is_over: bool) -> bool:
        """Keep the body of a fact. Return True if it is to be passed on now."""
        name, value = fact["name"], fact["value"]
        self._told.setdefault(agent, {})[name] = fact
        if load_is_over:
            self._results.setdefault(name, {})[agent] = value
        return agent == self._leader

    def rest(self) -> Iterator[Mapping[str, Any]]:
        """Yield sums of what was counted, and facts in which other agents differ from the first."""
        own = self._told.get(self._leader, {})
        summed = set()
        for name, by_agent in self._results.items():
            if name in _TIMES:
                continue
            try:
                total = _sum(list(by_agent.values()))
            except Different:
                continue
            summed.add(name)
            if name not in own or total != own[name]["value"]:
                yield result(name, total)
        if len(drifts := self._values("engine.clock_drift_ppm")) > 1:
            yield result("engine.clock_drift_ppm", max(drifts, key=abs))
        for name in _TIMES:
            if (times := self._values(name)) and (len(times) > 1 or name not in own):
                yield result(name, sum(times))
        for agent, facts in sorted(self._told.items()):
            if agent == self._leader:
                continue
            for name, fact in facts.items():
                if name not in summed and not name.startswith("engine.") and own.get(name) != fact:
                    yield {**fact, "name": f"fleet.{agent + 1}.{name}"}

    def _values(self, name: str) -> list[Any]:
        return [facts[name]["value"] for facts in self._told.values() if name in facts]


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
