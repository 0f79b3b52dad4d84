"""What a check finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from igen.judge.result import Result, System


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that a reader of the figures must know, or that is to be mended before they are published."""

    subject: str = ""
    """The check."""
    of: tuple[str, ...] = ()
    """Systems that it is about; empty where it is about all."""
    found: str
    """What is so, with its figures."""
    matters: str
    """Why that matters."""
    remedy: str
    """What to do."""
    said_by: tuple[str, ...] = ()
    """Rules whose sentences say the same: a report that has one of them does not say it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotKnown:
    """What a check would have to know, and does not."""

    subject: str = ""
    of: tuple[str, ...] = ()
    why: str


Found = Iterator[Finding | NotKnown]
OfSystem = Callable[[System], Found]
"""A check of one system."""
OfResult = Callable[[Result], Found]
"""A check of all systems together."""
