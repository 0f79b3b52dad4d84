"""Facts of several agents about themselves and their work, as one list of facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from igen.facts.declaration import Together, declared, of_agent


class Different(Exception):
    """Error for values that are not counts of the same kind."""


def body(name: str, value: Any) -> dict[str, Any]:
    """Return the body of a fact."""
    return {"name": name, "value": value}


class Facts:
    """Facts by agent. Facts of the first agent are passed on at once, additions of others at the end."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._told: dict[int, dict[str, Mapping[str, Any]]] = {}
        self._results: dict[str, dict[int, Any]] = {}
        """Facts after the load, by agent: each agent counts its own work."""

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
            if _together(name) != "each":
                continue
            try:
                total = _sum(list(by_agent.values()))
            except Different:
                continue
            summed.add(name)
            if name not in own or total != own[name]["value"]:
                yield body(name, total)
        for name in dict.fromkeys(name for facts in self._told.values() for name in facts):
            values = [facts[name]["value"] for facts in self._told.values() if name in facts]
            if _together(name) == "largest" and len(values) > 1:
                yield body(name, max(values, key=abs))
            if _together(name) == "sum" and (len(values) > 1 or name not in own):
                yield body(name, sum(values))
        for agent, facts in sorted(self._told.items()):
            if agent == self._leader:
                continue
            for name, fact in facts.items():
                if name not in summed and _together(name) == "each" and own.get(name) != fact:
                    yield {**fact, "name": of_agent(agent + 1, name)}


def _together(name: str) -> Together:
    found = declared(name)
    return found.together if found else "each"


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
