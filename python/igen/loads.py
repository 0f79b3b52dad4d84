"""The loads of a job: usually one, without a name; several at once have names, and the job has personas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PERSONAS = "personas"
"""Where a job, its snapshots and its facts have several loads, by name."""
SEVERAL = "several"
"""The load model of several loads at once."""

Quantity = Literal["throughput", "mean response time", "p99 response time", "p99.9 response time"]
THROUGHPUT: Quantity = "throughput"
MEAN: Quantity = "mean response time"
P99: Quantity = "p99 response time"
P999: Quantity = "p99.9 response time"
TAIL = (P99, P999)
"""The slowest of the response times."""

AMOUNTS = ("closed.users", "paced.users", "open.rate_per_s")
"""How much of a load there is, by its model: what the levels of one curve differ in."""
MANNERS = ("think_time_s", "rate_per_user_per_s", "arrivals")
"""Settings of a load that make another one of it, whatever stands for its amount."""


@dataclass(frozen=True, slots=True)
class Load:
    """One load of a job: its model, how much of it there is, and in which manner it comes."""

    model: str
    """`closed`, `paced` or `open`."""
    asked: Mapping[str, Any]
    """The parameters of the model, by their names in a job."""
    name: str = ""
    """Empty for the only load of a job."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """What it asks of the workload."""

    @classmethod
    def of(cls, load: Any, name: str = "", params: Any = None) -> Load:
        """Return the load that stands in a job as `{"closed": {"users": 8}}`; closed if it says nothing."""
        model, asked = next(iter(dict(load or {}).items()), ("closed", {}))
        return cls(str(model), dict(asked or {}), name, dict(params or {}))

    @property
    def users(self) -> int | None:
        """Users asked for; None for an open load that may use as many as it takes."""
        users: int | None = self.asked.get("users")
        return users

    @property
    def offered_per_s(self) -> float | None:
        """What an open or paced load offers; None for a closed one."""
        if self.model == "open":
            return float(self.asked["rate_per_s"])
        if self.model == "paced":
            return float(self.asked["rate_per_user_per_s"]) * int(self.asked["users"])
        return None

    @property
    def amount(self) -> float:
        """Return how much of it there is: users, or the rate of an open load."""
        amount = self.asked.get("rate_per_s") if self.model == "open" else self.users
        return 0.0 if amount is None else float(amount)

    @property
    def decides(self) -> Quantity:
        """What it decides by: the throughput of an open or paced load is what was offered."""
        return THROUGHPUT if self.model == "closed" else MEAN

    @property
    def manner(self) -> str:
        """Return how it comes, beside how much of it.

        As many users who think longer offer less, and so do those who are paced more slowly; arrivals at
        random wait for each other, and evenly spaced ones do not.
        """
        told = {name: value for name in MANNERS if (value := self.asked.get(name))}
        return str(told) if told else ""


@dataclass(frozen=True, slots=True)
class Loads:
    """All loads of a job, one or several, in the order in which the agent drives them."""

    each: tuple[Load, ...]

    @classmethod
    def of(cls, job: Mapping[str, Any]) -> Loads:
        """Return the loads of a checked job; a `TypeError` or `ValueError` for what is no job."""
        tables = dict(sorted(several(job).items())) or {"": job}
        return cls(tuple(Load.of(at.get("load"), name, at.get("params")) for name, at in tables.items()))

    def __iter__(self) -> Iterator[Load]:
        return iter(self.each)

    def __getitem__(self, name: str) -> Load:
        return next(load for load in self.each if load.name == name)

    @property
    def names(self) -> list[str]:
        """Return their names; none if there is only one load."""
        return [load.name for load in self.each if load.name]

    @property
    def model(self) -> str:
        """`closed`, `paced` or `open`; `several` for several loads at once."""
        return SEVERAL if self.names else self.each[0].model

    @property
    def users(self) -> int | None:
        """Users asked for together, of several loads those of closed and paced; None if there are none."""
        asked = [load.users for load in self if not self.names or load.model != "open"]
        return None if all(users is None for users in asked) else sum(users or 0 for users in asked)

    @property
    def offered_per_s(self) -> float | None:
        """What all offer together; None for a closed load, and for several that are not all open."""
        if self.names and any(load.model != "open" for load in self):
            return None
        rates = [load.offered_per_s for load in self]
        return None if None in rates else sum(rate or 0.0 for rate in rates)

    def job_of(self, job: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return the job as if this load were its only one."""
        alone = {key: value for key, value in job.items() if key != PERSONAS}
        load = self[name]
        return {**alone, "params": load.params, "load": {load.model: load.asked}} if name else alone


def several(of: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a job, or a snapshot of one, has for each of several loads by name; empty for one."""
    found = of.get(PERSONAS)
    return found if isinstance(found, Mapping) else {}


def deciding_quantity(model: str) -> Quantity | None:
    """Return what loads of this model decide by; None for several at once, each of which has its own."""
    return None if model == SEVERAL else Load(model, {}).decides


def path_of(load: str, path: str) -> str:
    """Return the path of a setting or a fact of one load: `personas.clerks.load`."""
    return f"{PERSONAS}.{load}.{path}" if load else path


def load_at(path: str) -> tuple[str, str]:
    """Return the load that a path is about, empty for all loads, and the rest of the path."""
    root, _, below = path.partition(".")
    load, _, rest = below.partition(".")
    return (load, rest) if root == PERSONAS and rest else ("", path)


def is_amount(path: str) -> bool:
    """Return True if a setting at that path of a job is how much of a load there is."""
    return load_at(path)[1] in {f"load.{amount}" for amount in AMOUNTS}
