"""The classification of one field of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

Kind = Literal["program", "file", "host", "login", "permission", "secret", "rights", "data", "unknown"]

WORDS: dict[Kind, str] = {
    "program": "starts a program",
    "file": "names a file",
    "host": "reaches another machine",
    "login": "connects to another machine as you",
    "permission": "a permission that only the owner can give",
    "secret": "sends a secret",
    "rights": "takes priority over other programs",
    "data": "removes data",
    "unknown": "is not known to be harmless",
}
"""Predicate for each kind of danger; its subject is the field."""

Rule = Callable[[Any, Path], "Kind | None"]
"""The danger of a value, None if it is harmless. Paths are seen from the folder in which the study runs."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a study: what it may be, and the danger of each value."""

    value: Rule | None = None
    """The danger of a text, a number, true or false; None if the field has no such value."""
    items: Field | None = None
    """Each item of a list; None if the field is not a list."""
    fields: Mapping[str, Field] = field(default_factory=dict)
    """The known fields of a table."""
    others: Field | None = None
    """Each other field of a table, if users name them; None if the table has known fields only."""
    whole: bool = False
    """True if a list or table means nothing without one of its parts: a tier without its machine."""


def harmless(_value: Any, _folder: Path) -> Kind | None:
    """Return None: no value of the field is dangerous."""
    return None


def always(kind: Kind) -> Rule:
    """Return a rule by which each value has this danger."""
    return lambda _value, _folder: kind


def only(*values: Any, otherwise: Kind) -> Rule:
    """Return a rule by which these values are harmless and all others have this danger."""
    return lambda value, _folder: None if value in values else otherwise


def leaf(rule: Rule = harmless) -> Field:
    """Return a field that is a text, a number, true or false."""
    return Field(value=rule)


def dangerous(kind: Kind) -> Field:
    """Return a field that has this danger, whatever its form is."""
    anything = Field(value=always(kind))
    return Field(value=anything.value, items=anything, others=anything, whole=True)


def table(**fields: Field) -> Field:
    """Return a table of these fields."""
    return Field(fields=fields)


def whole(parts: Field) -> Field:
    """Return the same field, which means nothing without one of its parts."""
    return replace(parts, whole=True)


def texts(*names: str) -> dict[str, Field]:
    """Return harmless fields with these names, each a text, a number, true or false."""
    return dict.fromkeys(names, PLAIN)


def listed(item: Field) -> Field:
    """Return a list of such fields."""
    return Field(items=item)


def named(item: Field) -> Field:
    """Return a table in which users choose the names."""
    return Field(others=item)


PLAIN = leaf()
"""A harmless text, number, true or false."""
ONE_OR_MORE = Field(value=harmless, items=PLAIN)
"""A harmless text or number, or a list of them."""
ANYTHING = Field(value=harmless, items=PLAIN, others=PLAIN)
"""A harmless value of any form that is not nested further."""
THINK_TIME = Field(value=harmless, fields={"uniform": listed(PLAIN), "exponential": PLAIN})
"""A time, or the distribution of times."""
