"""Why transactions failed, as the agent declares it: a kind to decide by, a step, and words for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

FailureKind = Literal["lost", "refused", "silent", "protocol", "check", "device", "conflict", "other"]
KINDS: tuple[FailureKind, ...] = get_args(FailureKind)
NO_SERVER: frozenset[FailureKind] = frozenset({"lost", "refused", "silent"})
"""Kinds that mean that the server went away, for however short a time."""


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """Why a transaction failed: many share one reason."""

    kind: FailureKind
    step: str
    """The step of the transaction that failed, such as `search 3`; empty if it has none."""
    text: str

    def __str__(self) -> str:
        return f"{self.step}: {self.text}" if self.step else self.text


def failures_of(told: Iterable[Mapping[str, Any]]) -> Counter[Failure]:
    """Return how many transactions failed for which reason, from the `failures` of a snapshot.

    Raises `KeyError`, `TypeError` or `ValueError` for what is not as the schema says.
    """
    found: Counter[Failure] = Counter()
    for each in told:
        if each["kind"] not in KINDS:
            raise ValueError(f"a failure of the kind {each['kind']!r}")
        found[Failure(each["kind"], each.get("step", ""), each["text"])] += each["count"]
    return found


def told_failures(failures: Mapping[Failure, int]) -> list[dict[str, Any]]:
    """Return failures as a snapshot tells them."""
    return [
        {"kind": each.kind, **({"step": each.step} if each.step else {}), "text": each.text, "count": count}
        for each, count in failures.items()
    ]
