"""Declarations of facts: the subject of a fact, and whether two systems can differ in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from igen.loads import load_at

Subject = Literal["machine", "tunable", "device", "server", "instance", "load", "run"]
"""What a fact is about. A fact of a run is a result, any other is about the environment."""
Together = Literal["each", "first", "sum", "largest"]
"""How the facts of several agents become one."""
Form = str | Mapping[str, Any]
"""The type of a value, as declared: `count`, `{"list": "text"}`, `{"record": [["name", "text"]]}`."""
_MOST_COUNT = 2**63
_RANGE = re.compile(r"[0-9]{1,20}(-[0-9]{1,20})?")


@dataclass(frozen=True, slots=True)
class Declared:
    """The declaration of a fact or of a family of facts."""

    name: str
    """Dotted name; that of a family has a part in braces."""
    subject: Subject
    form: Form
    volatile: bool
    """True if it changes from run to run although nobody changes a setting."""
    changes_work: bool
    """True if another value means other work, so that there is no ratio."""
    together: Together
    shows: str
    """The setting whose value it shows, by its last name; empty if it shows none."""

    def has(self, value: Any) -> bool:
        """Return True if a value has the declared type, or if the parts of a machine have such values."""
        if isinstance(value, list) and isinstance(self.form, str) and self.subject != "run":
            return all(_has(self.form, each) for each in value)
        return _has(self.form, value)

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
    form: Form,
    *,
    volatile: bool = False,
    changes_work: bool = False,
    together: Together = "each",
    shows: str = "",
) -> str:
    """Declare a fact and return its name."""
    DECLARED[name] = Declared(name, subject, form, volatile, changes_work, together, shows)
    return name


def family(
    name: str,
    subject: Subject,
    form: Form,
    *,
    volatile: bool = False,
    changes_work: bool = False,
    together: Together = "each",
    shows: str = "",
) -> Family:
    """Declare a family of facts."""
    before, _, rest = name.partition("{")
    made = Family(before, rest.partition("}")[2])
    FAMILIES.append((made, Declared(name, subject, form, volatile, changes_work, together, shows)))
    return made


def shown_setting(name: str) -> str:
    """Return the name of the setting whose value a fact shows; empty if it shows none."""
    found = declared(name)
    if found is None or not found.shows.startswith("{"):
        return found.shows if found else ""
    parts = (made.part(own_name(name)) for made, each in FAMILIES if each is found)
    return next(parts, None) or ""


@lru_cache(maxsize=4096)
def declared(name: str) -> Declared | None:
    """Return the declaration of a fact, which may be the fact of one load or agent; None if it is unknown."""
    own = own_name(name)
    if own in DECLARED:
        return DECLARED[own]
    return next((each for made, each in FAMILIES if made.part(own) is not None), None)


def _has(form: Form, value: Any) -> bool:
    """Return True if a value, or a part of one, has a type; an absent part of a record is None."""
    if isinstance(form, str):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        match form:
            case "number":
                return is_number
            case "count":
                return is_number and isinstance(value, int) and 0 <= value < _MOST_COUNT
            case "text":
                return isinstance(value, str)
            case "ranges":
                return isinstance(value, str) and all(map(_RANGE.fullmatch, value.split()))
            case "boolean":
                return isinstance(value, bool)
            case "setting":
                return isinstance(value, bool | int | float | str)
        return True
    ((kind, of),) = form.items()
    match kind:
        case "maybe":
            return value is None or _has(of, value)
        case "list":
            return isinstance(value, list) and all(_has(of, each) for each in value)
        case "table":
            return isinstance(value, dict) and all(_has(of, each) for each in value.values())
    return isinstance(value, dict) and all(_has(part, value.get(name)) for name, part in of)


def group_of(name: str) -> str:
    """Return the first word of a fact's name."""
    return name.partition(".")[0]


def of_agent(number: int | str, name: str) -> str:
    """Return the name of a fact that only this agent of a fleet reports."""
    return f"fleet.{number}.{name}"


def place_of(name: str) -> tuple[str, str, str]:
    """Return the agent, the load and the own name of a fact: `2`, `buyers` and `web.requests`.

    The agent and the load are empty if the fact is about all of them.
    """
    group, _, rest = name.partition(".")
    agent, _, own = rest.partition(".")
    if own and group == "fleet" and agent.isdigit():
        return agent, *load_at(own)
    return "", *load_at(name)


def own_name(name: str) -> str:
    """Return the name of a fact without the load or agent that it is about."""
    return place_of(name)[2]


def name_for_load(name: str, load: str) -> str | None:
    """Return the name of a fact in the job of one load; None if the fact is about another load."""
    agent, of_load, own = place_of(name)
    if of_load not in ("", load):
        return None
    return of_agent(agent, own) if agent else own


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
