"""What directories add to a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.result import Level, LevelPart, aspect


@dataclass(frozen=True, slots=True, kw_only=True)
class LdapOperations:
    """The LDAP operations that authentications are made of, all users together."""

    each: float
    """Operations of one authentication: ten, nine without its modify."""
    per_s: Figure
    """Counted, not multiplied."""
    published_per_s: Figure
    """With the authentication itself as one more, which is how published results count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheck:
    """LDAP operations of all repeats of a level, warm-up and all: as they were sent, and as the directories
    counted them."""

    sent: dict[str, int]
    """By kind: `search`, `bind`, `modify`; to directories that count."""
    counted: dict[str, int]
    uncounted: dict[str, str]
    """By target: why what it counted is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory(LevelPart):
    """LDAP operations: as published results count them, and as the directories counted them."""

    kind: Literal["directory"] = "directory"
    operations: LdapOperations | None
    """What authentications are made of; None of other loads."""
    cross_check: CrossCheck | None


def operations_at(level: Level) -> LdapOperations | None:
    """The LDAP operations of authentications; None for other workloads."""
    directory = aspect(level, Directory)
    return directory.operations if directory else None


def cross_check_at(level: Level) -> CrossCheck | None:
    """What was sent and counted; None where no directory was loaded."""
    directory = aspect(level, Directory)
    return directory.cross_check if directory else None
