"""Recomputes what a bundle says from the events that it holds, and tells what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose
from typing import Any

import msgspec

from igen.bundle.foreign import runs_of
from igen.bundle.unpack import Bundle
from igen.judge.result import Result
from igen.study.results import read_result

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""By which a number may differ: processors add in another order."""
WHO_JUDGED = "igen_version"
"""Part of the document: which release has judged, and no figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A place at which the published result is not what its events say."""

    place: str
    """`systems[0].levels[1].throughput_per_s.value`"""
    published: Any
    recomputed: Any
    """None where it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A bundle beside what its events say."""

    result: Result
    """Recomputed."""
    numbers: int
    """Compared: all numbers of the result document."""
    texts: int
    """Verdicts, names, facts and sentences."""
    executions: int
    """Whose events were read."""
    differences: list[Difference]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def verify(bundle: Bundle) -> Verified:
    """Judges the runs of a bundle again. Raises `IgenError` where that cannot be done."""
    with runs_of(bundle.path):
        result = read_result(bundle.runs, host=bundle.contents.host)
        recomputed = msgspec.json.decode(msgspec.json.encode(result), type=dict[str, Any])
    values = [value for _, value in _leaves(recomputed)]
    return Verified(
        result=result,
        numbers=sum(isinstance(value, int | float) and not isinstance(value, bool) for value in values),
        texts=sum(isinstance(value, str) for value in values),
        executions=sum(len(run.job_paths()) for run in bundle.runs),
        differences=list(differences(bundle.result, recomputed)),
    )


def differences(published: dict[str, Any], recomputed: dict[str, Any]) -> Iterator[Difference]:
    """Each place at which two result documents differ, in the order of the published one."""
    published, recomputed = ({**each, WHO_JUDGED: ""} for each in (published, recomputed))
    yield from _differences(published, recomputed, "")


def _differences(published: Any, recomputed: Any, place: str) -> Iterator[Difference]:
    if isinstance(published, dict) and isinstance(recomputed, dict):
        for key in {**published, **recomputed}:
            at = f"{place}.{key}" if place else key
            yield from _differences(published.get(key), recomputed.get(key), at)
    elif isinstance(published, list) and isinstance(recomputed, list) and len(published) == len(recomputed):
        for index, (one, other) in enumerate(zip(published, recomputed, strict=True)):
            yield from _differences(one, other, f"{place}[{index}]")
    elif not _alike(published, recomputed):
        yield Difference(place=place, published=published, recomputed=recomputed)


def _alike(one: Any, other: Any) -> bool:
    numbers = [each for each in (one, other) if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(numbers) == 2:
        try:
            numbers = [float(each) for each in numbers]
        except OverflowError:
            return bool(one == other)
        return isclose(*numbers, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(one) is type(other) and bool(one == other)


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    match value:
        case dict():
            for key, each in value.items():
                yield from _leaves(each, f"{place}.{key}")
        case list():
            for index, each in enumerate(value):
                yield from _leaves(each, f"{place}[{index}]")
        case _:
            yield place, value
