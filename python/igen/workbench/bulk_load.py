"""Private instances, loaded with data from the agent by the bulk loaders of their servers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.instances import control
from igen.instances.instance import Instance
from igen.instances.products import PRODUCTS

if TYPE_CHECKING:
    from igen.study.study import Study

Job = dict[str, Any]
Say = Callable[[str], None]

_TELL_EVERY_S = 2.0
_ENTRY = b"\ndn:"


def feed(job: Job, say: Say, target_index: int | None = None) -> control.Feed:
    """Return the output of `igen data export` for an instance; the number is the index of its target."""

    def pieces(instance: Instance) -> Iterator[bytes]:
        index = instance.number - 1 if target_index is None else target_index
        entries, told_s = 0, time.monotonic()
        # Where an entry begins may be cut in two, and before the first one there is no end of a line.
        end = b"\n"
        for piece in Agent().export(job, index):
            text = end + piece
            entries += text.count(_ENTRY)
            end = text[1 - len(_ENTRY) :]
            if time.monotonic() - told_s > _TELL_EVERY_S:
                told_s = time.monotonic()
                say(f"{instance.name}: {entries:,} entries so far")
            yield piece
        say(f"{instance.name}: {entries:,} entries loaded")

    return pieces


def bulk_load(job: Job, say: Say) -> None:
    """Load every target of a job that is an empty private instance."""
    if "prepare" not in job["steps"]:
        return
    waiting = {_place(control.target(one)): one for one in _waiting(job["workload"])}
    for index, target in enumerate(job["targets"]):
        if instance := waiting.pop(_place(target), None):
            with Interrupts() as interrupts:
                control.bulk_load(instance, feed(job, say, index), lambda: interrupts.count > 0)


def bulk_load_targets(study: Study, say: Say) -> None:
    """Load the targets of all levels that are known before the run."""
    from igen.study.planned import planned_levels

    if _waiting(str(study.job.get("workload"))):
        for level in planned_levels(study, Agent()):
            bulk_load(level.job, say)


def _waiting(workload: str) -> list[Instance]:
    """Return the empty private instances that can be loaded in bulk for a job."""
    kinds = [name for name, product in PRODUCTS.items() if workload in product.needs.loads]
    return [one for kind in kinds for one in control.selected(None, kind) if control.awaits_load(one)]


def _place(target: str) -> tuple[object, ...]:
    """Return the identity of a target, without its user."""
    try:
        url = urlsplit(target)
        host = "127.0.0.1" if url.hostname == "localhost" else url.hostname
        return url.scheme, host, url.port, url.path
    except ValueError:
        # The agent refuses it with better words.
        return (target,)
