"""Declarations of facts: the subject of a fact, and whether two systems can differ in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from igen.loads import PERSONAS

Subject = Literal["machine", "tunable", "device", "server", "instance", "load", "run"]
"""What a fact is about. A fact of a run is a result, any other is about the environment."""
Together = Literal["each", "first", "sum", "largest"]
"""How the facts of several agents become one."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The declaration of a fact or of a family of facts."""

    name: str
    """Dotted name; that of a family has a part in braces."""
    subject: Subject
    volatile: bool
    """True if it changes from run to run although nobody changes a setting."""
    changes_work: bool
    """True if another value means other work, so that there is no ratio."""
    together: Together

    @property
    def is_factor(self) -> bool:
        """True if a difference in it may be why one system is faster."""
        return self.subject != "run" and not self.volatile


@dataclass(frozen=True, slots=True)
class Family:
    """Facts whose names have a part that is known at run time: `storage.{device}.model`."""

    before: str
    after: str

    def of(self, part: object) -> str:
        """Return the name of the fact about `part`."""
        return f"{self.before}{part}{self.after}"

    def part(self, name: str) -> str | None:
        """Return the part that is known at run time; None for the name of another fact."""
        long_enough = len(name) > len(self.before) + len(self.after)
        if not (long_enough and name.startswith(self.before) and name.endswith(self.after)):
            return None
        return name[len(self.before) : len(name) - len(self.after)]


DECLARED: dict[str, Declared] = {}
"""Facts by name."""
FAMILIES: list[tuple[Family, Declared]] = []
"""Families in the order of the agent's list: the first one that fits a name declares it."""


def fact(
    name: str,
    subject: Subject,
    *,
    volatile: bool = False,
    changes_work: bool = False,
    together: Together = "each",
) -> str:
    """Declare a fact and return its name."""
    DECLARED[name] = Declared(name, subject, volatile, changes_work, together)
    return name


def family(
    name: str,
    subject: Subject,
    *,
    volatile: bool = False,
    changes_work: bool = False,
    together: Together = "each",
) -> Family:
    """Declare a family of facts."""
    before, _, rest = name.partition("{")
    made = Family(before, rest.partition("}")[2])
    FAMILIES.append((made, Declared(name, subject, volatile, changes_work, together)))
    return made


@lru_cache(maxsize=4096)
def declared(name: str) -> Declared | None:
    """Return the declaration of a fact, which may be the fact of one load or agent; None if it is unknown."""
    own = own_name(name)
    if own in DECLARED:
        return DECLARED[own]
    return next((each for made, each in FAMILIES if made.part(own) is not None), None)


def group_of(name: str) -> str:
    """Return the first word of a fact's name."""
    return name.partition(".")[0]


def of_agent(number: int, name: str) -> str:
    """Return the name of a fact that only this agent of a fleet reports."""
    return f"fleet.{number}.{name}"


def own_name(name: str) -> str:
    """Return the name of a fact without the load or agent that it is about: `fleet.2.sessions.own`."""
    group, _, rest = name.partition(".")
    number, _, own = rest.partition(".")
    if own and (group == PERSONAS or (group == "fleet" and number.isdigit())):
        return own_name(own)
    return name


def subject_of(name: str) -> Subject | None:
    """Return the subject of a fact; None if it is unknown."""
    found = declared(name)
    return found.subject if found else None


def is_factor(name: str) -> bool:
    """Return True if a difference in a fact may be why one system is faster. An unknown fact may be."""
    found = declared(name)
    return found is None or found.is_factor


def work_facts() -> list[str]:
    """Return the names of the facts that say which work was done."""
    return [name for name, each in DECLARED.items() if each.changes_work]
